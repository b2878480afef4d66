"""Rounding against loops written out number by number, and the direction of SmoothQuant."""

import numpy as np
import pytest
import torch

from ffnsite.errors import BadExperiment
from ffnsite.experiments import rounding
from ffnsite.models import smollm2


def drawn(*shape: int, seed: int = 5) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).standard_normal(shape))


def rounded_by_loop(numbers: list[float], bits: int) -> list[float]:
    top = 2 ** (bits - 1) - 1
    scale = max(abs(number) for number in numbers) / top
    return [scale * round(number / scale) for number in numbers]


@pytest.mark.parametrize("bits", [4, 8])
def test_absmax_of_a_word_or_of_all_is_the_loop_over_its_numbers(bits):
    x = drawn(3, 4, 6)
    by_word = [[rounded_by_loop(word, bits) for word in text] for text in x.tolist()]
    np.testing.assert_allclose(rounding.absmax(x, -1, bits), by_word, atol=1e-12)
    by_text = [rounded_by_loop(text, bits) for text in x.flatten(1).tolist()]
    np.testing.assert_allclose(rounding.absmax(x, (-2, -1), bits).flatten(1), by_text, atol=1e-12)


def test_absmax_by_hand_in_three_bits():
    # scale 3 / 3 = 1; 0.5 and 1.5 are ties and go to the even level
    x = torch.tensor([3.0, -1.4, 0.5, 1.5, 0.0])
    assert rounding.absmax(x, 0, bits=3).tolist() == [3, -1, 0, 2, 0]


def test_numbers_that_are_all_zero_stay_zero():
    assert rounding.absmax(torch.zeros(2, 3), -1).tolist() == [[0, 0, 0], [0, 0, 0]]
    assert rounding.groups(torch.full((1, 4), 7.0), 4).tolist() == [[7, 7, 7, 7]]


@pytest.mark.parametrize(("size", "bits"), [(4, 4), (12, 4), (6, 2)])
def test_groups_are_the_loop_over_each_group(size, bits):
    weight = drawn(5, 12)
    expected = np.empty((5, 12))
    for row in range(5):
        for start in range(0, 12, size):
            group = weight[row, start : start + size].tolist()
            scale = (max(group) - min(group)) / (2**bits - 1)
            expected[row, start : start + size] = [
                min(group) + scale * round((number - min(group)) / scale) for number in group
            ]
    np.testing.assert_allclose(rounding.groups(weight, size, bits), expected, atol=1e-12)


def test_a_weight_on_a_grid_of_sixteen_levels_is_rounded_to_itself():
    low, step = -1.25, 0.375
    row = [low + step * level for level in (0, 15, 7, 3)] + [
        step * level for level in (2, 9, 17, 4)
    ]
    weight = torch.tensor([row])
    assert torch.equal(rounding.groups(weight, 4), weight)
    assert not torch.equal(rounding.groups(weight, 8), weight)  # two grids do not fit on one


@pytest.mark.parametrize("name", ["attention.key", "attention.query", "ffn.up", "ffn.down"])
def test_the_weights_of_smollm2_lie_on_the_grid_of_groups_of_32_already(name):
    weight = smollm2.model().blocks[17].get_submodule(name).weight
    assert torch.equal(rounding.groups(weight, 32), weight)
    assert (rounding.groups(weight, 64) - weight).norm() > 0.05 * weight.norm()
    assert not torch.equal(rounding.groups(weight.roll(16, dims=1), 32), weight.roll(16, dims=1))


def test_groups_that_do_not_divide_a_row_are_refused():
    with pytest.raises(BadExperiment, match="576 个权重分不成 128 个一组"):
        rounding.groups(torch.zeros(2, 576), 128)


@pytest.mark.parametrize("alpha", [0.0, 0.25, 0.5, 1.0])
def test_smoothing_leaves_the_product_and_is_its_equation(alpha):
    x, weight = drawn(7, 5), drawn(4, 5, seed=6)
    factors = rounding.smoothing(x.abs().amax(0), weight.abs().amax(0), alpha)
    by_hand = [
        max(map(abs, column)) ** alpha / max(map(abs, inputs)) ** (1 - alpha)
        for column, inputs in zip(x.T.tolist(), weight.T.tolist(), strict=True)
    ]
    np.testing.assert_allclose(factors, by_hand, rtol=1e-12)
    smooth, taken = rounding.smoothed(x, weight, factors)
    np.testing.assert_allclose(smooth @ taken.T, x @ weight.T, atol=1e-6)


def test_an_activation_that_stands_out_is_divided_and_its_weight_multiplied():
    x, weight = drawn(64, 8), drawn(16, 8, seed=6)
    x[:, 3] *= 100
    factors = rounding.smoothing(x.abs().amax(0), weight.abs().amax(0), 0.5)
    smooth, taken = rounding.smoothed(x, weight, factors)
    assert factors[3] == factors.max() > 1
    assert smooth[:, 3].abs().max() < x[:, 3].abs().max()
    assert taken[:, 3].abs().max() > weight[:, 3].abs().max()


def test_the_right_direction_helps_the_other_channels_and_the_reversed_one_harms_them():
    x, weight = drawn(256, 32), drawn(32, 32, seed=6)
    x[:, 3] *= 100
    others = [channel for channel in range(32) if channel != 3]

    def error(factors: torch.Tensor) -> float:
        """Of the other channels, once rounded in 8 bits for all words and scaled back."""
        smooth, _ = rounding.smoothed(x, weight, factors)
        back = rounding.absmax(smooth, (0, 1)) * factors
        return float((back - x)[:, others].norm() / x[:, others].norm())

    right = rounding.smoothing(x.abs().amax(0), weight.abs().amax(0), 0.5)
    plain = error(torch.ones(32, dtype=x.dtype))
    assert error(right) < plain / 3
    assert error(1 / right) > 1.1 * plain
    assert error(1 / right) == pytest.approx(1, abs=0.05)  # nothing of them is left


@pytest.mark.parametrize("alpha", [-0.1, 1.5])
def test_an_alpha_outside_is_refused(alpha):
    with pytest.raises(BadExperiment, match="应在 0 到 1 之间"):
        rounding.smoothing(torch.ones(3), torch.ones(3), alpha)
