"""Who reads other positions? One word of a sentence is changed, and each sublayer is watched.

Two sentences differ in one word at position p. The residual stream that block l reads is taken from
the first sentence; a copy gets the second sentence's stream at p, and nothing else. Each part f of
the block then runs on both:

    change(i) = ‖f(x')_i − f(x)_i‖ / ‖f(x)_i‖            i: position

A part is position-wise exactly when change(i) = 0 for every i ≠ p. Both runs have the same shape,
so a position that reads nothing else repeats the same arithmetic and differs by no bit.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from ffnsite.errors import BadExperiment
from ffnsite.measurement import measurement
from ffnsite.models import smollm2
from ffnsite.models.llama import LlamaBlock

Part = Callable[[Tensor], Tensor]


@dataclass(frozen=True, slots=True)
class Watched:
    """What changing one position did.

    Attributes:
        words: the first sentence in tokens.
        other: the word of the second sentence.
        position: where they differ, from 0.
        changes: by part of the block, the relative change at each position.
    """

    words: tuple[str, ...]
    other: str
    position: int
    changes: dict[str, tuple[float, ...]]

    def moved(self, part: str) -> tuple[int, ...]:
        """The positions where this part's output is not the same to the bit."""
        return tuple(at for at, change in enumerate(self.changes[part]) if change)


@measurement
def one_word_changed(sentence: str, other: str, layer: int) -> Watched:
    """Watches block `layer` of SmolLM2-135M when one word of the sentence becomes another.

    Raises:
        BadExperiment: the sentences do not differ in exactly one token.
    """
    tokens, position = differing(sentence, other)
    model = smollm2.model()
    with torch.inference_mode():
        read = model.streams(model.embedding(torch.tensor(tokens)))[layer]
        first, second = read[:1], read[1:]
        swapped = first.clone()
        swapped[:, position] = second[:, position]
        changes = {
            name: changed(part, first, swapped)
            for name, part in parts_of(model.blocks[layer]).items()
        }
    named = [tuple(smollm2.tokenizer().decode([token]) for token in row) for row in tokens]
    return Watched(named[0], named[1][position], position, changes)


def differing(sentence: str, other: str) -> tuple[list[list[int]], int]:
    """The tokens of both sentences, and the one position where they differ.

    Raises:
        BadExperiment: there is not exactly one.
    """
    rows = [smollm2.tokenizer().encode(text).ids for text in (sentence, other)]
    if len(rows[0]) != len(rows[1]):
        raise BadExperiment(
            f"{sentence!r} 切成 {len(rows[0])} 个词元，{other!r} 切成 {len(rows[1])} 个；应一样多"
        )
    unlike = [at for at, (one, two) in enumerate(zip(*rows, strict=True)) if one != two]
    if len(unlike) != 1:
        raise BadExperiment(f"{sentence!r} 与 {other!r} 有 {len(unlike)} 个词元不同；应恰好 1 个")
    return rows, unlike[0]


def parts_of(block: LlamaBlock) -> dict[str, Part]:
    """The parts of a block, each as a function of the residual stream; norms stand in front.

    `full` is the block's own attention without its mask.
    """
    unmasked = copy.copy(block.attention)  # shares the weights
    unmasked.causal = False
    return {
        "norm": block.ffn_norm,
        "query": lambda x: block.attention.query(block.attention_norm(x)),
        "ffn": lambda x: block.ffn(block.ffn_norm(x)),
        "causal": lambda x: block.attention(block.attention_norm(x)),
        "full": lambda x: unmasked(block.attention_norm(x)),
    }


def changed(
    part: Part,
    before: Float[Tensor, "1 positions d_model"],
    after: Float[Tensor, "1 positions d_model"],
) -> tuple[float, ...]:
    """The relative change of the part's output at each position; 0 means the same bits."""
    old, new = part(before)[0], part(after)[0]
    ratio: Float[np.ndarray, " positions"] = ((new - old).norm(dim=-1) / old.norm(dim=-1)).numpy()
    return tuple(float(change) for change in ratio)
