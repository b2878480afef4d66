"""Zeros behind ReLU at the start: against the exact binomial law, and torch's own draw."""

from math import comb

import numpy as np
import pytest
import torch
from torch import nn

from ffnsite.experiments.rectified import Zeros, switched_on, used, zeros


def test_one_word_clears_as_many_numbers_as_a_fair_coin():
    shares = zeros.fresh((4,), words=1, layers=8000).shares[0]
    for count in (4, 8, 11):
        expected = comb(16, count) / 2**16
        assert np.mean(shares == count / 16) == pytest.approx(expected, abs=0.012)


def test_words_that_share_a_layer_spread_wider_than_fair_coins():
    spread = zeros.fresh((4,), words=3, layers=4000).shares[0].std()
    assert spread > 1.1 * (0.25 / 48) ** 0.5


def test_the_mean_is_a_half_at_every_width():
    shares = zeros.fresh((4, 32), words=3, layers=3000).shares
    assert shares.mean(axis=1) == pytest.approx([0.5, 0.5], abs=0.006)


def test_four_times_the_numbers_halve_the_spread():
    small, large = zeros.fresh((8, 32), words=3, layers=3000).shares.std(axis=1)
    assert small / large == pytest.approx(2, rel=0.1)


def test_weights_are_drawn_as_torch_draws_a_linear_layer():
    torch.manual_seed(0)
    linear = nn.Linear(64, 256)
    for drawn in (linear.weight, linear.bias):
        assert 0.97 / 8 < drawn.abs().max() <= 1 / 8


def test_torch_itself_clears_the_same_share():
    torch.manual_seed(0)
    layers = (nn.Linear(4, 16)(torch.randn(3, 4)) for _ in range(3000))
    shares = [float((layer <= 0).double().mean()) for layer in layers]
    ours = zeros.fresh((4,), words=3, layers=3000).shares[0]
    assert np.std(shares) == pytest.approx(ours.std(), rel=0.06)


def test_the_middle_leaves_out_as_much_below_as_above():
    assert Zeros((1,), np.linspace(0, 1, 101)[None]).middle()[:, 0] == pytest.approx([0.05, 0.95])


def test_the_part_within_bounds_counts_both_ends():
    assert Zeros((4,), np.array([[0, 0.25, 0.5, 1]])).within(0.25, 0.5)[0] == 0.5


def test_units_add_up_from_word_to_word_until_all_are_used():
    shares = used.fresh(64, 256, words=200, seeds=2).shares
    assert (np.diff(shares, axis=1) >= 0).all()
    assert (shares[:, -1] == 1).all()
    on = switched_on(np.random.default_rng(0), 64, 256, 200)
    assert shares[0, 1] == (on[0] | on[1]).mean()
