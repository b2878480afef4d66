"""BERT: a post-norm encoder that sees a text from both sides.

    x_0 = LayerNorm(E[tokens] + P[0..n-1] + S[segments])
    x_(l+1) = PostNormBlock_l(x_l)           attention over all positions, GELU, biases everywhere
    pooled = tanh(x_L[first] W_p + b_p)      what a classifier of the whole text reads

Source: Devlin et al. 2019, arXiv 1810.04805, section 3 and figure 2; the pooler is in the
published code alone.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from ffnsite.models.attention import Attention
from ffnsite.models.block import PostNormBlock
from ffnsite.models.embedding import table
from ffnsite.models.ffn import FFN


@dataclass(frozen=True, slots=True)
class BertConfig:
    """The sizes of a BERT encoder; `segments` is how many texts it tells apart."""

    d_model: int
    d_ff: int
    layers: int
    heads: int
    vocabulary: int
    positions: int
    segments: int
    norm_eps: float = 1e-12


class Bert(nn.Module):
    """The encoder with its pooler, without the heads that only training needs."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        width, eps = config.d_model, config.norm_eps
        self.embedding = table(config.vocabulary, width)
        self.positions = table(config.positions, width)
        self.segments = table(config.segments, width)
        self.norm = nn.LayerNorm(width, eps=eps)
        self.blocks = nn.ModuleList(
            PostNormBlock(
                Attention(width, config.heads, bias=True, causal=False),
                FFN(width, config.d_ff, "gelu"),
                nn.LayerNorm(width, eps=eps),
                nn.LayerNorm(width, eps=eps),
            )
            for _ in range(config.layers)
        )
        self.pooler = nn.Linear(width, width)

    def forward(
        self, tokens: Int[Tensor, "batch n"], segments: Int[Tensor, "batch n"]
    ) -> Float[Tensor, "batch n d_model"]:
        """What the encoder knows of every position."""
        order = torch.arange(tokens.shape[1], device=tokens.device)
        summed = self.embedding(tokens) + self.positions(order) + self.segments(segments)
        stream: Tensor = self.norm(summed)
        for block in self.blocks:
            stream = block(stream)
        return stream

    def pooled(self, stream: Float[Tensor, "batch n d_model"]) -> Float[Tensor, "batch d_model"]:
        """One summary a text, from its first position."""
        summary: Tensor = torch.tanh(self.pooler(stream[:, 0]))
        return summary
