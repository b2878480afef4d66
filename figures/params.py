"""Where the parameters of a block, and of a whole model, are: bars of every model of the zoo.

All counts come from `counting.census`: closed formulas and built modules that agree to the unit.
"""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import plotly.graph_objects as go

from ffnsite import ledger, look
from ffnsite.experiments.counting import Count, census
from ffnsite.figure import Fact, Figure
from ffnsite.models import sizes
from ffnsite.models.sizes import Architecture, Parts
from ffnsite.models.zoo import (
    GPT3_175B,
    LLAMA_3_8B,
    LLAMA_65B,
    MIXTRAL_8X7B,
    MODELS,
    PALM_540B,
    TRANSFORMER_BASE,
)

ROOT = Path(__file__).resolve().parent.parent
LEGIBLE = Fraction(17, 100)
"""Segments below this share of the bar are too narrow for a percentage on a phone."""
ROW_HEIGHT = 27
"""Pixels for a model's bar and the gap below it."""


def draw() -> Figure:
    """Bars of one block and of the whole model, and every number of chapter 3."""
    counts = census().counts
    return Figure(
        chart=_bars({key: _block_segments(count.block) for key, count in counts.items()}),
        label="一层",
        variants={
            "整模型": _bars({key: _model_segments(count.model) for key, count in counts.items()})
        },
        facts=_facts(counts),
        caption=(
            "每条按自己的总数归一，比的是份额，份额小的在上。只看一层的权重矩阵，FFN 是两个矩阵的"
            "五个模型都占三分之二，Llama-3-8B 占约 81%；换成整模型，词嵌入和输出头也来分，"
            "GPT-2 small 的 FFN 只剩 45.5%。Mixtral 的 FFN 数的是全部专家。"
        ),
    )


def _block_segments(block: Parts) -> dict[str, int]:
    return {"attention": block.attention, "FFN": block.ffn}


def _model_segments(model: Parts) -> dict[str, int]:
    return {
        "attention": model.attention,
        "FFN": model.ffn,
        "词嵌入": model.embedding,
        "输出头": model.head,
        "其余": model.positions + model.segments + model.pooler + model.small,
    }


COLOURS = {
    "attention": look.ATTENTION,
    "FFN": look.FFN,
    "词嵌入": look.EMBEDDING,
    "输出头": look.HEAD,
    "其余": look.OTHER,
}


def _bars(models: dict[str, dict[str, int]]) -> go.Figure:
    """One horizontal bar a model, its segments as shares of the whole bar, least FFN first."""
    rows = sorted(MODELS, key=lambda key: _share(models[key], "FFN"))
    chart = look.chart(height=ROW_HEIGHT * len(rows) + 90)
    for part in models[rows[0]]:
        parameters = [models[key][part] for key in rows]
        chart.add_bar(
            name=part,
            orientation="h",
            y=[MODELS[key].name for key in rows],
            x=parameters,
            text=[_percentage(models[key], part) for key in rows],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            textfont_size=12,
            marker={"color": COLOURS[part]},
            hovertemplate="%{y}：%{fullData.name} %{customdata:,}<extra></extra>",
            customdata=parameters,
        )
    chart.update_layout(barmode="stack", barnorm="percent", legend_traceorder="normal")
    chart.update_layout(bargap=0.2, margin_r=24)  # room for the last tick label
    chart.update_xaxes(ticksuffix="%", range=[0, 100], dtick=25)
    chart.update_yaxes(autorange="reversed", showgrid=False, tickfont_size=11, ticklabelstandoff=3)
    return chart


def _share(segments: dict[str, int], part: str) -> Fraction:
    return Fraction(segments[part], sum(segments.values()))


def _percentage(segments: dict[str, int], part: str) -> str:
    share = _share(segments, part)
    return f"{float(share):.1%}" if share >= LEGIBLE else ""


