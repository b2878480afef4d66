"""How many operations does a block do for a text, and at which length does attention's square win?

    projections   2 · N · P_attention        the four matrices of attention, once a token
    square        4 · N² · heads · h         every query against every key, then every value
    FFN           2 · N · P_ffn              its matrices, once a token

A multiply-add is two operations, so a standard FFN (8 d² weights) does 16 d² a token, not 8 d². The
square is that of the whole N x N matrix, as explicit matrix products do it; under a causal mask
half of it is thrown away, and a kernel that skips that half meets the rest at twice the length.
Fewer KV heads narrow two of the projections and leave the square alone: every query head still
meets every key.

Counted by torch's own counter (`operations`) on real modules on the meta device, and by the formulas above.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import ceil

import torch
from torch import Tensor, nn

from ffnsite.errors import BadCount
from ffnsite.experiments.operations import operations
from ffnsite.measurement import measurement
from ffnsite.models import sizes
from ffnsite.models.attention import Attention
from ffnsite.models.ffn import FFN
from ffnsite.models.gated import GatedFFN
from ffnsite.models.sizes import Architecture
from ffnsite.models.zoo import MODELS


@dataclass(frozen=True, slots=True)
class Rates:
    """Operations of one block by what they grow with.

    Attributes:
        projections: of attention's four matrices, for each token.
        square: of scores and weighted sums, for each pair of a query and a key.
        ffn: of the FFN that a token runs (its active experts and the router), for each token.
    """

    projections: int
    square: int
    ffn: int

    def at(self, length: int) -> "Rates":
        """The operations for one text of so many tokens."""
        return Rates(self.projections * length, self.square * length**2, self.ffn * length)

    def meets_linear(self) -> Fraction:
        """The length at which the square equals all linear layers of the block."""
        return Fraction(self.projections + self.ffn, self.square)

    def meets_ffn(self) -> Fraction:
        """The length at which the square equals the FFN."""
        return Fraction(self.ffn, self.square)


@dataclass(frozen=True, slots=True)
class Census:
    """Counted rates of every model of the zoo by its key; `ungrouped` with a KV head a query head."""

    rates: dict[str, Rates]
    ungrouped: dict[str, Rates]


@measurement
def census() -> Census:
    """Every model, counted at one token and at both meeting lengths, and by formula.

    Raises:
        BadCount: counter and formula disagree about a model by one operation.
    """
    ungrouped = {key: replace(shape, kv_heads=shape.heads) for key, shape in MODELS.items()}
    return Census(
        {key: agreed(shape) for key, shape in MODELS.items()},
        {key: agreed(shape) for key, shape in ungrouped.items()},
    )


def agreed(shape: Architecture) -> Rates:
    """The rates of a block of this shape, counted at three lengths.

    Raises:
        BadCount: counter and formula disagree.
    """
    rates = by_formula(shape)
    for length in (1, ceil(rates.meets_ffn()), ceil(rates.meets_linear())):
        found = counted(shape, length)
        if found != rates.at(length):
            raise BadCount(
                f"{shape.name} 读 {length:,} 个词元，计数器数出 {found}，公式是 {rates.at(length)}"
            )
    return rates


def by_formula(shape: Architecture) -> Rates:
    """The rates by the equations of the module's docstring."""
    run = shape.active * sizes.expert(shape) + sizes.router(shape)
    return Rates(
        projections=2 * sizes.attention(shape),
        square=4 * shape.heads * shape.head_width,
        ffn=2 * run,
    )


def counted(shape: Architecture, length: int) -> Rates:
    """What torch counts while real modules of this shape read a text of this length."""
    with torch.device("meta"):
        x = torch.empty(1, length, shape.d_model)
        attention = Attention(shape.d_model, shape.heads, shape.kv_heads, shape.head_width)
        whole = operations(lambda: attention(x))
        projections = sum(operations(partial(layer, x)) for layer in readers(attention))
        gathered = x.new_empty(1, length, shape.heads * shape.head_width)
        projections += operations(lambda: attention.output(gathered))
        return Rates(projections, whole - projections, counted_ffn(shape, x))


def readers(attention: Attention) -> tuple[nn.Linear, ...]:
    """The projections that read the residual stream."""
    return attention.query, attention.key, attention.value


def counted_ffn(shape: Architecture, x: Tensor) -> int:
    """What a token's FFN costs: its experts one after another, and the router where there is one.

    `MoE` itself sends rows to experts by their numbers, which the meta device does not have.
    """
    build: type[FFN] | type[GatedFFN] = GatedFFN if shape.ffn == "gated" else FFN
    expert = build(shape.d_model, shape.d_ff, bias=shape.bias == "all")
    experts = shape.active * operations(lambda: expert(x))
    if shape.experts == 1:
        return experts
    router = nn.Linear(shape.d_model, shape.experts, bias=False)
    return experts + operations(lambda: router(x))
