"""One block: attention, then the feed-forward layer, each added to the residual stream."""

from jaxtyping import Float
from torch import Tensor, nn


class PreNormBlock(nn.Module):
    """h = x + Attention(Norm(x));  y = h + FFN(Norm(h)).

    The norm stands in front of each sublayer, so the residual stream itself is never normalised:
    GPT-2 (Radford et al. 2019, section 2.3) and the Llama family.
    """

    def __init__(
        self,
        attention: nn.Module,
        ffn: nn.Module,
        attention_norm: nn.Module,
        ffn_norm: nn.Module,
    ) -> None:
        super().__init__()
        self.attention_norm = attention_norm
        self.attention = attention
        self.ffn_norm = ffn_norm
        self.ffn = ffn

    def forward(self, x: Float[Tensor, "... n d_model"]) -> Float[Tensor, "... n d_model"]:
        """The residual stream behind the block, for all n positions."""
        h: Tensor = x + self.attention(self.attention_norm(x))
        y: Tensor = h + self.ffn(self.ffn_norm(h))
        return y


class PostNormBlock(nn.Module):
    """h = Norm(x + Attention(x));  y = Norm(h + FFN(h)).

    The norm stands behind each addition, as published (Vaswani et al. 2017, section 3.1).
    """

    def __init__(
        self,
        attention: nn.Module,
        ffn: nn.Module,
        attention_norm: nn.Module,
        ffn_norm: nn.Module,
    ) -> None:
        super().__init__()
        self.attention = attention
        self.attention_norm = attention_norm
        self.ffn = ffn
        self.ffn_norm = ffn_norm

    def forward(self, x: Float[Tensor, "... n d_model"]) -> Float[Tensor, "... n d_model"]:
        """The residual stream behind the block, for all n positions."""
        h: Tensor = self.attention_norm(x + self.attention(x))
        y: Tensor = self.ffn_norm(h + self.ffn(h))
        return y


class ParallelBlock(nn.Module):
    """u = Norm(x);  y = x + Attention(u) + FFN(u).

    Both sublayers read the same normalised stream, so there is one norm only: PaLM (Chowdhery et
    al. 2022, section 2).
    """

    def __init__(self, attention: nn.Module, ffn: nn.Module, norm: nn.Module) -> None:
        super().__init__()
        self.norm = norm
        self.attention = attention
        self.ffn = ffn

    def forward(self, x: Float[Tensor, "... n d_model"]) -> Float[Tensor, "... n d_model"]:
        """The residual stream behind the block, for all n positions."""
        read: Tensor = self.norm(x)
        y: Tensor = x + self.attention(read) + self.ffn(read)
        return y
