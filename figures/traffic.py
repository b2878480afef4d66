"""What one decode step reads: weights by part, and a KV cache that grows with every token.

Bytes are the closed formulas of `experiments.traffic`; tests hold them against real tensors.
"""

from fractions import Fraction
from math import ceil, log10
from pathlib import Path

import plotly.graph_objects as go

from ffnsite import ledger, look
from ffnsite.experiments.costs import by_formula
from ffnsite.experiments.traffic import HALF, cache_numbers, intensity, meets_ffn, reads
from ffnsite.figure import Fact, Figure
from ffnsite.models import sizes
from ffnsite.models.sizes import Architecture
from ffnsite.models.zoo import LLAMA_3_8B, MODELS

ROOT = Path(__file__).resolve().parent.parent
SHOWN = ("llama_7b", "llama3_8b", "smollm2")
CACHED = tuple(round(2 ** (power / 2)) for power in range(18, 37))
GIGA = 10**9
PARTS = {"ffn": "FFN", "attention": "attention", "head": "输出头", "cache": "KV cache"}
COLOURS = {
    "ffn": look.FFN,
    "attention": look.ATTENTION,
    "head": look.HEAD,
    "cache": look.OTHER,
}
BATCH = 32
CONTEXT = 8192


def draw() -> Figure:
    """Bytes of a step by part behind more and more cached tokens, for three models."""
    charts = {MODELS[key].name: _chart(MODELS[key]) for key in SHOWN}
    (label, chart), *others = charts.items()
    return Figure(
        chart=chart,
        label=label,
        variants=dict(others),
        facts={key: fact for model in SHOWN for key, fact in _model(model).items()}
        | _grouped(LLAMA_3_8B)
        | _intensity(LLAMA_3_8B),
        caption=(
            "生成一个词元要从内存读多少字节，16 位权重与缓存，横轴纵轴都取对数。平的三条是权重，与缓存长短"
            "无关；升上去的是 KV cache，横轴是整批缓存的词元之和。虚线是 KV cache 与 FFN 权重读得一样多的"
            "地方：LLaMA-7B 是 16,512 个词元，Llama-3-8B 是 86,016 个。"
        ),
    )


def _chart(shape: Architecture) -> go.Figure:
    chart = look.chart(height=360)
    for part, name in PARTS.items():
        chart.add_scatter(
            name=name,
            x=list(CACHED),
            y=[getattr(reads(shape, cached), part) / GIGA for cached in CACHED],
            mode="lines",
            line={
                "color": COLOURS[part],
                "width": 2.5,
                "dash": "solid" if part in ("ffn", "cache") else "dash",
            },
            hovertemplate="缓存 %{x:,} 个词元：%{fullData.name} %{y:.3g} GB<extra></extra>",
        )
    _mark(chart, ceil(meets_ffn(shape)))
    chart.update_xaxes(
        type="log",
        title_text="缓存的词元，整批合计",
        tickvals=[512, 4096, 32_768, 262_144],
        ticktext=["512", "4096", "32,768", "262,144"],
        range=[log10(CACHED[0]), log10(CACHED[-1]) + 0.01],
    )
    chart.update_layout(margin_r=28)  # room for the last tick label
    chart.update_yaxes(type="log", dtick=1, ticksuffix=" GB", exponentformat="none")
    return chart


def _mark(chart: go.Figure, meeting: int) -> None:
    """A dotted line where the cache meets the FFN, and its number beside its foot."""
    dotted = {"color": look.MUTED, "width": 1, "dash": "dot"}
    chart.add_shape(type="line", x0=meeting, x1=meeting, yref="paper", y0=0, y1=1, line=dotted)
    chart.add_annotation(
        x=round(log10(meeting), 4),  # notes on a logarithmic axis stand at exponents
        y=0.32,
        yref="paper",
        text=f"{meeting:,}",
        xanchor="left",
        xshift=4,
        showarrow=False,
        font={"size": 12, "color": look.MUTED},
    )


