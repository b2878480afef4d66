"""How far apart an FFN's outputs are when the same word comes again, layer by layer."""

from fractions import Fraction

import numpy as np
import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.reuse import NEAR, Reuse, reuse
from ffnsite.figure import Fact, Figure
from ffnsite.models.smollm2 import SMOLLM2_135M

SOURCES = {"networkx": "networkx 文档", "sympy": "sympy 文档"}
TEXTS, LENGTH = 8, 256
LAYERS = SMOLLM2_135M.layers
MIDDLE = slice(10, 20)


def draw() -> Figure:
    """The median distance by layer for both sources, and the share that would pass."""
    found = dict(zip(SOURCES, reuse.together([(s, TEXTS, LENGTH) for s in SOURCES]), strict=True))
    return Figure(
        chart=_distances(found),
        label="输出差多少",
        variants={"差得很小的份额": _near(found)},
        facts=_setting(found) | _distances_as_facts(found) | _near_as_facts(found),
        caption=(
            "同一个词元在一段文字里又出现时，SmolLM2-135M 各层 FFN 的输出与它上一次出现时差多少："
            "差的长度除以原来的长度，取中位数。1 表示差得和输出本身一样长。两条线是两份不同的文字。"
        ),
    )


def _distances(found: dict[str, Reuse]) -> go.Figure:
    chart = _lines({key: one.outputs for key, one in found.items()}, 1)
    chart.update_yaxes(title_text="相对的差", range=[0, 1.25], dtick=0.25)
    return chart


def _near(found: dict[str, Reuse]) -> go.Figure:
    chart = _lines({key: one.near for key, one in found.items()}, 100)
    chart.update_yaxes(ticksuffix="%", range=[0, 100], dtick=25)
    return chart


def _lines(values: dict[str, np.ndarray], scale: int) -> go.Figure:
    chart = look.chart(height=320)
    for (key, by_layer), (colour, dash) in zip(
        values.items(), ((look.FFN, "solid"), (look.ATTENTION, "dash")), strict=True
    ):
        chart.add_scatter(
            name=SOURCES[key],
            x=list(range(LAYERS)),
            y=np.round(scale * by_layer, 3).tolist(),
            mode="lines",
            line={"color": colour, "dash": dash, "width": 2.5},
            hovertemplate="第 %{x} 层：%{y}<extra>%{fullData.name}</extra>",
        )
    chart.update_xaxes(title_text="第几层", dtick=5, range=[0, LAYERS - 1])
    return chart


def _setting(found: dict[str, Reuse]) -> dict[str, Fact]:
    return {
        "one": Fact(1, "number", means="差得和输出本身一样长。"),
        "near_means": Fact(
            Fraction(str(NEAR)), "share", means="相对的差不到多少，才算勉强可以顶替。"
        ),
        "words": Fact(
            sum(one.words for one in found.values()), "count", means="两份文字一共几个词元。"
        ),
        "repeated": Fact(
            sum(one.repeated for one in found.values()),
            "count",
            means="其中在自己那段文字里出现过的词元有几个。",
        ),
        "identical": Fact(
            sum(one.identical for one in found.values()),
            "count",
            means="这些词元在所有层里，FFN 的输入与上一次出现时完全相等的次数。",
        ),
    }


def _distances_as_facts(found: dict[str, Reuse]) -> dict[str, Fact]:
    return {
        "first": Fact.over(
            [float(one.outputs[0]) for one in found.values()],
            "ratio",
            "第 0 层 FFN 的输出与同一词元上一次出现时之差，相对的，中位数。",
        ),
        "middle": Fact.over(
            [float(one.outputs[MIDDLE].mean()) for one in found.values()],
            "ratio",
            "中间 10 层 FFN 的输出与同一词元上一次出现时之差，相对的，中位数再按层平均。",
        ),
        "middle_layers": Fact(MIDDLE.stop - MIDDLE.start, "count", means="取中间几层。"),
    }


def _near_as_facts(found: dict[str, Reuse]) -> dict[str, Fact]:
    return {
        "near_first": Fact.over(
            [float(one.near[0]) for one in found.values()],
            "share",
            f"第 0 层里，输出之差不到 {NEAR} 的重复词元的份额。",
        ),
        "near_middle": Fact.over(
            [float(one.near[MIDDLE].mean()) for one in found.values()],
            "share",
            f"中间 10 层里，输出之差不到 {NEAR} 的重复词元的份额，按层平均。",
        ),
    }
