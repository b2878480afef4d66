"""Does a value say what comes after its key's triggers, more often than by chance?

    hit     the token that the value says = the next token of the trigger
    chance  the same count with the triggers dealt to the memories of the layer at random

The deal keeps which words the layer's values say and which words follow its triggers, so common
words hit each other as often as before; only the tie between a key and its own value is cut.
Source: Geva et al. 2021, arXiv 2012.14913, section 4 (chance there: any token of the vocabulary).
"""

import numpy as np
from jaxtyping import Bool, Float, Int

from ffnsite.experiments.values import Said

SEEDS = 20
SHARPEST = 100


def hits(
    values: Said,
    coefficients: Float[np.ndarray, "layers d_ff kept"],
    following: Int[np.ndarray, "layers d_ff kept"],
) -> Bool[np.ndarray, "layers d_ff"]:
    """Whether each value, with the sign of the coefficient, says the word behind any trigger."""
    found: np.ndarray = (values.by(coefficients) == following).any(axis=-1)
    return found


def dealt_hits(
    values: Said,
    coefficients: Float[np.ndarray, "layers d_ff kept"],
    following: Int[np.ndarray, "layers d_ff kept"],
) -> Int[np.ndarray, "seeds layers"]:
    """How many hits a layer has when its memories' triggers are dealt anew, by seed."""
    counts = []
    for seed in range(SEEDS):
        deal = _deals(np.random.default_rng(seed), coefficients.shape[:2])[..., None]
        dealt = (np.take_along_axis(side, deal, axis=1) for side in (coefficients, following))
        counts.append(hits(values, *dealt).sum(axis=1))
    return np.array(counts)


def same_word(words: Int[np.ndarray, "layers d_ff kept"]) -> Float[np.ndarray, " layers"]:
    """The share of a memory's triggers that is its commonest word; the mean over memories."""
    ordered = np.sort(words, axis=-1)
    run = longest = np.ones(words.shape[:-1], dtype=np.int64)
    for at in range(1, words.shape[-1]):
        run = np.where(ordered[..., at] == ordered[..., at - 1], run + 1, 1)
        longest = np.maximum(longest, run)
    share: np.ndarray = longest.mean(axis=-1) / words.shape[-1]
    return share


def dealt_words(
    words: Int[np.ndarray, "layers d_ff kept"], seed: int = 0
) -> Int[np.ndarray, "layers d_ff kept"]:
    """The same words, with each memory's triggers taken from as many other memories."""
    generator = np.random.default_rng(seed)
    columns = [
        np.take_along_axis(words[..., at], _deals(generator, words.shape[:2]), axis=1)
        for at in range(words.shape[-1])
    ]
    return np.stack(columns, axis=-1)


def sharpest(
    values: Said, strongest: Float[np.ndarray, "layers d_ff"], count: int = SHARPEST
) -> tuple[Int[np.ndarray, " count"], Int[np.ndarray, " count"]]:
    """Layers and channels of the values that stand out the most, with the sign that is used.

    What stands out is told by the highest logit's distance from the mean in standard deviations.
    """
    peaks = np.where(strongest > 0, values.added_peak, values.subtracted_peak)
    order = np.argsort(-peaks.ravel(), kind="stable")[:count]
    layers, channels = np.unravel_index(order, peaks.shape)
    return layers, channels


def _deals(
    generator: np.random.Generator, shape: tuple[int, ...]
) -> Int[np.ndarray, "layers d_ff"]:
    layers, d_ff = shape
    return np.array([generator.permutation(d_ff) for _ in range(layers)])
