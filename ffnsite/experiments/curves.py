"""The activation functions as curves: value, slope, and the lowest point of those that dip.

ReLU(z) = max(z, 0), GELU(z) = z Phi(z) with the normal distribution function Phi (Hendrycks and
Gimpel 2016, arXiv 1606.08415), Swish(z) = z / (1 + e^-z) (Ramachandran et al. 2017, arXiv
1710.05941). Slopes come from torch's autograd, in float64.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from ffnsite.measurement import measurement
from ffnsite.models.gated import GATES, Gate

_HALVINGS = 60


@dataclass(frozen=True, slots=True)
class Curve:
    """An activation on a grid of z.

    `lowest` is the place and the value of its minimum below zero, None where it has none.
    """

    z: Float[np.ndarray, " points"]
    value: Float[np.ndarray, " points"]
    slope: Float[np.ndarray, " points"]
    lowest: tuple[float, float] | None


@measurement
def curves(activations: tuple[Gate, ...]) -> tuple[Curve, ...]:
    """Each activation from -4 to 4 in steps of an eighth."""
    return tuple(curve(activation, 4.0, 0.125) for activation in activations)


def curve(activation: Gate, reach: float, step: float) -> Curve:
    """The activation from -reach to reach."""
    z = torch.arange(-reach, reach + step / 2, step, dtype=torch.float64)
    value, slope = value_and_slope(activation, z)
    return Curve(z.numpy(), value.numpy(), slope.numpy(), lowest(activation))


def value_and_slope(
    activation: Gate, z: Float[Tensor, " points"]
) -> tuple[Float[Tensor, " points"], Float[Tensor, " points"]]:
    """The activation at z and its derivative there."""
    at = z.clone().requires_grad_()
    value = GATES[activation](at)
    (slope,) = torch.autograd.grad(value.sum(), at)
    return value.detach(), slope


def lowest(activation: Gate) -> tuple[float, float] | None:
    """Where the slope turns from falling to rising between -3 and 0, and the value there."""
    low, high = -3.0, -1e-3
    if not _slope(activation, low) < 0 < _slope(activation, high):
        return None
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if _slope(activation, middle) > 0 else (middle, high)
    value, _ = value_and_slope(activation, torch.tensor([low], dtype=torch.float64))
    return low, float(value)


def _slope(activation: Gate, z: float) -> float:
    return float(value_and_slope(activation, torch.tensor([z], dtype=torch.float64))[1])
