"""How many hidden numbers does ReLU clear before any training, and are they always the same ones?

    hidden = ReLU(W x + b),   W, b ~ U(−1/√d, 1/√d) as nn.Linear draws them,   x ~ N(0, 1)

W and b are symmetric around 0, so each number is cleared with probability exactly 1/2 whatever x
is: the mean share is a half at every width, and only its spread depends on the width. For one word
the count of zeros is Binomial(d_ff, 1/2); several words share W and b, which widens it.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Bool, Float

from ffnsite.measurement import measurement

EXPANSION: Final = 4


@dataclass(frozen=True, slots=True)
class Zeros:
    """The share of hidden numbers that are zero: a row for each width, a column for each layer.

    Attributes:
        numbers: how many hidden numbers each width has for all words.
        shares: the share of zeros among them.
    """

    numbers: tuple[int, ...]
    shares: Float[np.ndarray, "widths layers"]

    def middle(self, part: float = 0.9) -> Float[np.ndarray, "2 widths"]:
        """The ends of the range that holds this part of the layers, as much out below as above."""
        ends: np.ndarray = np.quantile(self.shares, [(1 - part) / 2, (1 + part) / 2], axis=1)
        return ends

    def within(self, low: float, high: float) -> Float[np.ndarray, " widths"]:
        """The part of the layers whose share of zeros lies between these."""
        inside: np.ndarray = ((self.shares >= low) & (self.shares <= high)).mean(axis=1)
        return inside


@dataclass(frozen=True, slots=True)
class Used:
    """The share of hidden units that at least one of the first n words switched on."""

    shares: Float[np.ndarray, "seeds words"]


@measurement
def zeros(widths: tuple[int, ...], words: int, layers: int, seed: int = 0) -> Zeros:
    """Draws `layers` fresh layers and inputs of each width, and counts the zeros behind ReLU.

    Args:
        widths: d_model of each row; d_ff is four times that.
        words: words that go through each layer.
        layers: layers drawn for each width.
        seed: of all draws.
    """
    generator = np.random.default_rng(seed)
    rows = [
        [1 - switched_on(generator, d, EXPANSION * d, words).mean() for _ in range(layers)]
        for d in widths
    ]
    return Zeros(tuple(words * EXPANSION * d for d in widths), np.array(rows))


@measurement
def used(d_model: int, d_ff: int, words: int, seeds: int = 10) -> Used:
    """For each seed one layer: how the used part grows from word to word."""
    rows = [switched_on(np.random.default_rng(s), d_model, d_ff, words) for s in range(seeds)]
    return Used(np.array([np.logical_or.accumulate(on).mean(axis=1) for on in rows]))


def switched_on(
    generator: np.random.Generator, d_model: int, d_ff: int, words: int
) -> Bool[np.ndarray, "words d_ff"]:
    """Which units of a fresh layer are above zero for each word."""
    bound = d_model**-0.5
    weight = generator.uniform(-bound, bound, (d_model, d_ff))
    bias = generator.uniform(-bound, bound, d_ff)
    above: np.ndarray = generator.standard_normal((words, d_model)) @ weight + bias > 0
    return above
