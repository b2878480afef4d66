"""Mixture of experts: several feed-forward layers of which each position runs only a few.

    s = x W_r                                one score an expert
    T = the k experts with the largest scores
    g_i = exp(s_i) / Σ_{j in T} exp(s_j)     for i in T: the gates of a position sum to one
    y = Σ_{i in T} g_i E_i(x)                E_i: an FFN or a gated FFN

Sources: Shazeer et al. 2017, arXiv 1701.06538, section 2.1; Jiang et al. 2024 (Mixtral),
arXiv 2401.04088, section 2.1, whose softmax over the k chosen scores is the one here.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Routing(NamedTuple):
    """Where positions go: the chosen experts, best first, and the weight of each."""

    experts: Int[Tensor, "*positions active"]
    gates: Float[Tensor, "*positions active"]


class MoE(nn.Module):
    """A router and its experts; see the equation above.

    Args:
        d_model: width of the residual stream.
        experts: the feed-forward layers to choose from.
        active: how many of them each position runs.

    Raises:
        ValueError: `active` is not between one and the number of experts.
    """

    def __init__(self, d_model: int, experts: Sequence[nn.Module], active: int) -> None:
        super().__init__()
        if not 1 <= active <= len(experts):
            raise ValueError(f"{active} active experts cannot be chosen from {len(experts)}")
        self.router = nn.Linear(d_model, len(experts), bias=False)
        self.experts = nn.ModuleList(experts)
        self.active = active

    def forward(self, x: Float[Tensor, "... d_model"]) -> Float[Tensor, "... d_model"]:
        """The layer's output, before any residual is added; an expert sees its positions alone."""
        rows = x.reshape(-1, x.shape[-1])
        routing = self.route(rows)
        out = torch.zeros_like(rows)
        for index, expert in enumerate(self.experts):
            row, rank = (routing.experts == index).nonzero(as_tuple=True)
            out.index_add_(0, row, routing.gates[row, rank, None] * expert(rows[row]))
        return out.view_as(x)

    def route(self, x: Float[Tensor, "*positions d_model"]) -> Routing:
        """The experts that each position runs, and how much each of them counts."""
        scores, experts = self.router(x).topk(self.active, dim=-1)
        return Routing(experts, scores.softmax(dim=-1))
