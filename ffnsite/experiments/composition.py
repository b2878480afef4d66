"""How many memories does one word use, and is what the layer says what any of them says?

    share of memory i in a word    |c_i| ‖v_i‖ / Σ_j |c_j| ‖v_j‖

With ReLU a memory is active when c > 0 and silent at exactly 0. SwiGLU is hardly ever exactly 0, so
the memories that a word uses are counted instead: the fewest that hold half, or nine tenths, of all
shares. The first word of a row is told apart: massive activations stand there.
Source: Geva et al. 2021, arXiv 2012.14913, section 5.1, figures 7 and 8.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from ffnsite.experiments import corpus
from ffnsite.experiments.corpus import Source
from ffnsite.experiments.listening import listen
from ffnsite.experiments.values import Said, said, top, vectors
from ffnsite.measurement import measurement
from ffnsite.models import smollm2
from ffnsite.models.llama import Llama

ROWS, LENGTH, AT_ONCE = 16, 256, 4
HALF, MOST = 0.5, 0.9
EVERY = 16
"""Of so many words one is asked what its layers say: logits of a large vocabulary take long."""


@dataclass(frozen=True, slots=True)
class Composition:
    """The memories that a word uses, layer by layer; means over words that are not first of a row.

    Attributes:
        words: how many words were counted.
        positive: the share of memories with c > 0.
        zero: how many coefficients are exactly 0, of all words.
        half: how many memories hold half.
        most: how many hold nine tenths.
        half_first: how many hold half at the first word of a row.
        most_first: how many hold nine tenths there.
        asked: how many words were asked what their layers say.
        composed: of how many of them the layer says what none of its memories says.
        composed_dealt: the same, when each word is given what the layer says at another word.
        led: of how many of them the layer says what its strongest memory says.
    """

    words: int
    positive: Float[np.ndarray, " layers"]
    zero: Int[np.ndarray, " layers"]
    half: Float[np.ndarray, " layers"]
    most: Float[np.ndarray, " layers"]
    half_first: Float[np.ndarray, " layers"]
    most_first: Float[np.ndarray, " layers"]
    asked: int
    composed: Int[np.ndarray, " layers"]
    composed_dealt: Int[np.ndarray, " layers"]
    led: Int[np.ndarray, " layers"]


@measurement
def composition(source: Source) -> Composition:
    """How SmolLM2-135M composes its memories on 4,080 words of this text."""
    return composed(smollm2.model(), said(), corpus.rows(source, ROWS, LENGTH))


@torch.inference_mode()
def composed(model: Llama, values: Said, rows: Int[Tensor, "rows length"]) -> Composition:
    """How this model composes memories that say `values`, on these rows of tokens."""
    heard = [_Layer() for _ in model.blocks]
    lengths = [vectors(block.ffn).norm(dim=1) for block in model.blocks]

    def hear(layer: int, coefficients: Tensor) -> None:
        heard[layer].count(coefficients, lengths[layer])
        asked = coefficients[:, 1::EVERY].flatten(0, 1)
        layer_says = top(model, model.blocks[layer].ffn.down(asked)).numpy()
        strongest = (asked.abs() * lengths[layer]).argmax(dim=1).numpy()
        heard[layer].ask(layer_says, values.of_layer(layer, asked.numpy()), strongest)

    for part in torch.split(rows, AT_ONCE):
        listen(model, part, hear)
    return _joined(heard)


class _Layer:
    """What one layer has come to so far."""

    def __init__(self) -> None:
        self.positive: list[Float[np.ndarray, " words"]] = []
        self.held: dict[str, list[np.ndarray]] = {"half": [], "most": []}
        self.held_first: dict[str, list[np.ndarray]] = {"half": [], "most": []}
        self.zero = self.asked = self.composed = self.composed_dealt = self.led = 0

    def count(
        self,
        coefficients: Float[Tensor, "rows positions d_ff"],
        lengths: Float[Tensor, " d_ff"],
    ) -> None:
        """Counts the memories of every word."""
        later = coefficients[:, 1:]
        self.positive.append((later > 0).float().mean(dim=-1).flatten().numpy())
        self.zero += int((later == 0).sum())
        shares = (coefficients.abs() * lengths).numpy()
        for name, part in (("half", HALF), ("most", MOST)):
            self.held[name].append(holding(shares[:, 1:], part).ravel())
            self.held_first[name].append(holding(shares[:, 0], part))

    def ask(
        self,
        layer_says: Int[np.ndarray, " words"],
        memories_say: Int[np.ndarray, "words d_ff"],
        strongest: Int[np.ndarray, " words"],
    ) -> None:
        """Counts the words where the layer says what no memory, or what the strongest says."""
        self.asked += len(layer_says)
        self.composed += _said_by_none(layer_says, memories_say)
        self.composed_dealt += _said_by_none(np.roll(layer_says, 1), memories_say)
        words = np.arange(len(layer_says))
        self.led += int((memories_say[words, strongest] == layer_says).sum())


def _said_by_none(
    layer_says: Int[np.ndarray, " words"], memories_say: Int[np.ndarray, "words d_ff"]
) -> int:
    return int((memories_say != layer_says[:, None]).all(axis=1).sum())


def holding(shares: Float[np.ndarray, "*words d_ff"], part: float) -> Int[np.ndarray, "*words"]:
    """The fewest memories of each word whose shares, not negative, add up to this part of all."""
    added = np.cumsum(np.sort(shares, axis=-1)[..., ::-1], axis=-1, dtype=np.float64)
    fewest: np.ndarray = 1 + (added < part * added[..., -1:]).sum(axis=-1)
    return fewest


def _joined(heard: list[_Layer]) -> Composition:
    def means(pieces: list[list[np.ndarray]]) -> Float[np.ndarray, " layers"]:
        return np.array([np.concatenate(layer).mean(dtype=np.float64) for layer in pieces])

    return Composition(
        words=sum(map(len, heard[0].positive)),
        positive=means([layer.positive for layer in heard]),
        zero=np.array([layer.zero for layer in heard]),
        half=means([layer.held["half"] for layer in heard]),
        most=means([layer.held["most"] for layer in heard]),
        half_first=means([layer.held_first["half"] for layer in heard]),
        most_first=means([layer.held_first["most"] for layer in heard]),
        asked=heard[0].asked,
        composed=np.array([layer.composed for layer in heard]),
        composed_dealt=np.array([layer.composed_dealt for layer in heard]),
        led=np.array([layer.led for layer in heard]),
    )
