"""How large does the residual stream get, with the norm in front of the sublayers or behind?

The random layers of `collapse`, wired as the two published blocks; after each layer we take the
root mean square of all numbers in the stream:

    pre-norm    h = x + Attention(Norm(x)),  y = h + FFN(Norm(h))      nothing ever shrinks x
    post-norm   h = Norm(x + Attention(x)),  y = Norm(h + FFN(h))      the last step makes it 1
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from ffnsite.experiments.collapse import DEPTH, WIDTH, WORDS, drawn_layer
from ffnsite.measurement import measurement
from ffnsite.models.block import PostNormBlock, PreNormBlock

BLOCKS: Final[dict[str, type[PreNormBlock | PostNormBlock]]] = {
    "pre_norm": PreNormBlock,
    "post_norm": PostNormBlock,
}


@dataclass(frozen=True, slots=True)
class Sizes:
    """Root mean square of the stream: a row for each seed, a column for each depth from 0 on."""

    sizes: dict[str, Float[np.ndarray, "seeds depths"]]


@measurement
def stream_sizes(seeds: int = 10, depth: int = DEPTH) -> Sizes:
    """Both blocks, causal, from the same words and weights."""
    return Sizes(
        {
            name: np.array([_climb(block, seed, depth) for seed in range(seeds)])
            for name, block in BLOCKS.items()
        }
    )


def root_mean_square(x: Tensor) -> float:
    """√mean(x²) over all numbers."""
    return float(x.square().mean().sqrt())


@torch.inference_mode()
def _climb(block: type[PreNormBlock | PostNormBlock], seed: int, depth: int) -> list[float]:
    generator = np.random.default_rng(seed)
    x = torch.from_numpy(generator.standard_normal((1, WORDS, WIDTH)))
    sizes = [root_mean_square(x)]
    for _ in range(depth):
        norms = [nn.LayerNorm(WIDTH, elementwise_affine=False).double() for _ in range(2)]
        x = block(*drawn_layer(generator, causal=True), *norms)(x)
        sizes.append(root_mean_square(x))
    return sizes