def _model(key: str) -> dict[str, Fact]:
    shape = MODELS[key]
    name, step = shape.name, reads(shape, CONTEXT)
    meeting = meets_ffn(shape)
    return {
        f"{key}_meeting": Fact(
            ceil(meeting),
            "count",
            means=f"{name} 的 KV cache 与 FFN 权重读得一样多时，整批缓存的词元（两者同样位数）。",
        ),
        f"{key}_meeting_over_square": Fact(
            meeting / by_formula(shape).meets_ffn(),
            "ratio",
            means=f"{name} 的 KV cache 追上 FFN 权重（字节）的词元数，是 N² 项追上 FFN（运算）的几倍。",
        ),
        f"{key}_each_of_batch": Fact(
            Fraction(ceil(meeting), BATCH),
            "count",
            means=f"{BATCH} 段文字一批，{name} 每段缓存几个词元，KV cache 就追上 FFN 权重。",
        ),
        f"{key}_cache_token": Fact(
            HALF * cache_numbers(shape),
            "byte",
            means=f"{name} 每个词元在 KV cache 里占的字节，所有层，16 位。",
        ),
        f"{key}_weights": Fact(
            step.weights, "byte", means=f"{name} 每步解码要读的全部权重，16 位。"
        ),
        f"{key}_ffn_of_weights": Fact(
            Fraction(step.ffn, step.weights),
            "share",
            means=f"{name} 每步解码要读的权重里 FFN 的份额。",
        ),
        f"{key}_cache_at_8k": Fact(
            Fraction(step.cache, step.total),
            "share",
            means=f"{name} 一段文字缓存 {CONTEXT:,} 个词元时，KV cache 占每步读的字节的份额。",
        ),
        f"{key}_ffn_at_8k": Fact(
            Fraction(step.ffn, step.total),
            "share",
            means=f"{name} 一段文字缓存 {CONTEXT:,} 个词元时，FFN 权重占每步读的字节的份额。",
        ),
    }


def _grouped(shape: Architecture) -> dict[str, Fact]:
    return {
        "batch": Fact(BATCH, "count", means="举例的一批里有几段文字。"),
        "context": Fact(CONTEXT, "count", means="举例的一段文字缓存了几个词元。"),
        "number_bytes": Fact(HALF, "byte", means="16 位的一个数占几个字节。"),
        "bits": Fact(8 * HALF, "count", means="权重与缓存每个数的位数。"),
        "gqa_cache": Fact(
            Fraction(shape.kv_heads, shape.heads),
            "ratio",
            means="Llama-3-8B 的 GQA 把每个词元的 KV cache 缩到几分之几。",
        ),
        "gqa_group": Fact(
            Fraction(shape.heads, shape.kv_heads),
            "ratio",
            means="Llama-3-8B 每组 KV 由几个 query 头合用。",
        ),
    }


def _intensity(shape: Architecture) -> dict[str, Fact]:
    """Operations for each byte, of this model's FFN and of a processor that a paper's table names."""
    weights = sizes.feed_forward(shape)
    cited = ledger.load(ROOT / "docs" / "cited", ROOT)
    sparse, bandwidth = (
        cited[f"nvidia2022.{name}"].fact.ends[0] for name in ("h100_sparse", "h100_bandwidth")
    )
    ridge = sparse / 2 / bandwidth
    return {
        "ffn_intensity": Fact(
            intensity(2 * weights, HALF * weights),
            "FLOP/byte",
            means="一批只有一段文字时，FFN 每读一个字节的权重做几次浮点运算，16 位。",
        ),
        "ffn_intensity_batch": Fact(
            intensity(2 * BATCH * weights, HALF * weights),
            "FLOP/byte",
            means=f"一批有 {BATCH} 段文字时，FFN 每读一个字节的权重做几次浮点运算，16 位。",
        ),
        "h100_dense": Fact(
            sparse / 2, "FLOP/s", means="H100 SXM 的 bf16 矩阵乘峰值，不用稀疏，是规格表上的一半。"
        ),
        "h100_ridge": Fact(
            float(ridge),
            "FLOP/byte",
            digits=3,
            means="H100 SXM 的 bf16 峰值（不用稀疏）与显存带宽之比：每读一个字节要做多少次运算才不闲着。",
        ),
        "ridge_over_decode": Fact(
            float(ridge / intensity(2 * weights, HALF * weights)),
            "ratio",
            digits=3,
            means="H100 每读一个字节要做的运算，是写一段文字时 FFN 每读一个字节所做运算的几倍。",
        ),
        "ridge_words": Fact(
            ceil(ridge),
            "count",
            means="至少几个词元一起过 FFN（读一段话，或者一批），16 位权重才够 H100 的乘法器忙。",
        ),
    }
