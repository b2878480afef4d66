"""Ten keys to look at: which ones, and the words that trigger them.

In five layers, evenly apart, two keys each: the one whose value foretells best, and one drawn. The
best is the one that is the least likely by chance: with k of its triggers followed by the very word
w that the value says, the one with the highest

    k ln(1 / p_w)      p_w: how often w occurs in the text, as a share

Documentation repeats itself, so a trigger whose last four words came before counts only once. A
word counts when it has a letter: signs and digits follow each other without anybody's memory.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from jaxtyping import Float, Int

from ffnsite.experiments.triggers import Triggers
from ffnsite.experiments.values import Said

Decode: TypeAlias = Callable[[list[int]], str]

SHOWN = 6
BEFORE = 8
"""Triggers of a key that are shown, and words in front of each."""
SAME = 4
"""Two triggers are the same passage when this many words agree, the trigger the last of them."""
LAYERS = 5
DRAWN = 0
"""The seed of the drawn keys."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """A place where a key answers: what stands before, the word itself, the next word."""

    before: str
    word: str
    following: str
    coefficient: float
    says: bool  # the value, with the sign of the coefficient, says the next word


@dataclass(frozen=True, slots=True)
class Browsed:
    """A key with its value.

    Attributes:
        layer: from 0.
        channel: which of the d_ff, from 0.
        drawn: drawn by lot, not chosen as the best.
        added: what the value says when it is added.
        subtracted: what it says when it is subtracted.
        triggers: its strongest triggers, no passage twice.
    """

    layer: int
    channel: int
    drawn: bool
    added: str
    subtracted: str
    triggers: tuple[Trigger, ...]


@dataclass(frozen=True, slots=True)
class Shelf:
    """What keys are picked from: their triggers in the text, and what their values say."""

    found: Triggers
    values: Said
    tokens: Int[np.ndarray, " words"]
    length: int

    def passages(self, layer: int, channel: int) -> list[int]:
        """Which of the key's triggers come first in their passage; indices, the strongest first."""
        kept: dict[tuple[int, ...], int] = {}
        for nth, place in enumerate(self.found.places[layer, channel]):
            row = place // self.length * self.length
            end = self.tokens[max(row, place - SAME + 1) : place + 1]
            kept.setdefault(tuple(end.tolist()), nth)
        return list(kept.values())[:SHOWN]

    def says(self, layer: int, channel: int, nth: int) -> bool:
        """Whether the value says the word behind the key's nth trigger."""
        following = self.tokens[self.found.places[layer, channel, nth] + 1]
        return bool(self._spoken(layer, channel, nth) == following)

    def foretells(
        self, layer: int, channel: int, surprise: Float[np.ndarray, " vocabulary"]
    ) -> float:
        """The surprise of the words that the value rightly says, summed over the triggers."""
        hits = [nth for nth in self.passages(layer, channel) if self.says(layer, channel, nth)]
        return float(sum(surprise[self._spoken(layer, channel, nth)] for nth in hits))

    def _spoken(self, layer: int, channel: int, nth: int) -> int:
        added = self.found.coefficients[layer, channel, nth] > 0
        side = self.values.added if added else self.values.subtracted
        return int(side[layer, channel])


def browse(shelf: Shelf, decode: Decode) -> tuple[Browsed, ...]:
    """The best key and a drawn one in each of five layers, upwards."""
    layers, d_ff, _ = shelf.found.places.shape
    generator = np.random.default_rng(DRAWN)
    every, surprise = layers // LAYERS, surprises(shelf.tokens, decode)
    picked = []
    for layer in range(every - 1, layers, every)[:LAYERS]:
        picked.append(_described(shelf, layer, best(shelf, layer, surprise), False, decode))
        picked.append(_described(shelf, layer, int(generator.integers(d_ff)), True, decode))
    return tuple(picked)


def surprises(
    tokens: Int[np.ndarray, " words"], decode: Decode
) -> Float[np.ndarray, " vocabulary"]:
    """ln(1 / p) of each token of the text; 0 for one that has no letter or does not occur."""
    often = np.bincount(tokens)
    surprise = np.zeros(len(often))
    for token in np.flatnonzero(often):
        if any(letter.isalpha() for letter in decode([int(token)])):
            surprise[token] = np.log(len(tokens) / often[token])
    return surprise


def best(shelf: Shelf, layer: int, surprise: Float[np.ndarray, " vocabulary"]) -> int:
    """The channel of this layer whose value foretells best; the first of several."""
    channels = range(shelf.values.added.shape[1])
    return max(channels, key=lambda channel: shelf.foretells(layer, channel, surprise))


def _described(shelf: Shelf, layer: int, channel: int, drawn: bool, decode: Decode) -> Browsed:
    values = shelf.values
    return Browsed(
        layer,
        channel,
        drawn,
        decode([int(values.added[layer, channel])]),
        decode([int(values.subtracted[layer, channel])]),
        tuple(
            _trigger(shelf, layer, channel, nth, decode) for nth in shelf.passages(layer, channel)
        ),
    )


def _trigger(shelf: Shelf, layer: int, channel: int, nth: int, decode: Decode) -> Trigger:
    place = int(shelf.found.places[layer, channel, nth])
    start = max(place // shelf.length * shelf.length, place - BEFORE)
    return Trigger(
        decode(shelf.tokens[start:place].tolist()),
        decode([int(shelf.tokens[place])]),
        decode([int(shelf.tokens[place + 1])]),
        round(float(shelf.found.coefficients[layer, channel, nth]), 2),
        shelf.says(layer, channel, nth),
    )
