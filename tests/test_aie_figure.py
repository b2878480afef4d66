"""The figure of average effects on rows made by hand: averages, intervals, controls, counts."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from ffnsite.experiments.aie import Effects
from figures import aie

LAYERS = 30
FLAT = (0.0,) * LAYERS


def curve(bottom: float, low: float, high: float) -> tuple[float, ...]:
    """Layer 0, then up to layer 19, then above."""
    return tuple(map(float, (bottom, *(low,) * 19, *(high,) * 10)))


def effects(fact: int, seed: int, site: str) -> Effects:
    """Fact 0 leads with its last token, fact 1 with its first, fact 2 has one token only."""
    lift = 0.1 * fact + 0.01 * seed
    lead = {"hidden": curve(0.2, 0.4 + lift, 0), "ffn": curve(0.3, 0.1, 0), "attention": FLAT}[site]
    top = {"hidden": 0.6, "ffn": 0.05 + 0.3 * (fact == 0), "attention": 0.2}[site]
    sizes = (2, 3, 1)
    last = lead if fact != 1 else FLAT
    roles = {"last_subject": last, "subject": lead, "next": FLAT, "further": FLAT}
    roles |= {"last": curve(0, 0.02, top)}
    roles |= {"first": lead if fact == 1 else FLAT} if sizes[fact] > 1 else {}
    roles |= {"middle": FLAT} if sizes[fact] > 2 else {}
    return Effects(("a",) * 6, sizes[fact], 0.8 + 0.05 * fact, 0.7 + 0.01 * seed, roles)


def row(fact: int, seed: int, site: str):
    return SimpleNamespace(
        arguments={"prompt": f"fact {fact}", "seed": seed, "site": site, "samples": 4},
        result=effects(fact, seed, site),
    )


ROWS = [row(*each) for each in product(range(3), range(2), ("hidden", "attention", "ffn"))]
FIRST = [one for one in ROWS if one.arguments["seed"] == 0]
RECORDED = {"aie": ROWS, "aie_single": FIRST, "aie_upper": FIRST}


@pytest.fixture(scope="module")
def figure():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(aie, "recorded", lambda measured, name: RECORDED[name])
        return aie.draw()


def test_an_average_is_over_facts_and_spreads_over_noise_seeds(figure):
    peak = figure.facts["hidden_subject"]
    assert peak.value == pytest.approx(0.505)
    assert peak.spread == (pytest.approx(0.5), pytest.approx(0.51))
    assert figure.facts["hidden_subject_layers"].value == (1, 19)
    assert figure.facts["hidden_subject_bottom"].value == pytest.approx(0.2)


def test_an_interval_is_over_facts_each_averaged_over_its_seeds(figure):
    by_fact = np.array([0.405, 0.505, 0.605])
    half = 1.96 * by_fact.std(ddof=1) / np.sqrt(3)
    low, high = figure.facts["hidden_subject_interval"].value
    assert (low, high) == (pytest.approx(0.505 - half), pytest.approx(0.505 + half))


def test_a_role_is_averaged_over_the_facts_that_have_it(figure):
    assert figure.facts["hidden_first"].value == pytest.approx((0 + 0.505) / 2)
    assert figure.facts["hidden_last_subject"].value == pytest.approx((0.405 + 0 + 0.605) / 3)
    assert figure.facts["hidden_next"].value == 0


def test_facts_are_counted_by_the_tokens_of_their_subject(figure):
    facts = figure.facts
    assert (facts["facts"].value, facts["multi"].value, facts["middles"].value) == (3, 2, 1)
    assert (facts["seeds"].value, facts["draws"].value) == (2, 8)
    assert facts["longest"].value == 3
    assert facts["last_leads"].value == 1


def test_total_effects_are_averaged_and_leave_the_corrupted_chance(figure):
    assert figure.facts["clean"].value == pytest.approx(0.85)
    assert figure.facts["total_effect"].value == pytest.approx(0.705)
    assert figure.facts["corrupted"].value == pytest.approx(0.145)
    assert figure.facts["corrupted"].spread == (pytest.approx(0.14), pytest.approx(0.15))


def test_windows_with_and_without_layer_0_and_single_layers_are_told_apart(figure):
    facts = figure.facts
    assert facts["ffn_subject"].value == pytest.approx(0.3)
    assert facts["ffn_above_starts"].value == 4
    assert facts["ffn_subject_above"].value == pytest.approx(0.1)
    assert facts["single_ffn_bottom"].value == pytest.approx(0.3)
    assert facts["single_ffn_higher"].value == pytest.approx(0.1)
    assert facts["single_ffn_higher"].spread is None


def test_attention_is_held_against_ffn_at_the_last_token(figure):
    assert figure.facts["attention_wins"].value == 2
    assert figure.facts["handover_first"].value == figure.facts["handover"].value == 20
    assert figure.facts["handover_common"].value == 3
    ratio = figure.facts["ffn_of_hidden"]
    assert ratio.spread[0] <= ratio.value <= ratio.spread[1]
    assert ratio.value == pytest.approx((0.2 / (1.0 / 3) + 0.2 / (1.02 / 3)) / 2)


def test_the_charts_show_averages_in_percentage_points(figure):
    assert [*figure.charts] == ["隐状态", "FFN 窗口", "attention 窗口", "窗口与单层"]
    lines = {line.name: line for line in figure.chart.data}
    assert lines["主语里最高的词"].y[1] == pytest.approx(50.5)
    low, high = lines["主语末词，区间下端"].y[-2], lines["主语末词，区间上端"].y[1]
    assert low < lines["主语末词"].y[1] < high
    assert lines["提示的末词"].y[29] == pytest.approx(60)