def _facts(counts: dict[str, Count]) -> dict[str, Fact]:
    facts = _standard_block(counts["transformer_base"].block)
    for key, count in counts.items():
        facts |= _shape(key, MODELS[key]) | _block(key, MODELS[key], count.block)
        facts |= _model(key, MODELS[key], count.model) | _estimate(key, MODELS[key], count.model)
    facts |= _over_all(counts)
    facts |= _grouped_queries(LLAMA_3_8B) | _what_raised_the_share(LLAMA_3_8B)
    facts |= _gated_width() | _rounded_widths() | _palm() | _reconciled(counts)
    facts |= _encoder_decoder(counts["transformer_base"].model) | _printed_otherwise(counts)
    facts |= _mixtral(counts["mixtral_8x7b"].model, counts["mistral_7b"].model)
    return {key: fact for key, fact in facts.items() if fact.value}  # parts a model lacks


def _standard_block(block: Parts) -> dict[str, Fact]:
    """The textbook coefficients, from a block that was built."""
    shape = TRANSFORMER_BASE
    return {
        "attention_standard": Fact(
            sizes.in_d_squared(block.attention, shape),
            "d^2",
            means="标准 block 里 attention 四个投影矩阵的参数，不计偏置，按 d² 数。",
        ),
        "ffn_standard": Fact(
            sizes.in_d_squared(block.ffn, shape),
            "d^2",
            means="标准 block 里 FFN 两个矩阵的参数（d_ff = 4d），不计偏置，按 d² 数。",
        ),
        "block_standard": Fact(
            sizes.in_d_squared(block.matrices, shape),
            "d^2",
            means="标准 block 里 attention 与 FFN 的权重矩阵合计，不计偏置与归一化，按 d² 数。",
        ),
        "block_share_standard": Fact(
            Fraction(block.ffn, block.matrices),
            "share",
            means="标准 block 的权重矩阵里 FFN 的份额（MHA、d_ff = 4d，不计偏置与归一化）。",
        ),
        "attention_share_standard": Fact(
            Fraction(block.attention, block.matrices),
            "share",
            means="标准 block 的权重矩阵里 attention 的份额（不计偏置与归一化）。",
        ),
        "ffn_over_attention_standard": Fact(
            Fraction(block.ffn, block.attention),
            "ratio",
            means="标准 block 里 FFN 的权重是 attention 的几倍。",
        ),
        "one_ffn_matrix_standard": Fact(
            sizes.in_d_squared(block.ffn, shape) / 2,
            "d^2",
            means="标准 block 里 FFN 一个矩阵（升维或降维）的参数，按 d² 数。",
        ),
        "transformer_base_small_block": Fact(
            block.small,
            "count",
            means="Transformer base 一个编码器 block 里偏置与 LayerNorm 的参数（各投影都带偏置）。",
        ),
        "transformer_base_small_block_share": Fact(
            Fraction(block.small, block.total),
            "share",
            means="Transformer base 一个编码器 block 里偏置与 LayerNorm 占全部参数的份额。",
        ),
    }


def _shape(key: str, shape: Architecture) -> dict[str, Fact]:
    name = shape.name
    return {
        f"{key}_d": Fact(shape.d_model, "count", means=f"{name} 残差流的宽度 d。"),
        f"{key}_d_ff": Fact(shape.d_ff, "count", means=f"{name} 的 FFN 中间宽度 d_ff。"),
        f"{key}_expansion": Fact(
            Fraction(shape.d_ff, shape.d_model), "ratio", means=f"{name} 的 d_ff 是 d 的几倍。"
        ),
        f"{key}_units": Fact(
            shape.layers * shape.experts * shape.d_ff,
            "count",
            means=f"{name} 所有层的 FFN 中间维度合起来有多少个。",
        ),
        f"{key}_layers": Fact(
            shape.layers, "count", means=f"{name} 的 block 数（编码器与解码器合计）。"
        ),
        f"{key}_heads": Fact(shape.heads, "count", means=f"{name} 的 query 头数。"),
        f"{key}_kv_heads": Fact(shape.kv_heads, "count", means=f"{name} 的 KV 头数。"),
        f"{key}_vocabulary": Fact(shape.vocabulary, "count", means=f"{name} 的词表大小 V。"),
        f"{key}_positions": Fact(
            shape.positions, "count", means=f"{name} 学出来的位置嵌入有几行，没有则为零。"
        ),
    }


