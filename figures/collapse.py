"""How far apart the words stay in a stack of random layers, by what surrounds the attention."""

from fractions import Fraction

import numpy as np
import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.collapse import DEPTH, HEADS, WIDTH, WIRINGS, WORDS, Collapse, stacked
from ffnsite.experiments.linear import departures
from ffnsite.figure import Fact, Figure

SEEDS = 10
GONE = Fraction(1, 10**12)
NAMES = {
    "attention": "只有 attention",
    "with_ffn": "加 FFN",
    "with_residual": "加残差",
    "with_both": "残差与 FFN",
    "pre_norm": "完整的 pre-LN",
}
COLOURS = {
    "attention": look.ATTENTION,
    "with_ffn": look.FFN,
    "with_residual": look.POSITIVE,
    "with_both": look.OTHER,
    "pre_norm": look.INK,
}
DASHES = {
    "attention": "solid",
    "with_ffn": "dot",
    "with_residual": "solid",
    "with_both": "dash",
    "pre_norm": "solid",
}


def draw() -> Figure:
    """Curves under both masks, and what the first chapter says about stacked attention."""
    full, causal = stacked.together([(False, SEEDS), (True, SEEDS)])
    return Figure(
        chart=_curves(full, lowest=-16.5),
        label="双向",
        variants={"因果掩码": _curves(causal, lowest=-3.3)},
        facts=_setting() | _fallen(full) | _depths(full, causal) | _not_linear(),
        caption=(
            "随机权重的层叠起来，各词离「全都变成同一个向量」还有多远，对数刻度。"
            f"线是 {SEEDS} 组随机权重的中位数，色带从最小到最大。"
            "双向时没有残差的两条直坠到舍入误差，有残差的三条留在上面。"
        ),
    )


def _curves(collapse: Collapse, lowest: float) -> go.Figure:
    """`lowest` is the power of ten where the axis ends."""
    chart = look.chart(height=400)
    depths = list(range(DEPTH + 1))
    for wiring, name in NAMES.items():
        rows = collapse.distances[wiring]
        low, middle, high = (
            [float(f"{number:.4g}") for number in numbers]
            for numbers in (rows.min(0), np.median(rows, axis=0), rows.max(0))
        )
        colour = COLOURS[wiring]
        chart.add_scatter(
            x=depths + depths[::-1],
            y=high + low[::-1],
            fill="toself",
            fillcolor=colour,
            opacity=0.18,
            line={"width": 0},
            mode="lines",
            hoverinfo="skip",
            showlegend=False,
        )
        chart.add_scatter(
            x=depths,
            y=middle,
            name=name,
            mode="lines",
            line={"color": colour, "dash": DASHES[wiring], "width": 2.4},
            hovertemplate=f"{name}，过了 %{{x}} 层：%{{y:.2e}}<extra></extra>",
        )
    chart.update_yaxes(type="log", exponentformat="power", title_text="离同一个向量的距离")
    chart.update_yaxes(range=[lowest, 0.4], dtick=4 if lowest < -4 else 1)
    chart.update_xaxes(title_text="过了几层", dtick=2)
    return chart


def _setting() -> dict[str, Fact]:
    return {
        "seeds": Fact(SEEDS, "count", means="一共抽几组随机权重与输入。"),
        "words": Fact(WORDS, "count", means="每组有几个词。"),
        "width": Fact(WIDTH, "count", means="每个词的宽度 d。"),
        "heads": Fact(HEADS, "count", means="attention 的头数。"),
        "depth": Fact(DEPTH, "count", means="一共叠几层。"),
        "wirings": Fact(len(WIRINGS), "count", means="一共比较几种接法。"),
        "gone": Fact(GONE, "number", means="距离小到多少就算全塌了，双精度下接近舍入误差。"),
    }


def _fallen(full: Collapse) -> dict[str, Fact]:
    """After how many layers nothing is left, under full attention."""
    facts = {}
    for wiring in ("attention", "with_ffn"):
        after = [depth for depth in full.fallen(wiring, float(GONE)) if depth is not None]
        assert len(after) == SEEDS, f"{wiring} 有几组没有塌到 {float(GONE)}"
        facts[f"{wiring}_gone_after"] = Fact(
            after[0],
            "count",
            spread=(min(after), max(after)),
            means=f"双向掩码下「{NAMES[wiring]}」过了几层，距离小到算作全塌。",
        )
    return facts


def _depths(full: Collapse, causal: Collapse) -> dict[str, Fact]:
    """Distances that the chapter quotes: over all seeds, from the smallest to the largest."""
    facts = {}
    for wiring, name in NAMES.items():
        facts[f"{wiring}_causal_end"] = _range(
            causal, wiring, DEPTH, f"因果掩码下「{name}」叠到最后一层的距离。"
        )
        facts[f"{wiring}_first"] = _range(full, wiring, 1, f"双向掩码下「{name}」第一层后的距离。")
    for wiring in ("with_residual", "with_both", "pre_norm"):
        facts[f"{wiring}_end"] = _range(
            full, wiring, DEPTH, f"双向掩码下「{NAMES[wiring]}」叠到最后一层的距离。"
        )
    for depth in (2, 3):
        facts[f"attention_{depth}"] = _range(
            full, "attention", depth, f"双向掩码下只有 attention 时过了 {depth} 层的距离。"
        )
    return facts | {
        "start": _range(full, "attention", 0, "随机输入本身的距离，还没有过任何一层。"),
        "steepening": _steepening(full, 3),
    }


def _range(collapse: Collapse, wiring: str, depth: int, means: str) -> Fact:
    values = collapse.distances[wiring][:, depth]
    return _spread([float(value) for value in values], "ratio", f"{means}各组从最小到最大。")


def _steepening(full: Collapse, depth: int) -> Fact:
    """Doubly exponential: each layer's drop on the logarithmic scale against the one before."""
    drops = -np.diff(np.log(full.distances["attention"][:, : depth + 1]), axis=1)
    least = (drops[:, 1:] / drops[:, :-1]).min(axis=1)
    return _spread(
        [float(value) for value in least],
        "ratio",
        f"双向掩码下只有 attention 时，前 {depth} 层里，每层在对数刻度上的跌幅至少是上一层的几倍。",
    )


def _not_linear() -> dict[str, Fact]:
    """Attention is not linear in its input, not even one layer."""
    found = departures(SEEDS)
    assert not any(found.attention_of_one), "一个词的 attention 不线性"
    return {
        "factor": Fact(2, "ratio", means="试 attention 是不是线性时，把输入放大到几倍。"),
        "doubling": _spread(
            list(found.attention),
            "ratio",
            "输入翻倍后 attention 的输出与「输出翻倍」之差，是后者的几倍（范数）。",
        ),
        "adding": _spread(
            list(found.attention_sum),
            "ratio",
            "两份输入之和的 attention 输出与两份输出之和的差，是后者的几倍（范数）。",
        ),
        "doubling_one_word": Fact(
            0, "ratio", means="只有一个词时，输入翻倍后 attention 的输出与「输出翻倍」之差。"
        ),
    }


def _spread(values: list[float], unit: str, means: str) -> Fact:
    return Fact(values[0], unit, digits=2, spread=(min(values), max(values)), means=means)
