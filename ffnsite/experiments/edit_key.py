"""Which key stands for a subject? The first half of an edit by ROME.

    k  = Swish(W_gate x) ⊙ W_up x      what the down matrix of an FFN reads at one token, d_ff numbers
    k* = mean of k at the subject's last token, over the prompt alone and behind several prefixes
    C  = mean of k kᵀ over the tokens of real text          the uncentred second moment of keys

The paper's FFN has two matrices and its key is f(W_fc x); in a gated FFN the product of both branches
stands in its place, because it is what the last matrix reads.
Source: Meng et al. 2022, arXiv 2202.05262, section 3.1, step 1 and equation 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import torch
from jaxtyping import Float, Int
from tokenizers import Tokenizer
from torch import Tensor

from ffnsite.errors import BadExperiment
from ffnsite.experiments import corpus
from ffnsite.experiments.tracing import subject_span
from ffnsite.models import smollm2
from ffnsite.models.llama import Llama

PREFIXES = (
    "",
    "It rained all night. ",
    "She closed the old book. ",
    "The train was late again. ",
)
"""What the prompt is read behind; the empty one is the prompt alone."""

ROWS, LENGTH = 50, 128
"""The text that C is measured on: so many rows of networkx's prose, each of so many tokens."""

BATCH = 10


@dataclass(frozen=True, slots=True)
class Contexts:
    """Texts that end alike, so that the subject's last token is the same place from the end in each.

    Attributes:
        batches: the tokens, texts of equal length in one batch.
        behind: how many tokens follow the subject's last one.
    """

    batches: tuple[Int[Tensor, "_ _"], ...]
    behind: int


def contexts(
    tokenizer: Tokenizer, prompt: str, subject: str, prefixes: Sequence[str] = PREFIXES
) -> Contexts:
    """The prompt behind each prefix.

    Raises:
        BadExperiment: the subject is a text's first token, or as `tracing.subject_span`.
    """
    _, after = subject_span(tokenizer, prompt, subject)
    behind = len(tokenizer.encode(prompt).ids) - after
    by_length: dict[int, list[list[int]]] = {}
    for prefix in prefixes:
        tokens = tokenizer.encode(prefix + prompt).ids
        if len(tokens) <= behind + 1:
            raise BadExperiment(f"{prompt!r} 里主语只是第一个词元：前面要有词，才有主语的上文")
        by_length.setdefault(len(tokens), []).append(tokens)
    return Contexts(tuple(torch.tensor(texts) for texts in by_length.values()), behind)


@torch.no_grad()
def subject_key(model: Llama, layer: int, found: Contexts) -> Float[Tensor, " d_ff"]:
    """k* of this layer."""
    at = -1 - found.behind
    keys = [keys_of(model, layer, batch)[:, at] for batch in found.batches]
    return torch.cat(keys).mean(dim=0)


def keys_of(
    model: Llama, layer: int, tokens: Int[Tensor, "texts positions"]
) -> Float[Tensor, "texts positions d_ff"]:
    """What the down matrix of this layer reads at every token."""
    stream = model.embedding(tokens)
    for block in model.blocks[:layer]:
        stream = block(stream)
    block = model.blocks[layer]
    mixed = stream + block.attention(block.attention_norm(stream))
    keys: Tensor = block.ffn.hidden(block.ffn_norm(mixed))
    return keys


@cache
def second_moment(layer: int) -> Float[Tensor, "d_ff d_ff"]:
    """C of a layer of SmolLM2-135M, in float64; kept for the life of the process."""
    return moment(smollm2.model(), layer, corpus.rows("networkx", ROWS, LENGTH))


@torch.no_grad()
def moment(
    model: Llama, layer: int, tokens: Int[Tensor, "rows positions"]
) -> Float[Tensor, "d_ff d_ff"]:
    """The mean of k kᵀ over all tokens, in float64."""
    total = torch.zeros(model.config.d_ff, model.config.d_ff, dtype=torch.float64)
    for batch in torch.split(tokens, BATCH):
        keys = keys_of(model, layer, batch).flatten(0, 1)
        total += (keys.T @ keys).double()
    return total / tokens.numel()
