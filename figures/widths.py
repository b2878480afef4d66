"""How wide the gated FFNs of published models are, against their own d."""

from fractions import Fraction

import plotly.graph_objects as go

from ffnsite import look
from ffnsite.figure import Fact, Figure
from ffnsite.models import sizes
from ffnsite.models.sizes import Architecture
from ffnsite.models.zoo import MODELS

EQUAL = Fraction(8, 3)
"""The ratio at which three matrices hold as much as two with d_ff = 4d."""

SHOWN = (
    "smollm2",
    "llama_7b",
    "llama_13b",
    "llama_65b",
    "llama2_70b",
    "llama3_8b",
    "mistral_7b",
    "palm_540b",
    "qwen25_7b",
    "qwen25_05b",
)


def draw() -> Figure:
    """One bar a model, and by how much its FFN outgrows the two-matrix one of the same d."""
    models = {key: MODELS[key] for key in SHOWN}
    facts = {
        "equal": Fact(
            EQUAL, "ratio", means="三个矩阵与 d_ff = 4d 的两个矩阵参数相等时 d_ff 与 d 之比。"
        ),
        "classic": Fact(4, "ratio", means="经典两矩阵 FFN 的 d_ff 与 d 之比。"),
        "models": Fact(len(models), "count", means="图里的门控模型有几个。"),
        "at_equal": Fact(
            sum(_ratio(shape) == EQUAL for shape in models.values()),
            "count",
            means="图里 d_ff 与 d 之比恰好是 8/3 的模型有几个。",
        ),
    }
    for key, shape in models.items():
        facts |= _facts(key, shape)
    return Figure(
        chart=_bars(models),
        facts=facts,
        caption=(
            "各家门控 FFN 的 d_ff 是 d 的几倍。竖线是 8/3：在这里三个矩阵与经典的两个矩阵一样多。"
            "只有最上面一个恰好站在线上。"
        ),
    )


def _ratio(shape: Architecture) -> Fraction:
    return Fraction(shape.d_ff, shape.d_model)


def _bars(models: dict[str, Architecture]) -> go.Figure:
    chart = look.chart(height=400)
    names = [shape.name for shape in models.values()]
    ratios = [_ratio(shape) for shape in models.values()]
    chart.add_bar(
        name="d_ff 与 d 之比",
        orientation="h",
        y=names,
        x=[round(float(ratio), 4) for ratio in ratios],
        text=[f"{float(ratio):.4g}" for ratio in ratios],
        textposition="outside",
        cliponaxis=False,
        textfont={"color": look.INK},
        marker={"color": look.FFN},
        hovertemplate="%{y}：%{x}<extra></extra>",
    )
    chart.add_vline(x=float(EQUAL), line={"color": look.INK, "width": 1.5, "dash": "dot"})
    chart.update_layout(showlegend=False, margin_r=48)
    chart.update_xaxes(range=[0, 6], dtick=1)
    chart.update_yaxes(autorange="reversed", showgrid=False)
    return chart


def _facts(key: str, shape: Architecture) -> dict[str, Fact]:
    name, ratio = shape.name, _ratio(shape)
    return {
        f"{key}_ratio": Fact(ratio, "ratio", means=f"{name} 的 d_ff 与 d 之比。"),
        f"{key}_d_ff": Fact(shape.d_ff, "count", means=f"{name} 的 d_ff。"),
        f"{key}_d": Fact(shape.d_model, "count", means=f"{name} 的宽度 d。"),
        f"{key}_ffn": Fact(
            sizes.in_d_squared(sizes.feed_forward(shape), shape),
            "d^2",
            means=f"{name} 一层 FFN 三个矩阵的权重，按 d² 数。",
        ),
        f"{key}_over": Fact(
            ratio / EQUAL, "ratio", means=f"{name} 一层 FFN 的权重是同宽经典两矩阵 FFN 的几倍。"
        ),
    }
