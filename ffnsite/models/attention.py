"""Attention: the sublayer that moves information between positions.

    q = x W_Q,  k = x W_K,  v = x W_V        split into heads of h numbers; positions turn q and k
    y = softmax(q kᵀ / √h + mask) v W_O      mask: −∞ where a key stands behind its query (causal)

Fewer key-value heads than query heads is grouped-query attention, one is multi-query attention:
every key-value head then serves `heads / kv_heads` query heads.
Sources: Vaswani et al. 2017, section 3.2; Shazeer 2019, arXiv 1911.02150; Ainslie et al. 2023,
arXiv 2305.13245.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ffnsite.models.rotary import Rotary


class KeysValues(NamedTuple):
    """What positions offer to later ones: keys (already turned) and values of each head."""

    keys: Float[Tensor, "batch kv_heads positions head_width"]
    values: Float[Tensor, "batch kv_heads positions head_width"]

    def followed_by(self, later: "KeysValues") -> "KeysValues":
        """These positions and then the later ones."""
        return KeysValues(
            torch.cat((self.keys, later.keys), dim=2),
            torch.cat((self.values, later.values), dim=2),
        )


class Attention(nn.Module):
    """Multi-head, grouped-query or multi-query attention.

    Args:
        d_model: width of the residual stream.
        heads: query heads.
        kv_heads: key-value heads; as many as query heads unless given.
        head_width: numbers in a head; d_model / heads unless given.
        bias: whether query, key and value have one.
        output_bias: whether the output projection has one; as `bias` unless given.
        causal: whether a position sees only itself and earlier ones.
        rotary: how positions turn queries and keys; not at all unless given.

    Raises:
        ValueError: the query heads cannot be shared out evenly.
    """

    def __init__(
        self,
        d_model: int,
        heads: int,
        kv_heads: int | None = None,
        head_width: int | None = None,
        bias: bool = False,
        output_bias: bool | None = None,
        causal: bool = True,
        rotary: Rotary | None = None,
    ) -> None:
        super().__init__()
        self.heads = heads
        self.kv_heads = heads if kv_heads is None else kv_heads
        self.head_width = d_model // heads if head_width is None else head_width
        self.causal = causal
        self.rotary = rotary
        if heads % self.kv_heads:
            raise ValueError(f"{heads} query heads cannot share {self.kv_heads} key-value heads")
        self.query = nn.Linear(d_model, heads * self.head_width, bias=bias)
        self.key = nn.Linear(d_model, self.kv_heads * self.head_width, bias=bias)
        self.value = nn.Linear(d_model, self.kv_heads * self.head_width, bias=bias)
        has_output_bias = bias if output_bias is None else output_bias
        self.output = nn.Linear(heads * self.head_width, d_model, bias=has_output_bias)

    def forward(
        self,
        x: Float[Tensor, "batch positions d_model"],
        past: KeysValues | None = None,
        queries: int | None = None,
    ) -> Float[Tensor, "batch asking d_model"]:
        """What each asking position gathers.

        Args:
            x: the positions to run, one after another.
            past: keys and values of the positions before `x`, if there are any.
            queries: only so many of the last positions ask; all of them unless given.
        """
        first = 0 if past is None else past.keys.shape[2]
        here = self.keys_values(x, first)
        seen = here if past is None else past.followed_by(here)
        skipped = 0 if queries is None else x.shape[1] - queries
        asked = self._turned(self._split(self.query(x[:, skipped:]), self.heads), first + skipped)
        gathered = self._weights(asked, seen.keys) @ seen.values.unsqueeze(2)
        out: Tensor = self.output(gathered.flatten(1, 2).transpose(1, 2).flatten(2))
        return out

    def keys_values(
        self, x: Float[Tensor, "batch positions d_model"], first: int = 0
    ) -> KeysValues:
        """Keys and values of the positions of `x`, the first of which stands at `first`."""
        return KeysValues(
            self._turned(self._split(self.key(x), self.kv_heads), first),
            self._split(self.value(x), self.kv_heads),
        )

    def _split(
        self, rows: Float[Tensor, "batch positions all_heads"], heads: int
    ) -> Float[Tensor, "batch heads positions head_width"]:
        batch, positions, _ = rows.shape
        return rows.view(batch, positions, heads, self.head_width).transpose(1, 2)

    def _turned(
        self, split: Float[Tensor, "batch heads positions head_width"], first: int
    ) -> Float[Tensor, "batch heads positions head_width"]:
        return split if self.rotary is None else self.rotary(split, first)

    def _weights(
        self,
        asked: Float[Tensor, "batch heads asking head_width"],
        keys: Float[Tensor, "batch kv_heads positions head_width"],
    ) -> Float[Tensor, "batch kv_heads group asking positions"]:
        """How much each query takes from each position; every row sums to one."""
        group = self.heads // self.kv_heads
        grouped = asked.reshape(-1, self.kv_heads, group, *asked.shape[2:])
        scores: Tensor = grouped @ keys.unsqueeze(2).transpose(-1, -2) * self.head_width**-0.5
        if self.causal:
            behind = _behind(asked.shape[2], keys.shape[2], keys.device)
            scores = scores.masked_fill(behind, -torch.inf)
        return scores.softmax(dim=-1)


def _behind(asking: int, positions: int, device: torch.device) -> Tensor:
    """True where a key stands behind its query; the queries are the last `asking` positions."""
    everywhere = torch.ones(asking, positions, dtype=torch.bool, device=device)
    return everywhere.triu(diagonal=positions - asking + 1)
