"""Kurtosis, shared channels and extremes against their definitions, word by word."""

from itertools import permutations

import numpy as np
import pytest
import torch

from ffnsite.experiments import outliers
from ffnsite.experiments.outliers import EDGES, KEPT, TOP
from ffnsite.models.llama import Llama, LlamaConfig


def drawn(*shape: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(11).standard_normal(shape)).float()


@pytest.fixture(scope="module")
def small():
    torch.manual_seed(3)
    config = LlamaConfig(32, 48, 2, 4, 2, 8, 23, tied=True, rope_base=1e4, norm_eps=1e-5)
    return Llama(config).eval().requires_grad_(False)


def test_kurtosis_is_its_definition_in_float64_word_by_word():
    words = drawn(5, 40) ** 3
    found = outliers.kurtosis(words)
    for word, value in zip(words.double().tolist(), found.tolist(), strict=True):
        mean = sum(word) / 40
        fourth = sum((x - mean) ** 4 for x in word) / 40
        second = sum((x - mean) ** 2 for x in word) / 40
        assert value == pytest.approx(fourth / second**2, rel=1e-12)


def test_kurtosis_of_a_normal_word_is_three_and_one_outlier_decides_it():
    wide = drawn(1, 200_000)
    assert float(outliers.kurtosis(wide)) == pytest.approx(3, abs=0.05)
    alone = torch.zeros(1, 576)
    alone[0, 7] = 5
    # one number against n - 1 zeros: n - 2 + 1 / (n - 1)
    assert float(outliers.kurtosis(alone)) == pytest.approx(576 - 2 + 1 / 575)


def test_one_wild_word_moves_the_pooled_kurtosis_but_not_the_median_over_words():
    words = drawn(101, 64)
    words[0, 0] = 1000
    assert float(outliers.kurtosis(words.reshape(1, -1))) > 1000
    assert float(outliers.kurtosis(words).median()) < 4


def test_shared_channels_are_the_mean_overlap_over_all_pairs_of_words():
    words = drawn(7, 30)
    tops = [set(word.abs().argsort(descending=True)[:TOP].tolist()) for word in words]
    by_hand = np.mean([len(a & b) / TOP for a, b in permutations(tops, 2)])
    assert outliers.shared(outliers.channel_counts(words), 7) == pytest.approx(by_hand)


def test_blind_words_share_as_many_channels_as_chance_says():
    words = drawn(400, 100)
    assert outliers.shared(outliers.channel_counts(words), 400) == pytest.approx(
        TOP / 100, abs=0.005
    )


def test_the_most_frequent_channels_come_first_with_their_share_of_words():
    words = 0.1 * drawn(50, 40)
    words[:, 17] = -9
    words[:25, 3] = 5
    channels, shares = outliers.frequent(outliers.channel_counts(words), 50)
    assert channels[0] == 17
    assert shares[0] == 1
    assert shares[channels.tolist().index(3)] >= 0.5
    assert len(shares) == KEPT
    assert (np.diff(shares) <= 0).all()


def test_a_summary_keeps_the_first_position_apart():
    numbers = 0.1 * drawn(3, 6, 25)
    numbers[:, 0, 4] = torch.tensor([100.0, -300.0, 200.0])
    numbers[2, 5, 8] = -7
    found = outliers.summary(numbers)
    assert found.words == 3 * 5
    assert found.first == (100, 300)
    assert found.first_channel == 4
    assert found.later == 7
    assert found.chance == TOP / 25
    assert found.kurtosis[2] < 25
    largest = numbers[:, 1:].abs().amax(-1).flatten().tolist()
    assert found.typical == pytest.approx(sorted(largest)[7])


def test_the_histogram_counts_each_number_in_deviations_of_its_word():
    word = [0.0, 0.0, 0.0, 20.0]  # mean 5, deviation √75
    found = outliers.histogram(torch.tensor([word]))
    assert found.sum() == pytest.approx(1)
    low, high = (np.searchsorted(EDGES, z, side="right") - 1 for z in (-5 / 75**0.5, 15 / 75**0.5))
    assert (found[low], found[high]) == (0.75, 0.25)
    lone = [0.0] * 999 + [1.0]  # 31.6 deviations: beyond the last bin
    assert outliers.histogram(torch.tensor([lone]))[-1] == pytest.approx(1e-3)


def test_what_is_heard_is_what_the_model_s_own_layers_read(small):
    text = torch.from_numpy(np.random.default_rng(8).integers(0, 23, (2, 9)))
    heard = list(outliers.listen(small, text))
    for layer, block in enumerate(small.blocks):
        read = {}
        hooks = [
            part.register_forward_pre_hook(
                lambda _, given, place=place, read=read: read.update({place: given[0]})
            )
            for place, part in (
                ("ffn", block.ffn.gate),
                ("hidden", block.ffn.down),
                ("attention", block.attention.query),
                ("stream", block.ffn_norm),
            )
        ]
        small(text)
        for hook in hooks:
            hook.remove()
        assert read.keys() == heard[layer].keys()
        for place, numbers in read.items():
            torch.testing.assert_close(heard[layer][place], numbers)
