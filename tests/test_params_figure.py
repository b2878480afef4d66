"""The facts of chapter 3: they add up, and they are the numbers that the field knows."""

from fractions import Fraction
from types import SimpleNamespace

import pytest

from ffnsite.experiments.counting import counted
from figures import params


@pytest.fixture(scope="module")
def figure():
    """The figure from counts made now, whatever the cache holds."""
    fresh = SimpleNamespace(together=lambda calls: [counted.fresh(*call) for call in calls])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(params, "counted", fresh)
        return params.draw()


@pytest.fixture(scope="module")
def value(figure):
    return {key: fact.value for key, fact in figure.facts.items()}


@pytest.mark.parametrize("model", ["gpt2_small", "llama_7b", "smollm2", "llama3_8b"])
def test_estimate_and_its_differences_add_up_to_the_real_total(value, model):
    lines = ("estimate", "blocks_over", "head", "position_embedding", "small")
    assert sum(value.get(f"{model}_{line}", 0) for line in lines) == value[f"{model}_total"]


def test_both_sides_of_the_2017_model_add_up(value):
    sides = 6 * value["block_standard"] + 6 * value["decoder_block_d2"]
    assert sides == value["transformer_base_matrices_d2"] == 168
    parts = ("transformer_base_matrices", "transformer_base_embedding", "transformer_base_small")
    assert sum(value[part] for part in parts) == value["transformer_base_total"]


@pytest.mark.parametrize(
    ("key", "known"),
    [
        ("block_share_standard", Fraction(2, 3)),
        ("llama3_8b_block_share", Fraction(21, 26)),  # 10.5 of 13
        ("share_with_gqa_only", Fraction(16, 21)),  # 8 of 10.5
        ("share_with_wide_ffn_only", Fraction(21, 29)),  # 10.5 of 14.5
        ("smollm2_block_share", Fraction(3, 4)),
        ("transformer_base_blocks_share", Fraction(4, 7)),  # 96 of 168
        ("llama_7b_ffn_excess", Fraction(1, 128)),
    ],
)
def test_share_is_the_one_worked_by_hand(value, key, known):
    assert value[key] == known


@pytest.mark.parametrize(
    ("key", "percent"),
    [
        ("gpt2_small_ffn_share", 45.5),
        ("llama_7b_ffn_share", 64.2),
        ("llama3_8b_ffn_share", 70.2),
        ("smollm2_ffn_share", 59.2),
        ("palm_540b_block_share", 89.8),
    ],
)
def test_share_of_the_whole_model_is_the_published_one(value, key, percent):
    assert round(float(value[key]) * 100, 1) == percent


@pytest.mark.parametrize("label", ["一层", "整模型"])
def test_bars_hold_every_parameter_that_they_speak_of(figure, value, label):
    bars = figure.charts[label].data
    drawn = {place: sum(bar.x[i] for bar in bars) for i, place in enumerate(bars[0].y)}
    whole = "total" if label == "整模型" else None
    for place, key in (("GPT-2 small", "gpt2_small"), ("Llama-3-8B", "llama3_8b")):
        expected = value[f"{key}_{whole}"] if whole else _matrices(value, key)
        assert drawn[place] == expected


def _matrices(value, key):
    return value[f"{key}_block_attention"] + value[f"{key}_block_ffn"]


def test_a_label_stands_in_every_segment_wide_enough_to_read_it(figure):
    for chart in figure.charts.values():
        for bar in chart.data:
            sums = [sum(other.x[i] for other in chart.data) for i in range(len(bar.x))]
            for count, whole, text in zip(bar.x, sums, bar.text, strict=True):
                assert bool(text) == (count / whole >= 0.12)
