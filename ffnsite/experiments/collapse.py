"""Do all words become the same word when attention is stacked? With and without its company.

Random words go up a stack of random layers. After each layer we ask how far the words are from all
being one and the same vector, which is the rank-one matrix 1·mᵀ:

    distance(X) = ‖X − 1·mᵀ‖ / ‖X‖          m: the mean word, which is the nearest such vector

Dong et al. 2021 (arXiv 2103.03404) prove that attention alone drives this to zero doubly
exponentially; they use another norm, which changes no limit. Weights are normal with variance
1 / (numbers summed), twice that behind ReLU, so that neither sublayer changes the size of what it
reads much; everything is float64, whose rounding shows below 10⁻¹⁵.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from ffnsite.measurement import measurement
from ffnsite.models.attention import Attention
from ffnsite.models.ffn import FFN

WIDTH: Final = 64
HEADS: Final = 4
WORDS: Final = 32
DEPTH: Final = 12
EXPANSION: Final = 4


@dataclass(frozen=True, slots=True)
class Wiring:
    """What surrounds the attention of each layer."""

    ffn: bool
    residual: bool
    norm: bool = False


WIRINGS: Final[dict[str, Wiring]] = {
    "attention": Wiring(ffn=False, residual=False),
    "with_ffn": Wiring(ffn=True, residual=False),
    "with_residual": Wiring(ffn=False, residual=True),
    "with_both": Wiring(ffn=True, residual=True),
    "pre_norm": Wiring(ffn=True, residual=True, norm=True),
}
"""From attention alone to the whole pre-norm block."""


@dataclass(frozen=True, slots=True)
class Collapse:
    """distance(X) by wiring: a row for each seed, a column for each depth from 0 (the input) on."""

    distances: dict[str, Float[np.ndarray, "seeds depths"]]

    def fallen(self, wiring: str, below: float) -> list[int | None]:
        """Of each seed, the first depth whose distance is below the bound, if there is one."""
        rows = self.distances[wiring] < below
        return [int(row.argmax()) if row.any() else None for row in rows]


@measurement
def stacked(causal: bool, seeds: int = 10, depth: int = DEPTH) -> Collapse:
    """The distances of all wirings under one mask; every wiring sees the same words and weights."""
    return Collapse(
        {
            name: np.array([climb(wiring, causal, seed, depth) for seed in range(seeds)])
            for name, wiring in WIRINGS.items()
        }
    )


@torch.inference_mode()
def climb(wiring: Wiring, causal: bool, seed: int, depth: int) -> list[float]:
    """The distance of the input and after each layer."""
    generator = np.random.default_rng(seed)
    x = torch.from_numpy(generator.standard_normal((1, WORDS, WIDTH)))
    distances = [distance(x[0])]
    for _ in range(depth):
        attention, ffn = drawn_layer(generator, causal)
        x = _through(x, attention, wiring)
        x = _through(x, ffn, wiring) if wiring.ffn else x
        distances.append(distance(x[0]))
    return distances


def distance(x: Float[Tensor, "words width"]) -> float:
    """How far the words are from being one word, as a share of their whole size; 0 to 1."""
    return float((x - x.mean(dim=0)).norm() / x.norm())


def drawn_layer(generator: np.random.Generator, causal: bool) -> tuple[Attention, FFN]:
    """An attention and a ReLU FFN without biases, drawn in this order whatever the wiring."""
    attention = Attention(WIDTH, HEADS, causal=causal).double()
    ffn = FFN(WIDTH, EXPANSION * WIDTH, bias=False).double()
    gains = {attention.query: 1, attention.key: 1, attention.value: 1, attention.output: 1}
    for matrix, gain in (gains | {ffn.up: 1, ffn.down: 2}).items():
        rows, columns = matrix.weight.shape
        numbers = generator.standard_normal((rows, columns)) * (gain / columns) ** 0.5
        matrix.weight = nn.Parameter(torch.from_numpy(numbers))
    return attention, ffn


def _through(
    x: Float[Tensor, "1 words width"], sublayer: nn.Module, wiring: Wiring
) -> Float[Tensor, "1 words width"]:
    read = nn.functional.layer_norm(x, (WIDTH,)) if wiring.norm else x
    written: Tensor = sublayer(read)
    return x + written if wiring.residual else written
