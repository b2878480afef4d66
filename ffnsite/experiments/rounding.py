"""Rounding to a grid of few levels, and what SmoothQuant does before it.

    absmax:   q = round(x / s),  x̂ = s q,   s = max|x| / (2^(b−1) − 1)      symmetric, b bits
    groups:   q = round((w − m) / s),  ŵ = s q + m,   m = min w,  s = (max w − min w) / (2^b − 1)
    smooth:   X̂ = X diag(s)⁻¹,  Ŵ = diag(s) W,   s_j = max|X_j|^a / max|W_j|^(1−a)

Every number that shares s is scaled by the largest of them: one that stands out leaves few levels
to the others. All results are floats again ("fake" quantisation), so the error can be measured.
`groups` with 32 numbers and 4 bits is the grid of GGUF's Q4_1. `smooth` is equations 3 and 4 of
Xiao et al. 2022 (SmoothQuant, arXiv 2211.10438): the activation is divided, the weight multiplied,
and the product stays what it was.
"""

from jaxtyping import Float
from torch import Tensor

from ffnsite.errors import BadExperiment

SMALLEST = 1e-5
"""Factors are kept away from zero, as in the code of SmoothQuant."""


def absmax(
    x: Float[Tensor, "*shape"], over: int | tuple[int, ...], bits: int = 8
) -> Float[Tensor, "*shape"]:
    """The numbers rounded symmetrically; those along the dimensions `over` share one scale."""
    scale = x.abs().amax(over, keepdim=True) / (2 ** (bits - 1) - 1)
    scale = scale.masked_fill(scale == 0, 1)  # all zeros stay zeros
    rounded: Tensor = (x / scale).round() * scale
    return rounded


def groups(
    weight: Float[Tensor, "outputs inputs"], size: int, bits: int = 4
) -> Float[Tensor, "outputs inputs"]:
    """The weight with every `size` neighbouring inputs of a row on a grid from their min to max.

    Raises:
        BadExperiment: a row does not divide into such groups.
    """
    outputs, inputs = weight.shape
    if inputs % size:
        raise BadExperiment(f"一行 {inputs} 个权重分不成 {size} 个一组")
    grouped = weight.reshape(outputs, inputs // size, size)
    low = grouped.amin(-1, keepdim=True)
    scale = (grouped.amax(-1, keepdim=True) - low) / (2**bits - 1)
    scale = scale.masked_fill(scale == 0, 1)
    rounded: Tensor = ((grouped - low) / scale).round() * scale + low
    return rounded.view(outputs, inputs)


def smoothing(
    activation_max: Float[Tensor, " inputs"], weight_max: Float[Tensor, " inputs"], alpha: float
) -> Float[Tensor, " inputs"]:
    """The factors s_j; an activation channel that stands out gets a large one.

    Args:
        activation_max: max|X_j| of each input channel over calibration text.
        weight_max: max|W_j| of each input channel over all outputs that read it.
        alpha: how much of the trouble moves from the activation to the weight, from 0 to 1.

    Raises:
        BadExperiment: alpha lies outside.
    """
    if not 0 <= alpha <= 1:
        raise BadExperiment(f"指数 alpha 应在 0 到 1 之间，这里是 {alpha}")
    moved = activation_max.clamp(min=SMALLEST) ** alpha
    return (moved / weight_max.clamp(min=SMALLEST) ** (1 - alpha)).clamp(min=SMALLEST)


def smoothed(
    x: Float[Tensor, "*words inputs"],
    weight: Float[Tensor, "outputs inputs"],
    factors: Float[Tensor, " inputs"],
) -> tuple[Float[Tensor, "*words inputs"], Float[Tensor, "outputs inputs"]]:
    """X diag(s)⁻¹ and W with its input channels multiplied by s; x Wᵀ is what it was."""
    return x / factors, weight * factors
