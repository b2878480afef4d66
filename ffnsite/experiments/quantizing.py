"""What rounding the linear layers of SmolLM2 costs: cross-entropy on text it was not fitted to.

A scheme rounds the input of a linear layer (the words), its weight, or both; `where` says which
linear layers of every block; the embedding, the norms, the softmax and the output head stay in
float32. The first position of a text is special (massive activations, Sun et al. 2024,
arXiv 2402.17762), so every scheme that rounds words can leave it as it is.

    where         inputs that are rounded
    query_key_value   the attention's norm        → W_Q, W_K, W_V
    output            what the heads gathered     → W_O
    gate_up           the FFN's norm              → W_gate, W_up
    down              Swish(gate) * up            → W_down
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, cast

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from ffnsite.errors import BadExperiment
from ffnsite.experiments import corpus, rounding
from ffnsite.measurement import measurement
from ffnsite.models import smollm2
from ffnsite.models.llama import Llama, LlamaBlock

Site: TypeAlias = Literal["query_key_value", "output", "gate_up", "down"]
First: TypeAlias = Literal["rounded", "exact"]
"""Whether the first position's activations are rounded like all others, or left as they are."""

SITES: Final[dict[Site, tuple[str, ...]]] = {
    "query_key_value": ("attention.query", "attention.key", "attention.value"),
    "output": ("attention.output",),
    "gate_up": ("ffn.gate", "ffn.up"),
    "down": ("ffn.down",),
}
"""The linear layers that read the same input."""

WHERE: Final[dict[str, tuple[Site, ...]]] = {
    "all": ("query_key_value", "output", "gate_up", "down"),
    "attention": ("query_key_value", "output"),
    "ffn": ("gate_up", "down"),
    **{site: (site,) for site in SITES},
}

