"""Where eight bits hurt: the error of each linear layer's output, layer by layer, in SmolLM2.

    error = ‖Y − Ŷ‖ / ‖Y‖,   Y = X Wᵀ,   over all words but the first

Every layer is given the unrounded model's input, so its error is its own. `levels` says why: with
one scale for all words, the largest number of all decides how many levels are left to a channel.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from ffnsite.experiments import corpus, rounding
from ffnsite.experiments.quantizing import (
    SCHEMES,
    SITES,
    First,
    Rounded,
    Scheme,
    Site,
    largest_inputs,
    linear_of,
    site_inputs,
)
from ffnsite.measurement import measurement
from ffnsite.models import smollm2
from ffnsite.models.llama import LlamaBlock

COMPARED: Final = ("int8_tensor", "int8_word", "smooth_050")
LENGTH, CALIBRATED = 256, 2


@dataclass(frozen=True, slots=True)
class Errors:
    """At one place, with the first position rounded or exact.

    Attributes:
        by_scheme: the relative error of the outputs, for each scheme of `COMPARED`.
        levels: how many different whole numbers a channel takes over all other words when one
            scale serves the whole text; the median over channels.
        silent: the share of channels that are rounded to zero at every one of these words.
    """

    by_scheme: dict[str, Float[np.ndarray, " layers"]]
    levels: Float[np.ndarray, " layers"]
    silent: Float[np.ndarray, " layers"]


@measurement
def errors(source: corpus.Source) -> dict[First, dict[Site, Errors]]:
    """The errors at every place, on one row of text; two later rows calibrate SmoothQuant."""
    text = corpus.rows(source, 1 + CALIBRATED, LENGTH)
    model = smollm2.model()
    inputs = site_inputs(model, text[0])
    found: dict[First, dict[Site, Errors]] = {"rounded": {}, "exact": {}}
    for first, sites in found.items():
        largest = largest_inputs(model, first, text[1:])
        for site in SITES:
            pairs = list(zip(model.blocks, inputs[site], largest[site], strict=True))
            counts = [levels(x, first) for x in inputs[site]]
            sites[site] = Errors(
                {
                    name: np.array(
                        [error(b, site, x, SCHEMES[name], first, top) for b, x, top in pairs]
                    )
                    for name in COMPARED
                },
                np.array([middle for middle, _ in counts]),
                np.array([silent for _, silent in counts]),
            )
    return found


@torch.inference_mode()
def error(
    block: LlamaBlock,
    site: Site,
    x: Float[Tensor, "positions inputs"],
    scheme: Scheme,
    first: First,
    largest: Float[Tensor, " inputs"],
) -> float:
    """The relative error of all outputs that are made of this input, the first position aside."""
    linears = [linear_of(block, name) for name in SITES[site]]
    factors = None
    if scheme.alpha is not None:
        weights = torch.stack([linear.weight.abs().amax(0) for linear in linears]).amax(0)
        factors = rounding.smoothing(largest, weights, scheme.alpha)
    missed = whole = 0.0
    for linear in linears:
        right = linear(x)[1:]
        found = Rounded(linear, scheme, first, factors)(x[None])[0, 1:]
        missed += float((found - right).square().sum())
        whole += float(right.square().sum())
    return float(np.sqrt(missed / whole))


def levels(x: Float[Tensor, "positions inputs"], first: First) -> tuple[float, float]:
    """How many whole numbers the middle channel takes over the later words, and who takes only 0."""
    rounded = x[1:] if first == "exact" else x
    scale = rounded.abs().max() / 127
    whole = (x[1:] / scale).round()
    distinct = 1 + (whole.sort(dim=0).values.diff(dim=0) > 0).sum(dim=0)
    silent = (whole == 0).all(dim=0).float().mean()
    return float(np.median(distinct.numpy())), float(silent)
