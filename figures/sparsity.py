"""Inside the FFN of SmolLM2-135M nothing is zero and much is small: how much, and does it matter?

A fact is the mean over two texts; its spread runs from one to the other.
"""

from collections.abc import Callable
from fractions import Fraction
from statistics import fmean

import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.sparsity import CUTS, SMALL, Cut, Sparsity, cuts, saved, sparsity
from ffnsite.figure import Fact, Figure
from ffnsite.models.smollm2 import SMOLLM2_135M

TEXTS = ("networkx", "sympy")
ROWS, CUT_ROWS, LENGTH = 16, 8, 256
LAYERS = SMOLLM2_135M.layers
NUMBERS = ROWS * LENGTH * SMOLLM2_135M.d_ff  # of one layer, in one text
NAMES = {SMALL[0]: "small_1", SMALL[1]: "small_10"}
CUT_NAMES = {0.01: ("1", "一"), 0.03: ("3", "三"), 0.1: ("10", "十")}


def draw() -> Figure:
    """The shares of small numbers by layer, and what cutting them costs."""
    found = sparsity.together((text, ROWS, LENGTH) for text in TEXTS)
    cut = cuts.together((text, CUT_ROWS, LENGTH) for text in TEXTS)
    return Figure(
        chart=_by_layer(found),
        label="逐层的份额",
        variants={"砍掉的代价": _costs(cut)},
        facts=_setting(found) | _shares(found) | _extremes(found) | _cut_facts(cut),
        caption=(
            "SmolLM2-135M 的 FFN 里面，h = Swish(gate) * up。小是和同一个词、同一层里最大的那个数比："
            "它的 1% 以下，或 10% 以下。恰好等于零的几乎没有，小的却很多，最上面两层最多。"
            "切到代价，横轴是砍掉的份额，纵轴是交叉熵涨了多少。两段文字取平均，不算首词。"
        ),
    )


def _by_layer(found: list[tuple[Sparsity, ...]]) -> go.Figure:
    chart = look.chart(height=340)
    lines: dict[str, tuple[Callable[[Sparsity], float], str, str]] = {
        "最大者的 10% 以下": (lambda one: one.small[1], look.FFN, "solid"),
        "最大者的 1% 以下": (lambda one: one.small[0], look.ATTENTION, "solid"),
        "恰好为零": (lambda one: one.zeros / NUMBERS, look.EMBEDDING, "dash"),
    }
    for name, (number, colour, dash) in lines.items():
        chart.add_scatter(
            name=name,
            x=list(range(LAYERS)),
            y=[round(100 * share, 2) for share in _layers(found, number)],
            mode="lines",
            line={"color": colour, "dash": dash, "width": 2.5},
            hovertemplate="第 %{x} 层：%{y:.1f}%<extra>%{fullData.name}</extra>",
        )
    chart.update_xaxes(title_text="第几层", dtick=5, range=[0, LAYERS - 1])
    chart.update_yaxes(ticksuffix="%", range=[-3, 103], dtick=25)
    return chart


def _costs(cut: list[dict[str, Cut]]) -> go.Figure:
    chart = look.chart(height=340)
    chart.add_scatter(
        x=[round(100 * fmean([one[str(c)].skipped for one in cut]), 1) for c in CUTS],
        y=[round(fmean([one[str(c)].rise for one in cut]), 4) for c in CUTS],
        error_y={
            "array": [round(fmean([one[str(c)].error for one in cut]), 4) for c in CUTS],
            "thickness": 1.2,
        },
        text=[f"{100 * c:.0f}%" for c in CUTS],
        textposition="top left",
        mode="markers+lines+text",
        line={"color": look.FFN, "width": 1.5},
        marker={"color": look.FFN, "size": 9},
        hovertemplate="低于最大的 %{text}：砍掉 %{x:.1f}%，涨 %{y:.3f} nats<extra></extra>",
    )
    chart.update_xaxes(title_text="每个词砍掉多少", ticksuffix="%", range=[0, 105], dtick=25)
    chart.update_yaxes(title_text="交叉熵涨了（nats）", rangemode="tozero", nticks=5)
    return chart


