"""Where the seconds of SmolLM2-135M go while it writes and while it reads; rows of a study.

Shares of processor time on one thread, with the bandwidth and the peak that the same machine
reached in the same row. Operations and bytes are exact, seconds are one machine's.
"""

from fractions import Fraction

import plotly.graph_objects as go

from ffnsite import look
from ffnsite.experiments.looping import looping
from ffnsite.experiments.timing import PARTS, Timing, split
from ffnsite.figure import Fact, Figure
from ffnsite.studies import recorded

NAMES = {
    "projections": ("投影", look.ATTENTION),
    "mixing": ("打分与加权", look.OTHER),
    "ffn": ("FFN", look.FFN),
    "head": ("输出头", look.HEAD),
    "rest": ("其余", look.EMBEDDING),
}
PHASES = {
    "decode": ("写一个词元", "decode，写一个词元"),
    "prefill": ("读一段文字", "prefill，用融合的 attention"),
    "prefill_explicit": ("读，摊开矩阵", "prefill，把 N × N 的矩阵写出来"),
}


def draw() -> Figure:
    """Shares of the time by part, for each phase and context."""
    found = {
        (str(row.arguments["phase"]), int(row.arguments["context"])): row.result
        for row in recorded(split, "timing")
    }
    (label, chart), *others = [(PHASES[phase][0], _bars(found, phase)) for phase in PHASES]
    return Figure(
        chart=chart,
        label=label,
        variants=dict(others),
        facts=_shares(found) | _against_the_machine(found) | _loop(),
        caption=(
            "SmolLM2-135M 在一台机器的一个线程上，处理器时间按部分怎么分，32 位浮点。左边是已经缓存的、"
            "或者一次读进来的词元数。写的时候缓存越长，打分与加权占得越多；读的时候 FFN 与投影是大头，"
            "把 N × N 的矩阵写出来除外。"
        ),
    )


def _bars(found: dict[tuple[str, int], Timing], phase: str) -> go.Figure:
    rows = {context: timing for (kind, context), timing in found.items() if kind == phase}
    chart = look.chart(height=70 + 48 * len(rows))
    for part, (name, colour) in NAMES.items():
        chart.add_bar(
            name=name,
            orientation="h",
            y=[f"{context:,}" for context in rows],
            x=[round(100 * _share(timing, part), 1) for timing in rows.values()],
            marker={"color": colour},
            hovertemplate="%{y} 个词元：%{fullData.name} %{x:.0f}%<extra></extra>",
        )
    chart.update_layout(barmode="stack", bargap=0.25, legend_traceorder="normal", margin_r=24)
    chart.update_xaxes(ticksuffix="%", range=[0, 100], dtick=25)
    chart.update_yaxes(type="category", autorange="reversed", showgrid=False, title_text="词元")
    return chart


def _total(timing: Timing) -> float:
    return sum(timing.seconds[part] for part in PARTS)


def _share(timing: Timing, part: str) -> float:
    return timing.seconds[part] / _total(timing)


def _shares(found: dict[tuple[str, int], Timing]) -> dict[str, Fact]:
    return {
        f"{phase}_{part}_{context}": Fact(
            _share(timing, part),
            "share",
            digits=2,
            means=f"{PHASES[phase][1]}，{context:,} 个词元时，处理器时间里{_spaced(part)}的份额。",
        )
        for (phase, context), timing in found.items()
        for part in PARTS
    }


def _spaced(part: str) -> str:
    """The part's name between Chinese words."""
    name = NAMES[part][0]
    return f" {name} " if name.isascii() else name


def _against_the_machine(found: dict[tuple[str, int], Timing]) -> dict[str, Fact]:
    """How near a step comes to what the machine can read, and to what it can multiply."""
    facts = {
        "threads": Fact(1, "count", means="计时用了几个线程。"),
        "bits": Fact(32, "count", means="计时用的浮点数的位数。"),
    }
    for context in sorted({context for _, context in found}):
        facts[f"context_{context}"] = Fact(context, "count", means="计时的一种上下文，多少个词元。")
    for (phase, context), timing in found.items():
        where = f"{PHASES[phase][1]}，{context:,} 个词元时"
        where += "（N² 项按完整的矩阵数）" if phase == "prefill" else ""
        flops, read = sum(timing.flops.values()), sum(timing.weights.values()) + timing.cache
        facts[f"{phase}_intensity_{context}"] = Fact(
            Fraction(flops, read),
            "FLOP/byte",
            means=f"{where}，每读一个字节的权重与缓存做几次浮点运算，32 位。",
        )
        facts[f"{phase}_bandwidth_{context}"] = Fact(
            read / _total(timing) / timing.bandwidth,
            "ratio",
            digits=2,
            means=f"{where}，每秒读的权重与缓存，与这台机器顺着读内存的速度之比。",
        )
        facts[f"{phase}_peak_{context}"] = Fact(
            flops / _total(timing) / timing.peak,
            "ratio",
            digits=2,
            means=f"{where}，每秒做的浮点运算，与这台机器大矩阵乘的速度之比。",
        )
        facts[f"{phase}_ffn_peak_{context}"] = Fact(
            timing.flops["ffn"] / timing.seconds["ffn"] / timing.peak,
            "ratio",
            digits=2,
            means=f"{where}，FFN 每秒做的浮点运算，与这台机器大矩阵乘的速度之比。",
        )
        facts[f"{phase}_ffn_bandwidth_{context}"] = Fact(
            timing.weights["ffn"] / timing.seconds["ffn"] / timing.bandwidth,
            "ratio",
            digits=2,
            means=f"{where}，FFN 每秒读的权重，与这台机器顺着读内存的速度之比。",
        )
    return facts


def _loop() -> dict[str, Fact]:
    """The loop over words against one product, for a layer that a cache may hold and one it may not."""
    small, large = sorted(recorded(looping, "looping"), key=lambda row: row.result.weights)
    facts = {
        "loop_words": Fact(small.arguments["words"], "count", means="循环与一次乘完比了几个词。")
    }
    for name, row, whose in (("small", small, "SmolLM2-135M"), ("large", large, "LLaMA-7B")):
        facts[f"loop_{name}"] = Fact(
            row.result.loop / row.result.product,
            "ratio",
            digits=2,
            means=f"宽度取 {whose} 那么大的两矩阵 FFN，逐词循环的处理器时间是一次乘完的几倍。",
        )
    return facts
