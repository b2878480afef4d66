"""How far the gates of SmolLM2-135M are open, layer by layer, over four kinds of text.

The texts were written for this figure. A fact is the mean over all their words, weighed by length;
its spread runs over the four texts.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.gates import EDGES, NEAR_ZERO, Change, Openings, losses, openings
from ffnsite.figure import Fact, Figure
from ffnsite.models.smollm2 import SMOLLM2_135M

TEXTS = {
    "英文叙事": (
        "When the last ferry had gone, the keeper of the lighthouse walked down to the pier and "
        "sat on an empty crate. The wind had turned in the afternoon, and the smell of rain came "
        "over the bay. He thought of his brother, who had once rowed across in a small boat to "
        "bring him bread, coffee and three letters from home."
    ),
    "英文说明": (
        "Water expands when it freezes, which is why ice floats on a lake instead of sinking to "
        "the bottom. Most liquids behave in the opposite way: they shrink as they cool, and their "
        "solid form is denser. Because the ice stays on top, the water below keeps its warmth "
        "through the winter, and the fish survive until spring."
    ),
    "中文": (
        "傍晚的时候，修表的老人把店门关上，坐在窗边喝茶。街对面的面包房还亮着灯，香味一直飘到楼上。"
        "他想起年轻时在码头当学徒，每天要走很远的路，口袋里只有一把小刀和半块饼。"
    ),
    "代码": (
        "def median(values):\n"
        '    """The middle of a list of numbers, or the mean of the two middle ones."""\n'
        "    ordered = sorted(values)\n"
        "    half = len(ordered) // 2\n"
        "    if len(ordered) % 2:\n"
        "        return ordered[half]\n"
        "    return (ordered[half - 1] + ordered[half]) / 2\n"
        "\n\n"
        "print(median([3, 1, 2]))\n"
    ),
}
LAYERS = SMOLLM2_135M.layers
THIRD = LAYERS // 3
CHANGES: dict[Change, str] = {
    "none": "闸门不动",
    "swapped": "把每层的 W_gate 与 W_up 对调",
    "no_negative": "把为负的闸门一律改成零",
    "at_most_one": "把大于一的闸门一律压到一",
    "at_most_one_later": "从第二个词起，把大于一的闸门一律压到一",
    "sigmoid": "把 Swish 换成 sigmoid",
}


def draw() -> Figure:
    """The shares by layer, the histogram by layer, and what follows when gates are changed."""
    found = list(openings(tuple(TEXTS.values())))
    return Figure(
        chart=_shares(found),
        label="三种份额",
        variants={"闸门值分布": _histogram(found)},
        facts=_setting(found) | _shares_as_facts(found) | _extremes(found) | _losses(),
        caption=(
            "SmolLM2-135M 各层的闸门 Swish(gate)，四段文字的所有词、所有通道一起数。"
            f"「接近零」指离零不到 {NEAR_ZERO}。大体上越往上，大于一的越多，接近零的越少；"
            "除了最底下一层，为负的始终是三条里最高的。"
        ),
    )


def _shares(found: list[Openings]) -> go.Figure:
    chart = look.chart(height=340)
    lines = {
        "为负": ("negative", look.ATTENTION, "solid"),
        "接近零": ("near_zero", look.EMBEDDING, "dash"),
        "大于一": ("above_one", look.FFN, "solid"),
    }
    for name, (side, colour, dash) in lines.items():
        chart.add_scatter(
            name=name,
            x=list(range(LAYERS)),
            y=np.round(100 * _mean(found, side), 2).tolist(),
            mode="lines",
            line={"color": colour, "dash": dash, "width": 2.5},
            hovertemplate="第 %{x} 层：%{y:.1f}%<extra>%{fullData.name}</extra>",
        )
    chart.update_xaxes(title_text="第几层", dtick=5, range=[0, LAYERS - 1])
    chart.update_yaxes(ticksuffix="%", range=[0, 100], dtick=25)
    return chart


def _histogram(found: list[Openings]) -> go.Figure:
    """Layers upwards, the value before Swish to the right; colour is the share of channels."""
    chart = look.chart(height=460)
    chart.add_heatmap(
        x=[(low + high) / 2 for low, high in pairwise(EDGES)],
        y=list(range(LAYERS)),
        z=np.round(100 * _mean(found, "histogram"), 2).tolist(),
        zmin=0,
        colorscale=look.SEQUENTIAL,
        colorbar={"thickness": 10, "title": {"text": "%"}, "x": 1.01},
        hovertemplate="第 %{y} 层，gate 在 %{x} 附近：%{z:.1f}%<extra></extra>",
    )
    chart.update_xaxes(title_text="gate（进 Swish 之前；两端含更远的）", dtick=2, showgrid=False)
    chart.update_yaxes(title_text="第几层", dtick=5, showgrid=False)
    return chart


def _mean(found: list[Openings], side: str) -> np.ndarray:
    """The mean over all words of all texts."""
    mean: np.ndarray = np.average(
        [getattr(one, side) for one in found], axis=0, weights=[one.words for one in found]
    )
    return mean


def _setting(found: list[Openings]) -> dict[str, Fact]:
    words = sum(one.words for one in found)
    return {
        "texts": Fact(len(found), "count", means="读闸门用了几段文字。"),
        "words": Fact(words, "count", means="四段文字一共切成几个词元。"),
        "layers": Fact(LAYERS, "count", means="SmolLM2-135M 的层数。"),
        "gates": Fact(
            words * LAYERS * SMOLLM2_135M.d_ff, "count", means="一共读了几个闸门：词元乘层乘通道。"
        ),
        "near": Fact(Fraction(str(NEAR_ZERO)), "number", means="离零多近算「接近零」。"),
        "third": Fact(THIRD, "count", means="三分之一的层是几层。"),
    }


def _shares_as_facts(found: list[Openings]) -> dict[str, Fact]:
    facts = {}
    for key, name in (("above_one", "大于一"), ("negative", "为负"), ("near_zero", "接近零")):
        for part, where, layers in (
            ("all", "所有层", slice(None)),
            ("bottom", f"最下面 {THIRD} 层", slice(THIRD)),
            ("middle", f"中间 {THIRD} 层", slice(THIRD, 2 * THIRD)),
            ("top", f"最上面 {THIRD} 层", slice(2 * THIRD, None)),
        ):
            facts[f"{key}_{part}"] = _over_texts(
                found,
                lambda one, key=key, layers=layers: getattr(one, key)[layers].mean(),  # type: ignore[misc]
                "share",
                f"{where}的闸门 Swish(gate) 里{name}的份额，范围是四段文字各算一遍。",
            )
    return facts


def _extremes(found: list[Openings]) -> dict[str, Fact]:
    return {
        "smallest": _over_texts(
            found, lambda one: one.smallest.min(), "number", "读到的最小的闸门 Swish(gate)。", min
        ),
        "largest_first": _over_texts(
            found, lambda one: one.largest_first.max(), "number", "各段首词上最大的闸门。", max
        ),
        "largest_later": _over_texts(
            found, lambda one: one.largest_later.max(), "number", "首词以外各词上最大的闸门。", max
        ),
    }


def _losses() -> dict[str, Fact]:
    """The loss on each text with changed gates; the fact is the mean over words to be guessed."""
    found = losses(tuple(TEXTS.values()))
    facts = {}
    for change, what in CHANGES.items():
        words = f"{what}，SmolLM2-135M 猜下一个词的交叉熵。"
        facts[f"loss_{change}"] = _spread(found[change], "nat", words)
    for change in [*CHANGES][1:]:
        rises = [after - before for after, before in zip(found[change], found["none"], strict=True)]
        facts[f"rise_{change}"] = _spread(rises, "nat", f"{CHANGES[change]}，交叉熵涨了多少。")
    facts["loss_of_a_guess"] = Fact(
        float(np.log(SMOLLM2_135M.vocabulary)),
        "nat",
        digits=4,
        means="在整张词表里瞎猜的交叉熵，即词表大小的自然对数。",
    )
    return facts


def _over_texts(
    found: list[Openings],
    number: Callable[[Openings], float],
    unit: str,
    means: str,
    joined: Callable[[list[float]], float] | None = None,
) -> Fact:
    """The number over all texts: joined by `joined`, else the mean weighed by words."""
    values = [float(number(one)) for one in found]
    weights = [one.words for one in found]
    value = joined(values) if joined else float(np.average(values, weights=weights))
    return Fact(value, unit, digits=2, spread=(min(values), max(values)), means=means)


def _spread(values: Sequence[float], unit: str, means: str) -> Fact:
    """The mean over texts, with the lowest and the highest."""
    return Fact.over(values, unit, f"{means[:-1]}，四段文字的平均。")
