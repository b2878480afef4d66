"""Rank collapse: the measure by hand, the wiring against the model's own block, the finding."""

import numpy as np
import pytest
import torch
from torch import nn

from ffnsite.experiments.collapse import (
    WIDTH,
    WIRINGS,
    WORDS,
    Collapse,
    climb,
    distance,
    drawn_layer,
    stacked,
)
from ffnsite.models.block import PreNormBlock


@pytest.fixture(scope="module")
def full():
    return stacked.fresh(causal=False, seeds=3)


def test_equal_words_have_distance_zero_and_opposite_words_one():
    assert distance(torch.tensor([[1.0, 2.0], [1.0, 2.0]])) == 0
    assert distance(torch.tensor([[1.0, 2.0], [-1.0, -2.0]])) == 1


def test_two_orthogonal_words_are_half_of_their_square_away():
    # mean (1/2, 1/2); ‖X − 1mᵀ‖² = 4·1/4 = 1, ‖X‖² = 2
    assert distance(torch.eye(2, dtype=torch.float64)) == pytest.approx(0.5**0.5)


def test_no_single_word_is_nearer_than_the_mean():
    x = torch.from_numpy(np.random.default_rng(1).standard_normal((6, 4)))
    centred = x - x.mean(dim=0)
    other = x - (x.mean(dim=0) + 0.1)
    assert centred.norm() < other.norm()


def test_the_last_wiring_is_the_pre_norm_block_of_the_models():
    generator = np.random.default_rng(5)
    stream = torch.from_numpy(generator.standard_normal((1, WORDS, WIDTH)))
    expected = []
    for _ in range(3):
        attention, ffn = drawn_layer(generator, causal=True)
        norms = [nn.LayerNorm(WIDTH, elementwise_affine=False).double() for _ in range(2)]
        stream = PreNormBlock(attention, ffn, *norms)(stream)
        expected.append(distance(stream[0].detach()))
    assert climb(WIRINGS["pre_norm"], True, 5, 3)[1:] == pytest.approx(expected, rel=1e-12)


def test_every_wiring_starts_from_the_same_words(full):
    starts = {tuple(rows[:, 0]) for rows in full.distances.values()}
    assert len(starts) == 1


def test_attention_alone_collapses_faster_with_every_layer(full):
    logs = np.log10(full.distances["attention"][:, :4])
    drops = -np.diff(logs, axis=1)
    assert (drops[:, 1:] > 2 * drops[:, :-1]).all()  # each drop more than twice the one before


def test_a_random_ffn_without_residual_does_not_stop_it(full):
    assert full.fallen("with_ffn", 1e-12) == full.fallen("attention", 1e-12) == [4, 4, 4]


@pytest.mark.parametrize("wiring", ["with_residual", "with_both", "pre_norm"])
def test_the_residual_keeps_the_words_apart(full, wiring):
    assert full.fallen(wiring, 0.03) == [None] * 3


def test_the_first_fall_is_found_by_seed():
    collapse = Collapse({"attention": np.array([[1.0, 0.1, 0.001], [1.0, 0.9, 0.8]])})
    assert collapse.fallen("attention", 0.01) == [2, None]
