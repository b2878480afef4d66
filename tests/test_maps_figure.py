"""The figure of six facts on maps made by hand: its charts, its counts, its spreads over samples."""

from types import SimpleNamespace

import numpy as np
import pytest

from ffnsite.experiments.tracing import Trace
from figures import maps

LEFT = 0.1
LIFTS = {"hidden": 0.4, "ffn": 0.2, "attention": 0.05}


def made_by_hand(prompt, site):
    """The subject's last token leads up to layer 19, but Sydney's first; two samples, apart by 0.2."""
    tokens = (
        ("The", "Sydney", "House", "is", "of") if "Sydney" in prompt else ("The", "x", "y", "of")
    )
    leader = 0 if "Sydney" in prompt else 1
    restored = np.full((2, 30, len(tokens) - 1), LEFT)
    restored[0, :20, leader] += LIFTS[site] - 0.1
    restored[1, :20, leader] += LIFTS[site] + 0.1
    restored[:, 7, leader] += 0.02
    restored[:, 20:, -1] += 0.7
    return Trace(tokens, (1, 3), 0.1, 0.9, np.full(2, LEFT), restored)


@pytest.fixture(scope="module")
def figure():
    with pytest.MonkeyPatch.context() as patch:
        together = SimpleNamespace(
            together=lambda calls: [
                {site: made_by_hand(prompt, site) for site in LIFTS} for prompt, *_ in calls
            ]
        )
        patch.setattr(maps, "trace_everywhere", together)
        return maps.draw()


def test_a_fact_is_one_chart_of_three_maps_on_one_scale(figure):
    assert len(figure.charts) == len(maps.FACTS) == figure.facts["facts"].value
    for chart in figure.charts.values():
        assert [drawn.z[-1][29] for drawn in chart.data] == [pytest.approx(70)] * 3
        assert {drawn.coloraxis for drawn in chart.data} == {"coloraxis"}
        assert chart.layout.coloraxis.cmax == pytest.approx(70)


def test_tokens_run_downwards_and_layers_to_the_right(figure):
    hidden, ffn, attention = figure.charts["悉尼歌剧院"].data
    assert hidden.y == ("Sydney", "House", "is", "of")
    assert [drawn.z[0][7] for drawn in (hidden, ffn, attention)] == pytest.approx([42, 22, 7])
    assert figure.charts["悉尼歌剧院"].layout.yaxis2.ticktext == (
        "<b>Sydney</b>",
        "<b>House</b>",
        "is",
        "of",
    )


def test_the_maps_do_not_overlap(figure):
    for chart in figure.charts.values():
        (low1, _), (low2, high2), (low3, high3) = (
            chart.layout[axis].domain for axis in ("yaxis", "yaxis2", "yaxis3")
        )
        assert low1 > high2 > low2 > high3 > low3 >= 0


def test_facts_led_by_the_last_token_of_their_subject_are_counted(figure):
    assert figure.facts["last_leads"].value == 5
    assert figure.facts["last_does_not"].value == 1


def test_an_effect_is_the_mean_of_its_cell_and_spreads_over_single_samples(figure):
    cell = figure.facts["louvre_hidden_subject"]
    assert cell.value == pytest.approx(0.42)
    assert cell.spread == (pytest.approx(0.32), pytest.approx(0.52))
    assert figure.facts["louvre_ffn_subject"].value == pytest.approx(0.22)
    assert figure.facts["louvre_attention_last"].value == pytest.approx(0.7)
    assert figure.facts["louvre_clean"].value == pytest.approx(0.9)
