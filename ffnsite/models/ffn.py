"""The feed-forward network of the transformer as published: up, a nonlinearity, down."""

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

Activation: TypeAlias = Literal["relu", "gelu", "gelu_tanh", "silu"]


def _gelu_tanh(x: Tensor) -> Tensor:
    return functional.gelu(x, approximate="tanh")


ACTIVATIONS: Final[dict[str, Callable[[Tensor], Tensor]]] = {
    "relu": functional.relu,
    "gelu": functional.gelu,
    "gelu_tanh": _gelu_tanh,
    "silu": functional.silu,
}
"""ReLU; GELU = x Phi(x) with the normal distribution function Phi (Hendrycks and Gimpel 2016,
arXiv 1606.08415), and its tanh approximation, which GPT-2 uses; Swish with beta 1, also called
SiLU (Ramachandran et al. 2017, arXiv 1710.05941)."""


class FFN(nn.Module):
    """FFN(x) = f(x W1 + b1) W2 + b2.

    Vaswani et al. 2017 (arXiv 1706.03762), equation 2, where f is ReLU. W1 is `up`, of shape
    (d_model, d_ff), W2 is `down`; without biases it is equation 2 of Shazeer 2020.
    """

    def __init__(
        self, d_model: int, d_ff: int, activation: Activation = "relu", bias: bool = True
    ) -> None:
        super().__init__()
        self.up = nn.Linear(d_model, d_ff, bias=bias)
        self.down = nn.Linear(d_ff, d_model, bias=bias)
        self.activation = ACTIVATIONS[activation]

    def forward(self, x: Float[Tensor, "... d_model"]) -> Float[Tensor, "... d_model"]:
        """The layer's output, before any residual is added; the same for each position."""
        out: Tensor = self.down(self.hidden(x))
        return out

    def hidden(self, x: Float[Tensor, "... d_model"]) -> Float[Tensor, "... d_ff"]:
        """What the nonlinearity lets through: the d_ff numbers that the down matrix reads."""
        activated: Tensor = self.activation(self.up(x))
        return activated
