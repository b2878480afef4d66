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

from ffnsite.errors import BadCount, nearest
from ffnsite.measurement import measurement
from ffnsite.models import sizes
from ffnsite.models.llama import Llama, LlamaConfig
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
    "embedding": "embedding",
    "positions": "positions",
    "head": "head",
}
"""Which part a parameter belongs to, by the module in its dotted name."""


@dataclass(frozen=True, slots=True)
class Count:
    """A model's parameters by part: of its first block, and of the whole model."""

    block: Parts
    model: Parts


@measurement
def counted(model: str) -> Count:
    """The parameters of a model of the zoo, counted twice to the unit.

    Args:
        model: a key of `ffnsite.models.zoo.MODELS`.

    Raises:
        BadCount: there is no such model, or the two routes disagree.
    """
    if model not in MODELS:
        raise BadCount(f"没有模型 {model!r}；相近的有 {'、'.join(nearest(model, MODELS)) or '无'}")
    shape = MODELS[model]
    built = build(shape)
    block = agreed(f"{shape.name} 的一层", sizes.block(shape), tally(first_block(built)))
    return Count(block, agreed(f"{shape.name} 整模型", sizes.model(shape), tally(built)))


def build(shape: Architecture) -> nn.Module:
    """The real module of this shape on the meta device."""
    with torch.device("meta"):
        if shape.cross_layers:
            return EncoderDecoder(_encoder_decoder(shape))
        return Llama(_llama(shape)) if shape.ffn == "gated" else GPT2(_gpt2(shape))


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
    is_bias = name.endswith("bias") and owners[0] in ("attention", "ffn")
    return f"{owners[0]}_bias" if is_bias else owners[0]


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
