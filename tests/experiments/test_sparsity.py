"""Zeros, small numbers and what cutting them costs, against loops over every number."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from ffnsite.experiments import sparsity
from ffnsite.experiments.sparsity import SMALL, Cutter
from ffnsite.models.gated import GatedFFN
from ffnsite.models.llama import Llama, LlamaConfig


def drawn(*shape: int, seed: int = 9) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).standard_normal(shape)).float()


@pytest.fixture
def small():
    torch.manual_seed(3)
    config = LlamaConfig(16, 24, 3, 4, 2, 4, 12, tied=True, rope_base=1e4, norm_eps=1e-5)
    return Llama(config).eval().requires_grad_(False)


@pytest.fixture
def text():
    return torch.from_numpy(np.random.default_rng(8).integers(0, 12, (4, 7)))


def test_small_is_below_a_share_of_the_word_s_own_largest():
    h = torch.tensor([[10.0, -1.0, 0.99, 0.0], [0.1, 0.02, -0.009, 0.011]])
    assert sparsity.large(h, 0.1).tolist() == [
        [True, True, False, False],
        [True, True, False, True],
    ]


def test_a_summary_is_the_count_over_every_number_with_the_first_position_apart():
    gate, h = drawn(3, 5, 40), drawn(3, 5, 40, seed=10) ** 3
    h[2, 0, 7] = 0  # a zero at a first position counts as a zero, not as a later small number
    h[2, 0, 8] = 500
    found = sparsity.summary(gate, h)
    for at, share in enumerate(SMALL):
        for counted, part in ((found.small, h[:, 1:]), (found.first_small, h[:, :1])):
            words = part.flatten(0, 1).tolist()
            below = [abs(x) < share * max(map(abs, word)) for word in words for x in word]
            assert counted[at] == pytest.approx(np.mean(below), abs=1e-6)
    assert (found.words, found.zeros) == (12, 1)
    assert found.negative_gate == pytest.approx(np.mean(gate[:, 1:].numpy() < 0))
    assert found.gate == (gate[:, 1:].min(), gate[:, 1:].max())


def test_half_of_the_energy_by_hand():
    # squares 9 + 4 + 4 + 1 = 18: the first makes half; 4 · 1: two make half
    h = torch.tensor([[3.0, -2, 2, 1], [1, 1, 1, 1], [0, 5, 0, 0]])
    assert sparsity.half_of_energy(h[:1]) == 1 / 4
    assert sparsity.half_of_energy(h[1:2]) == 2 / 4
    assert sparsity.half_of_energy(h) == 1 / 4  # the median of 1, 2 and 1


def test_what_is_heard_is_what_the_model_s_own_ffns_compute(small, text):
    gates, products = [], []
    for block in small.blocks:
        block.ffn.gate.register_forward_hook(lambda _, __, out: gates.append(out))
        block.ffn.down.register_forward_pre_hook(lambda _, given: products.append(given[0]))
    small(text)
    expected = list(zip(gates, products, strict=True))
    for (gate, h), (their_gate, their_h) in zip(
        sparsity.hidden(small, text), expected, strict=True
    ):
        torch.testing.assert_close(gate, their_gate)
        torch.testing.assert_close(h, their_h)


def test_a_cut_sets_exactly_the_small_numbers_to_zero(small):
    ffn, x = small.blocks[0].ffn, drawn(1, 6, 16)
    cutter = Cutter(0.2)
    h = ffn.hidden(x)
    kept = [
        [number if abs(number) >= 0.2 * max(map(abs, word)) else 0 for number in word]
        for word in h[0].tolist()
    ]
    torch.testing.assert_close(cutter(ffn, x)[0], ffn.down(torch.tensor(kept)))
    assert cutter.skipped == np.mean([number == 0 for word in kept[1:] for number in word])


def test_cutting_nothing_costs_nothing_and_cutting_all_but_one_leaves_one(small, text):
    row = text[:1]
    assert sparsity.loss(small, row, Cutter(0.0)) == sparsity.loss(small, row, GatedFFN.forward)
    alone = Cutter(1.0)
    sparsity.loss(small, row, alone)
    assert alone.skipped == 23 / 24


def test_a_loss_is_that_of_the_model_s_own_forward(small, text):
    chances = small(text[:1])[0].double().softmax(-1)
    by_hand = [-float(chances[at, text[0, at + 1]].log()) for at in range(6)]
    found = sparsity.loss(small, text[:1], GatedFFN.forward)
    assert found == pytest.approx(np.mean(by_hand), rel=1e-5)


def test_cuts_are_paired_rises_with_their_standard_error(monkeypatch, small, text):
    monkeypatch.setattr(sparsity.corpus, "rows", lambda *_: text)
    monkeypatch.setattr(sparsity.smollm2, "model", lambda: small)
    found = sparsity.cuts.fresh("networkx", 4, 7)["0.1"]
    rises = [
        sparsity.loss(small, row[None], Cutter(0.1))
        - sparsity.loss(small, row[None], GatedFFN.forward)
        for row in text
    ]
    assert found.rise == pytest.approx(np.mean(rises))
    assert found.error == pytest.approx(np.std(rises, ddof=1) / 2)
    assert 0 < found.skipped < 1


def test_afterwards_one_matrix_of_three_can_skip_and_beforehand_all():
    d, d_ff, kept = 8, 24, 6
    multiplications = 3 * d * d_ff
    assert sparsity.saved(Fraction(d_ff - kept, d_ff), known_before=False) == 1 - Fraction(
        2 * d * d_ff + d * kept, multiplications
    )
    assert sparsity.saved(Fraction(d_ff - kept, d_ff), known_before=True) == 1 - Fraction(
        3 * d * kept, multiplications
    )
