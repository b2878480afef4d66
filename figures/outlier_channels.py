"""Do the same channels stand out at every word? In the residual stream, yes; inside the FFN, hardly.

A word's outlier channels are those with its ten largest numbers. Facts are means over two texts;
their spread runs from one to the other.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from statistics import fmean

import numpy as np
import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.outliers import KEPT, TOP, Outliers, Place, outliers
from ffnsite.figure import Fact, Figure
from ffnsite.models.smollm2 import SMOLLM2_135M

TEXTS = ("networkx", "sympy")
ROWS, LENGTH = 16, 256
LAYERS = SMOLLM2_135M.layers
TOP_LAYERS = 2
PLACES: dict[Place, str] = {
    "stream": "残差流（进归一化之前）",
    "attention": "attention 的输入（归一化之后）",
    "ffn": "FFN 的输入（归一化之后）",
    "hidden": "FFN 里面的 h",
}
Found = list[dict[Place, tuple[Outliers, ...]]]


def draw() -> Figure:
    """How often each layer's favourite channels stand out, and how much words have in common."""
    found = outliers.together((text, ROWS, LENGTH) for text in TEXTS)
    facts = _setting(found) | _shared(found) | _favourites(found)
    return Figure(
        chart=_map(found, "stream"),
        label="残差流",
        variants={"FFN 里面": _map(found, "hidden"), "两个词的重合": _common(found)},
        facts=facts,
        caption=(
            f"每个词取绝对值最大的 {TOP} 条通道，叫它的离群通道。每层把最常上榜的 {KEPT} 条通道从左排到右，"
            "颜色是在百分之几的词里上榜。残差流里最左边几条几乎每个词都上榜；"
            f"FFN 里面浅得多，{LAYERS} 层里有 {facts['hidden_without_favourite'].value} 层，"
            "没有哪条通道能在一半以上的词里上榜。两段文字取平均，不算首词。"
        ),
    )


def _map(found: Found, place: Place) -> go.Figure:
    """Layers upwards, channels by rank to the right; colour is the share of words."""
    shares = np.mean([[layer.frequency for layer in one[place]] for one in found], axis=0)
    chart = look.chart(height=460)
    chart.add_heatmap(
        x=list(range(1, KEPT + 1)),
        y=list(range(LAYERS)),
        z=np.round(100 * shares, 1).tolist(),
        zmin=0,
        zmax=100,
        colorscale=look.SEQUENTIAL,
        colorbar={"thickness": 10, "title": {"text": "%"}, "x": 1.01},
        hovertemplate="第 %{y} 层，第 %{x} 常见的通道：%{z:.1f}% 的词<extra></extra>",
    )
    chart.update_xaxes(title_text="该层第几常上榜的通道", dtick=5, tick0=5, showgrid=False)
    chart.update_yaxes(title_text="第几层", dtick=5, showgrid=False)
    return chart


def _common(found: Found) -> go.Figure:
    chart = look.chart(height=380)
    lines: dict[Place, tuple[str, str, str]] = {
        "stream": ("残差流", look.ATTENTION, "solid"),
        "ffn": ("FFN 的输入", look.POSITIVE, "dash"),
        "hidden": ("FFN 里面", look.FFN, "solid"),
    }
    for place, (name, colour, dash) in lines.items():
        chart.add_scatter(
            name=name,
            x=list(range(LAYERS)),
            y=[round(100 * share, 2) for share in _layers(found, place, lambda one: one.shared)],
            mode="lines",
            line={"color": colour, "dash": dash, "width": 2.5},
            hovertemplate="第 %{x} 层：%{y:.1f}%<extra>%{fullData.name}</extra>",
        )
    for place, (name, colour, _) in lines.items():
        if place == "ffn":
            continue  # as wide as the stream
        chance = round(100 * found[0][place][0].chance, 2)
        chart.add_scatter(
            name=f"{name}，瞎猜",
            x=[0, LAYERS - 1],
            y=[chance, chance],
            mode="lines",
            line={"color": colour, "dash": "dot", "width": 1.2},
            hovertemplate="瞎猜：%{y:.1f}%<extra></extra>",
        )
    chart.update_xaxes(title_text="第几层", dtick=5, range=[0, LAYERS - 1])
    chart.update_yaxes(title_text="离群通道的重合", ticksuffix="%", range=[0, 60], dtick=20)
    return chart


