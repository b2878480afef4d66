"""Could an FFN's output be kept and used again when the same word comes back?

Keys and values can be kept because later words read exactly those of earlier words. An FFN's output
is read by nobody but its own position, which has it already; it would serve again only where a
later position brings the same input. So each word of a text is set against its last earlier
occurrence: how far apart are the two inputs of every layer's FFN, and the two outputs?

    distance(a, b) = |a − b| / |a|        a: the earlier occurrence, |.|: the root of summed squares
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from ffnsite.errors import BadExperiment
from ffnsite.experiments.corpus import Source, rows
from ffnsite.experiments.gates import ffn_inputs
from ffnsite.measurement import measurement
from ffnsite.models import smollm2
from ffnsite.models.llama import Llama

NEAR = 0.1
"""Outputs closer than a tenth would be a passable replacement."""


@dataclass(frozen=True, slots=True)
class Reuse:
    """Words that have come before, in texts of one source.

    Attributes:
        words: all words (tokens) of the texts.
        repeated: how many of them have an earlier occurrence in their own text.
        identical: how many inputs of them, over all layers, are equal to the earlier one.
        inputs: the median distance of the inputs, layer by layer.
        outputs: the median distance of the outputs.
        near: share of outputs closer than `NEAR`.
    """

    words: int
    repeated: int
    identical: int
    inputs: Float[np.ndarray, " layers"]
    outputs: Float[np.ndarray, " layers"]
    near: Float[np.ndarray, " layers"]


@measurement
@torch.inference_mode()
def reuse(source: Source, texts: int, length: int) -> Reuse:
    """Runs SmolLM2-135M over the first texts of a source, each by itself.

    Raises:
        BadExperiment: no word of the texts comes twice.
    """
    model = smollm2.model()
    tokens = rows(source, texts, length)
    found = [compared(model, row[None]) for row in tokens]
    inputs, outputs, identical = (torch.cat(parts, dim=1) for parts in zip(*found, strict=True))
    if not inputs.shape[1]:
        raise BadExperiment(f"{source} 的 {texts} 段文字里没有重复的词元；请取长一些的文字")
    return Reuse(
        words=tokens.numel(),
        repeated=inputs.shape[1],
        identical=int(identical.sum()),
        inputs=inputs.median(dim=1).values.numpy(),
        outputs=outputs.median(dim=1).values.numpy(),
        near=(outputs < NEAR).double().mean(dim=1).numpy(),
    )


def compared(model: Llama, tokens: Int[Tensor, "1 n"]) -> tuple[Tensor, Tensor, Tensor]:
    """Distances of inputs and of outputs, and equality of inputs: (layers, repeated words) each."""
    earlier, later = repeats(tokens[0].tolist())
    read = ffn_inputs(model, tokens)
    pairs = zip(model.blocks, read, strict=True)
    written = torch.stack([block.ffn(x) for block, x in pairs])
    return (
        distance(read[:, earlier], read[:, later]),
        distance(written[:, earlier], written[:, later]),
        (read[:, earlier] == read[:, later]).all(dim=-1),
    )


def repeats(tokens: list[int]) -> tuple[list[int], list[int]]:
    """Positions of last earlier occurrences, and of the words that come again, in order.

    The first position is nobody's earlier occurrence: what it holds is like no other.
    """
    last: dict[int, int] = {}
    earlier, later = [], []
    for place, token in enumerate(tokens):
        if token in last:
            earlier.append(last[token])
            later.append(place)
        if place:
            last[token] = place
    return earlier, later


def distance(a: Float[Tensor, "*batch d"], b: Float[Tensor, "*batch d"]) -> Float[Tensor, "*batch"]:
    """|a − b| / |a|."""
    relative: Tensor = (a - b).norm(dim=-1) / a.norm(dim=-1)
    return relative
