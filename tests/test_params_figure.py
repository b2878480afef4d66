"""The facts of chapter 3: they add up, and they are the numbers that the field knows."""

from fractions import Fraction

import pytest

from ffnsite.experiments.counting import census
from ffnsite.models.zoo import MODELS
from figures import params


@pytest.fixture(scope="module")
def figure():
    """The figure from counts made now, whatever the cache holds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(params, "census", census.fresh)
        return params.draw()


@pytest.fixture(scope="module")
def value(figure):
    return {key: fact.value for key, fact in figure.facts.items()}


@pytest.mark.parametrize("model", MODELS)
def test_estimate_and_its_differences_add_up_to_the_real_total(value, model):
    lines = (
        "estimate",
        "blocks_over",
        "head",
        "position_embedding",
        "segments_and_pooler",
        "small",
    )
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
        ("llama_13b_ffn_excess", Fraction(1, 80)),  # 13,824 against 13,653 1/3
        ("llama3_8b_units", 458_752),
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
        ("gpt3_175b_ffn_share", 66.4),
        ("llama_13b_ffn_share", 65.3),
        ("llama_65b_ffn_share", 66.3),
        ("llama2_70b_ffn_share", 81.7),
        ("llama3_70b_ffn_share", 79.9),
        ("mistral_7b_ffn_share", 77.8),
        ("mixtral_8x7b_ffn_share", 96.6),
        ("mixtral_8x7b_active_share", 27.6),
        ("palm_540b_block_share", 89.8),
        ("qwen25_05b_block_share", 87.7),
        ("qwen25_7b_block_share", 87.4),
    ],
)
def test_share_of_the_whole_model_is_the_published_one(value, key, percent):
    assert round(float(value[key]) * 100, 1) == percent


@pytest.mark.parametrize("label", ["一层", "整模型"])
def test_every_model_has_a_bar_and_the_share_of_ffn_grows_from_the_top(figure, label):
    bars = {bar.name: bar for bar in figure.charts[label].data}
    assert sorted(bars["FFN"].y) == sorted(shape.name for shape in MODELS.values())
    wholes = [sum(column) for column in zip(*(bar.x for bar in bars.values()), strict=True)]
    shares = [ffn / whole for ffn, whole in zip(bars["FFN"].x, wholes, strict=True)]
    assert shares == sorted(shares)


def test_ranges_over_the_zoo_end_at_a_model(value):
    assert value["block_share_of_all"] == (Fraction(2, 3), value["mixtral_8x7b_block_share"])
    ends = (value["transformer_base_ffn_share"], value["mixtral_8x7b_ffn_share"])
    assert value["ffn_share_of_all"] == ends
    assert value["expansion_of_all"] == (Fraction(8, 3), Fraction(38, 7))  # SmolLM2, Qwen2.5-0.5B
    assert value["small_share_most"] == value["transformer_base_small_share"]


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
                assert bool(text) == (count / whole >= 0.17)
