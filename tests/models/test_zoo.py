"""The published shapes: consistent in themselves, and adding up to the published totals."""

from dataclasses import replace

import pytest

from ffnsite.models import sizes
from ffnsite.models.zoo import LLAMA_3_8B, LLAMA_7B, MODELS, PALM_540B, TRANSFORMER_BASE


@pytest.mark.parametrize("shape", MODELS.values(), ids=lambda shape: shape.name)
def test_heads_fill_the_width_and_share_out_evenly(shape):
    assert shape.heads * shape.head_width == shape.d_model
    assert shape.heads % shape.kv_heads == 0
    assert shape.source


@pytest.mark.parametrize(
    ("key", "published"),
    [
        ("gpt2_small", 124_439_808),
        ("llama_7b", 6_738_415_616),
        ("llama3_8b", 8_030_261_248),
        ("smollm2", 134_515_008),
    ],
)
def test_total_is_the_published_one_to_the_unit(key, published):
    assert sizes.model(MODELS[key]).total == published


def test_transformer_base_stays_two_million_below_the_65_million_of_its_paper():
    missing = 65_000_000 - sizes.model(TRANSFORMER_BASE).total
    assert 1_500_000 < missing < 2_500_000


def test_palm_meets_its_published_size_with_four_times_the_width_and_not_with_eight_thirds():
    narrow = replace(PALM_540B, d_ff=PALM_540B.d_model * 8 // 3)
    wide_model, narrow_model = sizes.model(PALM_540B), sizes.model(narrow)
    assert round((wide_model.matrices + wide_model.embedding) / 1e9, 2) == 540.35
    assert round((narrow_model.matrices + narrow_model.embedding) / 1e9) == 380


@pytest.mark.parametrize(("shape", "multiple_of"), [(LLAMA_7B, 256), (LLAMA_3_8B, 1024)])
def test_published_width_is_a_multiple_of_what_its_code_rounds_to(shape, multiple_of):
    assert shape.d_ff % multiple_of == 0
