"""The SwiGLU diagram on readings made by hand: which channels it shows, and what it states."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from ffnsite.draw import publish
from ffnsite.experiments.gates import Reading
from figures import swiglu

GATES = 40


def made_by_hand(up_of_channel_7: float) -> Reading:
    """Swish(gate) is 2.857… everywhere but in channel 9; channel n has up n / 100, 7 is set."""
    gate = np.full(GATES, 3.0)
    gate[9] = -1.0
    up = np.arange(GATES) / 100
    up[7] = up_of_channel_7
    out = np.array([3.0, 4.0] + 7 * [0.0])
    return Reading(("a", "b"), np.full(9, 2.0), gate, up, out)


@pytest.fixture(scope="module")
def figure():
    found = tuple(made_by_hand(-5.0 - at) for at in range(6))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(swiglu, "readings", lambda text, places: found)
        return swiglu.draw()


def test_every_word_and_layer_is_a_view_with_its_own_table(figure):
    labels = ["mango · 第 3 层", "mango · 第 15 层", "mango · 第 28 层"]
    assert [*figure.charts][:3] == labels
    assert [chart.table.rows[0][3] for chart in figure.charts.values()] == [
        f"{-5 - at:.4f}" for at in range(6)
    ]


def test_the_strongest_channels_come_first_then_quarters_of_the_order(figure):
    # After channel 7 the order runs from 39 down: place 10 is 30, place 20 is 20, place 30 is 10;
    # channel 9 has Swish(-1) = -0.27 and falls among the last.
    indices = [row[0] for row in figure.chart.table.rows]
    assert indices == ["#7", "#39", "#38", "#30", "#20", "#10"]


def test_a_row_is_gate_swish_up_and_their_product(figure):
    opened = 3 / (1 + np.exp(-3))
    first = [float(cell) for cell in figure.chart.table.rows[0][1:]]
    assert first == pytest.approx([3, opened, -5, -5 * opened], abs=5e-5)


def test_the_facts_are_read_off_the_channels(figure):
    facts = figure.facts
    assert facts["mango_3_x"].value == pytest.approx(6)
    assert facts["mango_3_out"].value == pytest.approx(5)
    assert facts["mango_3_negative"].value == pytest.approx(1 / 40)
    assert facts["mango_3_above_one"].value == pytest.approx(39 / 40)
    products = np.sort(made_by_hand(-5.0).product ** 2)[::-1]
    assert facts["mango_3_top_tenth"].value == pytest.approx(products[:4].sum() / products.sum())
    assert facts["tenth"].value * 40 == 4


def test_every_value_drawn_is_in_the_table_of_its_own_view(figure):
    for view in publish(figure).views:
        cells = [e for e in ET.fromstring(view.svg).iter() if e.get("class") == "ffn-value"]
        assert len(cells) == 6 * 4
