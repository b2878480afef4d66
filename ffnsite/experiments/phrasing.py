"""Ask the same fact in other words: are the same channels at work?

Every prompt ranks all channels of all FFNs by their attribution to its answer (`attribution`), once at
the prompt's last token and once at the subject's last token. Two prompts are compared by how many of
their `TOP` channels they share, and by Spearman's correlation of both rankings. If channels hold the
fact, prompts about one fact agree and prompts about different facts do not; if they follow the question,
prompts that ask alike agree, whatever they ask about.
Source of the question: Chen et al., arXiv 2405.14117, section 2.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int

from ffnsite.errors import BadExperiment
from ffnsite.experiments.attribution import attributions
from ffnsite.experiments.tracing import subject_span
from ffnsite.measurement import measurement
from ffnsite.models import smollm2

KNOWN = 0.4
TOP = 50
DIGITS = 4


@dataclass(frozen=True, slots=True)
class Asked:
    """One prompt of one fact."""

    prompt: str
    subject: str
    answer: str


@dataclass(frozen=True, slots=True)
class Ranked:
    """The channels of all prompts at one token of each.

    Attributes:
        top: the channels with the highest attribution, the highest first: layer · d_ff + channel.
        correlation: Spearman's correlation of the attributions of two prompts, over all channels.
    """

    top: Int[np.ndarray, "prompts top"]
    correlation: Float[np.ndarray, "prompts prompts"]

    def shared(self, one: int, other: int) -> float:
        """The share of the top channels of one prompt that are among those of the other."""
        common = np.intersect1d(self.top[one], self.top[other])
        return float(len(common) / self.top.shape[1])


@dataclass(frozen=True, slots=True)
class Agreement:
    """What the prompts' channels have in common.

    Attributes:
        clean: the answer's probability after each prompt.
        last: the channels at the prompt's last token.
        subject: the channels at the subject's last token.
    """

    clean: tuple[float, ...]
    last: Ranked
    subject: Ranked


@measurement
def agreement(asked: tuple[Asked, ...]) -> Agreement:
    """Ranks the channels of SmolLM2-135M for every prompt.

    Raises:
        BadExperiment: the model does not know an answer, or as `tracing.subject_span`.
    """
    found = [_attributed(one) for one in asked]
    clean, last, subject = zip(*found, strict=True)
    return Agreement(tuple(clean), ranked(np.stack(last)), ranked(np.stack(subject)))


def _attributed(one: Asked) -> tuple[float, np.ndarray, np.ndarray]:
    """P(answer), and the attribution of every channel at the last token and at the subject's last."""
    model, tokenizer = smollm2.model(), smollm2.tokenizer()
    tokens = torch.tensor([tokenizer.encode(one.prompt).ids])
    target = tokenizer.encode(one.answer).ids[0]
    with torch.no_grad():
        clean = float(
            model.logits(model.streams(model.embedding(tokens))[-1, 0, -1]).softmax(-1)[target]
        )
    if clean <= KNOWN:
        raise BadExperiment(
            f"{one.prompt!r} 之后 {one.answer!r} 的概率只有 {clean:.2f}，要大于 {KNOWN} 才算模型知道"
        )
    _, behind = subject_span(tokenizer, one.prompt, one.subject)
    every = attributions(model, tokens, target)
    at_last, at_subject = every[:, -1].flatten().numpy(), every[:, behind - 1].flatten().numpy()
    return round(clean, DIGITS), at_last, at_subject


def ranked(attributed: Float[np.ndarray, "prompts channels"], top: int = TOP) -> Ranked:
    """The top channels of every prompt, and the correlation of the prompts' rankings."""
    order = np.argsort(-attributed, axis=1, kind="stable")
    ranks = np.argsort(order, axis=1).astype(float)
    return Ranked(order[:, :top], np.round(np.corrcoef(ranks), DIGITS))
