"""How many parameters do the published models have, and what do they belong to?

Counted twice, by routes that share nothing but the shape: the closed formulas of
`ffnsite.models.sizes`, and the tensors of modules that are really built, on torch's meta device,
which keeps shapes and no numbers. A difference of one parameter raises.
"""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Final

import torch
from torch import nn

from ffnsite.errors import BadCount
from ffnsite.measurement import measurement
from ffnsite.models import sizes
from ffnsite.models.attention import Attention
from ffnsite.models.bert import Bert, BertConfig
from ffnsite.models.block import ParallelBlock, PreNormBlock
from ffnsite.models.decoder import Decoder
from ffnsite.models.gated import GatedFFN
from ffnsite.models.llama import Llama, LlamaConfig
from ffnsite.models.moe import MoE
from ffnsite.models.rotary import Rotary
from ffnsite.models.sizes import Architecture, Parts
from ffnsite.models.transformer import GPT2, EncoderDecoder, EncoderDecoderConfig, GPT2Config
from ffnsite.models.zoo import MODELS

OWNERS: Final[dict[str, str]] = {
    "attention": "attention",
    "self_attn": "attention",
    "multihead_attn": "attention",
    "ffn": "ffn",
    "linear1": "ffn",
    "linear2": "ffn",
    "attention_norm": "norm",
    "ffn_norm": "norm",
    "norm": "norm",
    "norm1": "norm",
    "norm2": "norm",
    "norm3": "norm",
    "router": "router",
    "embedding": "embedding",
    "positions": "positions",
    "segments": "segments",
    "pooler": "pooler",
    "head": "head",
}
"""Which part a parameter belongs to, by the innermost of these modules in its dotted name."""


@dataclass(frozen=True, slots=True)
class Count:
    """A model's parameters by part: of its first block, and of the whole model."""

    block: Parts
    model: Parts


@dataclass(frozen=True, slots=True)
class Census:
    """The counts of the whole zoo, by the models' keys."""

    counts: dict[str, Count]


@measurement
def census() -> Census:
    """Every model of the zoo, counted twice to the unit.

    One measurement for all: loading torch takes longer than building any of them.

    Raises:
        BadCount: the two routes disagree about a model.
    """
    return Census({key: count(shape) for key, shape in MODELS.items()})


def count(shape: Architecture) -> Count:
    """The parameters of a model of this shape, counted twice.

    Raises:
        BadCount: the two routes disagree.
    """
    built = build(shape)
    block = agreed(f"{shape.name} 的一层", sizes.block(shape), tally(first_block(built)))
    return Count(block, agreed(f"{shape.name} 整模型", sizes.model(shape), tally(built)))


def build(shape: Architecture) -> nn.Module:
    """The real module of this shape on the meta device."""
    with torch.device("meta"):
        if shape.cross_layers:
            return EncoderDecoder(_encoder_decoder(shape))
        if shape.segments:
            return Bert(_bert(shape))
        if shape.ffn == "two":
            return GPT2(_gpt2(shape))
        return Llama(_llama(shape)) if _is_llama(shape) else _decoder(shape)


def first_block(model: nn.Module) -> nn.Module:
    """The model's lowest block with self-attention and FFN."""
    stack = model.encoder.layers if isinstance(model, EncoderDecoder) else model.blocks
    assert isinstance(stack, nn.ModuleList)  # torch types every attribute as Tensor or Module
    return stack[0]


def tally(module: nn.Module) -> Parts:
    """The module's parameters by part; a shared tensor counts once."""
    parts: Counter[str] = Counter()
    for name, parameter in module.named_parameters():
        parts[part_of(name)] += parameter.numel()
    return Parts(**{"attention": 0, "ffn": 0, **parts})


def part_of(name: str) -> str:
    """The part that a parameter of this dotted name belongs to.

    Raises:
        BadCount: no module in the name is known.
    """
    owners = [OWNERS[step] for step in name.split(".") if step in OWNERS]
    if not owners:
        raise BadCount(f"参数 {name} 不知道归哪一部分；请在 counting.OWNERS 里给它的模块一行")
    owner = owners[-1]
    return f"{owner}_bias" if name.endswith("bias") and owner in ("attention", "ffn") else owner


def agreed(what: str, formula: Parts, built: Parts) -> Parts:
    """The count, when both routes give the same for every part.

    Raises:
        BadCount: they differ; the message lists each part that does.
    """
    other = asdict(built)
    differing = [
        f"{part}：公式 {count:,}，模块 {other[part]:,}"
        for part, count in asdict(formula).items()
        if count != other[part]
    ]
    if differing:
        raise BadCount(f"{what} 两条路线数出的参数不等：{'；'.join(differing)}")
    return formula


def _is_llama(shape: Architecture) -> bool:
    """Whether nothing sets the shape apart from Llama: no choice of experts, no bias, two norms."""
    return (shape.experts, shape.bias, shape.block_norms) == (1, "none", 2)


def _decoder(shape: Architecture) -> Decoder:
    """A relative of Llama, from its parts."""
    return Decoder(
        shape.vocabulary,
        shape.d_model,
        [_block(shape) for _ in range(shape.layers)],
        nn.RMSNorm(shape.d_model),
        shape.tied,
    )


def _block(shape: Architecture) -> nn.Module:
    width = shape.d_model
    attention = Attention(
        width,
        shape.heads,
        shape.kv_heads,
        shape.head_width,
        bias=shape.bias == "qkv",
        output_bias=False,
        rotary=Rotary(shape.head_width),
    )
    if shape.block_norms == 1:
        return ParallelBlock(attention, _ffn(shape), nn.LayerNorm(width, bias=False))
    return PreNormBlock(attention, _ffn(shape), nn.RMSNorm(width), nn.RMSNorm(width))


def _ffn(shape: Architecture) -> nn.Module:
    if shape.experts == 1:
        return GatedFFN(shape.d_model, shape.d_ff)
    experts = [GatedFFN(shape.d_model, shape.d_ff) for _ in range(shape.experts)]
    return MoE(shape.d_model, experts, shape.active)


def _llama(shape: Architecture) -> LlamaConfig:
    return LlamaConfig(
        d_model=shape.d_model,
        d_ff=shape.d_ff,
        layers=shape.layers,
        heads=shape.heads,
        kv_heads=shape.kv_heads,
        head_width=shape.head_width,
        vocabulary=shape.vocabulary,
        tied=shape.tied,
        rope_base=10_000.0,
        norm_eps=1e-5,
    )


def _gpt2(shape: Architecture) -> GPT2Config:
    return GPT2Config(
        shape.d_model, shape.d_ff, shape.layers, shape.heads, shape.vocabulary, shape.positions
    )


def _encoder_decoder(shape: Architecture) -> EncoderDecoderConfig:
    return EncoderDecoderConfig(
        shape.d_model, shape.d_ff, shape.cross_layers, shape.heads, shape.vocabulary
    )


def _bert(shape: Architecture) -> BertConfig:
    return BertConfig(
        shape.d_model,
        shape.d_ff,
        shape.layers,
        shape.heads,
        shape.vocabulary,
        shape.positions,
        shape.segments,
    )
