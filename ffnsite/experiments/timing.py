"""Where do the seconds of SmolLM2-135M go, while it reads a text and while it writes one?

    prefill    N tokens at once: every weight that is read serves N multiply-adds
    decode     one token behind n cached ones: every weight that is read serves one

Both are run by hand from the weights of the model, part by part, in float32: projections, the
mixing of positions (scores, softmax, weighted sums), FFN, head, and the rest (norms and additions).
A decode step writes its keys and values into a cache that is already as long as it will get, and
no head's keys are copied for the query heads that share them; a prefill mixes by torch's fused
causal attention, which never holds the N x N matrix and skips most of its empty half, or by
explicit products of the whole matrix. In the same row stand this machine's bandwidth and its peak,
taken right before, so that the parts can be set against what the machine can do.

Seconds are those of the processor on one thread: another program that takes a turn meanwhile does
not count, though it slows the memory down. Of the rounds the least is taken, part by part. Seconds
vary; operations and bytes do not.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from ffnsite.errors import BadExperiment
from ffnsite.experiments.clock import now, one_thread, seconds
from ffnsite.experiments.operations import operations
from ffnsite.measurement import measurement
from ffnsite.models import smollm2
from ffnsite.models.attention import Attention, KeysValues
from ffnsite.models.llama import Llama, LlamaBlock

Phase: TypeAlias = Literal["decode", "prefill", "prefill_explicit"]
Mix: TypeAlias = Callable[[Tensor, KeysValues], Tensor]
"""(queries, keys and values) of all heads, already turned -> what each query gathers."""

PARTS = ("projections", "mixing", "ffn", "head", "rest")
FLOAT = 4
"""Bytes of a number in float32."""
STREAMED = 2**27
"""Numbers in the array whose reading times the memory: half a gigabyte, beyond any cache here."""
SIDE = 2048
"""The side of the square matrices whose product times the arithmetic."""


@dataclass(frozen=True, slots=True)
class Timing:
    """One phase at one context.

    Attributes:
        flops: operations of the step by part, counted by torch; of fused mixing those of explicit.
        weights: bytes of the weights by part; each is read once in a step.
        cache: bytes of the cached keys and values that a decode step reads.
        seconds: the least seconds by part.
        bandwidth: bytes a second that one thread reads from memory.
        peak: operations a second of one thread in a large matrix product.
    """

    flops: dict[str, int]
    weights: dict[str, int]
    cache: int
    seconds: dict[str, float]
    bandwidth: float
    peak: float


class Clock:
    """Seconds by part."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PARTS, 0.0)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Whatever runs inside is of this part."""
        started = now()
        yield
        self.seconds[name] += now() - started


@measurement
@torch.inference_mode()
def split(phase: Phase, context: int, rounds: int) -> Timing:
    """Times one prefill of `context` tokens, or one decode step behind so many.

    The first round also warms up: asking for two at least makes the least one a warm one.

    Raises:
        BadExperiment: there is nothing to read, or no round.
    """
    if context < 1 or rounds < 1:
        raise BadExperiment(f"上下文 {context} 和轮数 {rounds} 都至少是 1")
    model = smollm2.model()
    run = decoding(model, context) if phase == "decode" else prefilling(model, phase, context)
    with one_thread():
        bandwidth, peak = machine()
        clocks = [timed(run) for _ in range(rounds)]
    return Timing(
        flops=flops(model, phase, context),
        weights=weights(model),
        cache=FLOAT * cached_numbers(model) * context if phase == "decode" else 0,
        seconds={part: min(clock.seconds[part] for clock in clocks) for part in PARTS},
        bandwidth=bandwidth,
        peak=peak,
    )


def timed(run: Callable[[Clock], object]) -> Clock:
    """The clock after one run; what no other part took is the rest."""
    clock = Clock()
    started = now()
    run(clock)
    clock.seconds["rest"] = now() - started - sum(clock.seconds.values())
    return clock


def machine(rounds: int = 3) -> tuple[float, float]:
    """Bytes a second and operations a second that this machine reaches, the best of some rounds."""
    row, square = torch.ones(STREAMED), torch.ones(SIDE, SIDE)
    read = min(seconds(row.sum) for _ in range(rounds))
    multiplied = min(seconds(lambda: square @ square) for _ in range(rounds))
    return FLOAT * STREAMED / read, 2 * SIDE**3 / multiplied


def decoding(model: Llama, context: int) -> Callable[[Clock], Tensor]:
    """A step behind `context` cached tokens, whose keys and values are drawn."""
    config = model.config
    generator = np.random.default_rng(context)
    shape = (len(model.blocks), 2, 1, config.kv_heads, context + 1, config.head_width)
    drawn = torch.from_numpy(generator.standard_normal(shape, dtype=np.float32))
    caches = [KeysValues(keys, values) for keys, values in drawn]
    x = model.embedding(torch.tensor([[0]]))
    return lambda clock: step(model, x, caches, clock)


def step(
    model: Llama, x: Float[Tensor, "1 1 d_model"], caches: list[KeysValues], clock: Clock
) -> Float[Tensor, "1 1 vocabulary"]:
    """The logits behind one new token; it becomes the last of the caches."""
    for block, cache in zip(model.blocks, caches, strict=True):
        x = through(block, x, cache.keys.shape[2] - 1, cached(cache), clock)
    return head(model, x, clock)


