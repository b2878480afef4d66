"""The tracing figure on maps made by hand: what it shows and states is what the maps hold."""

from types import SimpleNamespace

import numpy as np
import pytest

from ffnsite.experiments.tracing import Trace
from figures import trace

TOKENS = ("The", " E", "iffel", " Tower", " is", " located", " in", " the", " city", " of")
CLEAN, LEFT = 0.7, 0.1


def made_by_hand(lift: float) -> Trace:
    """iffel leads with `lift` up to layer 19, the last token with 0.65 above; the top is clean."""
    restored = np.full((2, 30, 9), LEFT)
    restored[:, :20, 1] += lift
    restored[:, 4, 1] += 0.02
    restored[:, 7, 2] += 0.02
    restored[:, 20:, 8] += 0.65
    restored[:, -1, 8] = CLEAN
    return Trace(TOKENS, (1, 4), 0.1, CLEAN, np.full(2, LEFT), restored)


@pytest.fixture(scope="module")
def figure():
    maps = [made_by_hand(lift) for lift in (0.3, 0.4, 0.2)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trace, "trace", SimpleNamespace(together=lambda calls: maps[: len([*calls])]))
        return trace.draw()


def test_the_maps_show_percentage_points_on_one_scale(figure):
    assert [*figure.charts] == ["第一组噪声", "第二组噪声", "第三组噪声"]
    for chart, lift in zip(figure.charts.values(), (30, 40, 20), strict=True):
        (heatmap,) = chart.data
        assert heatmap.z[1][0] == pytest.approx(lift)
        assert heatmap.z[8][29] == pytest.approx(60)
        assert (heatmap.zmin, heatmap.zmax) == (0, pytest.approx(65))
        assert heatmap.y == ("E", "iffel", "Tower", "is", "located", "in", "the", "city", "of")
        assert chart.layout.yaxis.ticktext[2:4] == ("<b>Tower</b>", "is")


def test_a_fact_is_of_the_first_map_and_spreads_over_all(figure):
    peak = figure.facts["middle_effect"]
    assert peak.value == pytest.approx(0.32)
    assert peak.spread == (pytest.approx(0.22), pytest.approx(0.42))
    assert figure.facts["middle_layer"].value == 4
    assert figure.facts["middle_part"].value == pytest.approx(0.32 / 0.6)
    assert figure.facts["middle_over_last_subject"].value == pytest.approx(16)


def test_the_relay_is_read_off_the_maps(figure):
    facts = figure.facts
    assert facts["handover_layer"].value == facts["middle_layers"].value == 20
    assert facts["middle_before_handover"].value == pytest.approx(0.3)
    assert facts["middle_after_handover"].value == pytest.approx(0)
    assert facts["last_after_handover"].value == pytest.approx(0.65)
    assert facts["overshoot"].value == pytest.approx(0.05)
    assert facts["last_restored"].value == pytest.approx(0.75)
    assert "到第 20 层熄灭" in figure.caption


def test_at_the_top_the_last_token_has_the_total_effect(figure):
    assert figure.facts["top_last_effect"].value == figure.facts["total_effect"].value


def test_all_samples_and_quiet_cells_are_counted(figure):
    facts = figure.facts
    assert facts["led_samples"].value == 6
    assert facts["quiet_cells"].value == pytest.approx(1 - (20 + 1 + 10) / 270)
