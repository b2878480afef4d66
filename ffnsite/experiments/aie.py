"""Which part of the model carries facts, on average? Indirect effects by the role of a token.

One row is one fact traced with one draw of noise (`tracing`); the study `aie` takes many facts and
draws. Averages over facts are taken by whoever reads the rows, so that intervals can be over facts.
Source: Meng et al. 2022, arXiv 2202.05262, section 2.2 and figure 2.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ffnsite.errors import BadExperiment
from ffnsite.experiments.tracing import WINDOW, Site, Trace, trace
from ffnsite.measurement import measurement

KNOWN = 0.4
DIGITS = 5


@dataclass(frozen=True, slots=True)
class Effects:
    """One traced fact.

    Attributes:
        tokens: the prompt.
        subject_tokens: how many of them are the subject.
        clean: P, the answer's probability.
        total_effect: P − P*.
        by_role: role of a token to its indirect effect at each layer, of several tokens of a role
            the mean; `subject` is the largest of the subject's tokens at each layer.
    """

    tokens: tuple[str, ...]
    subject_tokens: int
    clean: float
    total_effect: float
    by_role: dict[str, tuple[float, ...]]


@measurement
def effects(
    prompt: str,
    subject: str,
    answer: str,
    site: Site,
    seed: int,
    samples: int = 3,
    window: int = WINDOW,
    lowest: int = 0,
) -> Effects:
    """Traces SmolLM2-135M on one fact; `window` and `lowest` as in `trace`.

    Raises:
        BadExperiment: the model does not know the fact, or as `trace`.
    """
    traced = trace(
        prompt, subject, answer, samples, seed=seed, site=site, window=window, lowest=lowest
    )
    if traced.clean <= KNOWN:
        raise BadExperiment(
            f"{prompt!r} 之后 {answer!r} 的概率只有 {traced.clean:.2f}，要大于 {KNOWN} 才算模型知道"
        )
    return Effects(
        tokens=traced.tokens,
        subject_tokens=traced.subject[1] - traced.subject[0],
        clean=round(traced.clean, DIGITS),
        total_effect=round(traced.total_effect, DIGITS),
        by_role={role: _rounded(curve) for role, curve in by_role(traced).items()},
    )


def by_role(traced: Trace) -> dict[str, Float[np.ndarray, " layers"]]:
    """The effect at each layer of every role that the prompt has, and of the whole `subject`."""
    roles = np.array(traced.roles)
    means = {role: traced.effects[:, roles == role].mean(axis=1) for role in dict.fromkeys(roles)}
    in_subject = traced.effects[:, : traced.subject[1] - traced.subject[0]]
    return {str(role): curve for role, curve in means.items()} | {"subject": in_subject.max(axis=1)}


def _rounded(curve: Float[np.ndarray, " layers"]) -> tuple[float, ...]:
    return tuple(np.round(curve, DIGITS).tolist())
