"""How far are the gates of SmolLM2-135M open? Readings of every FFN, word by word.

    x = RMSNorm(residual stream)      what the FFN reads, d numbers
    gate = W_gate x                   d_ff numbers
    opened = Swish(gate)              what the gate multiplies with: Swish(z) = z / (1 + e^-z)
    up = W_up x                       d_ff numbers
    product = opened * up             number by number
    out = W_down product              d numbers, added to the residual stream

Swish lies above -0.279 and has no upper end, so `opened` is no share: it may be negative and may
exceed 1. Equations 5 and 6 of Shazeer 2020 (arXiv 2002.05202), SwiGLU.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from ffnsite.errors import BadExperiment
from ffnsite.measurement import measurement
from ffnsite.models import smollm2
from ffnsite.models.gated import GatedFFN
from ffnsite.models.llama import Llama

Feed: TypeAlias = Callable[[GatedFFN, Tensor], Tensor]
"""What an FFN answers to its input; the ordinary one is `GatedFFN.forward`."""

Change: TypeAlias = Literal[
    "none", "swapped", "no_negative", "at_most_one", "at_most_one_later", "sigmoid"
]

NEAR_ZERO = 0.1
"""A gate this close to zero passes less than a tenth of its channel."""

EDGES: Final = tuple(np.linspace(-4, 4, 17).tolist())
"""The ends of the histogram's bins for `gate`; the outer bins take what lies beyond."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One FFN at one word, every channel.

    Attributes:
        words: the whole text, token by token.
        x: what the FFN reads, after the norm.
        gate: W_gate x.
        up: W_up x.
        out: what the FFN adds to the residual stream.
    """

    words: tuple[str, ...]
    x: Float[np.ndarray, " d_model"]
    gate: Float[np.ndarray, " d_ff"]
    up: Float[np.ndarray, " d_ff"]
    out: Float[np.ndarray, " d_model"]

    @property
    def opened(self) -> Float[np.ndarray, " d_ff"]:
        """Swish(gate)."""
        return swish(self.gate)

    @property
    def product(self) -> Float[np.ndarray, " d_ff"]:
        """Swish(gate) * up, which the down matrix reads."""
        product: np.ndarray = self.opened * self.up
        return product


@dataclass(frozen=True, slots=True)
class Openings:
    """How far the gates of each layer are open over the words of a text.

    Attributes:
        words: how many words (tokens) the text has.
        above_one: share of channels with Swish(gate) above 1, averaged over words.
        negative: share of channels with Swish(gate) below 0.
        near_zero: share of channels with Swish(gate) closer to 0 than `NEAR_ZERO`.
        smallest: the lowest Swish(gate).
        largest_first: the highest Swish(gate) at the text's first word.
        largest_later: the highest at all other words.
        histogram: share of `gate` in each bin of `EDGES`.
    """

    words: int
    above_one: Float[np.ndarray, " layers"]
    negative: Float[np.ndarray, " layers"]
    near_zero: Float[np.ndarray, " layers"]
    smallest: Float[np.ndarray, " layers"]
    largest_first: Float[np.ndarray, " layers"]
    largest_later: Float[np.ndarray, " layers"]
    histogram: Float[np.ndarray, "layers bins"]


@measurement
def readings(text: str, places: tuple[tuple[str, int], ...]) -> tuple[Reading, ...]:
    """The FFN at each place: at the last token of a word, which occurs once, in a layer from 0.

    Raises:
        BadExperiment: a word does not occur once, or there is no such layer.
    """
    model, tokenizer = smollm2.model(), smollm2.tokenizer()
    encoded = tokenizer.encode(text)
    words = tuple(tokenizer.decode([token]) for token in encoded.ids)
    wanted = [(position_of(text, word, encoded.offsets), layer) for word, layer in places]
    for _, layer in wanted:
        if not 0 <= layer < len(model.blocks):
            raise BadExperiment(f"没有第 {layer} 层；层号从 0 到 {len(model.blocks) - 1}")
    inputs = ffn_inputs(model, torch.tensor([encoded.ids]))
    return tuple(
        read(model.blocks[layer].ffn, inputs[layer, position], words) for position, layer in wanted
    )


@measurement
def openings(texts: tuple[str, ...]) -> tuple[Openings, ...]:
    """How far the gates are open in every layer, over all words of each text."""
    model, tokenizer = smollm2.model(), smollm2.tokenizer()
    return tuple(
        summary(all_gates(model, torch.tensor([tokenizer.encode(text).ids]))) for text in texts
    )


@measurement
def losses(texts: tuple[str, ...]) -> dict[Change, tuple[float, ...]]:
    """The mean cross-entropy in nats of each next word of each text, with all gates changed.

    `swapped` puts Swish on the up branch (the two matrices exchanged), `no_negative` sets negative
    gates to 0, `at_most_one` cuts them at 1, `at_most_one_later` does so from the second word on,
    `sigmoid` opens them by the sigmoid instead of Swish; `none` is the model as it is.
    """
    model, tokenizer = smollm2.model(), smollm2.tokenizer()
    tokens = [torch.tensor([tokenizer.encode(text).ids]) for text in texts]
    return {
        change: tuple(mean_loss(model, one, feed) for one in tokens)
        for change, feed in CHANGES.items()
    }


def position_of(text: str, word: str, offsets: Sequence[tuple[int, int]]) -> int:
    """Where the last token of the word stands among tokens with these offsets.

    Raises:
        BadExperiment: the word does not occur once.
    """
    if not word or text.count(word) != 1:
        raise BadExperiment(f"词 {word!r} 应在文字 {text!r} 里恰好出现一次")
    end = text.index(word) + len(word)
    return next(at for at, (low, high) in enumerate(offsets) if low < end <= high)


@torch.inference_mode()
def read(ffn: GatedFFN, x: Float[Tensor, " d_model"], words: tuple[str, ...]) -> Reading:
    """The reading of this FFN at this input."""
    parts = (x, ffn.gate(x), ffn.up(x), ffn(x))
    return Reading(words, *(part.numpy() for part in parts))


@torch.inference_mode()
def all_gates(
    model: Llama, tokens: Int[Tensor, "1 positions"]
) -> Float[np.ndarray, "layers positions d_ff"]:
    """The gate of every channel, before Swish, in every layer at every position."""
    pairs = zip(model.blocks, ffn_inputs(model, tokens), strict=True)
    return torch.stack([block.ffn.gate(x) for block, x in pairs]).numpy()


@torch.inference_mode()
def ffn_inputs(
    model: Llama, tokens: Int[Tensor, "1 positions"]
) -> Float[Tensor, "layers positions d_model"]:
    """What the FFN of every layer reads at every position."""
    inputs: list[Tensor] = []

    def listen(ffn: GatedFFN, x: Tensor) -> Tensor:
        inputs.append(x[0])
        out: Tensor = ffn(x)
        return out

    final_stream(model, tokens, listen)
    return torch.stack(inputs)


@torch.inference_mode()
def mean_loss(model: Llama, tokens: Int[Tensor, "1 positions"], feed: Feed) -> float:
    """The mean cross-entropy of positions 1 and up, in nats, where FFNs answer by `feed`."""
    logits = model.logits(final_stream(model, tokens, feed))
    return float(functional.cross_entropy(logits[0, :-1], tokens[0, 1:]))


def final_stream(
    model: Llama, tokens: Int[Tensor, "1 positions"], feed: Feed
) -> Float[Tensor, "1 positions d_model"]:
    """The residual stream that the last block writes, where FFNs answer by `feed`."""
    stream: Tensor = model.embedding(tokens)
    for block in model.blocks:
        stream = stream + block.attention(block.attention_norm(stream))
        stream = stream + feed(block.ffn, block.ffn_norm(stream))
    return stream


def summary(gates: Float[np.ndarray, "layers positions d_ff"]) -> Openings:
    """The openings that these gates, before Swish, amount to."""
    opened = swish(gates)
    across = (1, 2)
    inner = np.clip(gates, EDGES[0], np.nextafter(EDGES[-1], 0))
    bins = [np.histogram(layer, EDGES)[0] / layer.size for layer in inner]
    return Openings(
        words=gates.shape[1],
        above_one=(opened > 1).mean(axis=across),
        negative=(opened < 0).mean(axis=across),
        near_zero=(np.abs(opened) < NEAR_ZERO).mean(axis=across),
        smallest=opened.min(axis=across),
        largest_first=opened[:, 0].max(axis=1),
        largest_later=opened[:, 1:].max(axis=across),
        histogram=np.array(bins),
    )


def swish(gate: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """Swish(z) = z / (1 + e^-z), in float64."""
    z = gate.astype(np.float64)
    # e^-|z| never overflows: sigmoid(-z) = 1 - sigmoid(z)
    small = np.exp(-np.abs(z))
    opened: np.ndarray = z * np.where(z >= 0, 1, small) / (1 + small)
    return opened


def _swapped(ffn: GatedFFN, x: Tensor) -> Tensor:
    out: Tensor = ffn.down(functional.silu(ffn.up(x)) * ffn.gate(x))
    return out


def _at_most_one_later(gate: Tensor) -> Tensor:
    opened = functional.silu(gate)
    return torch.cat((opened[..., :1, :], opened[..., 1:, :].clamp(max=1)), dim=-2)


def _opened_by(opening: Callable[[Tensor], Tensor]) -> Feed:
    def feed(ffn: GatedFFN, x: Tensor) -> Tensor:
        out: Tensor = ffn.down(opening(ffn.gate(x)) * ffn.up(x))
        return out

    return feed


CHANGES: Final[dict[Change, Feed]] = {
    "none": _opened_by(functional.silu),
    "swapped": _swapped,
    "no_negative": _opened_by(lambda gate: functional.silu(gate).clamp(min=0)),
    "at_most_one": _opened_by(lambda gate: functional.silu(gate).clamp(max=1)),
    "at_most_one_later": _opened_by(_at_most_one_later),
    "sigmoid": _opened_by(torch.sigmoid),
}