EVALUATED, CALIBRATED, LENGTH = 8, 4, 256
"""Rows of the text that the loss is taken on, rows that come after them for calibration, tokens."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """How numbers are rounded.

    Attributes:
        words: which words share the scale of an input: `tensor` all of a text, `word` none;
            `float` leaves inputs alone, `bf16` and `fp16` round each number to that format.
        weights: which weights share a scale: the whole matrix, a row (one output), or so many
            neighbouring inputs of a row (a group, asymmetric); `float`, `bf16`, `fp16` as above.
        bits: of the weight; an input always has 8.
        size: of a group; 0 is a whole row.
        alpha: SmoothQuant's, applied before rounding.
    """

    words: Literal["float", "tensor", "word", "bf16", "fp16"]
    weights: Literal["float", "tensor", "row", "group", "bf16", "fp16"]
    bits: int = 8
    size: int = 0
    alpha: float | None = None


SCHEMES: Final[dict[str, Scheme]] = {
    "float": Scheme("float", "float"),
    "int8_tensor": Scheme("tensor", "tensor"),
    "int8_tensor_rows": Scheme("tensor", "row"),
    "int8_word": Scheme("word", "row"),
    "smooth_000": Scheme("tensor", "tensor", alpha=0.0),
    "smooth_025": Scheme("tensor", "tensor", alpha=0.25),
    "smooth_050": Scheme("tensor", "tensor", alpha=0.5),
    "smooth_075": Scheme("tensor", "tensor", alpha=0.75),
    "smooth_100": Scheme("tensor", "tensor", alpha=1.0),
    "smooth_word_050": Scheme("word", "row", alpha=0.5),
    "weight8_row": Scheme("float", "row"),
    "weight4_32": Scheme("float", "group", bits=4, size=32),
    "weight4_64": Scheme("float", "group", bits=4, size=64),
    "weight4_192": Scheme("float", "group", bits=4, size=192),
    "weight4_row": Scheme("float", "group", bits=4),
    "bf16": Scheme("bf16", "bf16"),
    "fp16": Scheme("fp16", "fp16"),
}
FORMATS: Final = {"bf16": torch.bfloat16, "fp16": torch.float16}


@dataclass(frozen=True, slots=True)
class Cost:
    """How much worse the rounded model guesses the next word.

    Attributes:
        rise: the mean rise of the cross-entropy, in nats, over all rows.
        error: its standard error over rows, each against itself unrounded.
        plain: the cross-entropy of the unrounded model.
        words: next words that were guessed.
    """

    rise: float
    error: float
    plain: float
    words: int


class Rounded(nn.Module):
    """A linear layer with its weight rounded once and its input at every call."""

    def __init__(
        self,
        linear: nn.Linear,
        scheme: Scheme,
        first: First,
        factors: Float[Tensor, " inputs"] | None = None,
    ) -> None:
        super().__init__()
        self.scheme, self.first = scheme, first
        self.factors = torch.ones(linear.in_features) if factors is None else factors
        self.weight = rounded_weight(linear.weight * self.factors, scheme)

    def forward(self, x: Float[Tensor, "batch positions inputs"]) -> Tensor:
        """The rounded input times the rounded weight."""
        kept = 1 if self.first == "exact" else 0
        smooth = x / self.factors
        words = rounded_words(smooth[:, kept:], self.scheme)
        return functional.linear(torch.cat((smooth[:, :kept], words), dim=1), self.weight)


def rounded_words(
    x: Float[Tensor, "batch positions inputs"], scheme: Scheme
) -> Float[Tensor, "batch positions inputs"]:
    """The input of a linear layer, rounded; each text of the batch has its own scale."""
    if scheme.words == "tensor":
        return rounding.absmax(x, (-2, -1))
    if scheme.words == "word":
        return rounding.absmax(x, -1)
    return x if scheme.words == "float" else x.to(FORMATS[scheme.words]).float()


def rounded_weight(
    weight: Float[Tensor, "outputs inputs"], scheme: Scheme
) -> Float[Tensor, "outputs inputs"]:
    """The weight, rounded."""
    if scheme.weights == "tensor":
        return rounding.absmax(weight, (0, 1), scheme.bits)
    if scheme.weights == "row":
        return rounding.absmax(weight, 1, scheme.bits)
    if scheme.weights == "group":
        return rounding.groups(weight, scheme.size or weight.shape[1], scheme.bits)
    return weight if scheme.weights == "float" else weight.to(FORMATS[scheme.weights]).float()


@measurement
def cost(scheme: str, where: str, first: First, source: corpus.Source) -> Cost:
    """What this scheme costs on the first rows of a text; later rows calibrate SmoothQuant.

    Raises:
        BadExperiment: there is no such scheme or place.
    """
    chosen, sites = look_up(scheme, where)
    text = corpus.rows(source, EVALUATED + CALIBRATED, LENGTH)
    model = rounded_model(smollm2.model(), chosen, sites, first, text[EVALUATED:])
    before = np.array(plain_losses(source))
    rises = np.array(row_losses(model, text[:EVALUATED])) - before
    return Cost(
        rise=float(rises.mean()),
        error=float(rises.std(ddof=1) / np.sqrt(len(rises))),
        plain=float(before.mean()),
        words=EVALUATED * (LENGTH - 1),
    )


@measurement
def plain_losses(source: corpus.Source) -> tuple[float, ...]:
    """The cross-entropy of the unrounded model on each row."""
    text = corpus.rows(source, EVALUATED + CALIBRATED, LENGTH)
    return row_losses(smollm2.model(), text[:EVALUATED])


def look_up(scheme: str, where: str) -> tuple[Scheme, tuple[Site, ...]]:
    """The scheme and the places of these names.

    Raises:
        BadExperiment: there is no such scheme or place.
    """
    if scheme not in SCHEMES:
        raise BadExperiment(f"没有量化方案 {scheme!r}；可用 {'、'.join(SCHEMES)}")
    if where not in WHERE:
        raise BadExperiment(f"没有 {where!r} 这个部位；可用 {'、'.join(WHERE)}")
    return SCHEMES[scheme], WHERE[where]


@torch.inference_mode()
def row_losses(model: Llama, text: Int[Tensor, "rows positions"]) -> tuple[float, ...]:
    """The mean cross-entropy, in nats, of all next words of each row."""
    return tuple(float(functional.cross_entropy(model(row[None])[0, :-1], row[1:])) for row in text)


@torch.inference_mode()
def rounded_model(
    model: Llama,
    scheme: Scheme,
    sites: tuple[Site, ...],
    first: First,
    calibration: Int[Tensor, "rows positions"],
) -> Llama:
    """The model with the linear layers at these places rounded; the given one stays as it is."""
    largest = None if scheme.alpha is None else largest_inputs(model, first, calibration)
    rounded = shell(model)
    for layer, block in enumerate(rounded.blocks):
        for site in sites:
            known = None if largest is None else largest[site][layer]
            _round_site(block, site, scheme, first, known)
    return rounded


def _round_site(
    block: LlamaBlock, site: Site, scheme: Scheme, first: First, largest: Tensor | None
) -> None:
    linears = {name: linear_of(block, name) for name in SITES[site]}
    factors = None
    if largest is not None and scheme.alpha is not None:
        weights = torch.stack([linear.weight.abs().amax(0) for linear in linears.values()])
        factors = rounding.smoothing(largest, weights.amax(0), scheme.alpha)
    for name, linear in linears.items():
        block.set_submodule(name, Rounded(linear, scheme, first, factors))


def linear_of(block: LlamaBlock, name: str) -> nn.Linear:
    """The linear layer of this name in a block, such as `ffn.down`."""
    return cast("nn.Linear", block.get_submodule(name))


def shell(model: Llama) -> Llama:
    """Another model on the same weights, whose layers may be exchanged."""
    with torch.device("meta"):
        empty = Llama(model.config)
    empty.load_state_dict(model.state_dict(), assign=True)
    return empty.eval().requires_grad_(False)


def largest_inputs(
    model: Llama, first: First, text: Int[Tensor, "rows positions"]
) -> dict[Site, Float[Tensor, "layers inputs"]]:
    """max|X_j| of every input channel at every place, over the words that would be rounded."""
    kept = 1 if first == "exact" else 0
    found: dict[Site, Tensor] = {}
    for row in text:
        for site, inputs in site_inputs(model, row).items():
            largest = inputs[:, kept:].abs().amax(1)
            found[site] = torch.maximum(found[site], largest) if site in found else largest
    return found


@torch.inference_mode()
def site_inputs(
    model: Llama, row: Int[Tensor, " positions"]
) -> dict[Site, Float[Tensor, "layers positions inputs"]]:
    """What the linear layers read at every place, layer and position."""
    heard: dict[Site, list[Tensor]] = {site: [] for site in SITES}
    listening = shell(model)
    for block, site in _places(listening):
        linear = linear_of(block, SITES[site][0])
        linear.register_forward_pre_hook(
            lambda _, given, site=site: heard[site].append(given[0][0])
        )
    listening(row[None])
    return {site: torch.stack(inputs) for site, inputs in heard.items()}


def _places(model: Llama) -> Iterator[tuple[LlamaBlock, Site]]:
    for block in model.blocks:
        for site in SITES:
            yield block, site
