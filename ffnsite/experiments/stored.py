"""What does one block keep for the backward pass, part by part?

Korthikanti et al. 2022 (arXiv 2205.05198), section 4.1, count for a pre-LN block with GELU and
dropout in 16 bit, s tokens, batch b, width h, a heads, in bytes:

    attention   11 sbh + 5 a s² b     FFN   19 sbh     both norms   4 sbh

Here torch itself is asked: its hooks show every tensor that a real block keeps. Weights are not
counted, and a tensor that two operations keep counts once. The formulas leave out two small things
that are really kept: mean and deviation of each norm, and the causal mask, shared by all heads.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from typing import Literal, TypeAlias

import torch
from torch import Tensor, nn

from ffnsite.errors import BadExperiment
from ffnsite.measurement import measurement
from ffnsite.models.attention import Attention
from ffnsite.models.block import PreNormBlock
from ffnsite.models.ffn import FFN
from ffnsite.models.gated import GatedFFN

Inner: TypeAlias = Literal["gelu", "swiglu"]
PARTS = ("attention_norm", "attention", "ffn_norm", "ffn")
WIDTH = 2
"""Bytes of a number in bf16."""


@dataclass(frozen=True, slots=True)
class Stored:
    """Bytes that a block keeps.

    Attributes:
        attention: of attention, what grows with the length.
        square: of attention, what grows with the square of the length, for each head.
        ffn: of the FFN.
        norm: inputs of both norms.
        statistics: mean and inverse deviation of each token in both norms.
        mask: the causal mask, one byte for each pair, the same for all heads and texts.
    """

    attention: int
    square: int
    ffn: int
    norm: int
    statistics: int = 0
    mask: int = 0

    @property
    def total(self) -> int:
        """All of it."""
        return sum(getattr(self, field.name) for field in fields(self))


def by_formula(batch: int, length: int, width: int, heads: int) -> Stored:
    """The published formulas, for a GELU FFN of four times the width."""
    once = length * batch * width
    return Stored(11 * once, 5 * heads * length**2 * batch, 19 * once, 4 * once)


@measurement
def stored(
    batch: int, length: int, width: int, heads: int, inner: int, kind: Inner = "gelu"
) -> Stored:
    """What a real block keeps, counted on the meta device, so that any size may be asked.

    Args:
        batch: texts.
        length: tokens of each.
        width: d_model.
        heads: of attention, each with its own keys and values.
        inner: d_ff.
        kind: two matrices with GELU, or three with SwiGLU.

    Raises:
        BadExperiment: the length is also a width, so the square cannot be told by its shape.
    """
    if length in (width, width // heads):
        raise BadExperiment(f"句长 {length} 不能等于宽度或头宽，那样认不出哪些张量随句长的平方增长")
    return counted(block(width, heads, inner, kind), batch, length, width)


def block(width: int, heads: int, inner: int, kind: Inner) -> PreNormBlock:
    """A pre-LN block in bf16 with dropout behind the softmax and behind both sublayers."""
    with torch.device("meta"):
        ffn = FFN(width, inner, "gelu") if kind == "gelu" else GatedFFN(width, inner)
        made = PreNormBlock(
            nn.Sequential(DroppingAttention(width, heads, bias=True), Dropout()),
            nn.Sequential(ffn, Dropout()),
            nn.LayerNorm(width),
            nn.LayerNorm(width),
        )
        return made.to(torch.bfloat16)


class Dropout(nn.Module):
    """Dropout that keeps its mask in one byte a number, as the kernels of a GPU do."""

    def forward(self, x: Tensor) -> Tensor:
        """A tenth of the numbers set to zero, the rest scaled up."""
        kept, _ = torch.native_dropout(x, 0.1, train=True)
        return kept


class DroppingAttention(Attention):
    """Attention with dropout behind the softmax."""

    def _weights(self, asked: Tensor, keys: Tensor) -> Tensor:
        kept, _ = torch.native_dropout(super()._weights(asked, keys), 0.1, train=True)
        return kept


@dataclass(frozen=True, slots=True)
class Kept:
    """One tensor that the backward pass will want, and the part that kept it first."""

    part: str
    tensor: Tensor

    @property
    def size(self) -> int:
        """Bytes of the memory that it lives in."""
        return self.tensor.untyped_storage().nbytes()


def counted(made: PreNormBlock, batch: int, length: int, width: int) -> Stored:
    """The bytes that this block keeps for a batch of random texts, by kind."""
    x = torch.empty(batch, length, width, dtype=torch.bfloat16, device="meta", requires_grad=True)
    with listening(made) as kept:
        made(x)
    sums = dict.fromkeys(asdict(Stored(0, 0, 0, 0)), 0)
    for each in kept:
        sums[_kind(each, batch, length, width)] += each.size
    return Stored(**sums)


def _kind(kept: Kept, batch: int, length: int, width: int) -> str:
    if kept.part.endswith("norm"):
        return "norm" if kept.tensor.shape == (batch, length, width) else "statistics"
    if kept.part == "attention" and kept.tensor.shape[-2:] == (length, length):
        return "mask" if kept.size == length**2 else "square"
    return kept.part


@contextmanager
def listening(made: PreNormBlock) -> Iterator[list[Kept]]:
    """The tensors that the block keeps while it runs: no weights, each memory once."""
    now = [""]
    kept: dict[int, Kept] = {}
    ours = {weight.untyped_storage()._cdata for weight in made.parameters()}  # noqa: SLF001

    def keep(tensor: Tensor) -> Tensor:
        memory = tensor.untyped_storage()._cdata  # noqa: SLF001 - meta memory has no address
        if memory not in ours:
            kept.setdefault(memory, Kept(now[0], tensor))
        return tensor

    hooks = [
        getattr(made, part).register_forward_pre_hook(
            lambda _module, _given, part=part: now.__setitem__(0, part)
        )
        for part in PARTS
    ]
    found: list[Kept] = []
    try:
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            yield found
    finally:
        for hook in hooks:
            hook.remove()
        found.extend(kept.values())
