"""Two words side by side through an FFN: by hand in a tiny one, and in a real one.

    tiny    up = W₁ x + b₁    hidden = ReLU(up)                   out = W₂ hidden + b₂
    real    up = W_up x       hidden = Swish(W_gate x) · up       out = W_down hidden
    both    stream = what came in + out

The tiny layer has small whole numbers, so that every step can be done by hand and float64 rounds
nothing. The real one is a block of SmolLM2-135M, whose FFN reads the normed stream.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from ffnsite.measurement import measurement
from ffnsite.models import smollm2
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


@dataclass(frozen=True, slots=True)
class Real:
    """Two words of a sentence in one block of SmolLM2; the first axis is the word.

    Attributes:
        words: the two words.
        before: the stream behind attention, to which the FFN's output is added.
        x: the normed stream that the FFN reads.
        hidden: Swish(gate) times up.
        out: what the FFN writes.
    """

    words: tuple[str, ...]
    before: Float[np.ndarray, "two d_model"]
    x: Float[np.ndarray, "two d_model"]
    hidden: Float[np.ndarray, "two d_ff"]
    out: Float[np.ndarray, "two d_model"]

    def strongest(self, word: int, units: int) -> list[int]:
        """The hidden units of largest absolute value for this word, the largest first."""
        return [int(unit) for unit in np.argsort(-np.abs(self.hidden[word]))[:units]]

    def shared(self, units: int) -> int:
        """How many of the strongest units are among those of both words."""
        return len(set(self.strongest(0, units)) & set(self.strongest(1, units)))


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


@measurement
@torch.inference_mode()
def real_words(sentence: str, positions: tuple[int, int], layer: int) -> Real:
    """The words at these positions (from 0) in block `layer` of SmolLM2-135M."""
    model, tokenizer = smollm2.model(), smollm2.tokenizer()
    tokens = tokenizer.encode(sentence).ids
    block = model.blocks[layer]
    read = model.streams(model.embedding(torch.tensor([tokens])))[layer]
    before = (read + block.attention(block.attention_norm(read)))[0, list(positions)]
    x = block.ffn_norm(before)
    words = tuple(tokenizer.decode([tokens[at]]).strip() for at in positions)
    stages = (before, x, block.ffn.hidden(x), block.ffn(x))
    return Real(words, *(stage.numpy() for stage in stages))
