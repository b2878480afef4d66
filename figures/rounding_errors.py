"""Which linear layer loses most in eight bits: the error of each output, layer by layer.

Facts are means over two texts; their spread runs from one to the other.
"""

from collections.abc import Callable

import numpy as np
import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.quantizing import First, Site
from ffnsite.experiments.rounding_errors import COMPARED, Errors, errors
from ffnsite.figure import Fact, Figure
from ffnsite.models.smollm2 import SMOLLM2_135M

TEXTS = ("networkx", "sympy")
LAYERS = SMOLLM2_135M.layers
SITES: dict[Site, tuple[str, str, str]] = {
    "query_key_value": ("W_Q、W_K、W_V", look.ATTENTION, "solid"),
    "output": ("W_O", look.ATTENTION, "dot"),
    "gate_up": ("W_gate、W_up", look.FFN, "dot"),
    "down": ("W_down", look.FFN, "solid"),
}
SCHEMES = {
    "int8_tensor": "整段一个尺度",
    "int8_word": "每个词一个尺度",
    "smooth_050": "SmoothQuant 之后整段一个尺度",
}
CHARTS: dict[str, tuple[str, First]] = {
    "整段一把尺": ("int8_tensor", "rounded"),
    "放过首词": ("int8_tensor", "exact"),
    "每词一把尺": ("int8_word", "rounded"),
}
LOST = 0.5
"""An output that misses more than half of itself is as good as lost."""
Found = list[dict[First, dict[Site, Errors]]]


def draw() -> Figure:
    """The error by layer of each place, for three ways to share a scale."""
    found = errors.together((text,) for text in TEXTS)
    charts = {label: _chart(found, *which) for label, which in CHARTS.items()}
    first = next(iter(charts))
    return Figure(
        chart=charts.pop(first),
        label=first,
        variants=charts,
        facts=_facts(found),
        caption=(
            "INT8 之后，每个线性层的输出错了多少：差的长度与原来的长度之比，首词以外的词一起算，"
            "每层都喂没有量化过的输入。整段共用一个尺度时，有几层的 W_down 几乎什么也没剩下；"
            "每个词自己一个尺度，各处都只错一点。两段文字取平均。"
        ),
    )


def _chart(found: Found, scheme: str, first: First) -> go.Figure:
    chart = look.chart(height=380)
    for site, (name, colour, dash) in SITES.items():
        chart.add_scatter(
            name=name,
            x=list(range(LAYERS)),
            y=np.round(100 * _by_layer(found, first, site, scheme), 2).tolist(),
            mode="lines",
            line={"color": colour, "dash": dash, "width": 2.2},
            hovertemplate="第 %{x} 层：%{y:.1f}%<extra>%{fullData.name}</extra>",
        )
    chart.update_xaxes(title_text="第几层", dtick=5, range=[0, LAYERS - 1])
    chart.update_yaxes(title_text="输出的相对误差", ticksuffix="%", range=[0, 105], dtick=25)
    return chart


def _by_layer(found: Found, first: First, site: Site, scheme: str) -> np.ndarray:
    mean: np.ndarray = np.mean([one[first][site].by_scheme[scheme] for one in found], axis=0)
    return mean


def _facts(found: Found) -> dict[str, Fact]:
    facts = {"lost": Fact(LOST, "share", digits=1, means="相对误差超过多少算这一层的输出没了。")}
    for site, (matrices, _, _) in SITES.items():
        facts |= _of_site(found, site, matrices)
    return facts


def _of_site(found: Found, site: Site, matrices: str) -> dict[str, Fact]:
    facts = {}
    for scheme in COMPARED:
        words = f"INT8，{SCHEMES[scheme]}：{matrices} 输出的相对误差"
        for first, name in (("rounded", "首词也量化"), ("exact", "首词不量化")):
            facts[f"{scheme}_{site}_{first}"] = _over(
                found,
                lambda one, first=first, scheme=scheme: float(  # type: ignore[misc]
                    np.mean(one[first][site].by_scheme[scheme])
                ),
                "ratio",
                f"{words}，{name}，各层平均。",
            )
    for first, name in (("rounded", "首词也量化"), ("exact", "首词不量化")):
        lost = [int((one[first][site].by_scheme["int8_tensor"] > LOST).sum()) for one in found]  # type: ignore[index]
        facts[f"lost_{site}_{first}"] = Fact(
            lost[0],
            "count",
            spread=(min(lost), max(lost)),
            means=f"整段一个尺度的 INT8，{name}：有几层的 {matrices} 输出错了一半以上。",
        )
        facts[f"levels_{site}_{first}"] = _over(
            found,
            lambda one, first=first: float(np.median(one[first][site].levels)),  # type: ignore[misc]
            "number",
            f"整段一个尺度的 INT8，{name}：{matrices} 的输入里居中的一条通道实际用到几级，各层的中位数。",
        )
        facts[f"silent_{site}_{first}"] = _over(
            found,
            lambda one, first=first: float(np.mean(one[first][site].silent)),  # type: ignore[misc]
            "share",
            f"整段一个尺度的 INT8，{name}：{matrices} 的输入里每个词都舍入成零的通道占多少，各层平均。",
        )
    return facts


def _over(
    found: Found,
    number: Callable[[dict[First, dict[Site, Errors]]], float],
    unit: str,
    means: str,
) -> Fact:
    return Fact.over([number(one) for one in found], unit, means)
