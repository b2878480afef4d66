"""What a block keeps for the backward pass: bytes by part, counted by torch's hooks.

Unit: bytes for each token and each number of its width (what Korthikanti et al. write as the
coefficient of sbh).
"""

from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.stored import Stored, by_formula, stored
from ffnsite.figure import Fact, Figure
from ffnsite.models.zoo import GPT3_175B

WIDTH, HEADS, D_FF = GPT3_175B.d_model, GPT3_175B.heads, GPT3_175B.d_ff
LENGTH = GPT3_175B.positions
LENGTHS = (256, 1024, LENGTH)
GATED = 2 * D_FF // 3
PARTS = {
    "ffn": ("FFN", look.FFN),
    "attention": ("attention", look.ATTENTION),
    "square": ("attention 平方项", look.OTHER),
    "norm": ("归一化", look.EMBEDDING),
}


class Row(NamedTuple):
    """One bar: its name, and what is kept for each token and number of the width."""

    name: str
    parts: dict[str, Fraction]


def draw() -> Figure:
    """Bars of a GPT-3 block at three lengths, with attention recomputed, and with SwiGLU."""
    calls = [(1, length, WIDTH, HEADS, D_FF) for length in LENGTHS]
    *counts, swiglu = stored.together([*calls, (1, LENGTH, WIDTH, HEADS, GATED, "swiglu")])
    longest = counts[-1]
    rows = [
        Row(f"句长 {length:,}", _parts(found, length))
        for length, found in zip(LENGTHS, counts, strict=True)
    ]
    rows.append(Row(f"{LENGTH:,}，重算", _parts(replace(longest, square=0), LENGTH)))
    rows.append(Row(f"{LENGTH:,}，SwiGLU", _parts(swiglu, LENGTH)))
    return Figure(
        chart=_bars(rows),
        facts=_by_part(longest) | _lengths() | _compared(longest, swiglu) | _left_out(longest),
        caption=(
            "GPT-3 的一层，训练时为反向传播留着的激活，按每个词元、宽度里的每个数摊到多少字节"
            "（bf16，带 dropout）。FFN 的 19 与句长无关，attention 里随句长平方长的那部分到句长 2,048 "
            "已是 80。末两行：反向时重算 attention 的平方项；FFN 换成参数一样多的 SwiGLU。"
        ),
    )


def _parts(found: Stored, length: int) -> dict[str, Fraction]:
    return {part: Fraction(getattr(found, part), length * WIDTH) for part in PARTS}


def _bars(rows: list[Row]) -> go.Figure:
    chart = look.chart(height=330)
    for part, (name, colour) in PARTS.items():
        chart.add_bar(
            name=name,
            orientation="h",
            y=[row.name for row in rows],
            x=[round(float(row.parts[part]), 2) for row in rows],
            marker={"color": colour},
            hovertemplate="%{y}：%{fullData.name} %{x} 字节<extra></extra>",
        )
    chart.update_layout(barmode="stack", bargap=0.25, legend_traceorder="normal", margin_r=16)
    chart.update_xaxes(title_text="字节（每个词元、每一维）", range=[0, 125], dtick=25)
    chart.update_yaxes(autorange="reversed", showgrid=False, tickfont_size=12)
    return chart


def _by_part(found: Stored) -> dict[str, Fact]:
    """The coefficients as they were counted, at GPT-3's own shape."""
    each = _parts(found, LENGTH)
    linear = each["attention"] + each["ffn"] + each["norm"]
    words = "GPT-3 一层训练时存的激活里{}，以字节计，按每个词元、每一维摊。"
    return {
        "ffn": Fact(each["ffn"], "number", means=words.format(" FFN 的部分")),
        "attention": Fact(
            each["attention"], "number", means=words.format(" attention 随句长成正比的部分")
        ),
        "square": Fact(
            each["square"], "number", means=words.format(" attention 随句长平方增长的部分")
        ),
        "norm": Fact(each["norm"], "number", means=words.format("两个归一化的部分")),
        "linear": Fact(linear, "number", means=words.format("平方项以外的全部")),
        "square_share": Fact(
            each["square"] / (linear + each["square"]),
            "share",
            means="GPT-3 一层存的激活里平方项的份额，即重算它能省下的份额。",
        ),
        "ffn_share": Fact(
            each["ffn"] / (linear + each["square"]),
            "share",
            means="GPT-3 一层存的激活里 FFN 的份额。",
        ),
        "ffn_share_recomputed": Fact(
            each["ffn"] / linear,
            "share",
            means="attention 的平方项改为重算之后，GPT-3 一层存的激活里 FFN 的份额。",
        ),
    }


def _lengths() -> dict[str, Fact]:
    """From which length attention keeps more than the FFN: 11 + 5 s / head width > 19."""
    head_width = WIDTH // HEADS
    formula = by_formula(1, head_width, WIDTH, HEADS)
    per_token = Fraction(formula.square, head_width)
    longer = Fraction(formula.ffn - formula.attention, per_token)
    return {
        "width": Fact(WIDTH, "count", means="GPT-3 的宽度 d。"),
        "heads": Fact(HEADS, "count", means="GPT-3 的头数。"),
        "shortest": Fact(LENGTHS[0], "count", means="图里最短的句长。"),
        "middle": Fact(LENGTHS[1], "count", means="图里居中的句长。"),
        "length": Fact(LENGTH, "count", means="GPT-3 的句长，也是图里最长的句长。"),
        "even_at": Fact(
            ceil(longer),
            "count",
            means="GPT-3 的形状下，句长到几时 attention 存的激活就不少于 FFN 存的。",
        ),
    }


def _compared(gelu: Stored, swiglu: Stored) -> dict[str, Fact]:
    once = LENGTH * WIDTH
    return {
        "swiglu": Fact(
            Fraction(swiglu.ffn, once),
            "number",
            means="参数一样多的 SwiGLU（d_ff = 8d/3）存的激活，以字节计，按每个词元、每一维摊。",
        ),
        "swiglu_over_gelu": Fact(
            Fraction(swiglu.ffn, gelu.ffn),
            "ratio",
            means="参数一样多时，SwiGLU 存的激活是 GELU 两矩阵 FFN 的几倍。",
        ),
    }


def _left_out(found: Stored) -> dict[str, Fact]:
    small = found.statistics + found.mask
    return {
        "left_out": Fact(
            Fraction(small, found.total),
            "share",
            means="公式没有算、计数器看见的（归一化的均值与方差、因果掩码）占存下来的份额。",
        ),
        "disagreeing": Fact(
            sum(
                getattr(found, part) != getattr(by_formula(1, LENGTH, WIDTH, HEADS), part)
                for part in PARTS
            ),
            "count",
            means="四部分里，计数与 Korthikanti 等人的公式差一个字节以上的有几部分。",
        ),
    }
