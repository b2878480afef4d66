"""Rank correlation against values worked by hand."""

import numpy as np
import pytest

from ffnsite.errors import BadExperiment
from ffnsite.experiments.spearman import ranks, spearman


def test_equal_numbers_share_the_mean_of_their_ranks():
    assert ranks(np.array([7.0, 1, 7, 3, 7])).tolist() == [4, 1, 4, 2, 4]


def test_the_correlation_without_ties_is_the_formula_of_squared_differences():
    # ranks 2 4 1 3 5 and 1 5 2 3 4: differences 1 1 1 0 1, so 1 - 6·4 / (5·24)
    one, other = np.array([0.2, 9, -4, 3, 11]), np.array([-1.0, 50, 0, 7, 8])
    assert spearman(one, other) == pytest.approx(0.8)


def test_only_the_order_counts():
    row = np.array([0.1, 2, 3, 40])
    assert spearman(row, np.exp(row)) == pytest.approx(1)
    assert spearman(row, -(row**3)) == pytest.approx(-1)


def test_a_row_without_an_order_is_an_error():
    with pytest.raises(BadExperiment, match="排不出次序"):
        spearman(np.array([1.0, 2]), np.array([3.0, 3]))