def _setting(found: Found) -> dict[str, Fact]:
    return {
        "words": Fact(found[0]["stream"][0].words, "count", means="每段文字看几个词元，首词除外。"),
        "texts": Fact(len(TEXTS), "count", means="用了几段文字。"),
        "layers": Fact(LAYERS, "count", means="SmolLM2-135M 的层数。"),
        "top": Fact(TOP, "count", means="一个词的离群通道取绝对值最大的几条。"),
        "kept": Fact(KEPT, "count", means="图里每层画最常上榜的几条通道。"),
        "d_model": Fact(SMOLLM2_135M.d_model, "count", means="残差流有几条通道。"),
        "d_ff": Fact(SMOLLM2_135M.d_ff, "count", means="FFN 里面有几条通道。"),
        "half": Fact(Fraction(1, 2), "share", means="过半：在多少词里上榜才算常驻。"),
        "top_layers": Fact(TOP_LAYERS, "count", means="最上面单算的是几层。"),
        "chance_stream": Fact(
            found[0]["stream"][0].chance,
            "share",
            digits=2,
            means="残差流里瞎选十条通道时，两个词重合的份额：十除以通道数。",
        ),
        "chance_hidden": Fact(
            found[0]["hidden"][0].chance,
            "share",
            digits=2,
            means="FFN 里面瞎选十条通道时，两个词重合的份额：十除以通道数。",
        ),
    }


def _shared(found: Found) -> dict[str, Fact]:
    facts = {}
    for place, name in PLACES.items():
        words = f"{name}：任取两个词，十条离群通道里重合的份额"
        facts[f"shared_{place}"] = Fact.over(
            [fmean([one.shared for one in layers[place]]) for layers in found],
            "share",
            f"{words}，各层平均。",
        )
        facts[f"shared_{place}_below"] = Fact.over(
            [fmean([one.shared for one in layers[place][:-TOP_LAYERS]]) for layers in found],
            "share",
            f"{words}，最上面两层除外，各层平均。",
        )
        facts[f"shared_{place}_top"] = Fact.over(
            [fmean([one.shared for one in layers[place][-TOP_LAYERS:]]) for layers in found],
            "share",
            f"{words}，最上面两层平均。",
        )
    facts["times_chance_stream"] = Fact.over(
        [fmean([one.shared / one.chance for one in layers["stream"]]) for layers in found],
        "ratio",
        "残差流里两个词的重合是瞎选时的几倍，各层平均。",
    )
    return facts


def _favourites(found: Found) -> dict[str, Fact]:
    """The channels that nearly every word has, and whether they are the same in every layer."""
    facts = {}
    for place, name in PLACES.items():
        facts[f"always_{place}"] = Fact.over(
            [fmean([float(one.frequency[0]) for one in layers[place]]) for layers in found],
            "share",
            f"{name}：每层最常上榜的一条通道，在多大份额的词里上榜，各层平均。",
        )
        majority = [
            fmean([float((one.frequency > 0.5).sum()) for one in layers[place]]) for layers in found
        ]
        facts[f"majority_{place}"] = Fact.over(
            majority, "number", f"{name}：一层里在一半以上的词里上榜的通道有几条，各层平均。"
        )
    quiet = [sum(float(one.frequency[0]) <= 0.5 for one in layers["hidden"]) for layers in found]
    facts["hidden_without_favourite"] = Fact(
        quiet[0],
        "count",
        spread=(min(quiet), max(quiet)),
        means="有几层的 FFN 里面，没有一条通道能在一半以上的词里上榜。",
    )
    channel = _favourite([layer for layers in found for layer in layers["stream"]])
    facts["channel"] = Fact(
        channel, "count", means="残差流里，在最多的层里排进最常上榜前三的通道，它的通道号。"
    )
    for place, name in PLACES.items():
        if place == "hidden":
            continue  # a channel inside one FFN is not that of another
        layers_of = [sum(channel in _leaders(one) for one in layers[place]) for layers in found]
        facts[f"channel_layers_{place}"] = Fact(
            layers_of[0],
            "count",
            spread=(min(layers_of), max(layers_of)),
            means=f"{name}：这条通道在几层里排进最常上榜的前三条。",
        )
    return facts


def _leaders(one: Outliers) -> list[int]:
    """The three channels that stand out at most words."""
    return [int(channel) for channel in one.channels[:3]]


def _favourite(layers: Sequence[Outliers]) -> int:
    """The channel that is among the leaders of most layers."""
    leaders = [channel for one in layers for channel in _leaders(one)]
    return max(sorted(set(leaders)), key=leaders.count)


def _layers(found: Found, place: Place, number: Callable[[Outliers], float]) -> list[float]:
    return [fmean([number(one[place][layer]) for one in found]) for layer in range(LAYERS)]
