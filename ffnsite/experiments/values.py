"""What does a memory say? Each value vector of an FFN, read as a distribution over the next token.

    logits of the value    E (g ⊙ v)     E: the unembedding, g: the gain of the final norm

The final norm also divides by the length of what it reads. For one vector alone that is a positive
factor, which moves no token past another, so it is left out and no probability is told here. In a
SwiGLU layer a coefficient may be negative; then the value is subtracted, and what it says is the
lowest token instead of the highest.
Source: Geva et al. 2021, arXiv 2012.14913, section 4 (there without g: that model has no final norm
between the stream and the unembedding).
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from ffnsite.measurement import measurement
from ffnsite.models import smollm2
from ffnsite.models.gated import GatedFFN
from ffnsite.models.llama import Llama

AT_ONCE = 512
"""Vectors whose logits are held at a time: 100 MB with a vocabulary of 49,152."""


@dataclass(frozen=True, slots=True)
class Said:
    """What every value of every layer says when it is added, and when it is subtracted.

    Attributes:
        added: the token of the highest logit.
        subtracted: the token of the lowest logit.
        added_peak: how far the highest logit stands above the mean of all, in standard deviations.
        subtracted_peak: how far the lowest stands below the mean.
    """

    added: Int[np.ndarray, "layers d_ff"]
    subtracted: Int[np.ndarray, "layers d_ff"]
    added_peak: Float[np.ndarray, "layers d_ff"]
    subtracted_peak: Float[np.ndarray, "layers d_ff"]

    def by(
        self, coefficients: Float[np.ndarray, "layers d_ff triggers"]
    ) -> Int[np.ndarray, "layers d_ff triggers"]:
        """The token that each memory says with a coefficient of this sign."""
        added, subtracted = self.added[..., None], self.subtracted[..., None]
        said: np.ndarray = np.where(coefficients > 0, added, subtracted)
        return said

    def of_layer(
        self, layer: int, coefficients: Float[np.ndarray, "words d_ff"]
    ) -> Int[np.ndarray, "words d_ff"]:
        """The token that each memory of one layer says at each word."""
        said: np.ndarray = np.where(coefficients > 0, self.added[layer], self.subtracted[layer])
        return said


@measurement
def said() -> Said:
    """What the values of SmolLM2-135M say."""
    return said_by(smollm2.model())


@torch.inference_mode()
def said_by(model: Llama) -> Said:
    """What the values of this model say."""
    layers = [ends(model, vectors(block.ffn)) for block in model.blocks]
    return Said(*(np.stack(side) for side in zip(*layers, strict=True)))


def vectors(ffn: GatedFFN) -> Float[Tensor, "d_ff d_model"]:
    """The value vectors: the columns of the down matrix."""
    return ffn.down.weight.T


def read(model: Llama, vector: Float[Tensor, "*many d_model"]) -> Float[Tensor, "*many vocabulary"]:
    """The logits of vectors, through the final gain and the unembedding, but for a factor."""
    unembedding = model.embedding if model.head is None else model.head
    return (vector * model.norm.weight) @ unembedding.weight.T


@torch.inference_mode()
def top(model: Llama, vector: Float[Tensor, "many d_model"]) -> Int[Tensor, " many"]:
    """The token of the highest logit of each vector."""
    return torch.cat([read(model, part).argmax(dim=-1) for part in torch.split(vector, AT_ONCE)])


def ends(model: Llama, vector: Float[Tensor, "many d_model"]) -> tuple[np.ndarray, ...]:
    """Highest and lowest token of each vector, and how far each stands out (two decimals)."""
    parts = [_ends(read(model, part)) for part in torch.split(vector, AT_ONCE)]
    high, low, above, below = (torch.cat(side).numpy() for side in zip(*parts, strict=True))
    return high, low, _rounded(above), _rounded(below)


def _ends(logits: Float[Tensor, "many vocabulary"]) -> tuple[Tensor, ...]:
    deviation, mean = torch.std_mean(logits, dim=-1, correction=0)
    highest, lowest = logits.max(dim=-1), logits.min(dim=-1)
    above, below = (highest.values - mean) / deviation, (mean - lowest.values) / deviation
    return highest.indices, lowest.indices, above, below


def _rounded(numbers: Float[np.ndarray, " many"]) -> Float[np.ndarray, " many"]:
    return np.round(numbers.astype(np.float64), 2)
