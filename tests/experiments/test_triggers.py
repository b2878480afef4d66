"""The strongest triggers of a small random model, against a loop over every word."""

import math

import numpy as np
import pytest
import torch

from ffnsite.experiments.listening import listen
from ffnsite.experiments.triggers import triggers
from ffnsite.models.llama import Llama, LlamaConfig

LENGTH = 6


@pytest.fixture(scope="module")
def small():
    torch.manual_seed(3)
    model = Llama(LlamaConfig(16, 24, 3, 4, 2, 4, 12, tied=True, rope_base=1e4, norm_eps=1e-5))
    return model.eval().requires_grad_(False)


@pytest.fixture(scope="module")
def rows():
    return torch.randint(12, (9, LENGTH), generator=torch.Generator().manual_seed(1))


def coefficients_by_hand(model, row):
    """c of every layer, word and channel, by the equation with plain numbers."""
    heard = []
    for block in model.blocks:
        block.ffn.register_forward_pre_hook(lambda _, given: heard.append(given[0][0]))
    model(row[None])
    for block in model.blocks:
        block.ffn._forward_pre_hooks.clear()
    found = np.zeros((len(model.blocks), len(row), model.config.d_ff))
    for layer, x in enumerate(heard):
        ffn = model.blocks[layer].ffn
        for at, word in enumerate(x.double()):
            for channel in range(model.config.d_ff):
                gate = float(ffn.gate.weight[channel].double() @ word)
                up = float(ffn.up.weight[channel].double() @ word)
                found[layer, at, channel] = gate / (1 + math.exp(-gate)) * up
    return found


def test_what_is_heard_is_the_equation_and_the_model_goes_its_own_way(small, rows):
    heard = {}
    final = listen(small, rows, heard.__setitem__)
    for at in (0, 8):
        by_hand = coefficients_by_hand(small, rows[at])
        found = np.stack([heard[layer][at].numpy() for layer in range(3)])
        np.testing.assert_allclose(found, by_hand, atol=1e-5)
    torch.testing.assert_close(small.logits(final), small(rows))


def test_triggers_are_the_largest_in_absolute_value_of_all_words_that_are_neither_first_nor_last(
    small, rows
):
    found = triggers(small, rows, kept=4)
    every = np.stack([coefficients_by_hand(small, row) for row in rows])
    for layer in range(3):
        for channel in range(24):
            inner = {
                row * LENGTH + at: every[row, layer, at, channel]
                for row in range(len(rows))
                for at in range(1, LENGTH - 1)
            }
            best = sorted(inner, key=lambda place, inner=inner: -abs(inner[place]))[:4]
            assert found.places[layer, channel].tolist() == best
            expected = [inner[place] for place in best]
            np.testing.assert_allclose(
                found.coefficients[layer, channel], expected, rtol=1e-4, atol=1e-5
            )
    first = np.abs(every[:, :, 0]).max(axis=0)
    np.testing.assert_allclose(found.first, first, rtol=1e-4, atol=1e-5)


def test_both_signs_are_among_the_triggers(small, rows):
    found = triggers(small, rows, kept=1)
    assert (found.coefficients < 0).any()
    assert (found.coefficients > 0).any()
