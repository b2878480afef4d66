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

import numpy as np
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
        return (2 - self.step) * Fraction(2) ** (2 ** (self.exponent - 1) - 1)

    @property
    def smallest(self) -> Fraction:
        """The smallest normal number above zero."""
        return Fraction(2) ** (2 - 2 ** (self.exponent - 1))

    @property
    def step(self) -> Fraction:
        """From 1 to the next number."""
        return Fraction(1, 2**self.fraction)

    def spacing(self, x: float) -> Fraction:
        """Between neighbours where x lies; x is a normal number."""
        return Fraction(2) ** (math.floor(math.log2(abs(x))) - self.fraction)


FORMATS: Final = {
    "fp32": FloatFormat(exponent=8, fraction=23),
    "bf16": FloatFormat(exponent=8, fraction=7),
    "fp16": FloatFormat(exponent=5, fraction=10),
}
TORCH: Final = {"bf16": torch.bfloat16, "fp16": torch.float16}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the residual stream asks of a format, layer by layer, the first position aside.

    Attributes:
        rounding: the mean of |x̂ − x| / |x| in each format of `TORCH`.
        squares_overflow: the share of words with a number whose square float16 cannot hold.
        first_overflows: whether the first position of every text has such a number.
    """

    rounding: dict[str, Float[np.ndarray, " layers"]]
    squares_overflow: Float[np.ndarray, " layers"]
    first_overflows: tuple[bool, ...]


@measurement
def asked(source: corpus.Source, count: int, length: int) -> Asked:
    """What the residual stream that each FFN's norm reads asks of 16 bits."""
    stream = listen(smollm2.model(), corpus.rows(source, count, length))["stream"]
    later = stream[:, :, 1:]
    return Asked(
        {name: np.array([missed(layer, kind) for layer in later]) for name, kind in TORCH.items()},
        overflowing(later).float().mean((1, 2)).numpy(),
        tuple(overflowing(stream[:, :, 0]).all(1).tolist()),
    )


def missed(x: Float[Tensor, "*shape"], kind: torch.dtype) -> float:
    """The mean relative error of rounding to this type."""
    return float(((x.to(kind).float() - x).abs() / x.abs().clamp(min=1e-30)).mean())


def overflowing(x: Float[Tensor, "*words width"]) -> Tensor:
    """For each word, whether the square of any of its numbers is infinite in float16."""
    infinite: Tensor = x.half().square().isinf().any(-1)
    return infinite
