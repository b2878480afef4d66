"""Rankings of channels against counts and rank correlations by hand."""

import numpy as np
import pytest

from ffnsite.errors import BadExperiment
from ffnsite.experiments.phrasing import TOP, Asked, agreement, ranked


def test_top_channels_and_what_two_prompts_share_counted_by_hand():
    found = ranked(np.array([[5.0, 1, 4, -9], [0, 3, 2, 1]]), top=2)
    assert found.top.tolist() == [[0, 2], [1, 2]]
    assert found.shared(0, 1) == 0.5
    assert found.shared(1, 1) == 1


def test_the_correlation_is_that_of_spearman():
    one, other = [3.0, 10, -2, 0.5, 7], [0.1, 0.4, 0.2, -5, 0.3]
    places = [[3, 5, 1, 2, 4], [2, 5, 3, 1, 4]]  # counted by hand
    squares = sum((a - b) ** 2 for a, b in zip(*places, strict=True))
    by_hand = 1 - 6 * squares / (5 * 24)
    found = ranked(np.array([one, other]), top=1).correlation
    assert found[0, 1] == pytest.approx(by_hand, abs=1e-4)
    assert found[0, 0] == 1


@pytest.mark.usefixtures("differentiable")
def test_prompts_of_smollm2_share_most_with_themselves():
    paris = Asked("The capital of France is the city of", "France", " Paris")
    berlin = Asked("The capital of Germany is the city of", "Germany", " Berlin")
    found = agreement.fresh((paris, berlin, paris))
    assert found.clean[0] == found.clean[2] > 0.9
    assert found.last.top.shape == (3, TOP)
    assert found.last.shared(0, 2) == 1 > found.last.shared(0, 1)
    assert found.subject.correlation[0, 2] == 1 > found.subject.correlation[0, 1]


@pytest.mark.usefixtures("differentiable")
def test_an_answer_that_the_model_does_not_know_is_named():
    with pytest.raises(BadExperiment, match=r"Sorbonne.*要大于 0.4"):
        agreement.fresh((Asked("The Sorbonne is located in the city of", "Sorbonne", " Paris"),))