def _setting(found: list[tuple[Sparsity, ...]]) -> dict[str, Fact]:
    d_ff = SMOLLM2_135M.d_ff
    return {
        "words": Fact(found[0][0].words, "count", means="每段文字数了几个词元，首词除外。"),
        "texts": Fact(len(TEXTS), "count", means="用了几段文字，取自两个库的英文文档。"),
        "rows": Fact(ROWS, "count", means="每段文字切成几行，每行第一个词元是首词。"),
        "length": Fact(LENGTH, "count", means="每行几个词元。"),
        "layers": Fact(LAYERS, "count", means="SmolLM2-135M 的层数。"),
        "d_ff": Fact(d_ff, "count", means="SmolLM2-135M 每层 FFN 里面有几个数。"),
        "numbers": Fact(
            len(TEXTS) * ROWS * LENGTH * LAYERS * d_ff,
            "count",
            means="一共看了几个 h：两段文字的词元乘层乘 d_ff，首词也算。",
        ),
        "one_percent": Fact(Fraction(1, 100), "share", means="小的第一档：不到最大者的多少。"),
        "ten_percent": Fact(Fraction(1, 10), "share", means="小的第二档：不到最大者的多少。"),
        "three_percent": Fact(
            Fraction(3, 100), "share", means="试着砍掉的一档：不到最大者的多少。"
        ),
        "third": Fact(
            Fraction(1, 3), "share", means="W_down 占门控 FFN 三个等大矩阵的乘法的多少。"
        ),
        "zeros": Fact(
            sum(layer.zeros for one in found for layer in one),
            "count",
            means="所有 h 里恰好等于零的有几个，首词也算；是舍入碰巧得零，换一台机器会差几个。",
        ),
    }


def _shares(found: list[tuple[Sparsity, ...]]) -> dict[str, Fact]:
    facts: dict[str, Fact] = {}
    for at, share in enumerate(SMALL):
        below = f"h 不到该词该层最大者的百分之{'一' if share == SMALL[0] else '十'}的份额"
        later = [[layer.small[at] for layer in one] for one in found]
        first = [[layer.first_small[at] for layer in one] for one in found]
        by_layer = [fmean(layers) for layers in zip(*later, strict=True)]
        facts |= {
            f"{NAMES[share]}_all": Fact.over(
                [fmean(one) for one in later], "share", f"{below}，各层平均，首词除外。"
            ),
            f"{NAMES[share]}_most": Fact.over(
                [max(one) for one in later], "share", f"{below}，最多的一层，首词除外。"
            ),
            f"{NAMES[share]}_least": Fact.over(
                [min(one) for one in later], "share", f"{below}，最少的一层，首词除外。"
            ),
            f"{NAMES[share]}_first": Fact.over(
                [fmean(one) for one in first], "share", f"{below}，各层平均，只算首词。"
            ),
            f"{NAMES[share]}_most_layer": Fact(
                by_layer.index(max(by_layer)), "count", means=f"{below}最多的是第几层，从零数。"
            ),
        }
    return facts


def _extremes(found: list[tuple[Sparsity, ...]]) -> dict[str, Fact]:
    return {
        "negative": _over(
            found,
            lambda one: fmean([layer.negative_gate for layer in one]),
            "share",
            "闸门 Swish(gate) 为负的份额，各层平均，首词除外。",
        ),
        "lowest_gate": _over(
            found,
            lambda one: min(layer.gate[0] for layer in one),
            "number",
            "进 Swish 之前的 gate 最小到多少，首词除外。",
        ),
        "highest_gate": _over(
            found,
            lambda one: max(layer.gate[1] for layer in one),
            "number",
            "进 Swish 之前的 gate 最大到多少，首词除外。",
        ),
        "half_of_energy": _over(
            found,
            lambda one: fmean([layer.half_of_energy for layer in one]),
            "share",
            "最大的多少个数就占了 h 平方和的一半：词的中位数，各层平均，首词除外。",
        ),
    }


def _cut_facts(cut: list[dict[str, Cut]]) -> dict[str, Fact]:
    facts = {}
    for share, (name, chinese) in CUT_NAMES.items():
        words = f"每个词里不到最大者百分之{chinese}的 h 都改成零"
        facts[f"skipped_{name}"] = Fact.over(
            [one[str(share)].skipped for one in cut], "share", f"{words}：改掉的份额，首词除外。"
        )
        facts[f"rise_{name}"] = Fact.over(
            [one[str(share)].rise for one in cut], "nat", f"{words}：交叉熵涨了多少。"
        )
        facts[f"error_{name}"] = Fact.over(
            [one[str(share)].error for one in cut], "nat", f"{words}：交叉熵涨幅的标准误。"
        )
        facts[f"after_{name}"] = Fact.over(
            [float(saved(one[str(share)].skipped, known_before=False)) for one in cut],
            "share",
            f"{words}：算完 h 才知道时，只有 W_down 能跳过，省下 FFN 乘法的份额。",
        )
        facts[f"before_{name}"] = Fact.over(
            [float(saved(one[str(share)].skipped, known_before=True)) for one in cut],
            "share",
            f"{words}：假如事前就知道，三个矩阵都能跳过，省下 FFN 乘法的份额。",
        )
    return facts


def _layers(found: list[tuple[Sparsity, ...]], number: Callable[[Sparsity], float]) -> list[float]:
    """The number of each layer, averaged over texts."""
    return [fmean([number(one[layer]) for one in found]) for layer in range(LAYERS)]


def _over(
    found: list[tuple[Sparsity, ...]],
    number: Callable[[tuple[Sparsity, ...]], float],
    unit: str,
    means: str,
) -> Fact:
    return Fact.over([number(one) for one in found], unit, means)
