"""What folds into one matrix and what does not."""

import numpy as np
import pytest
import torch

from ffnsite.experiments.linear import departures, folded, from_adding, from_doubling


@pytest.fixture(scope="module")
def departed():
    return departures.fresh(seeds=3)


def test_two_layers_without_a_nonlinearity_are_one_matrix_to_the_bit():
    assert folded.fresh(6, 24, 50).unequal == 0


def test_with_relu_the_one_matrix_is_wrong_nearly_everywhere():
    run = folded.fresh(6, 24, 50)
    assert run.unequal_relu > 0.9 * run.compared == pytest.approx(0.9 * 300)


def test_width_without_a_nonlinearity_adds_no_rank():
    run = folded.fresh(6, 24, 50)
    assert (run.rank, run.hidden_rank, run.hidden_rank_relu) == (6, 6, 24)


def test_a_matrix_departs_from_nothing():
    x, y = torch.from_numpy(np.random.default_rng(0).standard_normal((2, 1, 3, 4)))
    assert from_doubling(lambda v: 3 * v, x) == 0
    assert from_adding(lambda v: 3 * v, x, y) < 1e-15


def test_squares_depart_by_hand():
    # (2x)² − 2x² = 2x², relative to 2x²: 1;  (x + y)² − x² − y² = 2xy = x² + y² at x = y
    x = torch.ones(1, 1, 2, dtype=torch.float64)
    assert from_doubling(lambda v: v**2, x) == pytest.approx(1)
    assert from_adding(lambda v: v**2, x, x) == pytest.approx(1)


def test_attention_of_several_words_is_not_linear_but_of_one_word_is(departed):
    assert min(departed.attention) > 1
    assert departed.attention_of_one == (0, 0, 0)


def test_attention_and_ffn_both_fail_to_add(departed):
    assert min(departed.attention_sum) > 1
    assert min(departed.ffn_sum) > 0.3
