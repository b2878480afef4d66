"""Does a value say what comes after its key's triggers? Layer by layer, against chance, two texts.

Facts are counts of memories and shares of all memories of a third of the layers; a spread runs over
the two texts, and over the deals of chance.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.agreement import SEEDS, SHARPEST
from ffnsite.experiments.memories import PATTERN, TRIGGERS, WORDS, Memories, memories
from ffnsite.experiments.values import said
from ffnsite.figure import Fact, Figure, Number
from ffnsite.models.smollm2 import SMOLLM2_135M

LAYERS, D_FF = SMOLLM2_135M.layers, SMOLLM2_135M.d_ff
THIRD = LAYERS // 3
THIRDS = {
    "bottom": ("最下面", slice(THIRD)),
    "middle": ("中间", slice(THIRD, 2 * THIRD)),
    "top": ("最上面", slice(2 * THIRD, None)),
}
TEXTS = {"networkx": ("networkx 文档", "solid"), "sympy": ("sympy 文档", "dash")}
TOP_LAYERS = 2
"""At the very top the agreement falls again."""


def draw() -> Figure:
    """Three views: the strongest trigger, any of fifty, and how alike the triggers are."""
    said()  # first and once: what follows needs it, each for itself
    found = memories.together([("networkx",), ("sympy",)])
    return Figure(
        chart=_lines(found, lambda one: one.agree / D_FF, lambda one: one.agree_dealt / D_FF),
        label="最强的触发",
        variants={
            f"前 {TRIGGERS} 处触发": _lines(
                found, lambda one: one.agree_any / D_FF, lambda one: one.agree_any_dealt / D_FF
            ),
            "触发词有多一致": _lines(
                found, lambda one: one.same_word, lambda one: one.same_word_dealt[None]
            ),
        },
        facts=_setting() | _agreement(found) | _alike(found) | _signs(found) | _sharpest(found),
        caption=(
            f"SmolLM2-135M 每层 {D_FF:,} 条记忆在两种文档上各量一遍。"
            "第一张：key 应得最响的那一处，value 说的是不是原文的下一个词。"
            f"第二张：前 {TRIGGERS} 处里至少说中一处。"
            f"第三张：前 {PATTERN} 处里，最常见的触发词占几成。"
            "灰线是把触发打乱、随机配给同层别的记忆之后的平均，也就是碰巧。"
        ),
    )


Measure = Callable[[Memories], np.ndarray]


def _lines(found: Sequence[Memories], measured: Measure, dealt: Measure) -> go.Figure:
    """A line for each text, and one of chance, in per cent."""
    chart = look.chart(height=340)
    chance = np.concatenate([dealt(one) for one in found]).mean(axis=0)
    lines = [
        (name, measured(one), look.FFN, dash)
        for one, (name, dash) in zip(found, TEXTS.values(), strict=True)
    ]
    for name, shares, colour, dash in [*lines, ("碰巧", chance, look.MUTED, "dot")]:
        chart.add_scatter(
            name=name,
            x=list(range(LAYERS)),
            y=np.round(100 * shares, 3).tolist(),
            mode="lines",
            line={"color": colour, "dash": dash, "width": 2.5},
            hovertemplate="第 %{x} 层：%{y:.2f}%<extra>%{fullData.name}</extra>",
        )
    chart.update_xaxes(title_text="第几层", dtick=5, range=[0, LAYERS - 1])
    chart.update_yaxes(ticksuffix="%", rangemode="tozero", nticks=6)
    return chart


def _setting() -> dict[str, Fact]:
    vocabulary = SMOLLM2_135M.vocabulary
    return {
        "words": Fact(WORDS, "count", means="每种文档里有几个词元可以当触发，不算每行首尾两个。"),
        "words_all": Fact(2 * WORDS, "count", means="两种文档里一共有几个词元可以当触发。"),
        "d_ff": Fact(D_FF, "count", means="SmolLM2-135M 每层的记忆条数 d_ff。"),
        "layers": Fact(LAYERS, "count", means="SmolLM2-135M 的层数。"),
        "third": Fact(THIRD, "count", means="三分之一的层是几层。"),
        "keys": Fact(LAYERS * D_FF, "count", means="SmolLM2-135M 的记忆总数，每层条数乘层数。"),
        "keys_of_third": Fact(THIRD * D_FF, "count", means="三分之一的层一共有几条记忆。"),
        "triggers": Fact(TRIGGERS, "count", means="每条记忆留下几处最强的触发。"),
        "pattern": Fact(PATTERN, "count", means="数触发词有多一致时，每条记忆看几处触发。"),
        "deals": Fact(SEEDS, "count", means="每种文档上打乱几次来估计碰巧。"),
        "vocabulary": Fact(vocabulary, "count", means="SmolLM2-135M 的词表大小。"),
        "guess": Fact(
            Fraction(1, vocabulary), "share", means="在整张词表里瞎猜一个词，猜中的可能。"
        ),
    }


def _agreement(found: Sequence[Memories]) -> dict[str, Fact]:
    facts = {}
    for kind, words in (
        ("agree", "最强的那处触发，value 说中下一个词"),
        ("agree_any", f"前 {TRIGGERS} 处触发里，value 至少说中一处"),
    ):
        for part, (where, layers) in THIRDS.items():
            counts = [int(getattr(one, kind)[layers].sum()) for one in found]
            chances = [getattr(one, f"{kind}_dealt")[:, layers].sum(axis=1) for one in found]
            of = f"{where} {THIRD} 层的记忆里，{words}"
            facts[f"{kind}_{part}"] = _over(counts, "count", f"{of}的有几条。")
            facts[f"{kind}_{part}_share"] = _over(
                [count / (THIRD * D_FF) for count in counts], "share", f"{of}的份额。"
            )
            facts[f"{kind}_{part}_chance"] = _over(
                np.concatenate(chances).tolist(), "count", f"打乱之后，{of}的有几条，碰巧而已。"
            )
            facts[f"{kind}_{part}_times"] = _over(
                [
                    count / float(chance.mean())
                    for count, chance in zip(counts, chances, strict=True)
                ],
                "ratio",
                f"{of}的条数，是打乱之后平均条数的几倍。",
            )
    return facts | _by_layer(found)


def _by_layer(found: Sequence[Memories]) -> dict[str, Fact]:
    peaks = {int(one.agree.argmax()) for one in found}
    assert len(peaks) == 1, f"两种文档上一致率最高的层不同：{peaks}"
    totals = [int(one.agree.sum()) for one in found]
    last = [int(one.agree[-TOP_LAYERS:].sum()) for one in found]
    return {
        "peak_layer": Fact(
            peaks.pop(), "count", means="一致率最高的是第几层，从零数，两种文档相同。"
        ),
        "peak_share": _over(
            [float(one.agree.max()) / D_FF for one in found],
            "share",
            "一致率最高的那一层，最强的触发说中下一个词的记忆占该层的份额。",
        ),
        "agree_all": _over(totals, "count", "全部记忆里，最强的触发说中下一个词的有几条。"),
        "agree_all_share": _over(
            [total / (LAYERS * D_FF) for total in totals],
            "share",
            "全部记忆里，最强的触发说中下一个词的份额。",
        ),
        "disagree_all_share": _over(
            [1 - total / (LAYERS * D_FF) for total in totals],
            "share",
            "全部记忆里，最强的触发没有说中下一个词的份额。",
        ),
        "agree_last": _over(
            last, "count", f"最后 {TOP_LAYERS} 层里，最强的触发说中下一个词的一共几条。"
        ),
        "last_keys": Fact(TOP_LAYERS * D_FF, "count", means=f"最后 {TOP_LAYERS} 层一共几条记忆。"),
        "last_layers": Fact(TOP_LAYERS, "count", means="单独说的最后几层。"),
    }


def _alike(found: Sequence[Memories]) -> dict[str, Fact]:
    words = f"前 {PATTERN} 处触发里最常见的触发词占的份额，对记忆平均"
    facts = {
        "same_word_first": _over(
            [float(one.same_word[0]) for one in found], "share", f"第 0 层的记忆，{words}。"
        ),
        "same_word_chance": _over(
            [float(one.same_word_dealt.mean()) for one in found],
            "share",
            f"打乱之后，{words}，各层平均。",
        ),
    }
    for part, (where, layers) in THIRDS.items():
        facts[f"same_word_{part}"] = _over(
            [float(one.same_word[layers].mean()) for one in found],
            "share",
            f"{where} {THIRD} 层的记忆，{words}。",
        )
    return facts


def _signs(found: Sequence[Memories]) -> dict[str, Fact]:
    return {
        "negative": _over(
            [float(one.negative.mean()) / D_FF for one in found],
            "share",
            "全部记忆里，绝对值最大的系数为负的份额。",
        ),
        "first": _over(
            [int(one.first.sum()) for one in found],
            "count",
            "若把每行的首词也算进去，全部记忆里最强的触发会落在首词上的有几条。",
        ),
        "first_share": _over(
            [float(one.first.mean()) / D_FF for one in found],
            "share",
            "若把每行的首词也算进去，最强的触发会落在首词上的记忆的份额。",
        ),
    }


def _sharpest(found: Sequence[Memories]) -> dict[str, Fact]:
    kind = "value 的首选词比平均高出最多个标准差的一百条记忆里，"
    return {
        "sharpest": Fact(SHARPEST, "count", means="挑出几条 value 最突出的记忆。"),
        "sharpest_top": _over(
            [int((one.sharpest >= 2 * THIRD).sum()) for one in found],
            "count",
            f"{kind}落在最上面 {THIRD} 层的有几条。",
        ),
        "sharpest_agree": _over(
            [one.sharpest_agree for one in found],
            "count",
            f"{kind}前 {TRIGGERS} 处触发至少说中一处的有几条。",
        ),
    }


def _over(values: Sequence[Number], unit: str, means: str) -> Fact:
    """The mean with the lowest and the highest; counts are whole, shares stand on two digits."""
    exact = [float(value) for value in values]
    digits = 3 if unit == "count" else 2
    return Fact.over(exact, unit, f"{means[:-1]}，两种文档。", digits)
