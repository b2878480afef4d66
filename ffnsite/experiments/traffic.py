"""How many bytes does one decode step read, and from where?

    weights    every matrix once, however many texts are in the batch
    KV cache   2 · kv_heads · h numbers for each layer and each cached token of the whole batch

A step runs one new token of every text. Reading a weight of b bytes serves one multiply-add a
text, so weights in 16 bit give one operation a byte for each text of the batch. What a step writes,
its activations and the one row of the token embedding are thousands of times smaller and left out.
"""

from dataclasses import dataclass
from fractions import Fraction

from ffnsite.models import sizes
from ffnsite.models.sizes import Architecture

HALF = 2
"""Bytes of a number in bf16 or fp16."""


@dataclass(frozen=True, slots=True)
class Reads:
    """Bytes that one decode step reads, by what they belong to.

    Attributes:
        attention: weights of all attentions.
        ffn: weights of the FFNs that a token runs; of a batch each text may choose other experts.
        head: the output head, which is the token embedding where it is tied.
        small: biases, norms and routers.
        cache: keys and values of the tokens before.
    """

    attention: int
    ffn: int
    head: int
    small: int
    cache: int

    @property
    def weights(self) -> int:
        """All that does not depend on how much has been read before."""
        return self.attention + self.ffn + self.head + self.small

    @property
    def total(self) -> int:
        """All bytes of the step."""
        return self.weights + self.cache


def reads(shape: Architecture, cached: int, width: int = HALF) -> Reads:
    """The bytes of one step behind `cached` tokens, those of all texts of the batch together.

    Args:
        shape: a decoder.
        cached: tokens in the KV cache, summed over the batch.
        width: bytes of a number.
    """
    model = sizes.model(shape)
    return Reads(
        attention=width * model.attention,
        ffn=width * shape.layers * shape.active * sizes.expert(shape),
        head=width * shape.vocabulary * shape.d_model,
        small=width * model.small,
        cache=width * cached * cache_numbers(shape),
    )


def cache_numbers(shape: Architecture) -> int:
    """How many numbers a cached token holds over all layers."""
    return shape.layers * 2 * shape.kv_heads * shape.head_width


def meets_ffn(shape: Architecture) -> Fraction:
    """How many cached tokens, over the batch, cost as many bytes as the FFN weights.

    With a KV head for every query head this is also the length at which attention's square costs
    as many operations as the FFN; with fewer it is `heads / kv_heads` times that.
    """
    weights = shape.layers * shape.active * sizes.expert(shape)
    return Fraction(weights, cache_numbers(shape))


def intensity(operations: int, read: int) -> Fraction:
    """Operations for each byte."""
    return Fraction(operations, read)
