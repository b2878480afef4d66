"""The gated feed-forward network: two branches up, one of them the gate of the other.

GLU is due to Dauphin et al. 2017 (arXiv 1612.08083); its use as the feed-forward layer of a
transformer, and the variants named here, to Shazeer 2020 (arXiv 2002.05202), equations 5 and 6.
"""

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

Gate: TypeAlias = Literal["sigmoid", "identity", "relu", "gelu", "silu"]
"""What the gate branch goes through."""

GATES: Final[dict[str, Callable[[Tensor], Tensor]]] = {
    "sigmoid": torch.sigmoid,
    "identity": torch.positive,
    "relu": functional.relu,
    "gelu": functional.gelu,
    "silu": functional.silu,
}

GATED_VARIANTS: Final[dict[str, Gate]] = {
    "GLU": "sigmoid",
    "Bilinear": "identity",
    "ReGLU": "relu",
    "GEGLU": "gelu",
    "SwiGLU": "silu",
}
"""The variants of Shazeer 2020, equations 5 and 6, by the names of the paper."""


class GatedFFN(nn.Module):
    """FFN(x) = (f(x Wg) * (x Wu)) Wd, with the product taken number by number.

    Shazeer 2020, equation 6, writes W for our Wg (gate), V for Wu (up) and W2 for Wd (down);
    f is the sigmoid in GLU, nothing in Bilinear, ReLU in ReGLU, GELU (with the exact normal
    distribution function) in GEGLU, and Swish with beta 1, also called SiLU, in SwiGLU.
    """

    def __init__(
        self, d_model: int, d_ff: int, activation: Gate = "silu", bias: bool = False
    ) -> None:
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=bias)
        self.up = nn.Linear(d_model, d_ff, bias=bias)
        self.down = nn.Linear(d_ff, d_model, bias=bias)
        self.activation = GATES[activation]

    def forward(self, x: Float[Tensor, "... d_model"]) -> Float[Tensor, "... d_model"]:
        """The layer's output, before any residual is added; the same for each position."""
        out: Tensor = self.down(self.hidden(x))
        return out

    def hidden(self, x: Float[Tensor, "... d_model"]) -> Float[Tensor, "... d_ff"]:
        """The product of the gate and the up branch, which the down matrix reads."""
        product: Tensor = self.activation(self.gate(x)) * self.up(x)
        return product
