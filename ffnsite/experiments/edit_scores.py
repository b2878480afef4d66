"""How good is an edit, and can it be told beforehand which layer makes it good?

    edited        rewrite score of the edited prompt            (P'(new) − P(new)) / (1 − P(new))
    paraphrased   the same over the paraphrases, the mean
    kept          how much of the neighbours' P(old) is left     Σ P'(old) / Σ P(old), at most 1
    together      harmonic mean of the three, 0 when one of them is not positive

The rewrite score, and asking how much of the variance of scores the layer and the tracing effect
explain, are due to Hase et al. 2023, arXiv 2301.04213, sections 3 and 4; the harmonic mean of success,
paraphrases and neighbours to Meng et al. 2022, arXiv 2202.05262, section 3.3.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from ffnsite.experiments.editing import Edit

RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Scores:
    """One edit; see the module's docstring."""

    edited: float
    paraphrased: float
    kept: float

    @property
    def together(self) -> float:
        """The harmonic mean."""
        three = (self.edited, self.paraphrased, self.kept)
        return len(three) / sum(1 / each for each in three) if min(three) > 0 else 0.0


def scores(one: Edit) -> Scores:
    """The scores of an edit that has paraphrases and neighbours."""
    before, after = np.sum([answer.old for answer in one.neighbours], axis=0)
    paraphrased = np.mean([answer.rewrite_score for answer in one.paraphrases])
    return Scores(one.asked.rewrite_score, float(paraphrased), min(1.0, float(after / before)))


def explained(
    outcome: Float[np.ndarray, " edits"], columns: Float[np.ndarray, "edits columns"]
) -> float:
    """R²: the share of the outcome's variance that a least-squares fit on the columns explains."""
    design = np.column_stack((np.ones(len(outcome)), columns))
    fitted = design @ np.linalg.lstsq(design, outcome, rcond=None)[0]
    return float(1 - np.var(outcome - fitted) / np.var(outcome))


def each_layer(layers: Int[np.ndarray, " edits"]) -> Float[np.ndarray, "edits columns"]:
    """One column a layer but the first, 1 where the edit was made in it."""
    columns: np.ndarray = (layers[:, None] == np.unique(layers)[1:]).astype(float)
    return columns


def resampled(values: list[float], seed: int = 0) -> tuple[float, float]:
    """The interval that holds the middle 95 of 100 means of facts drawn with replacement."""
    drawn = np.random.default_rng(seed).choice(values, size=(RESAMPLES, len(values)))
    low, high = np.quantile(drawn.mean(axis=1), (0.025, 0.975))
    return float(low), float(high)


def left_out(values: list[float]) -> tuple[float, float]:
    """The lowest and the highest mean when one value at a time is left out."""
    means = (sum(values) - np.array(values)) / (len(values) - 1)
    return float(means.min()), float(means.max())