def prefilling(model: Llama, phase: Phase, context: int) -> Callable[[Clock], Tensor]:
    """A prefill of drawn tokens that ends with the logits of the last one."""
    generator = np.random.default_rng(context)
    tokens = torch.from_numpy(generator.integers(model.config.vocabulary, size=(1, context)))
    x, mix = model.embedding(tokens), fused if phase == "prefill" else explicit
    return lambda clock: prefill(model, x, mix, clock)


def prefill(
    model: Llama, x: Float[Tensor, "1 n d_model"], mix: Mix, clock: Clock
) -> Float[Tensor, "1 1 vocabulary"]:
    """The logits behind the last position."""
    for block in model.blocks:
        x = through(block, x, 0, mix, clock)
    return head(model, x[:, -1:], clock)


def through(
    block: LlamaBlock, x: Float[Tensor, "1 n d_model"], first: int, mix: Mix, clock: Clock
) -> Float[Tensor, "1 n d_model"]:
    """The stream behind one block, the positions of `x` standing at `first` and after."""
    attention: Attention = block.attention
    read = block.attention_norm(x)
    with clock.part("projections"):
        asked, offered = queries(attention, read, first), attention.keys_values(read, first)
    with clock.part("mixing"):
        gathered = mix(asked, offered)
    with clock.part("projections"):
        mixed = attention.output(gathered.transpose(1, 2).flatten(2))
    x = x + mixed
    read = block.ffn_norm(x)
    with clock.part("ffn"):
        written = block.ffn(read)
    out: Tensor = x + written
    return out


def queries(
    attention: Attention, read: Float[Tensor, "1 n d_model"], first: int
) -> Float[Tensor, "1 heads n head_width"]:
    """The queries of all heads, turned to their positions."""
    rows: Tensor = attention.query(read).unflatten(-1, (attention.heads, attention.head_width))
    asked: Tensor = rows.transpose(1, 2)
    if attention.rotary is None:
        return asked
    turned: Tensor = attention.rotary(asked, first)
    return turned


def head(
    model: Llama, x: Float[Tensor, "1 n d_model"], clock: Clock
) -> Float[Tensor, "1 n vocabulary"]:
    """The logits."""
    with clock.part("head"):
        logits: Tensor = model.logits(x)
    return logits


def cached(cache: KeysValues) -> Mix:
    """One query against all of the cache, whose last row is its own; no key is copied."""

    def mix(asked: Tensor, offered: KeysValues) -> Tensor:
        cache.keys[:, :, -1:], cache.values[:, :, -1:] = offered
        grouped = asked.reshape(*cache.keys.shape[:2], -1, asked.shape[-1])
        scores = grouped @ cache.keys.transpose(-1, -2) * asked.shape[-1] ** -0.5
        gathered: Tensor = scores.softmax(dim=-1) @ cache.values
        return gathered.reshape(asked.shape)

    return mix


def fused(asked: Tensor, offered: KeysValues) -> Tensor:
    """The causal attention that torch ships."""
    gathered: Tensor = functional.scaled_dot_product_attention(
        asked, offered.keys, offered.values, is_causal=True, enable_gqa=True
    )
    return gathered


def explicit(asked: Tensor, offered: KeysValues) -> Tensor:
    """Two matrix products with the whole N x N matrix between them."""
    grouped = asked.reshape(1, offered.keys.shape[1], -1, *asked.shape[2:])
    scores = grouped @ offered.keys.unsqueeze(2).transpose(-1, -2) * asked.shape[-1] ** -0.5
    behind = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
    weights = scores.masked_fill_(behind, -torch.inf).softmax(dim=-1)
    gathered: Tensor = (weights @ offered.values.unsqueeze(2)).flatten(1, 2)
    return gathered


def flops(model: Llama, phase: Phase, context: int) -> dict[str, int]:
    """Operations by part: linear layers counted for the tokens that run, pairs by formula."""
    config, block = model.config, model.blocks[0]
    rows, seen = (1, context + 1) if phase == "decode" else (context, context)
    x, last = torch.zeros(1, rows, config.d_model), torch.zeros(1, 1, config.d_model)
    projections = (block.attention.query, block.attention.key, block.attention.value)
    gathered = torch.zeros(1, rows, config.heads * config.head_width)
    linear = sum(operations(partial(layer, x)) for layer in projections)
    linear += operations(lambda: block.attention.output(gathered))
    return {
        "projections": config.layers * linear,
        "mixing": config.layers * 4 * rows * seen * config.heads * config.head_width,
        "ffn": config.layers * operations(lambda: block.ffn(x)),
        "head": operations(lambda: model.logits(last)),
    }


def weights(model: Llama) -> dict[str, int]:
    """Bytes of the weights by part; the head is the token embedding."""
    block = model.blocks[0]
    each = {"projections": block.attention, "ffn": block.ffn}
    found = {
        part: len(model.blocks) * sum(FLOAT * weight.numel() for weight in module.parameters())
        for part, module in each.items()
    }
    return found | {"head": FLOAT * model.embedding.weight.numel()}


def cached_numbers(model: Llama) -> int:
    """Numbers that a cached token holds over all layers."""
    return model.config.layers * 2 * model.config.kv_heads * model.config.head_width