def _block(key: str, shape: Architecture, block: Parts) -> dict[str, Fact]:
    name = shape.name
    ffn = _ffn_in_words(shape)
    return {
        f"{key}_attention_d2": Fact(
            sizes.in_d_squared(block.attention, shape),
            "d^2",
            means=f"{name} 一层 attention 的权重矩阵，不计偏置，按 d² 数。",
        ),
        f"{key}_ffn_d2": Fact(
            sizes.in_d_squared(block.ffn, shape),
            "d^2",
            means=f"{name} 一层{ffn}的权重矩阵，不计偏置，按 d² 数。",
        ),
        f"{key}_block_d2": Fact(
            sizes.in_d_squared(block.matrices, shape),
            "d^2",
            means=f"{name} 一层 attention 与 FFN 的权重矩阵合计，按 d² 数。",
        ),
        f"{key}_block_attention": Fact(
            block.attention, "count", means=f"{name} 一层 attention 的权重，不计偏置。"
        ),
        f"{key}_block_ffn": Fact(block.ffn, "count", means=f"{name} 一层{ffn}的权重，不计偏置。"),
        f"{key}_block": Fact(
            block.total, "count", means=f"{name} 一层的全部参数，含偏置与归一化。"
        ),
        f"{key}_block_share": Fact(
            Fraction(block.ffn, block.matrices),
            "share",
            means=f"{name} 一层的权重矩阵里{ffn}的份额，不计偏置与归一化。",
        ),
        f"{key}_block_attention_share": Fact(
            Fraction(block.attention, block.matrices),
            "share",
            means=f"{name} 一层的权重矩阵里 attention 的份额，不计偏置与归一化。",
        ),
    }


def _ffn_in_words(shape: Architecture) -> str:
    return " FFN（全部专家，不计路由）" if shape.experts > 1 else " FFN "


def _model(key: str, shape: Architecture, model: Parts) -> dict[str, Fact]:
    name, whole, ffn = shape.name, model.total, _ffn_in_words(shape)
    tied = "输出头与词嵌入共享，只数一次" if shape.tied else "输出头不与词嵌入共享，单独数"
    tables = model.embedding + model.head
    return {
        f"{key}_total": Fact(
            whole, "count", means=f"{name} 的全部参数：矩阵、偏置、归一化、嵌入都算，{tied}。"
        ),
        f"{key}_attention": Fact(
            model.attention, "count", means=f"{name} 所有层 attention 的权重，不计偏置。"
        ),
        f"{key}_ffn": Fact(model.ffn, "count", means=f"{name} 所有层{ffn}的权重，不计偏置。"),
        f"{key}_embedding": Fact(
            model.embedding, "count", means=f"{name} 词嵌入的参数，即 V 乘 d。"
        ),
        f"{key}_head": Fact(
            model.head, "count", means=f"{name} 单独一份输出头的参数；与词嵌入共享时为零。"
        ),
        f"{key}_position_embedding": Fact(
            model.positions, "count", means=f"{name} 位置嵌入的参数；没有学出来的位置嵌入时为零。"
        ),
        f"{key}_segments_and_pooler": Fact(
            model.segments + model.pooler,
            "count",
            means=f"{name} 的段嵌入与池化层（读首个位置的 d×d 矩阵与偏置）的参数。",
        ),
        f"{key}_small": Fact(
            model.small, "count", means=f"{name} 全部偏置与归一化的参数，有路由时也算上路由。"
        ),
        f"{key}_small_share": Fact(
            Fraction(model.small, whole), "share", means=f"{name} 里偏置与归一化占全部参数的份额。"
        ),
        f"{key}_ffn_share": Fact(
            Fraction(model.ffn, whole),
            "share",
            means=f"{ffn.strip()}的权重占 {name} 全部参数的份额。",
        ),
        f"{key}_attention_share": Fact(
            Fraction(model.attention, whole),
            "share",
            means=f"attention 的权重占 {name} 全部参数的份额。",
        ),
        f"{key}_embedding_share": Fact(
            Fraction(model.embedding, whole),
            "share",
            means=f"词嵌入占 {name} 全部参数的份额，{tied}。",
        ),
        f"{key}_table_share": Fact(
            Fraction(tables, whole),
            "share",
            means=f"词嵌入与输出头合计占 {name} 全部参数的份额，{tied}。",
        ),
    }


