"""The two-matrix layer against equation 2 of Vaswani et al. 2017, written out in float64."""

import math
from collections.abc import Callable

import pytest
import torch

from ffnsite.models.ffn import ACTIVATIONS, FFN

ROOT = math.sqrt(2 / math.pi)

EQUATIONS: dict[str, Callable[[float], float]] = {
    "relu": lambda z: max(z, 0.0),
    "gelu": lambda z: z * 0.5 * (1 + math.erf(z / math.sqrt(2))),
    "gelu_tanh": lambda z: 0.5 * z * (1 + math.tanh(ROOT * (z + 0.044715 * z**3))),
    "silu": lambda z: z / (1 + math.exp(-z)),
}


def by_hand(layer: FFN, row: list[float], activation: Callable[[float], float]) -> list[float]:
    """One position through the layer, in plain Python sums."""

    def affine(linear: torch.nn.Linear, values: list[float]) -> list[float]:
        rows = zip(linear.weight.tolist(), linear.bias.tolist(), strict=True)
        return [b + sum(w * v for w, v in zip(out, values, strict=True)) for out, b in rows]

    return affine(layer.down, [activation(z) for z in affine(layer.up, row)])


@pytest.mark.parametrize("name", EQUATIONS)
def test_layer_equals_its_equation_in_float64(name):
    torch.manual_seed(0)
    layer = FFN(6, 24, name).double()
    x = 2 * torch.randn(4, 6, dtype=torch.float64)
    expected = [by_hand(layer, row.tolist(), EQUATIONS[name]) for row in x]
    torch.testing.assert_close(
        layer(x), torch.tensor(expected, dtype=torch.float64), rtol=1e-12, atol=1e-12
    )


def test_every_activation_has_an_equation_here():
    assert set(EQUATIONS) == set(ACTIVATIONS)


def test_relu_layer_of_one_number_is_the_number_worked_by_hand():
    layer = FFN(1, 2).double()
    layer.load_state_dict(
        {
            "up.weight": torch.tensor([[2.0], [-3.0]]),
            "up.bias": torch.tensor([1.0, 1.0]),
            "down.weight": torch.tensor([[10.0, 100.0]]),
            "down.bias": torch.tensor([0.5]),
        }
    )
    # x = 1: up gives 3 and -2, ReLU 3 and 0, down 30, plus a half
    assert layer(torch.ones(1, dtype=torch.float64)).item() == 30.5


def test_without_biases_zero_goes_to_zero():
    assert FFN(3, 12, bias=False)(torch.zeros(2, 3)).abs().sum().item() == 0


def test_hidden_is_what_the_nonlinearity_lets_through():
    torch.manual_seed(1)
    layer = FFN(4, 16).double()
    x = torch.randn(5, 4, dtype=torch.float64)
    assert layer.hidden(x).shape == (5, 16)
    assert (layer.hidden(x) >= 0).all()
    torch.testing.assert_close(layer.down(layer.hidden(x)), layer(x))
