"""Whole models of the first two generations: the encoder-decoder of 2017 and GPT-2."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from ffnsite.models.attention import Attention
from ffnsite.models.block import PreNormBlock
from ffnsite.models.embedding import table
from ffnsite.models.ffn import FFN


@dataclass(frozen=True, slots=True)
class GPT2Config:
    """The sizes of a GPT-2 model; `positions` is the longest text it can read."""

    d_model: int
    d_ff: int
    layers: int
    heads: int
    vocabulary: int
    positions: int
    norm_eps: float = 1e-5


class GPT2(nn.Module):
    """x0 = E[tokens] + P[0..n-1];  x(l+1) = block l of x(l);  logits = LayerNorm(xL) E^T.

    Pre-norm blocks with biases everywhere, GELU by its tanh approximation, the head tied to the
    token embedding: Radford et al. 2019, section 2.3. Under `torch.device("meta")` it is built
    without memory, to be counted.
    """

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embedding = table(config.vocabulary, config.d_model)
        self.positions = table(config.positions, config.d_model)
        self.blocks = nn.ModuleList(
            PreNormBlock(
                Attention(config.d_model, config.heads, bias=True),
                FFN(config.d_model, config.d_ff, "gelu_tanh"),
                nn.LayerNorm(config.d_model, eps=config.norm_eps),
                nn.LayerNorm(config.d_model, eps=config.norm_eps),
            )
            for _ in range(config.layers)
        )
        self.norm = nn.LayerNorm(config.d_model, eps=config.norm_eps)

    def forward(
        self, tokens: Int[Tensor, "batch positions"]
    ) -> Float[Tensor, "batch positions vocabulary"]:
        """The logits of the next token at every position."""
        order = torch.arange(tokens.shape[1], device=tokens.device)
        stream: Tensor = self.embedding(tokens) + self.positions(order)
        for block in self.blocks:
            stream = block(stream)
        logits: Tensor = self.norm(stream) @ self.embedding.weight.T
        return logits


@dataclass(frozen=True, slots=True)
class EncoderDecoderConfig:
    """The sizes of the 2017 Transformer; `layers` blocks on each side."""

    d_model: int
    d_ff: int
    layers: int
    heads: int
    vocabulary: int


class EncoderDecoder(nn.Module):
    """The Transformer of Vaswani et al. 2017, from the blocks that torch ships.

    A block of the encoder is PostNorm(Attention), PostNorm(FFN); one of the decoder has a second
    attention between them, which reads the encoder's output. One matrix is the embedding of both
    sides and the head (section 3.4); positions are sinusoids and cost nothing (section 3.5).
    torch's blocks give every projection a bias; the paper writes biases for the FFN alone.
    """

    def __init__(self, config: EncoderDecoderConfig) -> None:
        super().__init__()
        width, heads, inner = config.d_model, config.heads, config.d_ff
        self.embedding = table(config.vocabulary, width)
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(width, heads, inner, batch_first=True),
            config.layers,
            enable_nested_tensor=False,
        )
        self.decoder = nn.TransformerDecoder(
            nn.TransformerDecoderLayer(width, heads, inner, batch_first=True), config.layers
        )

    def forward(
        self,
        source: Int[Tensor, "batch source_positions"],
        target: Int[Tensor, "batch positions"],
    ) -> Float[Tensor, "batch positions vocabulary"]:
        """The logits of the next target token at every position of the target."""
        behind = nn.Transformer.generate_square_subsequent_mask(
            target.shape[1], device=target.device
        )
        memory = self.encoder(self._embedded(source))
        stream = self.decoder(self._embedded(target), memory, tgt_mask=behind, tgt_is_causal=True)
        logits: Tensor = stream @ self.embedding.weight.T
        return logits

    def _embedded(self, tokens: Int[Tensor, "batch n"]) -> Float[Tensor, "batch n d_model"]:
        width = self.embedding.embedding_dim
        rows: Tensor = self.embedding(tokens) * width**0.5
        return rows + _sinusoids(tokens.shape[1], width)


def _sinusoids(positions: int, width: int) -> Float[Tensor, "positions width"]:
    """PE(p, 2i) = sin(p / 10000^(2i / d)), PE(p, 2i+1) = cos(…), section 3.5."""
    rates = 10_000 ** (-torch.arange(0, width, 2) / width)
    angles = torch.arange(positions)[:, None] * rates
    return torch.stack((angles.sin(), angles.cos()), dim=2).flatten(1)