def _estimate(key: str, shape: Architecture, model: Parts) -> dict[str, Fact]:
    """The rule of thumb against the real total, and how much the blocks have to do with it."""
    name, whole, estimate = shape.name, model.total, sizes.rule_of_thumb(shape)
    return {
        f"{key}_estimate": Fact(
            estimate, "count", means=f"用 12nd²+Vd 估 {name}：n 层标准 block 加一份词嵌入。"
        ),
        f"{key}_estimate_gap": Fact(
            abs(whole - estimate), "count", means=f"{name} 的真实总数与 12nd²+Vd 相差多少参数。"
        ),
        f"{key}_estimate_error": Fact(
            Fraction(abs(whole - estimate), whole),
            "change",
            means=f"12nd²+Vd 与 {name} 真实总数的差，占真实总数的比例。",
        ),
        f"{key}_blocks_over": Fact(
            model.matrices - 12 * shape.layers * shape.d_model**2,
            "count",
            means=f"{name} 各层的权重矩阵减去 12nd²，比标准 block 小时为负。",
        ),
    }


def _over_all(counts: dict[str, Count]) -> dict[str, Fact]:
    """What the whole zoo has in common."""
    blocks = [Fraction(count.block.ffn, count.block.matrices) for count in counts.values()]
    wholes = [Fraction(count.model.ffn, count.model.total) for count in counts.values()]
    small = [Fraction(count.model.small, count.model.total) for count in counts.values()]
    expansions = [Fraction(shape.d_ff, shape.d_model) for shape in MODELS.values()]
    return {
        "models": Fact(len(counts), "count", means="这一章逐个数过的公开模型有几个。"),
        "block_share_of_all": Fact(
            (min(blocks), max(blocks)),
            "share",
            means="一层的权重矩阵里 FFN 的份额，所有模型里最低与最高的。",
        ),
        "ffn_share_of_all": Fact(
            (min(wholes), max(wholes)),
            "share",
            means="FFN 占整模型全部参数的份额，所有模型里最低与最高的。",
        ),
        "expansion_of_all": Fact(
            (min(expansions), max(expansions)),
            "ratio",
            means="d_ff 是 d 的几倍，所有模型里最低与最高的。",
        ),
        "small_share_most": Fact(
            max(small), "share", means="偏置与归一化占全部参数的份额，所有模型里最高的。"
        ),
    }


def _grouped_queries(shape: Architecture) -> dict[str, Fact]:
    """What the fewer KV heads of Llama-3-8B save."""
    full = replace(shape, kv_heads=shape.heads)
    saved = sizes.attention(full) - sizes.attention(shape)
    return {
        "gqa_group": Fact(
            shape.heads // shape.kv_heads,
            "ratio",
            means="Llama-3-8B 里 query 头数是 KV 头数的几倍，也是 key、value 矩阵变窄的倍数。",
        ),
        "gqa_saved_d2": Fact(
            sizes.in_d_squared(saved, shape),
            "d^2",
            means="Llama-3-8B 用 GQA 而不用 MHA，一层 attention 省下的权重，按 d² 数。",
        ),
        "gqa_saved": Fact(
            saved * shape.layers,
            "count",
            means="Llama-3-8B 用 GQA 而不用 MHA，所有层 attention 一共省下的权重。",
        ),
    }


def _what_raised_the_share(shape: Architecture) -> dict[str, Fact]:
    """The FFN's share of a block with only one of the two changes of Llama-3-8B."""
    only_gqa = replace(shape, ffn="two", d_ff=4 * shape.d_model)
    only_ffn = replace(shape, kv_heads=shape.heads)
    return {
        "share_with_gqa_only": Fact(
            Fraction(sizes.feed_forward(only_gqa), sizes.block(only_gqa).matrices),
            "share",
            means="假想一层：attention 用 Llama-3-8B 的 GQA，FFN 是 4d 宽的两个矩阵，FFN 的份额。",
        ),
        "share_with_wide_ffn_only": Fact(
            Fraction(sizes.feed_forward(only_ffn), sizes.block(only_ffn).matrices),
            "share",
            means="假想一层：FFN 用 Llama-3-8B 的三个矩阵与宽度，attention 仍是 MHA，FFN 的份额。",
        ),
    }


