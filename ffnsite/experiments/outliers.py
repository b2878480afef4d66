"""Which numbers stand out in SmolLM2, at which words, and are they always in the same channels?

Four places are read in every layer:

    stream     the residual stream that the FFN's norm reads      d numbers
    attention  what W_Q, W_K and W_V read, after their norm       d numbers
    ffn        what W_gate and W_up read, after their norm        d numbers
    hidden     Swish(gate) * up, what W_down reads                d_ff numbers

The first position of a text is a case of its own (massive activations: Sun et al. 2024, arXiv
2402.17762) and is counted apart. Kurtosis is taken within each word and never over a pool of
words, where a few words would decide it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from ffnsite.experiments import corpus
from ffnsite.measurement import measurement
from ffnsite.models import smollm2
from ffnsite.models.llama import Llama

Place: TypeAlias = Literal["stream", "attention", "ffn", "hidden"]
PLACES: Final[tuple[Place, ...]] = ("stream", "attention", "ffn", "hidden")
TOP = 10
"""A word's outlier channels are those with its so many largest numbers."""
KEPT = 20
"""Channels whose frequency is kept in each layer, the most frequent first."""
QUANTILES = (0.05, 0.5, 0.95)
SAMPLED = 4
"""Kurtosis and the histogram are taken at every so many words."""
EDGES: Final = tuple(np.linspace(-12, 12, 49).tolist())
"""The ends of the histogram's bins, in standard deviations of the word; outer bins take the rest."""


@dataclass(frozen=True, slots=True)
class Outliers:
    """What stands out at one place of one layer.

    Attributes:
        words: how many words were read, first positions aside.
        kurtosis: of the numbers within a word: its quantiles `QUANTILES` over every fourth word.
        shared: how many of a word's `TOP` channels another word has too, on average over all
            pairs of words, as a share of `TOP`.
        chance: the same where each word draws its channels blindly.
        frequency: the share of words in whose `TOP` a channel is, the `KEPT` most frequent ones.
        channels: the numbers of those channels.
        first: the largest magnitude at the first position: the lowest and highest over texts.
        first_channel: the channel that holds it, the most common one over texts.
        later: the largest magnitude at all other positions.
        typical: the median over the other positions of a word's largest magnitude.
        histogram: share of the numbers of these words in each bin of `EDGES`.
    """

    words: int
    kurtosis: tuple[float, float, float]
    shared: float
    chance: float
    frequency: Float[np.ndarray, " kept"]
    channels: Int[np.ndarray, " kept"]
    first: tuple[float, float]
    first_channel: int
    later: float
    typical: float
    histogram: Float[np.ndarray, " bins"]


@measurement
def outliers(source: corpus.Source, count: int, length: int) -> dict[Place, tuple[Outliers, ...]]:
    """What stands out at every place of every layer, over `count` texts of so many words."""
    layers = [
        {place: summary(numbers) for place, numbers in heard.items()}
        for heard in listen(smollm2.model(), corpus.rows(source, count, length))
    ]
    return {place: tuple(layer[place] for layer in layers) for place in PLACES}


def listen(
    model: Llama, text: Int[Tensor, "rows positions"]
) -> Iterator[dict[Place, Float[Tensor, "rows positions width"]]]:
    """The numbers at every place, layer by layer of a forward pass."""
    stream: Tensor = model.embedding(text)
    for block in model.blocks:
        with torch.inference_mode():
            before = block.attention_norm(stream)
            stream = stream + block.attention(before)
            read = block.ffn_norm(stream)
            hidden = block.ffn.hidden(read)
            yield {"stream": stream, "attention": before, "ffn": read, "hidden": hidden}
            stream = stream + block.ffn.down(hidden)


def summary(numbers: Float[Tensor, "rows positions width"]) -> Outliers:
    """What stands out among the numbers of one place in one layer."""
    words = numbers[:, 1:].flatten(0, 1)
    counts = channel_counts(words)
    channels, frequency = frequent(counts, len(words))
    largest = words.abs().amax(1)
    first, first_channel = numbers[:, 0].abs().max(-1)
    low, middle, high = np.quantile(kurtosis(words[::SAMPLED]).numpy(), QUANTILES).round(2).tolist()
    return Outliers(
        words=len(words),
        kurtosis=(low, middle, high),
        shared=shared(counts, len(words)),
        chance=TOP / words.shape[1],
        frequency=frequency.round(4),
        channels=channels,
        first=(float(first.min()), float(first.max())),
        first_channel=int(first_channel.mode().values),
        later=float(largest.max()),
        typical=float(largest.median()),
        histogram=histogram(words[::SAMPLED]).round(9),
    )


def kurtosis(words: Float[Tensor, "words width"]) -> Float[Tensor, " words"]:
    """mean((x − x̄)⁴) / mean((x − x̄)²)² of the numbers of each word; 3 for a normal distribution."""
    centred = words.double() - words.double().mean(1, keepdim=True)
    square: Tensor = centred.square()
    fourth: Tensor = square.square().mean(1) / square.mean(1).square()
    return fourth


def channel_counts(words: Float[Tensor, "words width"]) -> Int[np.ndarray, " width"]:
    """For how many words each channel is among the `TOP` largest magnitudes."""
    chosen = words.abs().topk(TOP, dim=1).indices.flatten().numpy()
    return np.bincount(chosen, minlength=words.shape[1])


def shared(counts: Int[np.ndarray, " width"], words: int) -> float:
    """The mean over all pairs of different words of the share of `TOP` that both have.

    A channel that n words have is shared by n (n − 1) of the ordered pairs.
    """
    pairs = counts.astype(float) * (counts - 1)
    return float(pairs.sum() / (words * (words - 1) * TOP))


def frequent(
    counts: Int[np.ndarray, " width"], words: int
) -> tuple[Int[np.ndarray, " kept"], Float[np.ndarray, " kept"]]:
    """The `KEPT` channels that most words have among their largest, and the share of those words."""
    channels = np.argsort(-counts, kind="stable")[:KEPT]
    return channels, counts[channels] / words


def histogram(words: Float[Tensor, "words width"]) -> Float[np.ndarray, " bins"]:
    """The share of numbers in each bin, each number in standard deviations of its word."""
    z = (words - words.mean(1, keepdim=True)) / words.std(1, correction=0, keepdim=True)
    inner = z.clamp(EDGES[0], float(np.nextafter(np.float32(EDGES[-1]), np.float32(0))))
    ends = (EDGES[0], EDGES[-1])
    return np.histogram(inner.numpy(), bins=len(EDGES) - 1, range=ends)[0] / z.numel()
