"""Which keys are shown: the rule on a shelf made by hand."""

import math

import numpy as np
import pytest

from ffnsite.experiments import browsing
from ffnsite.experiments.browsing import Shelf, best, browse, surprises
from ffnsite.experiments.triggers import Triggers
from ffnsite.experiments.values import Said

LENGTH = 12
WORDS = ["as", "well", "as", "such", "as", "this", "1", "node", "(", "and", "so", "on"]
TEXT = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9]  # two rows


def decode(tokens):
    return " ".join(WORDS[token] for token in tokens)


def shelf(places, coefficients, added, subtracted=None, text=TEXT):
    added = np.array(added)
    values = Said(
        added, added if subtracted is None else np.array(subtracted), added * 0.0, added * 0.0
    )
    coefficients = np.array(coefficients, dtype=float)
    found = Triggers(coefficients, np.array(places), np.zeros(added.shape))
    return Shelf(found, values, np.array(text), LENGTH)


def test_a_passage_that_came_before_is_left_out():
    # words 4 and 16 both end "well as such as", word 5 does not; word 12 has no three words before
    one = shelf([[[4, 16, 5, 12]]], [[[4, 3, 2, 1]]], [[0]])
    assert one.passages(0, 0) == [0, 2, 3]


def test_a_passage_does_not_reach_into_the_row_before():
    text = list(TEXT)
    text[12:15] = text[0:3]
    one = shelf([[[2, 14]]], [[[2, 1]]], [[0]], text=text)
    assert one.passages(0, 0) == [0]
    text[9:12] = [1, 1, 1]
    assert shelf([[[14, 2]]], [[[2, 1]]], [[0]], text=text).passages(0, 0) == [0]


def test_at_most_six_passages_are_shown():
    one = shelf([[[1, 2, 3, 4, 5, 6, 7, 8]]], [[range(8, 0, -1)]], [[0]])
    assert one.passages(0, 0) == list(range(browsing.SHOWN))


def test_the_surprise_of_a_word_is_minus_the_log_of_its_share_if_it_has_a_letter():
    found = surprises(np.array(TEXT), decode)
    assert found[7] == pytest.approx(math.log(24 / 3))  # node: three of 24 words
    assert found[0] == pytest.approx(math.log(24 / 1))
    assert found[6] == found[8] == 0  # "1" and "("


def test_the_best_key_says_the_rarest_words_most_often():
    # All triggers at words 6 and 9, followed by tokens 7 and 10; token 10 is rarer than 7.
    places = [[[6, 9], [6, 9], [9, 6]]]
    one = shelf(places, [[[2, 1]] * 3], [[5, 7, 10]])
    surprise = surprises(np.array(TEXT), decode)
    assert one.foretells(0, 0, surprise) == 0
    assert one.foretells(0, 1, surprise) == pytest.approx(math.log(24 / 3))
    assert one.foretells(0, 2, surprise) == pytest.approx(math.log(24 / 1))
    assert best(one, 0, surprise) == 2


def test_a_negative_coefficient_is_judged_by_what_the_value_says_when_subtracted():
    one = shelf([[[6, 9]]], [[[-2, -1]]], [[5]], [[7]])
    assert [one.says(0, 0, nth) for nth in (0, 1)] == [True, False]


def test_in_five_layers_the_best_and_a_drawn_key_are_described():
    layers, d_ff = 10, 3
    places = np.broadcast_to([[6, 9], [6, 9], [9, 6]], (layers, d_ff, 2))
    coefficients = np.broadcast_to([2.004, -1.0], (layers, d_ff, 2))
    added = np.broadcast_to([5, 7, 10], (layers, d_ff))
    found = browse(shelf(places, coefficients, added), decode)
    assert [one.layer for one in found] == [1, 1, 3, 3, 5, 5, 7, 7, 9, 9]
    assert [one.drawn for one in found] == [False, True] * 5
    assert {one.channel for one in found if not one.drawn} == {2}
    generator = np.random.default_rng(browsing.DRAWN)
    assert [one.channel for one in found[1::2]] == [int(generator.integers(3)) for _ in range(5)]
    first, second = found[0].triggers
    assert (found[0].added, found[0].subtracted) == ("so", "so")
    assert (first.word, first.following, first.says) == ("and", "so", True)
    assert (first.coefficient, second.coefficient) == (2.0, -1.0)
    assert first.before == "well as such as this 1 node ("
    assert (second.before, second.word, second.says) == ("as well as such as this", "1", False)
