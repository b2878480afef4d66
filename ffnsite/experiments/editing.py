"""Can a fact be rewritten in one matrix? Rank-one model editing (ROME) of SmolLM2-135M.

    W' = W + (v* − W k*) (C⁻¹ k*)ᵀ / (k*ᵀ C⁻¹ k*)

W is the down matrix of one layer's FFN, k* the key that stands for the subject (`edit_key`), v* the
value that makes the model say the new answer (`edit_value`), C the second moment of keys on real text.
Then W' k* = v*, and of all matrices that do this W' is the one whose outputs on that text differ least
from those of W, by the mean square. Every row of W changes, by one pattern of rank one.

The model is as it was after an edit: its parameter is replaced for the time of a `with` block, never
written into.
Source: Meng et al. 2022, arXiv 2202.05262, equation 2 and section 3.1; the rewrite score is that of
Hase et al. 2023, arXiv 2301.04213, section 3.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ffnsite.errors import BadExperiment
from ffnsite.experiments import edit_key, edit_value
from ffnsite.experiments.edit_key import PREFIXES, contexts
from ffnsite.experiments.edit_value import Search
from ffnsite.measurement import measurement
from ffnsite.models import smollm2
from ffnsite.models.llama import Llama

KNOWN = 0.2
"""A prompt counts as one whose answer the model knows from this probability on."""

DIGITS = 5


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model answers to a prompt before and after an edit.

    Attributes:
        prompt: the prompt.
        old: P(old answer), before and after.
        new: P(new answer), before and after.
        says: the most probable token, before and after.
    """

    prompt: str
    old: tuple[float, float]
    new: tuple[float, float]
    says: tuple[str, str]

    @property
    def turned(self) -> bool:
        """Whether the new answer is more probable than the old one after the edit."""
        return self.new[1] > self.old[1]

    @property
    def rewrite_score(self) -> float:
        """How much of the way to certainty the new answer has gone: (P' − P) / (1 − P)."""
        return (self.new[1] - self.new[0]) / (1 - self.new[0])


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit and what came of it.

    Attributes:
        size: ‖W' − W‖ / ‖W‖, Frobenius norms.
        moved: ‖v* − W k*‖ / ‖W k*‖.
        asked: the prompt that was edited.
        paraphrases: the same question in other words.
        neighbours: questions about other subjects with the same old answer.
    """

    size: float
    moved: float
    asked: Answer
    paraphrases: tuple[Answer, ...]
    neighbours: tuple[Answer, ...]


@measurement
def edit(
    prompt: str,
    subject: str,
    old: str,
    new: str,
    paraphrases: tuple[str, ...],
    neighbours: tuple[str, ...],
    layer: int,
) -> Edit:
    """Rewrites one fact of SmolLM2-135M in one layer; the model is as before when this returns.

    Raises:
        BadExperiment: the model does not know an answer, or as `tracing.subject_span`.
    """
    model = smollm2.model()
    prompts = (prompt, *paraphrases, *neighbours)
    before = [_says(model, each, old, new) for each in prompts]
    for each, (chance, _, _) in zip(prompts, before, strict=True):
        if chance < KNOWN:
            raise BadExperiment(
                f"{each!r} 之后 {old!r} 的概率只有 {chance:.2f}，要到 {KNOWN} 才算模型知道"
            )
    key, value = sought(model, prompt, subject, new, layer)
    weight = model.blocks[layer].ffn.down.weight
    changed = rank_one(weight, key, value, edit_key.second_moment(layer))
    with rewritten(model.blocks[layer].ffn.down, changed):
        after = [_says(model, each, old, new) for each in prompts]
    answers = [
        Answer(each, (b[0], a[0]), (b[1], a[1]), (b[2], a[2]))
        for each, b, a in zip(prompts, before, after, strict=True)
    ]
    now = weight @ key
    return Edit(
        size=_rounded((changed - weight).norm() / weight.norm()),
        moved=_rounded((value - now).norm() / now.norm()),
        asked=answers[0],
        paraphrases=tuple(answers[1 : 1 + len(paraphrases)]),
        neighbours=tuple(answers[1 + len(paraphrases) :]),
    )


def sought(
    model: Llama, prompt: str, subject: str, new: str, layer: int, how: Search | None = None
) -> tuple[Float[Tensor, " d_ff"], Float[Tensor, " d_model"]]:
    """k* and v* for an edit of this layer of SmolLM2-135M."""
    tokenizer = smollm2.tokenizer()
    asked = contexts(tokenizer, prompt, subject)
    # Not the first token of a text: whatever stands there is treated as the beginning of a text.
    essence = contexts(tokenizer, f"{subject} is a", subject, PREFIXES[1:])
    key = edit_key.subject_key(model, layer, asked)
    target = tokenizer.encode(new).ids[0]
    value = model.blocks[layer].ffn.down.weight @ key
    return key, edit_value.search(model, layer, asked, essence, target, value, how or Search())


@torch.no_grad()
def rank_one(
    weight: Float[Tensor, "d_model d_ff"],
    key: Float[Tensor, " d_ff"],
    value: Float[Tensor, " d_model"],
    moment: Float[Tensor, "d_ff d_ff"],
) -> Float[Tensor, "d_model d_ff"]:
    """W', in the type of `weight`; computed in float64.

    Raises:
        BadExperiment: the second moment is singular: it is of fewer tokens than d_ff.
    """
    exact, k = weight.double(), key.double()
    across, singular = torch.linalg.solve_ex(moment.double(), k)
    if singular:
        raise BadExperiment(f"C 不可逆：词元要多于 d_ff = {len(k)} 个")
    step = torch.outer(value.double() - exact @ k, across / (k @ across))
    return (exact + step).to(weight.dtype)


@contextmanager
def rewritten(linear: nn.Linear, weight: Tensor) -> Iterator[None]:
    """Has `linear` use this weight inside the block, and its own one, untouched, afterwards."""
    own = linear.weight
    linear.weight = nn.Parameter(weight, requires_grad=False)
    try:
        yield
    finally:
        linear.weight = own


@torch.no_grad()
def _says(model: Llama, prompt: str, old: str, new: str) -> tuple[float, float, str]:
    """P(old), P(new) and the most probable token after the prompt."""
    tokenizer = smollm2.tokenizer()
    chances = model(torch.tensor([tokenizer.encode(prompt).ids]))[0, -1].softmax(dim=-1)
    tokens = [tokenizer.encode(answer).ids[0] for answer in (old, new)]
    top = int(chances.argmax())
    return _rounded(chances[tokens[0]]), _rounded(chances[tokens[1]]), tokenizer.decode([top])


def _rounded(number: Tensor) -> float:
    return round(float(number), DIGITS)
