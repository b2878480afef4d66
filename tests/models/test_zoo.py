"""The published shapes: consistent in themselves, and adding up to the published totals."""

from dataclasses import replace
from fractions import Fraction

import pytest

from ffnsite.models import sizes
from ffnsite.models.zoo import MODELS, PALM_540B, TRANSFORMER_BASE

CHECKPOINTS = {
    "gpt2_small": 124_439_808,
    "gpt2_xl": 1_557_611_200,
    "bert_base": 109_482_240,
    "llama_7b": 6_738_415_616,
    "llama_13b": 13_015_864_320,
    "llama_65b": 65_285_660_672,
    "llama2_70b": 68_976_648_192,
    "llama3_8b": 8_030_261_248,
    "llama3_70b": 70_553_706_496,
    "mistral_7b": 7_241_732_096,
    "mixtral_8x7b": 46_702_792_704,
    "qwen25_05b": 494_032_768,
    "qwen25_7b": 7_615_616_512,
    "smollm2": 134_515_008,
}
"""Parameters in the published files of weights."""

WIDER_THAN_THE_STREAM = {"palm_540b"}  # 48 heads of 256 make 12,288 of 18,432


@pytest.mark.parametrize("key", MODELS)
def test_heads_share_out_evenly_and_fill_the_width(key):
    shape = MODELS[key]
    assert (shape.heads * shape.head_width == shape.d_model) != (key in WIDER_THAN_THE_STREAM)
    assert shape.heads % shape.kv_heads == 0
    assert shape.source


@pytest.mark.parametrize("key", CHECKPOINTS)
def test_total_is_that_of_the_published_weights_to_the_unit(key):
    assert sizes.model(MODELS[key]).total == CHECKPOINTS[key]


@pytest.mark.parametrize(
    ("key", "billions", "places"),
    [
        ("palm_540b", 540.35, 2),
        ("llama_13b", 13.0, 1),
        ("llama_7b", 6.7, 1),
        ("bert_base", 0.11, 2),
    ],
)
def test_total_rounds_to_the_one_its_paper_prints(key, billions, places):
    weights = sizes.model(MODELS[key])
    assert round((weights.total - weights.small) / 1e9, places) == billions


def test_mixtral_is_47_billion_parameters_of_which_a_token_runs_13():
    shape = MODELS["mixtral_8x7b"]
    assert round(sizes.model(shape).total / 1e9) == 47
    assert round(sizes.active(shape) / 1e9) == 13


def test_gpt3_stays_below_the_175_billion_of_its_name():
    assert round(sizes.model(MODELS["gpt3_175b"]).total / 1e9, 1) == 174.6


def test_transformer_base_stays_two_million_below_the_65_million_of_its_paper():
    missing = 65_000_000 - sizes.model(TRANSFORMER_BASE).total
    assert 1_500_000 < missing < 2_500_000


def test_palm_misses_its_published_size_by_far_with_eight_thirds_of_the_width():
    narrow = replace(PALM_540B, d_ff=PALM_540B.d_model * 8 // 3)
    assert round(sizes.model(narrow).total / 1e9) == 380


@pytest.mark.parametrize(
    ("key", "multiple_of", "multiplier"),
    [
        ("llama_7b", 256, Fraction(1)),
        ("llama_13b", 256, Fraction(1)),
        ("llama_65b", 256, Fraction(1)),
        ("llama2_70b", 4096, Fraction("1.3")),
        ("llama3_8b", 1024, Fraction("1.3")),
        ("llama3_70b", 4096, Fraction("1.3")),
    ],
)
def test_published_width_follows_the_rule_of_its_code(key, multiple_of, multiplier):
    shape = MODELS[key]
    assert shape.d_ff == sizes.gated_width(shape.d_model, multiple_of, multiplier)
