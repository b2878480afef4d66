"""Where does each memory answer the loudest? The strongest words of a text, for every key at once.

Only the strongest so far are kept while the text goes by: 30 layers of 1,536 coefficients at
20,000 words would be four gigabytes.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from ffnsite.experiments.listening import listen
from ffnsite.models.llama import Llama

AT_ONCE = 8
"""Rows that go through the model together."""


@dataclass(frozen=True, slots=True)
class Triggers:
    """The strongest triggers of every memory, the strongest first.

    Attributes:
        coefficients: c there, with its sign; the strongest is the largest in absolute value.
        places: where, as row · length + position.
        first: the largest absolute value of c at the first word of a row.
    """

    coefficients: Float[np.ndarray, "layers d_ff kept"]
    places: Int[np.ndarray, "layers d_ff kept"]
    first: Float[np.ndarray, "layers d_ff"]


@dataclass(slots=True)
class Strongest:
    """The strongest of one layer so far, d_ff first."""

    coefficients: Float[Tensor, "d_ff kept"]
    places: Int[Tensor, "d_ff kept"]
    first: Float[Tensor, " d_ff"]

    def hear(
        self,
        coefficients: Float[Tensor, "rows positions d_ff"],
        places: Int[Tensor, "rows positions"],
    ) -> None:
        """Takes in the coefficients of some rows; their first and last words are no triggers."""
        self.first = self.first.maximum(coefficients[:, 0].abs().amax(dim=0))
        heard = coefficients[:, 1:-1].flatten(0, 1).T
        kept = self.coefficients.shape[1]
        both = torch.cat((self.coefficients, heard), dim=1)
        where = places[:, 1:-1].flatten().expand(len(heard), -1)
        best = both.abs().topk(kept, dim=1).indices
        self.coefficients = both.gather(1, best)
        self.places = torch.cat((self.places, where), dim=1).gather(1, best)


def triggers(model: Llama, rows: Int[Tensor, "rows length"], kept: int) -> Triggers:
    """The strongest triggers of every memory of the model on these rows of tokens.

    A row's first word is left out: massive activations stand there, whatever the word is. So is
    its last, whose next word is not read. Rows must offer at least `kept` other words.
    """
    config = model.config
    layers = [
        Strongest(
            torch.zeros(config.d_ff, kept),
            torch.zeros(config.d_ff, kept, dtype=torch.int64),
            torch.zeros(config.d_ff),
        )
        for _ in model.blocks
    ]
    places = torch.arange(rows.numel()).view_as(rows)
    for part, where in zip(torch.split(rows, AT_ONCE), torch.split(places, AT_ONCE), strict=True):
        listen(model, part, lambda layer, heard, where=where: layers[layer].hear(heard, where))  # type: ignore[misc]
    return Triggers(
        *(
            torch.stack([getattr(layer, side) for layer in layers]).numpy()
            for side in ("coefficients", "places", "first")
        )
    )
