"""One small input from end to end: two words of two numbers through a ReLU FFN of width four.

Small whole numbers, so that every step can be done by hand and float64 rounds nothing.

    up = W₁ x + b₁      hidden = ReLU(up)      out = W₂ hidden + b₂      stream = x + out
"""

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor, nn

from ffnsite.models.ffn import FFN

W1: Final = ((1, 0), (0, 1), (-1, 1), (1, -2))
B1: Final = (0, -1, 0, 1)
W2: Final = ((1, 0, 1, -1), (1, -1, 0, 1))
B2: Final = (1, 0)
WORDS: Final = {"a": (2, -1), "b": (-1, 3)}


@dataclass(frozen=True, slots=True)
class Steps:
    """What a word is at each step; whole numbers."""

    x: tuple[int, ...]
    up: tuple[int, ...]
    hidden: tuple[int, ...]
    out: tuple[int, ...]
    stream: tuple[int, ...]


def layer() -> FFN:
    """The layer in float64."""
    ffn = FFN(len(W1[0]), len(W1)).double()
    for linear, weight, bias in ((ffn.up, W1, B1), (ffn.down, W2, B2)):
        linear.weight = nn.Parameter(torch.tensor(weight, dtype=torch.float64))
        linear.bias = nn.Parameter(torch.tensor(bias, dtype=torch.float64))
    return ffn


@torch.inference_mode()
def walked() -> dict[str, Steps]:
    """Both words, run together through the real module."""
    ffn = layer()
    x = torch.tensor([*WORDS.values()], dtype=torch.float64)
    out = ffn(x)
    stages = (x, ffn.up(x), ffn.hidden(x), out, x + out)
    return {word: Steps(*(_whole(stage[at]) for stage in stages)) for at, word in enumerate(WORDS)}


def _whole(numbers: Tensor) -> tuple[int, ...]:
    return tuple(int(number) for number in numbers)