def _gated_width() -> dict[str, Fact]:
    """What a third matrix costs, and the width that makes up for it."""
    return {
        "gated_extra_same_width": Fact(
            Fraction(1, 2),
            "change",
            means="d_ff 不变，FFN 从两个矩阵换成三个，参数多出的比例。",
        ),
        "gated_shrink": Fact(
            Fraction(2, 3), "ratio", means="要让三个矩阵与原来两个参数相等，d_ff 要乘的比例。"
        ),
        "gated_width_equal": Fact(
            Fraction(8, 3),
            "ratio",
            means="三个矩阵的 FFN 与 d_ff = 4d 的两矩阵 FFN 参数相等时，d_ff 是 d 的几倍。",
        ),
    }


ROUNDING = {
    "llama_7b": (256, Fraction(1)),
    "llama_13b": (256, Fraction(1)),
    "llama_65b": (256, Fraction(1)),
    "llama2_70b": (4096, Fraction("1.3")),
    "llama3_8b": (1024, Fraction("1.3")),
}
"""multiple_of and ffn_dim_multiplier in the params.json of the weights."""


def _rounded_widths() -> dict[str, Fact]:
    """The width of LLaMA's gated FFNs, step by step as its code takes them."""
    facts: dict[str, Fact] = {}
    for key, (multiple, multiplier) in ROUNDING.items():
        shape = MODELS[key]
        name, ffn = shape.name, sizes.in_d_squared(sizes.feed_forward(shape), shape)
        facts |= {
            f"{key}_width_exact": Fact(
                Fraction(8, 3) * shape.d_model, "number", means=f"{name} 的 8d/3，取整之前。"
            ),
            f"{key}_multiplier": Fact(
                multiplier,
                "ratio",
                means=f"{name} 的 d_ff 在 8d/3 之上再乘的系数（代码里的 ffn_dim_multiplier）。",
            ),
            f"{key}_multiple": Fact(
                multiple,
                "count",
                means=f"{name} 的 d_ff 要凑成它的整数倍（代码里的 multiple_of）。",
            ),
            f"{key}_multiples": Fact(
                shape.d_ff // multiple, "count", means=f"{name} 的 d_ff 是多少个 {multiple}。"
            ),
            f"{key}_width_by_rule": Fact(
                sizes.gated_width(shape.d_model, multiple, multiplier),
                "count",
                means=f"按 LLaMA 代码的规则算出的 {name} 的 d_ff。",
            ),
            f"{key}_ffn_excess": Fact(
                ffn / 8 - 1, "change", means=f"{name} 一层 FFN 的权重比 8d² 多出的比例。"
            ),
        }
    return facts


def _reconciled(counts: dict[str, Count]) -> dict[str, Fact]:
    """Who the difference between the matrices of LLaMA-7B and its real total is."""
    llama = counts["llama_7b"].model
    return {
        "llama_7b_without_head": Fact(
            llama.matrices + llama.embedding,
            "count",
            means="LLaMA-7B 的权重矩阵加一份词嵌入，不数输出头与 RMSNorm。",
        ),
        "llama_7b_ffn_share_without_head": Fact(
            Fraction(llama.ffn, llama.matrices + llama.embedding),
            "share",
            means="LLaMA-7B 的 FFN 占权重矩阵加一份词嵌入的份额，漏数输出头时的算法。",
        ),
        "llama_7b_head_share_of_gap": Fact(
            Fraction(llama.head, llama.head + llama.small),
            "share",
            means="LLaMA-7B 总数里没进权重矩阵与词嵌入的那部分，输出头占的份额。",
        ),
    }


def _printed_otherwise(counts: dict[str, Count]) -> dict[str, Fact]:
    """How far the totals that papers print are from ours, where they do not meet."""
    gpt3, llama, palm = (counts[key].model for key in ("gpt3_175b", "llama_65b", "palm_540b"))
    return {
        "gpt3_175b_missing": Fact(
            _printed("brown2020.params") - gpt3.total,
            "count",
            digits=1,
            means=f"论文给 {GPT3_175B.name} 的参数总数减去我们数出的总数；论文只写到亿。",
        ),
        "llama_65b_over": Fact(
            llama.total - _printed("touvron2023.llama_65b_params"),
            "count",
            digits=1,
            means=f"我们数出的 {LLAMA_65B.name} 总数减去论文印的；论文只写到亿。",
        ),
        "palm_540b_without_norms": Fact(
            palm.total - palm.norm,
            "count",
            means="PaLM 540B 的权重矩阵加一份词嵌入，不计归一化（d_ff = 4d、MQA、SwiGLU）。",
        ),
        "transformer_base_missing": Fact(
            _printed("vaswani2017.base_params") - counts["transformer_base"].model.total,
            "count",
            digits=1,
            means="论文给 Transformer base 的参数总数减去我们数出的总数；论文只写到百万。",
        ),
    }


