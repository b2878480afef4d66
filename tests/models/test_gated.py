"""The gated layers against equations 5 and 6 of Shazeer 2020, written out in float64."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from ffnsite.models.gated import GATED_VARIANTS, GatedFFN

EQUATIONS: dict[str, Callable[[float], float]] = {
    "GLU": lambda z: 1 / (1 + math.exp(-z)),
    "Bilinear": lambda z: z,
    "ReGLU": lambda z: max(z, 0.0),
    "GEGLU": lambda z: z * 0.5 * (1 + math.erf(z / math.sqrt(2))),
    "SwiGLU": lambda z: z / (1 + math.exp(-z)),
}


def by_hand(layer: GatedFFN, x: Tensor, gate: Callable[[float], float]) -> list[float]:
    """One position through the layer, in plain Python sums over rows of the matrices."""

    def times(matrix: Tensor, row: list[float]) -> list[float]:
        return [sum(w * v for w, v in zip(out, row, strict=True)) for out in matrix.tolist()]

    row = x.tolist()
    opened = [gate(z) for z in times(layer.gate.weight, row)]
    product = [g * u for g, u in zip(opened, times(layer.up.weight, row), strict=True)]
    return times(layer.down.weight, product)


@pytest.mark.parametrize("name", EQUATIONS)
def test_variant_equals_its_equation_in_float64(name):
    torch.manual_seed(0)
    layer = GatedFFN(6, 10, GATED_VARIANTS[name]).double()
    x = 2 * torch.randn(4, 6, dtype=torch.float64)
    expected = torch.tensor(
        [by_hand(layer, row, EQUATIONS[name]) for row in x], dtype=torch.float64
    )
    torch.testing.assert_close(layer(x), expected, rtol=1e-12, atol=1e-12)


def test_every_variant_of_the_paper_has_an_equation_here():
    assert set(EQUATIONS) == set(GATED_VARIANTS)


def test_swiglu_of_one_number_is_the_number_worked_by_hand():
    layer = GatedFFN(1, 1).double()
    for matrix, weight in ((layer.gate, 2.0), (layer.up, 3.0), (layer.down, 0.5)):
        torch.nn.init.constant_(matrix.weight, weight)
    # x = 1: gate 2, Swish(2) = 2 / (1 + e^-2) = 1.7615941559557649, up 3, half of the product
    assert layer(torch.ones(1, dtype=torch.float64)).item() == pytest.approx(2.642391233933647)


def test_biases_are_added_before_the_gate_and_after_each_product():
    layer = GatedFFN(1, 1, "identity", bias=True).double()
    for matrix, weight, bias in ((layer.gate, 2.0, 1), (layer.up, 3.0, 2), (layer.down, 5.0, 4)):
        torch.nn.init.constant_(matrix.weight, weight)
        torch.nn.init.constant_(matrix.bias, bias)
    assert layer(torch.ones(1, dtype=torch.float64)).item() == (2 + 1) * (3 + 2) * 5 + 4


def test_the_gate_exceeds_one_and_falls_below_zero_in_swiglu():
    opened = GatedFFN(1, 1).activation(torch.tensor([3.0, -1.0]))
    assert opened[0] > 1
    assert opened[1] < 0
