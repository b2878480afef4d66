"""What the figures of chapter 6 compute from cited values, from public shapes and from curves."""

import math
from fractions import Fraction

import pytest

from ffnsite.models.zoo import MODELS
from figures import activations, glu_variants, widths


@pytest.fixture(scope="module")
def table():
    return glu_variants.draw()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("gain_65k", "0.053"),
        ("gain_524k", "0.041"),
        ("geglu_lead_65k", "0.002"),
        ("geglu_lead_524k", "0.003"),
        ("families_apart_524k", "0.014"),
        ("swish_behind_relu_524k", "0.006"),
        ("bilinear_lead_524k", "0.015"),
        ("superglue_gain", "1.80"),
    ],
)
def test_a_difference_of_cited_values_is_exact(table, key, value):
    assert table.facts[key].value == Fraction(value)


def test_perplexity_is_the_exponential_of_the_cited_logarithm(table):
    assert table.facts["relu_perplexity_65k"].value == pytest.approx(math.e**1.997)
    drop = table.facts["perplexity_drop_524k"].value
    assert drop == pytest.approx(1 - math.e**1.636 / math.e**1.677)


def test_every_gated_row_is_below_every_row_without_a_gate_after_full_training(table):
    gated, ungated = (table.facts[f"{family}_range_524k"].value for family in ("gated", "ungated"))
    assert gated == (Fraction("1.633"), Fraction("1.663"))
    assert ungated == (Fraction("1.677"), Fraction("1.683"))


def test_only_the_short_runs_have_deviations(table):
    full, short = table.charts.values()
    assert not any(trace.error_x.visible for trace in full.data)
    assert short.data[1].error_x.array == (0.006, 0.005, 0.003, 0.004, 0.010)


def test_a_width_of_eight_thirds_makes_three_matrices_as_large_as_two():
    facts = widths.draw().facts
    assert facts["smollm2_over"].value == 1
    assert facts["smollm2_ffn"].value == 8
    assert facts["palm_540b_over"].value == Fraction(3, 2)
    assert facts["at_equal"].value == 1


def test_only_gated_models_stand_in_the_figure_of_widths():
    assert {MODELS[key].ffn for key in widths.SHOWN} == {"gated"}


def test_swish_is_one_where_its_minimum_is_mirrored():
    place = activations.draw().facts["swish_is_one_at"].value
    assert place / (1 + math.exp(-place)) == pytest.approx(1, abs=1e-9)
