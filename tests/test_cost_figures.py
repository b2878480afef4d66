"""The figures of chapter 4: facts worked by hand, and what the slider says."""

import re
from fractions import Fraction

import numpy as np
import pytest

from ffnsite.experiments.costs import Census, by_formula
from ffnsite.experiments.looping import Looping
from ffnsite.experiments.reuse import Reuse
from ffnsite.experiments.stored import Stored
from ffnsite.experiments.stored import by_formula as kept
from ffnsite.experiments.timing import Timing
from ffnsite.models.zoo import MODELS
from ffnsite.studies import Row
from figures import crossover, reuse, stored, timing, traffic


@pytest.fixture(scope="module")
def crossing():
    rates = {key: by_formula(shape) for key, shape in MODELS.items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crossover, "census", lambda: Census(rates, rates))
        return crossover.draw()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("standard_ffn_flops", 16),
        ("standard_ffn_multiply_adds", 8),
        ("llama3_8b_linear_d", Fraction(13, 2)),
        ("llama3_8b_ffn_d", Fraction(21, 4)),
        ("llama3_8b_linear", 26_624),
        ("llama3_8b_linear_causal", 53_248),
        ("llama3_8b_ffn_causal", 43_008),
        ("llama_7b_ffn", 16_512),
        ("llama_7b_linear_causal", 49_408),
        ("mixtral_8x7b_ffn", 43_012),  # 43,008 without the router
    ],
)
def test_a_crossing_is_the_one_worked_by_hand(crossing, key, value):
    assert crossing.facts[key].value == value


def test_the_three_shares_of_a_length_make_one(crossing):
    parts = ("projections", "square", "ffn")
    assert sum(crossing.facts[f"llama_7b_{part}_8k"].value for part in parts) == 1
    assert crossing.facts["smollm2_square_2k"].value == Fraction(2, 5)


def test_every_stop_of_the_slider_says_what_the_lines_show_there(crossing):
    for chart in crossing.charts.values():
        lines = {trace.name: dict(zip(trace.x, trace.y, strict=True)) for trace in chart.data}
        for step in chart.layout.sliders[0].steps:
            length = step.args[0]["shapes[0].x0"]
            assert step.args[0]["shapes[0].x1"] == length
            assert f"N = {length:,}：" in step.label
            for name, percent in re.findall(r"([^，：]+) (\d+)%", step.label):
                assert int(percent) == pytest.approx(lines[name][length], abs=0.51)


def test_the_slider_stands_where_the_reader_s_line_is(crossing):
    for chart in crossing.charts.values():
        slider = chart.layout.sliders[0]
        first = slider.steps[slider.active].args[0]["shapes[0].x0"]
        assert chart.layout.shapes[0].x0 == first


@pytest.fixture(scope="module")
def bytes_read():
    return traffic.draw().facts


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("llama_7b_meeting", 16_512),
        ("llama3_8b_meeting", 86_016),
        ("smollm2_meeting", 6912),
        ("llama_7b_meeting_over_square", 1),
        ("llama3_8b_meeting_over_square", 4),
        ("smollm2_meeting_over_square", 3),
        ("llama_7b_cache_token", 2**19),
        ("llama3_8b_cache_token", 2**17),
        ("llama_7b_each_of_batch", 516),
        ("ffn_intensity", 1),
        ("ffn_intensity_batch", 32),
        ("gqa_cache", Fraction(1, 4)),
    ],
)
def test_a_number_of_the_bytes_is_the_one_worked_by_hand(bytes_read, key, value):
    assert bytes_read[key].value == value


def test_the_ridge_of_the_cited_processor_is_dense_operations_over_bandwidth(bytes_read):
    assert bytes_read["h100_ridge"].value == pytest.approx(989.5 / 3.35)


@pytest.fixture(scope="module")
def keeping():
    """With the published formulas in the place of the counter."""

    def together(calls):
        return [
            Stored(1, 1, 24 * 2048 * 12_288, 1) if "swiglu" in call else kept(*call[:4])
            for call in calls
        ]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(stored.stored), "together", lambda _, calls: together(calls))
        return stored.draw()


def test_the_coefficients_of_gpt_3_are_those_of_the_paper(keeping):
    values = {key: fact.value for key, fact in keeping.facts.items()}
    assert (values["attention"], values["square"], values["ffn"], values["norm"]) == (11, 80, 19, 4)
    assert values["linear"] == 34
    assert values["square_share"] == Fraction(80, 114)
    assert values["ffn_share_recomputed"] == Fraction(19, 34)
    assert values["disagreeing"] == 0


def test_attention_keeps_more_than_the_ffn_from_the_length_worked_by_hand(keeping):
    assert keeping.facts["even_at"].value == 205  # 11 + 5 s / 128 > 19 from s = 204.8


def test_recomputing_attention_leaves_a_bar_without_the_square(keeping):
    bars = {trace.name: trace.x for trace in keeping.chart.data}
    assert bars["attention 平方项"] == (10, 40, 80, 0, 0)
    assert bars["FFN"][:4] == (19, 19, 19, 19)


ROWS = [
    Row({"phase": phase, "context": context}, result, 1.0, "here")
    for phase, context, result in (
        (
            "decode",
            128,
            Timing(
                {"projections": 20, "mixing": 5, "ffn": 60, "head": 15},
                {"projections": 40, "ffn": 120, "head": 30},
                10,
                {"projections": 1.0, "mixing": 1.0, "ffn": 4.0, "head": 3.0, "rest": 1.0},
                bandwidth=40.0,
                peak=100.0,
            ),
        ),
    )
]
LOOPS = [
    Row({"words": 7}, Looping(1, 100, loop=12.0, product=1.0), 1.0, "here"),
    Row({"words": 7}, Looping(1, 9, loop=3.0, product=2.0), 1.0, "here"),
]


@pytest.fixture(scope="module")
def timed():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timing, "recorded", lambda _, name: ROWS if name == "timing" else LOOPS)
        return timing.draw()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("decode_ffn_128", 0.4),
        ("decode_rest_128", 0.1),
        ("decode_intensity_128", Fraction(1, 2)),
        ("decode_bandwidth_128", 0.5),
        ("decode_peak_128", 0.1),
        ("decode_ffn_peak_128", 0.15),
        ("decode_ffn_bandwidth_128", 0.75),
        ("loop_small", 1.5),
        ("loop_large", 12.0),
    ],
)
def test_a_number_of_the_timing_is_the_one_worked_by_hand(timed, key, value):
    assert timed.facts[key].value == pytest.approx(value)


def test_bars_of_the_timing_fill_the_row(timed):
    assert sum(trace.x[0] for trace in timed.chart.data) == pytest.approx(100)


def test_distances_of_both_sources_make_mean_and_spread(monkeypatch):
    def made(low):
        outputs = np.linspace(low, 1, 30)
        return Reuse(100, 40, 0, outputs, outputs, 1 - outputs)

    monkeypatch.setattr(type(reuse.reuse), "together", lambda *_: [made(0.0), made(0.5)])
    facts = reuse.draw().facts
    assert facts["first"].value == 0.25
    assert facts["first"].spread == (0.0, 0.5)
    assert facts["near_first"].spread == (0.5, 1.0)
    assert facts["repeated"].value == 80
