"""One FFN, two readings: a product of matrices, and a sum over memories.

    product     y = W₂ f(W₁ x)
    memories    y = Σ_i f(k_i · x) v_i       k_i: row i of W₁, v_i: column i of W₂

The small layer has whole numbers, so that both can be done by hand and float64 rounds nothing. The
real one is a SwiGLU layer of SmolLM2-135M, where the coefficient is SiLU(g_i · x)(u_i · x).
Source: Geva et al. 2021, arXiv 2012.14913, section 2, equations 1 and 2 (biases left out there too).
"""

from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ffnsite.experiments.listening import listen
from ffnsite.experiments.values import said, top, vectors
from ffnsite.measurement import measurement
from ffnsite.models import smollm2
from ffnsite.models.ffn import FFN

X: Final = (2, 1)
KEYS: Final = ((1, 0), (-1, 1), (0, 1), (1, -1))
VALUES: Final = ((2, 0), (1, -2), (-1, 2), (1, 1))


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory of the small layer, with its part of the sum; whole numbers."""

    key: tuple[int, ...]
    score: int
    coefficient: int
    value: tuple[int, ...]
    part: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Used:
    """One memory that a word uses: its channel, coefficient, share of the sum, and what it says."""

    channel: int
    coefficient: float
    share: float
    says: str


@dataclass(frozen=True, slots=True)
class Word:
    """The last word of a sentence in one layer of SmolLM2-135M.

    Attributes:
        words: the sentence, token by token.
        used: its strongest memories by |c| ‖v‖, the strongest first.
        layer_says: the token that the sum of all memories says.
        model_says: the token that the model predicts in the end.
    """

    words: tuple[str, ...]
    used: tuple[Used, ...]
    layer_says: str
    model_says: str


@dataclass(frozen=True, slots=True)
class Difference:
    """The product against the sum, in float64, on what every layer reads at every word.

    Attributes:
        outputs: how many numbers were compared in each form.
        relu: the largest difference relative to the largest output, for ReLU between the up and
            the down matrix alone: the form with two matrices.
        swiglu: the same for the layers as they are.
    """

    outputs: int
    relu: float
    swiglu: float


def memories() -> tuple[Memory, ...]:
    """The small layer's memories at the word X."""
    found = []
    for key, value in zip(KEYS, VALUES, strict=True):
        score = sum(a * b for a, b in zip(key, X, strict=True))
        coefficient = max(score, 0)
        found.append(Memory(key, score, coefficient, value, tuple(coefficient * v for v in value)))
    return tuple(found)


@torch.inference_mode()
def product() -> tuple[int, ...]:
    """What the small layer answers to X by its two matrices."""
    ffn = FFN(len(X), len(KEYS), bias=False).double()
    ffn.up.weight = nn.Parameter(torch.tensor(KEYS, dtype=torch.float64))
    ffn.down.weight = nn.Parameter(torch.tensor(VALUES, dtype=torch.float64).T)
    return tuple(int(number) for number in ffn(torch.tensor(X, dtype=torch.float64)))


def summed(
    coefficients: Float[Tensor, "words d_ff"], values: Float[Tensor, "d_ff d_model"]
) -> Float[Tensor, "words d_model"]:
    """The sum over memories, one after another."""
    total = torch.zeros(len(coefficients), values.shape[1], dtype=values.dtype)
    for coefficient, value in zip(coefficients.T, values, strict=True):
        total += coefficient[:, None] * value
    return total


@measurement
@torch.inference_mode()
def last_word(sentence: str, layer: int, count: int) -> Word:
    """The strongest memories of this layer of SmolLM2-135M at the sentence's last word."""
    model, tokenizer, values = smollm2.model(), smollm2.tokenizer(), said()
    tokens = tokenizer.encode(sentence).ids
    heard: dict[int, Tensor] = {}
    final = listen(model, torch.tensor([tokens]), lambda at, c: heard.update({at: c[0, -1]}))
    ffn, c = model.blocks[layer].ffn, heard[layer]
    shares = c.abs() * vectors(ffn).norm(dim=1)
    says = values.of_layer(layer, c[None].numpy())[0]
    used = tuple(
        Used(
            channel,
            round(float(c[channel]), 4),
            round(float(shares[channel] / shares.sum()), 5),
            tokenizer.decode([int(says[channel])]),
        )
        for channel in shares.argsort(descending=True)[:count].tolist()
    )
    return Word(
        tuple(tokenizer.decode([token]) for token in tokens),
        used,
        tokenizer.decode(top(model, ffn.down(c)[None]).tolist()),
        tokenizer.decode([int(model.logits(final[0, -1]).argmax())]),
    )


@measurement
@torch.inference_mode()
def silenced(
    sentences: tuple[str, ...], following: str, layer: int, channel: int
) -> tuple[tuple[float, float], ...]:
    """The probability of the next word `following` after each sentence: as it is, and silenced.

    Silenced means that the coefficient of one memory of SmolLM2-135M is 0 at every word.
    """
    model, tokenizer = smollm2.model(), smollm2.tokenizer()
    token = tokenizer.encode(following).ids[0]

    def probability(tokens: Tensor, off: bool) -> float:
        stream: Tensor = model.embedding(tokens)
        for at, block in enumerate(model.blocks):
            stream = stream + block.attention(block.attention_norm(stream))
            coefficients = block.ffn.hidden(block.ffn_norm(stream))
            if off and at == layer:
                coefficients[..., channel] = 0
            stream = stream + block.ffn.down(coefficients)
        return float(model.logits(stream)[0, -1].softmax(dim=-1)[token])

    each = [torch.tensor([tokenizer.encode(sentence).ids]) for sentence in sentences]
    return tuple((probability(tokens, False), probability(tokens, True)) for tokens in each)


@measurement
@torch.inference_mode()
def difference(sentence: str) -> Difference:
    """How far the two forms are apart in all layers of SmolLM2-135M at all words."""
    model, tokenizer = smollm2.model(), smollm2.tokenizer()
    tokens = torch.tensor([tokenizer.encode(sentence).ids])
    stream: Tensor = model.embedding(tokens)
    outputs, relu, swiglu = 0, 0.0, 0.0
    for block in model.blocks:
        mixed = stream + block.attention(block.attention_norm(stream))
        x, ffn = block.ffn_norm(mixed)[0].double(), block.ffn
        up, gate = (linear.weight.double() for linear in (ffn.up, ffn.gate))
        down = ffn.down.weight.double()
        relu = max(relu, _apart((x @ up.T).clamp(min=0), down))
        swiglu = max(swiglu, _apart(nn.functional.silu(x @ gate.T) * (x @ up.T), down))
        outputs += x.numel()
        stream = mixed + ffn(block.ffn_norm(mixed))
    return Difference(outputs, relu, swiglu)


def _apart(coefficients: Float[Tensor, "words d_ff"], down: Float[Tensor, "d_model d_ff"]) -> float:
    by_matrix = coefficients @ down.T
    return float((summed(coefficients, down.T) - by_matrix).abs().max() / by_matrix.abs().max())
