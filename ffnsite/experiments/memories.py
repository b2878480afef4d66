"""What opens each memory of SmolLM2-135M, and does its value say what comes next?

A memory's triggers are the words where its coefficient c is the largest in absolute value; the sign
is kept, since the value enters with it.
Source: Geva et al. 2021, arXiv 2012.14913, sections 3 and 4, on a ReLU model (c is never negative).
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from ffnsite.experiments import agreement, browsing, corpus
from ffnsite.experiments.browsing import Browsed, Shelf
from ffnsite.experiments.corpus import Source
from ffnsite.experiments.triggers import triggers
from ffnsite.experiments.values import said
from ffnsite.measurement import measurement
from ffnsite.models import smollm2

ROWS, LENGTH = 80, 256
WORDS = ROWS * (LENGTH - 2)
TRIGGERS = 50
PATTERN = 25
"""How many triggers of a memory the paper asks for agreement, and how many it had people read."""


@dataclass(frozen=True, slots=True)
class Memories:
    """The memories of all layers on one text; counts are of the d_ff memories of a layer.

    Attributes:
        negative: memories whose strongest coefficient is negative.
        first: memories whose strongest word would be the first one of a row, if that counted.
        agree: memories whose value says the word behind the strongest trigger.
        agree_dealt: the same with triggers dealt to other memories of the layer, by seed.
        agree_any: memories whose value says the word behind at least one of 50 triggers.
        agree_any_dealt: the same with triggers dealt to other memories, by seed.
        same_word: of 25 triggers, the share that is the commonest word; mean over memories.
        same_word_dealt: the same with 25 triggers of 25 memories of the layer.
        sharpest: the layers of the 100 memories whose values stand out the most.
        sharpest_agree: how many of them say the word behind at least one of 50 triggers.
        browsed: ten memories with their triggers.
    """

    negative: Int[np.ndarray, " layers"]
    first: Int[np.ndarray, " layers"]
    agree: Int[np.ndarray, " layers"]
    agree_dealt: Int[np.ndarray, "seeds layers"]
    agree_any: Int[np.ndarray, " layers"]
    agree_any_dealt: Int[np.ndarray, "seeds layers"]
    same_word: Float[np.ndarray, " layers"]
    same_word_dealt: Float[np.ndarray, " layers"]
    sharpest: Int[np.ndarray, " count"]
    sharpest_agree: int
    browsed: tuple[Browsed, ...]


@measurement
def memories(source: Source) -> Memories:
    """The memories of SmolLM2-135M on 20,320 words of this text."""
    values = said()
    rows = corpus.rows(source, ROWS, LENGTH)
    found = triggers(smollm2.model(), rows, TRIGGERS)
    return described(Shelf(found, values, rows.numpy().ravel(), LENGTH))


def described(shelf: Shelf) -> Memories:
    """What these triggers and values come to."""
    c, places, values = shelf.found.coefficients, shelf.found.places, shelf.values
    following, words = shelf.tokens[places + 1], shelf.tokens[places[..., :PATTERN]]
    any_hit = agreement.hits(values, c, following)
    sharpest = agreement.sharpest(values, c[..., 0])
    top = (values, c[..., :1], following[..., :1])
    return Memories(
        negative=(c[..., 0] < 0).sum(axis=1),
        first=(shelf.found.first > np.abs(c[..., 0])).sum(axis=1),
        agree=agreement.hits(*top).sum(axis=1),
        agree_dealt=agreement.dealt_hits(*top),
        agree_any=any_hit.sum(axis=1),
        agree_any_dealt=agreement.dealt_hits(values, c, following),
        same_word=agreement.same_word(words),
        same_word_dealt=agreement.same_word(agreement.dealt_words(words)),
        sharpest=sharpest[0],
        sharpest_agree=int(any_hit[sharpest].sum()),
        browsed=browsing.browse(shelf, smollm2.tokenizer().decode),
    )
