"""From many memories to one prediction: in a word, in a layer, and from layer to layer.

Facts have the mean over two texts, and their spread runs over the texts; a range runs over the
layers of both.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.composition import HALF, MOST, Composition, composition
from ffnsite.experiments.lens import Lens, lens
from ffnsite.experiments.values import said
from ffnsite.figure import Fact, Figure, Number
from ffnsite.models.smollm2 import SMOLLM2_135M

LAYERS, D_FF = SMOLLM2_135M.layers, SMOLLM2_135M.d_ff
THIRD = LAYERS // 3
TEXTS = [("networkx",), ("sympy",)]
ONE = 1.5
"""Fewer memories than this on average count as a single one."""

Line = tuple[str, np.ndarray, str, str]


def draw() -> Figure:
    """Three views: memories that a word uses, what the layer says, and from where it is fixed."""
    said()  # first and once: what follows needs it, each for itself
    composed, read = composition.together(TEXTS), lens.together(TEXTS)
    return Figure(
        chart=_used(composed),
        label="一个词动用几条记忆",
        variants={"整层与单条": _said(composed), "从哪层定下": _fixed(read)},
        facts=_setting(composed, read)
        | _used_facts(composed)
        | _said_facts(composed)
        | _fixed_facts(read),
        caption=(
            "SmolLM2-135M，两种文档的平均。第一张：把每条记忆的 |系数|·‖value‖ 从大到小加起来，"
            "加到一半、加到九成各要几条；虚线是每行的首词。"
            "第二张：整层之和说的词，与它的哪一条记忆都不同、与最用力的那条相同的，各占几成。"
            "第三张：残差流读到第几层，首选词已与最后相同；又从第几层起不再改变。"
        ),
    )


def _used(found: Sequence[Composition]) -> go.Figure:
    chart = _chart(
        [
            ("九成", _mean(found, lambda one: one.most), look.EMBEDDING, "solid"),
            ("一半", _mean(found, lambda one: one.half), look.FFN, "solid"),
            ("一半，首词上", _mean(found, lambda one: one.half_first), look.ATTENTION, "dash"),
        ],
        "第 %{x} 层：%{y:.0f} 条",
    )
    chart.update_yaxes(title_text="条", rangemode="tozero", nticks=6)
    return chart


def _said(found: Sequence[Composition]) -> go.Figure:
    chart = _chart(
        [
            (
                "与每条都不同",
                100 * _mean(found, lambda one: one.composed / one.asked),
                look.ATTENTION,
                "solid",
            ),
            (
                "换成别处的词",
                100 * _mean(found, lambda one: one.composed_dealt / one.asked),
                look.MUTED,
                "dot",
            ),
            (
                "与最用力的相同",
                100 * _mean(found, lambda one: one.led / one.asked),
                look.FFN,
                "solid",
            ),
        ],
        "第 %{x} 层：%{y:.1f}%",
    )
    return _percent(chart)


def _fixed(found: Sequence[Lens]) -> go.Figure:
    """Depth l + 1 is behind layer l."""
    agree = np.mean([one.agreeing_share for one in found], axis=0)[1:]
    fixed = np.mean([one.staying_share for one in found], axis=0)[1:]
    chart = _chart(
        [
            ("已与最后相同", 100 * agree, look.EMBEDDING, "dash"),
            ("从此不再改变", 100 * fixed, look.FFN, "solid"),
        ],
        "第 %{x} 层之后：%{y:.1f}%",
    )
    return _percent(chart)


def _chart(lines: Sequence[Line], hover: str) -> go.Figure:
    chart = look.chart(height=340)
    for name, values, colour, dash in lines:
        chart.add_scatter(
            name=name,
            x=list(range(LAYERS)),
            y=np.round(values, 2).tolist(),
            mode="lines",
            line={"color": colour, "dash": dash, "width": 2.5},
            hovertemplate=f"{hover}<extra>%{{fullData.name}}</extra>",
        )
    chart.update_xaxes(title_text="第几层", dtick=5, range=[0, LAYERS - 1])
    return chart


def _percent(chart: go.Figure) -> go.Figure:
    chart.update_yaxes(ticksuffix="%", range=[0, 100], dtick=25)
    return chart


def _mean(
    found: Sequence[Composition], measured: Callable[[Composition], np.ndarray]
) -> np.ndarray:
    mean: np.ndarray = np.mean([measured(one) for one in found], axis=0)
    return mean


def _setting(composed: Sequence[Composition], read: Sequence[Lens]) -> dict[str, Fact]:
    words, asked = composed[0].words, composed[0].asked
    assert {one.words for one in read} == {words}, "两项测量的词数不同"
    return {
        "words": Fact(words, "count", means="每种文档里数了几个词元，不算每行的首词。"),
        "asked": Fact(
            asked, "count", means="每种文档里问了几个词元「整层说的是什么」，隔几个取一个。"
        ),
        "d_ff": Fact(D_FF, "count", means="SmolLM2-135M 每层的记忆条数 d_ff。"),
        "layers": Fact(LAYERS, "count", means="SmolLM2-135M 的层数。"),
        "third": Fact(THIRD, "count", means="三分之一的层是几层。"),
        "half_part": Fact(Fraction(str(HALF)), "share", means="「一半」：各条记忆份额加到多少。"),
        "most_part": Fact(Fraction(str(MOST)), "share", means="「九成」：各条记忆份额加到多少。"),
        "coefficients": Fact(
            sum(one.words for one in composed) * LAYERS * D_FF,
            "count",
            means="两种文档一共看了几个系数：词元乘层乘每层的记忆。",
        ),
        "zero": Fact(
            sum(int(one.zero.sum()) for one in composed),
            "count",
            means="其中恰好为零的系数有几个。",
        ),
    }


def _used_facts(found: Sequence[Composition]) -> dict[str, Fact]:
    single = {tuple(int(layer) for layer in np.flatnonzero(one.half_first < ONE)) for one in found}
    assert len(single) == 1, f"首词上由一条记忆独占的层，两种文档不同：{single}"
    layers = single.pop()
    facts = {
        "positive": _range(found, lambda one: one.positive, "share", "系数为正的记忆的份额"),
        "half": _range(found, lambda one: one.half, "count", "占去一半的记忆至少几条"),
        "half_share": _range(
            found, lambda one: one.half / D_FF, "share", "占去一半的记忆占该层全部记忆的份额"
        ),
        "most": _range(found, lambda one: one.most, "count", "占去九成的记忆至少几条"),
        "most_share": _range(
            found, lambda one: one.most / D_FF, "share", "占去九成的记忆占该层全部记忆的份额"
        ),
        "first_alone": Fact(
            len(layers), "count", means="首词上由一条记忆独占一半以上的层有几层，两种文档相同。"
        ),
    }
    for part, where, at in (
        ("bottom", "最下面", slice(THIRD)),
        ("middle", "中间", slice(THIRD, 2 * THIRD)),
        ("top", "最上面", slice(2 * THIRD, None)),
    ):
        facts[f"half_{part}"] = _over(
            [float(one.half[at].mean()) for one in found],
            "count",
            f"{where} {THIRD} 层，占去一半的记忆至少几条，各词、各层平均。",
        )
    for nth, layer in enumerate(layers, start=1):
        facts[f"first_alone_{nth}"] = Fact(
            layer, "count", means=f"首词上由一条记忆独占一半以上的第 {nth} 个层号，从零数。"
        )
    return facts


def _said_facts(found: Sequence[Composition]) -> dict[str, Fact]:
    return {
        "composed": _range(
            found,
            lambda one: one.composed / one.asked,
            "share",
            "整层说的词与每一条记忆都不同的份额",
        ),
        "composed_mean": _over(
            [float(one.composed.mean()) / one.asked for one in found],
            "share",
            "整层说的词与每一条记忆都不同的份额，各层平均。",
        ),
        "composed_dealt": _over(
            [float(one.composed_dealt.mean()) / one.asked for one in found],
            "share",
            "把整层说的词换成别处那个词时整层说的，与每一条记忆都不同的份额，各层平均。",
        ),
        "led": _range(
            found, lambda one: one.led / one.asked, "share", "整层说的词就是最用力那条记忆说的份额"
        ),
        "led_mean": _over(
            [float(one.led.mean()) / one.asked for one in found],
            "share",
            "整层说的词就是最用力那条记忆说的份额，各层平均。",
        ),
    }


def _fixed_facts(found: Sequence[Lens]) -> dict[str, Fact]:
    facts = {}
    for part, where, depths in (
        ("bottom", f"最下面 {THIRD} 层以内", slice(THIRD + 1)),
        ("middle", f"中间 {THIRD} 层里", slice(THIRD + 1, 2 * THIRD + 1)),
        ("top", f"最上面 {THIRD} 层里", slice(2 * THIRD + 1, None)),
        ("last", "最后一层", slice(LAYERS, None)),
    ):
        facts[f"fixed_{part}"] = _over(
            [float(one.fixed[depths].sum()) / one.words for one in found],
            "share",
            f"最终的首选词在{where}才定下、此后不再改变的词元的份额。",
        )
    facts["agree_bottom"] = _over(
        [float(one.agreeing_share[THIRD]) for one in found],
        "share",
        f"读到第 {THIRD - 1} 层之后，首选词已与最后相同的词元的份额。",
    )
    facts["agree_middle"] = _over(
        [float(one.agreeing_share[2 * THIRD]) for one in found],
        "share",
        f"读到第 {2 * THIRD - 1} 层之后，首选词已与最后相同的词元的份额。",
    )
    facts["agree_last"] = _over(
        [float(one.agreeing_share[-2]) for one in found],
        "share",
        "还差最后一层时，首选词已与最后相同的词元的份额。",
    )
    return facts


def _range(
    found: Sequence[Composition],
    measured: Callable[[Composition], np.ndarray],
    unit: str,
    words: str,
) -> Fact:
    """From the layer with the least to the layer with the most, over both texts."""
    layers = np.array([measured(one) for one in found])
    return Fact(
        (float(layers.min()), float(layers.max())),
        unit,
        digits=3 if unit == "count" else 2,
        means=f"{words}，从最少的一层到最多的一层，各词平均，两种文档一起看。",
    )


def _over(values: Sequence[Number], unit: str, means: str) -> Fact:
    """The mean of both texts, with the lower and the higher."""
    exact = [float(value) for value in values]
    digits = 3 if unit == "count" else 2
    return Fact.over(exact, unit, f"{means[:-1]}，两种文档的平均。", digits)
