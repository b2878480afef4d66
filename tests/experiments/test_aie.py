"""Indirect effects by role, on a trace made by hand and on the model."""

import numpy as np
import pytest

from ffnsite.errors import BadExperiment
from ffnsite.experiments.aie import by_role, effects
from ffnsite.experiments.tracing import Trace


def test_a_role_has_the_mean_of_its_tokens_and_the_subject_the_largest_of_its_own():
    rise = np.array([[1, 2, 4, 5, 0, 6, 8, 3], [3, 8, 2, 1, 1, 0, 4, 9]]) / 100
    tokens = ("The", "A", "b", "c", "d", "is", "in", "x", "of")
    traced = Trace(
        tokens, (1, 5), 0.02, 0.9, np.array([0.1, 0.3]), np.stack([rise + 0.1, rise + 0.3])
    )
    expected = {
        "first": [0.01, 0.03],
        "middle": [0.03, 0.05],
        "last_subject": [0.05, 0.01],
        "next": [0.00, 0.01],
        "further": [0.07, 0.02],
        "last": [0.03, 0.09],
        "subject": [0.05, 0.08],
    }
    found = by_role(traced)
    assert list(found) == list(expected)
    for role, curve in expected.items():
        np.testing.assert_allclose(found[role], curve, atol=1e-12)


@pytest.mark.xdist_group("smollm2")
def test_a_fact_that_the_model_does_not_know_is_refused():
    with pytest.raises(BadExperiment, match=r"' Seoul' 的概率只有 0\.00，要大于 0\.4"):
        effects.fresh("The capital of Japan is the city of", "Japan", " Seoul", "hidden", 0, 1)
