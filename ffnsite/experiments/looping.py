"""How much faster is one matrix product for all words than the loop over words?

Both do the same operations (`ffnsite.experiments.batching`). The loop reads every weight once a
word, the product once for all; where the weights do not fit into a cache, reading is what takes
the time. Seconds are the processor's on one thread, the least over the rounds, in float32; they
vary, operations do not.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from ffnsite.errors import BadExperiment
from ffnsite.experiments.batching import one_by_one
from ffnsite.experiments.clock import one_thread, seconds
from ffnsite.experiments.operations import operations
from ffnsite.measurement import measurement
from ffnsite.models.ffn import FFN


@dataclass(frozen=True, slots=True)
class Looping:
    """The loop against the one product.

    Attributes:
        flops: operations of either.
        weights: bytes of both matrices.
        loop: the least seconds of the loop.
        product: the least seconds of the one product.
    """

    flops: int
    weights: int
    loop: float
    product: float


@measurement
@torch.inference_mode()
def looping(words: int, d_model: int, d_ff: int, rounds: int = 3) -> Looping:
    """Times a ReLU FFN over drawn words, one by one and all at once.

    Raises:
        BadExperiment: there is no word or no round, or the two do not do the same operations.
    """
    if words < 1 or rounds < 1:
        raise BadExperiment(f"词数 {words} 和轮数 {rounds} 都至少是 1")
    ffn = FFN(d_model, d_ff, bias=False).requires_grad_(False)
    x = drawn(words, d_model)
    flops = same(operations(lambda: one_by_one(ffn, x)), operations(lambda: ffn(x)))
    weights = sum(weight.numel() * weight.element_size() for weight in ffn.parameters())
    with one_thread():
        loop = min(seconds(lambda: one_by_one(ffn, x)) for _ in range(rounds))
        product = min(seconds(lambda: ffn(x)) for _ in range(rounds))
    return Looping(flops, weights, loop, product)


def drawn(words: int, d_model: int) -> Float[Tensor, "words d_model"]:
    """Normal words; what the numbers are does not change the time."""
    rows = np.random.default_rng(0).standard_normal((words, d_model), dtype=np.float32)
    return torch.from_numpy(rows)


def same(loop: int, product: int) -> int:
    """The count, when both are equal.

    Raises:
        BadExperiment: they differ.
    """
    if loop != product:
        raise BadExperiment(f"循环做了 {loop:,} 次运算，一次乘完做了 {product:,} 次")
    return loop
