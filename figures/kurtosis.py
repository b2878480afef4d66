"""How heavy the tails are within a word: the distribution of all numbers, and kurtosis by layer.

Kurtosis is taken word by word; a fact gives the median word, averaged over layers and two texts.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import erf, sqrt
from statistics import fmean

import numpy as np
import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.outliers import EDGES, SAMPLED, Outliers, Place, outliers
from ffnsite.figure import Fact, Figure
from ffnsite.models.smollm2 import SMOLLM2_135M

TEXTS = ("networkx", "sympy")
ROWS, LENGTH = 16, 256
LAYERS = SMOLLM2_135M.layers
FAR = 6
"""A number so many standard deviations away from the mean of its word lies far out."""
LINES: dict[Place, tuple[str, str, str]] = {
    "stream": ("残差流", look.ATTENTION, "solid"),
    "ffn": ("FFN 的输入", look.POSITIVE, "dash"),
    "hidden": ("FFN 里面", look.FFN, "solid"),
}
Found = list[dict[Place, tuple[Outliers, ...]]]


def draw() -> Figure:
    """The histogram of standardized numbers, and the kurtosis of the median word by layer."""
    found = outliers.together((text, ROWS, LENGTH) for text in TEXTS)
    return Figure(
        chart=_histogram(found),
        label="分布",
        variants={"逐层的峰度": _kurtosis(found)},
        facts=_facts(found),
        caption=(
            "横轴是一个数离它那个词的平均有几个标准差，纵轴是这样的数占多少（对数刻度，两端含更远的）。"
            "灰线是正态分布。三处都是中间更尖、两边更长。切到峰度：每个词各算各的，取中位数，"
            "正态是 3。两段文字取平均，不算首词。"
        ),
    )


def _histogram(found: Found) -> go.Figure:
    chart = look.chart(height=380)
    bins = list(pairwise(EDGES))
    centres = [(low + high) / 2 for low, high in bins]
    for place, (name, colour, dash) in LINES.items():
        shares = np.mean([[layer.histogram for layer in one[place]] for one in found], axis=(0, 1))
        chart.add_scatter(
            name=name,
            x=centres,
            y=[float(f"{share:.3g}") if share > 0 else None for share in shares],
            mode="lines",
            line={"color": colour, "dash": dash, "width": 2.2},
            hovertemplate="%{x} 个标准差附近：%{y:.2g}<extra>%{fullData.name}</extra>",
        )
    chart.add_scatter(
        name="正态",
        x=centres,
        y=[share if share > 1e-8 else None for share in map(_normal, bins)],
        mode="lines",
        line={"color": look.EMBEDDING, "width": 1.5, "dash": "dot"},
        hovertemplate="正态：%{y:.2g}<extra></extra>",
    )
    chart.update_xaxes(title_text="离平均几个标准差", dtick=4)
    chart.update_yaxes(
        type="log", title_text="份额", range=[-7, 0], dtick=2, exponentformat="power"
    )
    return chart


def _kurtosis(found: Found) -> go.Figure:
    chart = look.chart(height=380)
    for place, (name, colour, dash) in LINES.items():
        chart.add_scatter(
            name=name,
            x=list(range(LAYERS)),
            y=[
                round(fmean([one[place][at].kurtosis[1] for one in found]), 1)
                for at in range(LAYERS)
            ],
            mode="lines",
            line={"color": colour, "dash": dash, "width": 2.5},
            hovertemplate="第 %{x} 层：%{y:.0f}<extra>%{fullData.name}</extra>",
        )
    chart.add_scatter(
        name="正态",
        x=[0, LAYERS - 1],
        y=[3, 3],
        mode="lines",
        line={"color": look.EMBEDDING, "width": 1.5, "dash": "dot"},
        hoverinfo="skip",
    )
    chart.update_xaxes(title_text="第几层", dtick=5, range=[0, LAYERS - 1])
    chart.update_yaxes(type="log", title_text="词的峰度，中位数", dtick=1)
    return chart


def _facts(found: Found) -> dict[str, Fact]:
    facts = {
        "normal": Fact(3, "number", means="正态分布的峰度。"),
        "far": Fact(FAR, "number", means="离平均几个标准差算远。"),
        "words": Fact(
            -(-found[0]["stream"][0].words // SAMPLED),
            "count",
            means="每段文字看几个词元：首词除外，每四个取一个。",
        ),
    }
    for place, name in (
        ("stream", "残差流"),
        ("attention", "attention 的输入"),
        ("ffn", "FFN 的输入"),
        ("hidden", "FFN 里面的 h"),
    ):
        words = f"{name}：一个词内各数的峰度，词的中位数"
        facts[f"{place}"] = _over(found, place, fmean, f"{words}，各层平均。")
        facts[f"{place}_most"] = _over(found, place, max, f"{words}，最大的一层。")
        facts[f"{place}_middle"] = _over(found, place, _median, f"{words}，各层的中位数。")
        facts[f"{place}_least"] = _over(found, place, min, f"{words}，最小的一层。")
        facts[f"{place}_far"] = Fact.over(
            [fmean([_beyond(layer) for layer in one[place]]) for one in found],  # type: ignore[index]
            "share",
            f"{name}：离该词平均超过六个标准差的数占多少，各层平均。",
        )
    return facts | {
        "normal_far": Fact(
            1 - erf(FAR / sqrt(2)), "share", digits=1, means="正态分布里超过六个标准差的份额。"
        )
    }


def _beyond(layer: Outliers) -> float:
    """The share of numbers beyond `FAR`, which is an edge of the histogram's bins."""
    far = [high <= -FAR or low >= FAR for low, high in pairwise(EDGES)]
    return float(np.asarray(layer.histogram)[far].sum())


def _normal(ends: tuple[float, float]) -> float:
    """The share of a normal distribution in a bin; the outer bins take what lies beyond."""
    low, high = ((1 + erf(end / sqrt(2))) / 2 for end in ends)
    return high - low


def _over(found: Found, place: str, joined: Callable[[list[float]], float], means: str) -> Fact:
    values = [joined([layer.kurtosis[1] for layer in one[place]]) for one in found]  # type: ignore[index]
    return Fact.over(values, "number", means)


def _median(values: Sequence[float]) -> float:
    return float(np.median(values))
