"""The figure of gates on openings made by hand: weights, spreads, and losses."""

import numpy as np
import pytest

from ffnsite.experiments.gates import CHANGES, EDGES, Openings
from figures import gates


def made_by_hand(words: int, above: float) -> Openings:
    """The top third of the layers has `above`, all others none."""
    layers = np.zeros(30)
    layers[20:] = above
    bins = np.full((30, len(EDGES) - 1), 1 / (len(EDGES) - 1))
    return Openings(words, layers, layers + 0.5, layers / 2, layers - 0.2, layers, 3 * layers, bins)


FOUND = (made_by_hand(10, 0.1), made_by_hand(10, 0.2), made_by_hand(10, 0.3), made_by_hand(70, 0.4))
LOSSES = {change: (1.0 + at, 2.0 + at, 3.0 + at, 4.0 + 2 * at) for at, change in enumerate(CHANGES)}


@pytest.fixture(scope="module")
def figure():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gates, "openings", lambda texts: FOUND)
        patch.setattr(gates, "losses", lambda texts: LOSSES)
        return gates.draw()


def test_a_share_is_weighed_by_words_and_spreads_over_texts(figure):
    top = figure.facts["above_one_top"]
    assert top.value == pytest.approx((0.1 + 0.2 + 0.3 + 7 * 0.4) / 10)
    assert top.spread == (pytest.approx(0.1), pytest.approx(0.4))
    assert figure.facts["above_one_bottom"].value == 0
    assert figure.facts["above_one_all"].value == pytest.approx(top.value / 3)


def test_extremes_are_those_of_all_texts(figure):
    assert figure.facts["smallest"].value == pytest.approx(-0.2)
    assert figure.facts["largest_first"].value == pytest.approx(0.4)
    assert figure.facts["largest_later"].value == pytest.approx(1.2)


def test_a_rise_is_text_by_text_against_the_unchanged_gates(figure):
    rise = figure.facts["rise_swapped"]  # the first change: 1, 1, 1 and 2 nats more
    assert rise.value == pytest.approx(1.25)
    assert rise.spread == (1, 2)
    assert "rise_none" not in figure.facts


def test_the_count_of_gates_is_words_times_layers_times_channels(figure):
    assert figure.facts["gates"].value == 100 * 30 * 1536


def test_the_lines_show_percentages_layer_by_layer(figure):
    negative, near, above = figure.chart.data
    assert (negative.name, near.name, above.name) == ("为负", "接近零", "大于一")
    assert above.y[0] == 0
    assert above.y[29] == pytest.approx(34)


def test_the_texts_are_two_hundred_words_and_more_and_all_different():
    assert sum(len(text.split()) for text in gates.TEXTS.values()) + len(gates.TEXTS["中文"]) > 200
    assert len(set(gates.TEXTS.values())) == 4
