"""How many numbers inside the FFN of SmolLM2 are zero, how many are only small, and does it matter?

    h = Swish(W_gate x) * (W_up x),   FFN(x) = W_down h

ReLU writes zeros; Swish does not, save where a product happens to round to zero. A number of h is
called small when it lies below a share of the largest magnitude of its word and layer. Small
numbers can be left out of the product with W_down as soon as h is known, which saves their share of
that one matrix: 1 − s / d_ff with s numbers kept (Li et al. 2022, arXiv 2210.06313, section 3).
W_gate and W_up have been multiplied by then; to save their part too, one would have to know
beforehand which numbers will be small.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from ffnsite.experiments import corpus
from ffnsite.experiments.gates import Feed, final_stream
from ffnsite.measurement import measurement
from ffnsite.models import smollm2
from ffnsite.models.gated import GatedFFN
from ffnsite.models.llama import Llama

SMALL: Final = (0.01, 0.1)
"""Below which share of the word's largest magnitude a number counts as small."""
CUTS: Final = (0.01, 0.03, 0.1)
"""Where small numbers are cut off to see what the model loses."""
SORTED = 8
"""Sorting is slow: the energy is counted at every so many words."""
MATRICES = 3
"""Of equal size in a gated FFN: gate, up, down."""


@dataclass(frozen=True, slots=True)
class Sparsity:
    """What h looks like in one layer, over many texts.

    Attributes:
        words: how many words were read, first positions aside.
        zeros: the numbers of h that are exactly zero, at all positions.
        small: the share of numbers below each share of `SMALL`, first positions aside.
        first_small: the same at first positions alone.
        negative_gate: the share of gates below zero, first positions aside.
        gate: the lowest and the highest gate before Swish, first positions aside.
        half_of_energy: the smallest share of numbers that makes up half of the sum of h², the
            median over every eighth word.
    """

    words: int
    zeros: int
    small: tuple[float, float]
    first_small: tuple[float, float]
    negative_gate: float
    gate: tuple[float, float]
    half_of_energy: float


@dataclass(frozen=True, slots=True)
class Cut:
    """What happens when small numbers are set to zero in all layers.

    Attributes:
        skipped: the share of numbers that were set to zero, first positions aside.
        rise: the mean rise of the cross-entropy, in nats, over rows of text.
        error: its standard error over rows, each against itself uncut.
    """

    skipped: float
    rise: float
    error: float


@measurement
def sparsity(source: corpus.Source, count: int, length: int) -> tuple[Sparsity, ...]:
    """What h looks like in every layer, over `count` texts of so many words."""
    text = corpus.rows(source, count, length)
    return tuple(summary(gate, h) for gate, h in hidden(smollm2.model(), text))


@measurement
def cuts(source: corpus.Source, count: int, length: int) -> dict[str, Cut]:
    """What each cut of `CUTS` costs, by its name `str(cut)`; first positions are cut as well."""
    text, model = corpus.rows(source, count, length), smollm2.model()
    plain = np.array([loss(model, row[None], GatedFFN.forward) for row in text])
    found = {}
    for share in CUTS:
        cutter = Cutter(share)
        rises = np.array([loss(model, row[None], cutter) for row in text]) - plain
        error = float(rises.std(ddof=1) / np.sqrt(count))
        found[str(share)] = Cut(cutter.skipped, float(rises.mean()), error)
    return found


class Cutter:
    """An FFN whose hidden numbers below a share of the word's largest are zero; counts them."""

    def __init__(self, share: float) -> None:
        self.share = share
        self._zero = self._all = 0

    def __call__(self, ffn: GatedFFN, x: Float[Tensor, "batch positions d_model"]) -> Tensor:
        """The FFN's answer from what is left of h."""
        h = ffn.hidden(x)
        kept = large(h, self.share)
        self._zero += int((~kept[:, 1:]).sum())
        self._all += kept[:, 1:].numel()
        out: Tensor = ffn.down(h * kept)
        return out

    @property
    def skipped(self) -> float:
        """The share of numbers set to zero so far, first positions aside."""
        return self._zero / self._all


def saved(skipped: float | Fraction, known_before: bool) -> float | Fraction:
    """The share of the FFN's multiplications that skipping so many numbers of h saves.

    Once h is known only W_down can skip; known beforehand, all three matrices can.
    """
    return skipped if known_before else skipped / MATRICES


def large(h: Float[Tensor, "*words d_ff"], share: float) -> Tensor:
    """Whether each number reaches this share of its word's largest magnitude."""
    magnitude = h.abs()
    return magnitude >= share * magnitude.amax(-1, keepdim=True)


def hidden(
    model: Llama, text: Int[Tensor, "rows positions"]
) -> Iterator[tuple[Float[Tensor, "rows positions d_ff"], Float[Tensor, "rows positions d_ff"]]]:
    """The gate before Swish and h at every position, layer by layer."""
    stream: Tensor = model.embedding(text)
    for block in model.blocks:
        with torch.inference_mode():
            stream = stream + block.attention(block.attention_norm(stream))
            read = block.ffn_norm(stream)
            gate = block.ffn.gate(read)
            h = functional.silu(gate) * block.ffn.up(read)
            yield gate, h
            stream = stream + block.ffn.down(h)


@torch.inference_mode()
def loss(model: Llama, tokens: Int[Tensor, "1 positions"], feed: Feed) -> float:
    """The mean cross-entropy of positions 1 and up, in nats, where FFNs answer by `feed`."""
    logits = model.logits(final_stream(model, tokens, feed))
    return float(functional.cross_entropy(logits[0, :-1], tokens[0, 1:]))


def summary(
    gate: Float[Tensor, "rows positions d_ff"], h: Float[Tensor, "rows positions d_ff"]
) -> Sparsity:
    """What the gates and hidden numbers of one layer amount to."""
    later, later_gate = h[:, 1:], gate[:, 1:]
    return Sparsity(
        words=later.shape[0] * later.shape[1],
        zeros=int((h == 0).sum()),
        small=_shares_small(later),
        first_small=_shares_small(h[:, :1]),
        negative_gate=float((later_gate < 0).float().mean()),
        gate=(float(later_gate.min()), float(later_gate.max())),
        half_of_energy=half_of_energy(later.flatten(0, 1)[::SORTED]),
    )


def half_of_energy(h: Float[Tensor, "words d_ff"]) -> float:
    """The fewest numbers of a word whose squares make half of the sum, as a share; the median."""
    squares = h.square().sort(dim=1, descending=True).values
    reached = squares.cumsum(1) >= squares.sum(1, keepdim=True) / 2
    needed = reached.shape[1] - reached.sum(1) + 1
    return float(needed.float().median() / h.shape[1])


def _shares_small(h: Float[Tensor, "rows positions d_ff"]) -> tuple[float, float]:
    magnitude = h.abs()
    top = magnitude.amax(-1, keepdim=True)
    low, high = (float((magnitude < share * top).float().mean()) for share in SMALL)
    return low, high
