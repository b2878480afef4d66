"""Scores of edits worked by hand, and variance explained where it is known."""

import numpy as np
import pytest

from ffnsite.experiments.edit_scores import (
    Scores,
    each_layer,
    explained,
    left_out,
    resampled,
    scores,
)
from ffnsite.experiments.editing import Answer, Edit


def answer(old, new):
    return Answer("p", old, new, (" a", " b"))


def test_the_scores_of_an_edit_by_hand():
    found = scores(
        Edit(
            0.1,
            2.0,
            asked=answer((0.8, 0.1), (0.2, 0.6)),
            paraphrases=(answer((0.8, 0.1), (0.0, 0.5)), answer((0.8, 0.8), (0.0, 0.1))),
            neighbours=(answer((0.6, 0.3), (0.0, 0.0)), answer((0.4, 0.2), (0.0, 0.0))),
        )
    )
    assert found.edited == pytest.approx(0.5)  # from 0.2 half the way to 1
    assert found.paraphrased == pytest.approx(0.3)
    assert found.kept == pytest.approx(0.5)
    assert found.together == pytest.approx(3 / (2 + 1 / 0.3 + 2))


def test_neighbours_that_gain_count_as_kept_and_no_more():
    one = answer((0.5, 0.5), (0.0, 0.5))
    assert scores(Edit(0.1, 1.0, one, (one,), (answer((0.5, 0.9), (0.0, 0.0)),))).kept == 1


def test_an_edit_that_fails_in_one_respect_scores_nothing():
    assert Scores(1.0, 1.0, 0.0).together == 0
    assert Scores(1.0, -0.1, 1.0).together == 0


def test_variance_that_the_layers_explain_is_that_between_their_means():
    layers = np.array([3, 3, 6, 6])
    outcome = np.array([0.0, 2, 4, 6])  # means 1 and 5 around 3: 4 of 5
    assert explained(outcome, each_layer(layers)) == pytest.approx(0.8)


def test_a_column_explains_its_squared_correlation():
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=50), rng.normal(size=50)
    assert explained(one, other[:, None]) == pytest.approx(np.corrcoef(one, other)[0, 1] ** 2)


def test_the_interval_of_resampled_means_is_near_that_of_the_normal_distribution():
    values = np.random.default_rng(2).normal(5, 1, size=400).tolist()
    low, high = resampled(values)
    error = np.std(values) / 20
    assert low == pytest.approx(np.mean(values) - 1.96 * error, abs=0.2 * error)
    assert high == pytest.approx(np.mean(values) + 1.96 * error, abs=0.2 * error)


def test_leaving_out_the_extremes_by_hand():
    assert left_out([1.0, 2.0, 6.0]) == (1.5, 4.0)
