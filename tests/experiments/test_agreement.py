"""Agreement and its chance: planted memories all agree, random ones as often as chance says."""

import numpy as np
import pytest
import torch

from ffnsite.experiments import agreement
from ffnsite.experiments.triggers import triggers
from ffnsite.experiments.values import Said, said_by
from ffnsite.models.llama import Llama, LlamaConfig

VOCABULARY = 12


def said(added, subtracted=None):
    added = np.array(added)
    peaks = np.ones(added.shape)
    return Said(added, added if subtracted is None else np.array(subtracted), peaks, peaks)


@pytest.fixture
def planted():
    """One layer whose value i is, with the sign of its coefficient, the word behind its trigger."""
    torch.manual_seed(5)
    config = LlamaConfig(16, 40, 1, 4, 2, 4, VOCABULARY, True, 1e4, 1e-5)
    model = Llama(config).eval().requires_grad_(False)
    model.embedding.weight.copy_(torch.linalg.qr(torch.randn(16, 16)).Q[:VOCABULARY])
    rows = torch.randint(VOCABULARY, (20, 10), generator=torch.Generator().manual_seed(2))
    found = triggers(model, rows, kept=3)
    following = rows.numpy().ravel()[found.places + 1]
    signs = torch.from_numpy(np.sign(found.coefficients[0, :, 0]))
    model.blocks[0].ffn.down.weight.copy_(
        (model.embedding.weight[following[0, :, 0]] * signs[:, None]).T
    )
    return model, found, following


def test_values_that_hold_the_word_behind_their_trigger_all_agree(planted):
    model, found, following = planted
    assert (found.coefficients[..., 0] < 0).any()
    hits = agreement.hits(said_by(model), found.coefficients[..., :1], following[..., :1])
    assert hits.all()


def test_dealt_to_others_the_planted_values_agree_only_by_chance(planted):
    model, found, following = planted
    top = (said_by(model), found.coefficients[..., :1], following[..., :1])
    dealt = agreement.dealt_hits(*top)
    assert dealt.shape == (agreement.SEEDS, 1)
    assert dealt.mean() < 0.4 * agreement.hits(*top).sum()


def test_random_values_agree_once_in_a_vocabulary():
    generator = np.random.default_rng(6)
    count, vocabulary = 40_000, 50
    values = said(generator.integers(vocabulary, size=(1, count)))
    following = generator.integers(vocabulary, size=(1, count, 1))
    hits = agreement.hits(values, np.ones((1, count, 1)), following).mean()
    deviation = (1 / vocabulary * (1 - 1 / vocabulary) / count) ** 0.5
    assert abs(hits - 1 / vocabulary) < 4 * deviation


def test_the_mean_of_many_deals_is_the_expected_number_of_pairs(monkeypatch):
    monkeypatch.setattr(agreement, "SEEDS", 4000)
    values = said([[0, 0, 0, 1, 2]])
    following = np.array([[[0], [0], [1], [1], [3]]])
    # token 0: three values, two triggers; token 1: one value, two triggers; five memories
    expected = (3 * 2 + 1 * 2) / 5
    dealt = agreement.dealt_hits(values, np.ones((1, 5, 1)), following)
    assert dealt.mean() == pytest.approx(expected, abs=0.06)


def test_a_deal_takes_the_sign_along_with_the_trigger():
    # Each value says 1 when added and 2 when subtracted; every trigger agrees through its sign.
    values = said([[1, 1, 1]], [[2, 2, 2]])
    coefficients = np.array([[[3.0], [-3.0], [-1.0]]])
    following = np.array([[[1], [2], [2]]])
    assert (agreement.dealt_hits(values, coefficients, following) == 3).all()


def test_one_of_several_triggers_is_enough():
    values = said([[4, 4, 4]])
    following = np.array([[[1, 4], [2, 3], [4, 4]]])
    assert agreement.hits(values, np.ones((1, 3, 2)), following).tolist() == [[True, False, True]]


def test_the_commonest_of_the_trigger_words_is_counted():
    words = np.array([[[7, 3, 7, 7], [1, 2, 3, 4]], [[5, 5, 6, 6], [9, 9, 9, 9]]])
    assert agreement.same_word(words).tolist() == [(3 + 1) / 8, (2 + 4) / 8]


def test_dealt_words_are_the_same_words_from_other_memories():
    words = np.arange(12 * 3).reshape(1, 12, 3)
    dealt = agreement.dealt_words(words)
    for at in range(3):
        assert sorted(dealt[0, :, at]) == sorted(words[0, :, at])
    assert (dealt[0] // 3 != np.arange(12)[:, None]).any(axis=1).all()


def test_the_sharpest_values_are_taken_on_the_side_that_is_used():
    peaks = np.array([[3.0, 9.0], [5.0, 1.0]]), np.array([[8.0, 2.0], [7.0, 6.0]])
    values = Said(np.zeros((2, 2), int), np.zeros((2, 2), int), *peaks)
    layers, channels = agreement.sharpest(values, np.array([[1.0, 1.0], [-1.0, -1.0]]), count=3)
    assert list(zip(layers.tolist(), channels.tolist(), strict=True)) == [(0, 1), (1, 0), (1, 1)]
