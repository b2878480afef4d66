"""Rotary positions: how a query meets a key depends only on how far apart they stand.

    pair i of a head turns by the angle  p · base^(−2i/h)   at position p
    (a, b) → (a cos − b sin, b cos + a sin),   a = x_i,  b = x_{i+h/2}

The two halves of a head form the pairs (not neighbours), as in the Llama code of Hugging Face.
Source: Su et al. 2021, arXiv 2104.09864, section 3.2.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Rotary:
    """Turns heads of `width` numbers; the slowest pair turns once in about 2π·`base` positions."""

    width: int
    base: float = 10_000.0

    def __call__(
        self, heads: Float[Tensor, "*batch positions width"], first: int = 0
    ) -> Float[Tensor, "*batch positions width"]:
        """The heads turned; the first of them stands at position `first`."""
        angles = self._angles(first, heads.shape[-2], heads.device)
        cosine, sine = angles.cos().to(heads.dtype), angles.sin().to(heads.dtype)
        a, b = heads.chunk(2, dim=-1)
        return torch.cat((a * cosine - b * sine, b * cosine + a * sine), dim=-1)

    def _angles(
        self, first: int, positions: int, device: torch.device
    ) -> Float[Tensor, "positions pairs"]:
        exponents = torch.arange(0, self.width, 2, dtype=torch.float32, device=device) / self.width
        places = torch.arange(first, first + positions, dtype=torch.float32, device=device)
        return torch.outer(places, self.base**-exponents)
