"""Spearman's rank correlation: do two rows of numbers rise together, whatever the shape?"""

import numpy as np
from jaxtyping import Float

from ffnsite.errors import BadExperiment


def spearman(one: Float[np.ndarray, " n"], other: Float[np.ndarray, " n"]) -> float:
    """Pearson's correlation of the ranks; equal numbers share the mean of their ranks.

    Raises:
        BadExperiment: all numbers of a row are equal, so that they have no order.
    """
    pair = [ranks(row) for row in (one, other)]
    if any(np.ptp(row) == 0 for row in pair):
        raise BadExperiment("一列数全部相等，排不出次序，没有秩相关")
    return float(np.corrcoef(pair)[0, 1])


def ranks(row: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """The rank of each number, from 1; of equal numbers the mean."""
    below = (row[:, None] > row).sum(axis=1)
    equal = (row[:, None] == row).sum(axis=1)
    middle: np.ndarray = below + (equal + 1) / 2
    return middle
