"""What is linear, and what is not? Two matrices with and without ReLU, and attention.

    without f   W₂ (W₁ x) = (W₂ W₁) x                  one d × d matrix does the same
    rank        of the T × d_ff hidden numbers: at most d without f, whatever d_ff is
    f linear    f(2x) = 2 f(x);  departure = ‖f(2x) − 2 f(x)‖ / ‖2 f(x)‖

Whole numbers make the first line exact. ReLU alone passes the third (it is homogeneous), so for the
FFN additivity is asked instead: f(x + y) = f(x) + f(y). Attention fails both, because its weights
are made from x; with a single word they are all 1 and it is linear.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from ffnsite.experiments.batching import drawn
from ffnsite.experiments.collapse import WIDTH, WORDS, drawn_layer
from ffnsite.measurement import measurement

Layer = Callable[[Tensor], Tensor]


@dataclass(frozen=True, slots=True)
class Folding:
    """Two layers against the one matrix they fold into.

    Attributes:
        unequal: numbers in which W₂(W₁x) and (W₂W₁)x differ, of `compared`.
        unequal_relu: the same with ReLU between the two layers.
        compared: output numbers compared.
        rank: of W₂ W₁.
        hidden_rank: of the hidden numbers of all words without a nonlinearity.
        hidden_rank_relu: the same behind ReLU.
    """

    unequal: int
    unequal_relu: int
    compared: int
    rank: int
    hidden_rank: int
    hidden_rank_relu: int


@dataclass(frozen=True, slots=True)
class Departures:
    """How far a random layer is from being linear, of each seed; 0 is linear."""

    attention: tuple[float, ...]
    attention_of_one: tuple[float, ...]
    attention_sum: tuple[float, ...]
    ffn_sum: tuple[float, ...]


@measurement
@torch.inference_mode()
def folded(d_model: int, d_ff: int, words: int, seed: int = 0) -> Folding:
    """Folds two layers of whole numbers into one and compares, word by word."""
    ffn, x = drawn(np.random.default_rng(seed), d_model, d_ff, words, whole=True)
    one = ffn.down.weight @ ffn.up.weight
    hidden = x @ ffn.up.weight.T
    return Folding(
        int((hidden @ ffn.down.weight.T != x @ one.T).sum()),
        int((ffn(x) != x @ one.T).sum()),
        x.numel(),
        _rank(one),
        _rank(hidden),
        _rank(hidden.relu()),
    )


@measurement
@torch.inference_mode()
def departures(seeds: int = 10) -> Departures:
    """Full attention and a ReLU FFN at random weights, on the words of `collapse`."""
    rows = [_departures(np.random.default_rng(seed)) for seed in range(seeds)]
    return Departures(*zip(*rows, strict=True))


def from_doubling(layer: Layer, x: Float[Tensor, "1 words width"]) -> float:
    """‖f(2x) − 2f(x)‖ / ‖2f(x)‖."""
    return _relative(layer(2 * x), 2 * layer(x))


def from_adding(
    layer: Layer, x: Float[Tensor, "1 words width"], y: Float[Tensor, "1 words width"]
) -> float:
    """‖f(x+y) − f(x) − f(y)‖ / ‖f(x) + f(y)‖."""
    return _relative(layer(x + y), layer(x) + layer(y))


def _departures(generator: np.random.Generator) -> tuple[float, float, float, float]:
    attention, ffn = drawn_layer(generator, causal=False)
    x, y = torch.from_numpy(generator.standard_normal((2, 1, WORDS, WIDTH)))
    return (
        from_doubling(attention, x),
        from_doubling(attention, x[:, :1]),
        from_adding(attention, x, y),
        from_adding(ffn, x, y),
    )


def _relative(found: Tensor, expected: Tensor) -> float:
    return float((found - expected).norm() / expected.norm())


def _rank(matrix: Tensor) -> int:
    return int(torch.linalg.matrix_rank(matrix))