def _mixtral(model: Parts, dense: Parts) -> dict[str, Fact]:
    """What one token uses of a mixture of experts."""
    shape = MIXTRAL_8X7B
    active = sizes.active(shape)
    ffn = shape.layers * shape.active * sizes.expert(shape)
    return {
        "mixtral_8x7b_experts": Fact(
            shape.experts, "count", means="Mixtral 8x7B 每层有几个专家，即几份 FFN。"
        ),
        "mixtral_8x7b_active": Fact(
            active, "count", means="Mixtral 8x7B 一个词真正用到的参数：每层只算选中的两个专家。"
        ),
        "mixtral_over_mistral": Fact(
            Fraction(model.total, dense.total),
            "ratio",
            means="Mixtral 8x7B 的全部参数是 Mistral-7B 的几倍。",
        ),
        "mixtral_8x7b_active_share": Fact(
            Fraction(active, model.total),
            "share",
            means="Mixtral 8x7B 一个词用到的参数占全部参数的份额。",
        ),
        "mixtral_8x7b_active_ffn_share": Fact(
            Fraction(ffn, active),
            "share",
            means="Mixtral 8x7B 一个词用到的参数里，选中的两个专家占的份额。",
        ),
    }


def _encoder_decoder(model: Parts) -> dict[str, Fact]:
    """Transformer base: one side alone, both sides, and the second attention of the decoder."""
    shape = TRANSFORMER_BASE
    one_side = replace(shape, layers=shape.cross_layers, cross_layers=0)
    return {
        "transformer_base_naive": Fact(
            sizes.rule_of_thumb(one_side),
            "count",
            means="把 Transformer base 当成只有六层、一份词嵌入，用 12nd²+Vd 估出的参数。",
        ),
        "transformer_base_side_layers": Fact(
            shape.cross_layers, "count", means="Transformer base 编码器的层数，解码器也是这么多。"
        ),
        "transformer_base_matrices": Fact(
            model.matrices, "count", means="Transformer base 编码器与解码器全部权重矩阵，不计偏置。"
        ),
        "transformer_base_matrices_d2": Fact(
            sizes.in_d_squared(model.matrices, shape),
            "d^2",
            means="Transformer base 编码器与解码器全部权重矩阵，按 d² 数。",
        ),
        "decoder_block_d2": Fact(
            sizes.in_d_squared(2 * sizes.attention(shape) + sizes.feed_forward(shape), shape),
            "d^2",
            means="Transformer base 一个解码器 block 的两个 attention 与一个 FFN，按 d² 数。",
        ),
        "transformer_base_blocks_share": Fact(
            Fraction(model.ffn, model.matrices),
            "share",
            means="Transformer base 编码器与解码器的权重矩阵里 FFN 的份额。",
        ),
    }


def _printed(name: str) -> int:
    """A whole number that a paper prints, from the ledger."""
    return int(ledger.load(ROOT / "docs" / "cited", ROOT)[name].fact.ends[0])


def _palm() -> dict[str, Fact]:
    """PaLM with the width that a table going round gives it."""
    narrow = replace(PALM_540B, d_ff=PALM_540B.d_model * 8 // 3)
    model = sizes.model(narrow)
    return {
        "palm_540b_narrow_d_ff": Fact(
            narrow.d_ff, "count", means="假如 PaLM 540B 的 d_ff 取 8d/3，会是多少。"
        ),
        "palm_540b_narrow_total": Fact(
            model.matrices + model.embedding,
            "count",
            digits=4,
            means="假如 PaLM 540B 的 d_ff 取 8d/3，它的权重矩阵加一份词嵌入。",
        ),
    }
