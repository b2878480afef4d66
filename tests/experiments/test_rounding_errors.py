"""Errors of single layers against products written out, and levels counted by hand."""

import numpy as np
import pytest
import torch

from ffnsite.experiments import quantizing, rounding, rounding_errors
from ffnsite.experiments.quantizing import SCHEMES
from ffnsite.models.llama import Llama, LlamaConfig


@pytest.fixture(scope="module")
def block():
    torch.manual_seed(3)
    config = LlamaConfig(32, 48, 1, 4, 2, 8, 23, tied=True, rope_base=1e4, norm_eps=1e-5)
    return Llama(config).eval().requires_grad_(False).blocks[0]


def words(positions: int, width: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(1).standard_normal((positions, width))).float()


def test_an_error_is_the_norm_of_what_is_missed_over_the_norm_of_the_output(block):
    x = words(6, 32)
    found = rounding_errors.error(block, "gate_up", x, SCHEMES["int8_word"], "rounded", x[0])
    missed, whole = [], []
    for linear in (block.ffn.gate, block.ffn.up):
        weight = linear.weight.double()
        rounded = rounding.absmax(weight, 1)
        for word in x[1:].double():
            missed.append(weight @ word - rounded @ rounding.absmax(word, 0))
            whole.append(weight @ word)
    by_hand = torch.cat(missed).norm() / torch.cat(whole).norm()
    assert found == pytest.approx(float(by_hand), rel=1e-4)


def test_a_wide_first_word_silences_the_others_unless_it_is_left_out(block):
    x = words(6, 48)
    x[0, 5] = 1e5
    rounded = rounding_errors.error(block, "down", x, SCHEMES["int8_tensor"], "rounded", x[0])
    exact = rounding_errors.error(block, "down", x, SCHEMES["int8_tensor"], "exact", x[0])
    assert rounded == 1  # all that was there is missed
    assert exact < 0.05


def test_smoothing_lowers_the_error_where_a_channel_stands_out(block):
    x = words(64, 32)
    x[:, 9] *= 100
    largest = x.abs().amax(0)
    plain, smooth = (
        rounding_errors.error(block, "query_key_value", x, SCHEMES[name], "rounded", largest)
        for name in ("int8_tensor", "smooth_050")
    )
    assert smooth < 0.5 * plain


def test_levels_counted_by_hand():
    # one scale of 127 / 127: the columns take {0, 1}, {0}, {127, -3, 2}
    x = torch.tensor([[0.0, 0, 0], [1, 0.2, 127], [0.4, -0.3, -3], [0, 0, 2]])
    assert rounding_errors.levels(x, "exact") == (2, pytest.approx(1 / 3))
    x[0, 1] = 12_700  # a scale of 100
    middle, silent = rounding_errors.levels(x, "rounded")
    assert (middle, silent) == (1, pytest.approx(2 / 3))
    assert rounding_errors.levels(x, "exact") == (2, pytest.approx(1 / 3))


def test_errors_of_smollm2_are_there_for_every_place_scheme_and_layer(monkeypatch):
    torch.manual_seed(3)
    config = LlamaConfig(32, 48, 2, 4, 2, 8, 23, tied=True, rope_base=1e4, norm_eps=1e-5)
    small = Llama(config).eval().requires_grad_(False)
    text = torch.from_numpy(np.random.default_rng(8).integers(0, 23, (3, 9)))
    monkeypatch.setattr(rounding_errors.corpus, "rows", lambda *_: text)
    monkeypatch.setattr(rounding_errors.smollm2, "model", lambda: small)
    found = rounding_errors.errors.fresh("networkx")
    inputs = quantizing.site_inputs(small, text[0])
    for first in ("rounded", "exact"):
        largest = quantizing.largest_inputs(small, first, text[1:])
        for site, one in found[first].items():
            for name, values in one.by_scheme.items():
                again = rounding_errors.error(
                    small.blocks[1], site, inputs[site][1], SCHEMES[name], first, largest[site][1]
                )
                assert values[1] == pytest.approx(again)
            assert one.levels.shape == one.silent.shape == (2,)
