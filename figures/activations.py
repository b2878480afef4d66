"""The curves that a gate may go through, and their slopes."""

from collections.abc import Callable

import numpy as np
import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.curves import Curve, curves
from ffnsite.figure import Fact, Figure
from ffnsite.models.gated import Gate

NAMES: dict[Gate, str] = {"relu": "ReLU", "gelu": "GELU", "silu": "Swish", "sigmoid": "sigmoid"}
LOOKS: dict[Gate, tuple[str, str]] = {
    "relu": (look.EMBEDDING, "dot"),
    "gelu": (look.ATTENTION, "dash"),
    "silu": (look.FFN, "solid"),
    "sigmoid": (look.OTHER, "dashdot"),
}


def draw() -> Figure:
    """Values and slopes of four activations between -4 and 4."""
    found = dict(zip(NAMES, curves(tuple(NAMES)), strict=True))
    return Figure(
        chart=_lines(found, lambda one: one.value, [-0.6, 4.1]),
        label="函数值",
        variants={"导数": _lines(found, lambda one: one.slope, [-0.2, 1.2], relu="vh")},
        facts=_facts(found),
        caption=(
            "横轴是进闸门之前的数，纵轴是乘到另一份上去的数。sigmoid 夹在零与一之间；"
            "ReLU、GELU、Swish 往右都没有顶，GELU 和 Swish 在零的左边还探到负数。"
        ),
    )


def _lines(
    found: dict[Gate, Curve],
    side: Callable[[Curve], np.ndarray],
    between: list[float],
    relu: str = "linear",
) -> go.Figure:
    """One line an activation; `relu` is the shape of ReLU's, whose slope jumps."""
    chart = look.chart(height=320)
    for name, one in found.items():
        colour, dash = LOOKS[name]
        chart.add_scatter(
            name=NAMES[name],
            x=one.z.tolist(),
            y=np.round(side(one), 4).tolist(),
            mode="lines",
            line={
                "color": colour,
                "dash": dash,
                "width": 2.5,
                "shape": relu if name == "relu" else "linear",
            },
            hovertemplate="%{x}：%{y:.3f}<extra>%{fullData.name}</extra>",
        )
    chart.update_yaxes(range=between, zeroline=True)
    chart.update_xaxes(dtick=1, range=[-4, 4])
    return chart


def _facts(found: dict[Gate, Curve]) -> dict[str, Fact]:
    (swish_at, swish), (gelu_at, gelu) = _lowest(found["silu"]), _lowest(found["gelu"])
    return {
        "swish_lowest": _exactly(swish, "Swish 的最小值。"),
        "swish_lowest_at": _exactly(swish_at, "Swish 在哪里取到最小值。"),
        # Swish(z) - Swish(-z) = z, and the minimum's value is its place plus one.
        "swish_is_one_at": _exactly(-swish_at, "Swish 在哪里等于一；过了它，闸门就大于一。"),
        "gelu_lowest": _exactly(gelu, "GELU 的最小值。"),
        "gelu_lowest_at": _exactly(gelu_at, "GELU 在哪里取到最小值。"),
        "swish_at_three": _exactly(3 / (1 + np.exp(-3.0)), "Swish 在 3 处的值。"),
    }


def _lowest(one: Curve) -> tuple[float, float]:
    assert one.lowest is not None
    return one.lowest


def _exactly(value: float, means: str) -> Fact:
    return Fact(float(value), "number", digits=8, means=means)
