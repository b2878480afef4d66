"""A table with one row for each token, position or segment: row i of E is what i becomes."""

import torch
from torch import nn


def table(rows: int, width: int) -> nn.Embedding:
    """An embedding of standard normal rows.

    As `nn.Embedding`, but drawn here: its own initialisation loads torch's compiler on the meta
    device, which takes longer than building the largest model there.
    """
    drawn = torch.randn(rows, width)
    made: nn.Embedding = nn.Embedding.from_pretrained(drawn, freeze=False)  # type: ignore[no-untyped-call]
    return made
