"""Is the FFN of many words the same as the FFN of each word in turn?

    loop    y_t = W₂ ReLU(W₁ x_t)   for t = 1 … T        T times through both matrices
    batch   Y = ReLU(X W₁ᵀ) W₂ᵀ                           once

With small whole numbers float64 rounds nothing, so equality can be asked to the bit. With drawn
numbers the two may add in another order, so it is asked up to a bound. Operations are counted by
torch's own FLOP counter; what differs is how often the weights have to be read.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from ffnsite.measurement import measurement
from ffnsite.models.ffn import FFN


@dataclass(frozen=True, slots=True)
class Batching:
    """The loop against the one product.

    Attributes:
        unequal: how many output numbers differ when all numbers are small whole numbers.
        difference: the largest difference for drawn numbers, relative to the largest output.
        loop_flops: operations of the loop by torch's counter (a multiply-add is two).
        batch_flops: operations of the one product.
        weights: numbers in the two matrices, which every product reads once.
    """

    unequal: int
    difference: float
    loop_flops: int
    batch_flops: int
    weights: int


@measurement
@torch.inference_mode()
def loop_and_batch(words: int, d_model: int, d_ff: int, seed: int = 0) -> Batching:
    """Runs a ReLU FFN over the words one by one and all at once."""
    generator = np.random.default_rng(seed)
    whole, x = drawn(generator, d_model, d_ff, words, whole=True)
    unequal = int((one_by_one(whole, x) != whole(x)).sum())
    ffn, x = drawn(generator, d_model, d_ff, words, whole=False)
    with FlopCounterMode(display=False) as loop:
        each = one_by_one(ffn, x)
    with FlopCounterMode(display=False) as batch:
        together = ffn(x)
    return Batching(
        unequal,
        float((each - together).abs().max() / together.abs().max()),
        loop.get_total_flops(),
        batch.get_total_flops(),
        sum(parameter.numel() for parameter in ffn.parameters()),
    )


def one_by_one(ffn: FFN, x: Float[Tensor, "words d_model"]) -> Float[Tensor, "words d_model"]:
    """The loop over words."""
    return torch.cat([ffn(x[at : at + 1]) for at in range(len(x))])


def drawn(
    generator: np.random.Generator, d_model: int, d_ff: int, words: int, whole: bool
) -> tuple[FFN, Float[Tensor, "words d_model"]]:
    """A layer without biases and its words in float64: whole numbers from −2 to 2, or normal."""

    def numbers(*shape: int) -> Tensor:
        pick = generator.integers(-2, 3, shape) if whole else generator.standard_normal(shape)
        return torch.from_numpy(pick.astype(np.float64))

    ffn = FFN(d_model, d_ff, bias=False)
    ffn.up.weight = nn.Parameter(numbers(d_ff, d_model))
    ffn.down.weight = nn.Parameter(numbers(d_model, d_ff))
    return ffn, numbers(words, d_model)
