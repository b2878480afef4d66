"""The Llama architecture in plain torch, open at every block.

    x₀   = E[tokens]                                  E: vocabulary × d
    x'   = x_l + Attention(RMSNorm(x_l))              grouped queries, rotary positions
    x_l₊₁ = x' + FFN(RMSNorm(x'))                      FFN(u) = W_down (SiLU(W_gate u) ⊙ W_up u)
    logits = RMSNorm(x_L) Wᵀ                          W = E when the head is tied
    RMSNorm(x) = g ⊙ x / √(mean(x²) + ε)

x_l is the residual stream that block l reads; block l writes x_l₊₁. Depth l names x_l, so depth 0
is the embedding.
Source: Touvron et al. 2023, arXiv 2302.13971, section 2.2.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from ffnsite.models.attention import Attention, KeysValues
from ffnsite.models.gated import GatedFFN
from ffnsite.models.rotary import Rotary

Stream = Float[Tensor, "batch positions d_model"]
Edit = Callable[[int, Tensor], Tensor]  # (depth, residual stream) -> residual stream
SublayerEdit = Callable[[str, Tensor], Tensor]  # ("attention" or "ffn", its output) -> its output


def as_it_is(name: str, output: Tensor) -> Tensor:  # noqa: ARG001 - a SublayerEdit
    """The edit that changes nothing."""
    return output


@dataclass(frozen=True, slots=True)
class LlamaConfig:
    """The sizes of a Llama model; `tied` says whether the head is the embedding."""

    d_model: int
    d_ff: int
    layers: int
    heads: int
    kv_heads: int
    head_width: int
    vocabulary: int
    tied: bool
    rope_base: float
    norm_eps: float


class LlamaBlock(nn.Module):
    """One pre-norm block: attention, then the gated FFN, each added to the residual stream."""

    def __init__(self, config: LlamaConfig) -> None:
        super().__init__()
        self.attention_norm = nn.RMSNorm(config.d_model, eps=config.norm_eps)
        self.attention = Attention(
            config.d_model,
            config.heads,
            config.kv_heads,
            config.head_width,
            rotary=Rotary(config.head_width, config.rope_base),
        )
        self.ffn_norm = nn.RMSNorm(config.d_model, eps=config.norm_eps)
        self.ffn = GatedFFN(config.d_model, config.d_ff)

    def forward(
        self,
        x: Stream,
        past: KeysValues | None = None,
        queries: int | None = None,
        edit: SublayerEdit = as_it_is,
    ) -> Float[Tensor, "batch asking d_model"]:
        """The stream after this block.

        Args:
            x: as `past` and `queries`, see `Attention.forward`.
            past: see there.
            queries: see there.
            edit: called with each sublayer's name and output; what it returns joins the stream.
        """
        asking = x if queries is None else x[:, x.shape[1] - queries :]
        mixed = asking + edit("attention", self.attention(self.attention_norm(x), past, queries))
        return mixed + edit("ffn", self.ffn(self.ffn_norm(mixed)))

    def keys_values(self, x: Stream, first: int = 0) -> KeysValues:
        """What the positions of `x` offer to later ones in this block."""
        offered: KeysValues = self.attention.keys_values(self.attention_norm(x), first)
        return offered


class Llama(nn.Module):
    """A Llama language model; build it under `torch.device("meta")` to count without memory."""

    def __init__(self, config: LlamaConfig) -> None:
        super().__init__()
        self.config = config
        # drawn here: nn.Embedding's own initialization loads torch's compiler on the meta device
        drawn = torch.randn(config.vocabulary, config.d_model)
        self.embedding: nn.Embedding = nn.Embedding.from_pretrained(drawn, freeze=False)  # type: ignore[no-untyped-call]
        self.blocks: Sequence[LlamaBlock] = nn.ModuleList(  # type: ignore[assignment]
            LlamaBlock(config) for _ in range(config.layers)
        )
        self.norm = nn.RMSNorm(config.d_model, eps=config.norm_eps)
        self.head = (
            None if config.tied else nn.Linear(config.d_model, config.vocabulary, bias=False)
        )

    def forward(
        self, tokens: Int[Tensor, "batch positions"]
    ) -> Float[Tensor, "batch positions vocabulary"]:
        """The logits of the next token at every position."""
        return self.logits(self.streams(self.embedding(tokens))[-1])

    def streams(
        self, embedded: Stream, edit: Edit | None = None
    ) -> Float[Tensor, "depths batch positions d_model"]:
        """The residual stream at every depth, from the embedding (0) to what the last block wrote.

        Args:
            embedded: depth 0.
            edit: called with each depth and its stream; what it returns is read by all above.
        """
        stream = embedded if edit is None else edit(0, embedded)
        kept = [stream]
        for depth, block in enumerate(self.blocks, start=1):
            stream = block(stream)
            stream = stream if edit is None else edit(depth, stream)
            kept.append(stream)
        return torch.stack(kept)

    def logits(self, stream: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch vocabulary"]:
        """The logits that a final residual stream stands for."""
        unembedding = self.embedding if self.head is None else self.head
        return functional.linear(self.norm(stream), unembedding.weight)
