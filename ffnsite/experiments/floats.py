"""Floating-point formats: how far they reach, how finely they divide, and what SmolLM2 asks of them.

A normal number is ±(1 + k 2⁻ᶠ) 2ᵉ with f fraction bits and a biased exponent of w bits (IEEE 754):

    largest   = (2 − 2⁻ᶠ) 2^(2^(w−1) − 1)        smallest normal = 2^(2 − 2^(w−1))
    spacing(x) = 2^(⌊log₂|x|⌋ − f)               a rounding misses x by half of it at most

bfloat16 keeps float32's 8 exponent bits and cuts the fraction to 7; float16 has 5 and 10.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor

from ffnsite.experiments import corpus
from ffnsite.experiments.outliers import listen
from ffnsite.measurement import measurement
from ffnsite.models import smollm2


@dataclass(frozen=True, slots=True)
class FloatFormat:
    """A binary format by its exponent and fraction bits; the sign is one bit more."""

    exponent: int
    fraction: int

    @property
    def bits(self) -> int:
        """Bits of a number."""
        return 1 + self.exponent + self.fraction

    @property
    def largest(self) -> Fraction:
        """The largest finite number."""
        return (2 - self.step) * power_of_two(2 ** (self.exponent - 1) - 1)

    @property
    def smallest(self) -> Fraction:
        """The smallest normal number above zero."""
        return power_of_two(2 - 2 ** (self.exponent - 1))

    @property
    def step(self) -> Fraction:
        """From 1 to the next number."""
        return Fraction(1, 2**self.fraction)

    def spacing(self, x: float) -> Fraction:
        """Between neighbours where x lies; x is a normal number."""
        return power_of_two(math.floor(math.log2(abs(x))) - self.fraction)


def power_of_two(exponent: int) -> Fraction:
    """2 to a whole power, exactly."""
    return Fraction(2**exponent) if exponent >= 0 else Fraction(1, 2**-exponent)


FORMATS: Final = {
    "fp32": FloatFormat(exponent=8, fraction=23),
    "bf16": FloatFormat(exponent=8, fraction=7),
    "fp16": FloatFormat(exponent=5, fraction=10),
}
TORCH: Final = {"bf16": torch.bfloat16, "fp16": torch.float16}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the residual stream that one layer's FFN reads asks of 16 bits.

    Attributes:
        rounding: the mean of |x̂ − x| / |x| in each format of `TORCH`, first positions aside.
        squares_overflow: the share of words, first positions aside, with a number whose square
            float16 cannot hold.
        first_overflows: the share of first positions with such a number.
    """

    rounding: dict[str, float]
    squares_overflow: float
    first_overflows: float


@measurement
def asked(source: corpus.Source, count: int, length: int) -> tuple[Asked, ...]:
    """What the residual stream asks of 16 bits, layer by layer."""
    text = corpus.rows(source, count, length)
    return tuple(need(heard["stream"]) for heard in listen(smollm2.model(), text))


def need(stream: Float[Tensor, "rows positions d_model"]) -> Asked:
    """What this stream asks."""
    later = stream[:, 1:]
    return Asked(
        {name: missed(later, kind) for name, kind in TORCH.items()},
        float(overflowing(later).float().mean()),
        float(overflowing(stream[:, 0]).float().mean()),
    )


def missed(x: Float[Tensor, "*shape"], kind: torch.dtype) -> float:
    """The mean relative error of rounding to this type."""
    return float(((x.to(kind).float() - x).abs() / x.abs().clamp(min=1e-30)).mean())


def overflowing(x: Float[Tensor, "*words width"]) -> Tensor:
    """For each word, whether the square of any of its numbers is infinite in float16."""
    infinite: Tensor = x.half().square().isinf().any(-1)
    return infinite
