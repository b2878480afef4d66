"""Counted operations against formulas worked by hand."""

from dataclasses import replace
from fractions import Fraction

import pytest
import torch

from ffnsite.errors import BadCount
from ffnsite.experiments import costs
from ffnsite.experiments.costs import Rates, agreed, by_formula, counted
from ffnsite.experiments.operations import operations
from ffnsite.models.attention import Attention, KeysValues
from ffnsite.models.ffn import FFN
from ffnsite.models.zoo import (
    LLAMA_3_8B,
    LLAMA_7B,
    MIXTRAL_8X7B,
    MODELS,
    SMOLLM2_135M,
    TRANSFORMER_BASE,
)

SMALL = replace(SMOLLM2_135M, d_model=24, d_ff=40, heads=6, kv_heads=2, head_width=4)


def test_a_standard_ffn_does_sixteen_d_squared_operations_a_word_not_eight():
    d = 32
    ffn, word = FFN(d, 4 * d), torch.zeros(1, d)
    assert operations(lambda: ffn(word)) == 16 * d**2
    assert sum(layer.weight.numel() for layer in (ffn.up, ffn.down)) == 8 * d**2


@pytest.mark.parametrize("length", [1, 2, 7, 50])
def test_a_block_costs_what_loops_over_tokens_and_pairs_add_up_to(length):
    d, d_ff, heads, kv_heads, h = 24, 40, 6, 2, 4
    projections = ffn = square = 0
    for _ in range(length):
        projections += 2 * (d * heads * h + 2 * d * kv_heads * h + heads * h * d)
        ffn += 2 * 3 * d * d_ff
        for _ in range(length):
            square += heads * (2 * h + 2 * h)  # a score, then a share of the value
    assert counted(SMALL, length) == Rates(projections, square, ffn)


@pytest.mark.parametrize("key", ["transformer_base", "llama_7b", "palm_540b", "qwen25_7b"])
def test_counter_and_formula_agree_at_a_length_of_no_meaning(key):
    assert counted(MODELS[key], 137) == by_formula(MODELS[key]).at(137)


def test_a_token_of_mixtral_runs_two_of_eight_experts_and_the_router():
    expert, router = 3 * 4096 * 14_336, 8 * 4096
    assert counted(MIXTRAL_8X7B, 5).ffn == 5 * 2 * (2 * expert + router)


@pytest.mark.parametrize(
    ("shape", "linear", "ffn"),
    [
        (LLAMA_3_8B, 26_624, 21_504),
        (LLAMA_7B, 24_704, 16_512),
        (SMOLLM2_135M, 3072, 2304),
        (TRANSFORMER_BASE, 3072, 2048),
    ],
)
def test_the_square_meets_the_rest_where_it_does_by_hand(shape, linear, ffn):
    rates = agreed(shape)
    assert rates.meets_linear() == linear
    assert rates.meets_ffn() == ffn
    work = counted(shape, linear)
    assert work.square == work.projections + work.ffn
    short = counted(shape, ffn - 1)
    assert short.square < short.ffn


def test_the_meeting_points_of_llama_3_8b_in_widths():
    rates = by_formula(LLAMA_3_8B)
    assert rates.meets_linear() / 4096 == Fraction(13, 2)
    assert rates.meets_ffn() / 4096 == Fraction(21, 4)


def test_half_the_pairs_double_the_meeting_length():
    rates = by_formula(LLAMA_3_8B)
    half = replace(rates, square=rates.square // 2)
    assert half.meets_linear() == 53_248
    assert half.meets_ffn() == 43_008


def test_grouped_queries_narrow_the_projections_and_leave_the_square():
    grouped, all_heads = counted(LLAMA_3_8B, 64), counted(replace(LLAMA_3_8B, kv_heads=32), 64)
    assert grouped.square == all_heads.square == 4 * 64**2 * 4096
    assert (grouped.projections, all_heads.projections) == (64 * 5 * 4096**2, 64 * 8 * 4096**2)
    assert grouped.ffn == all_heads.ffn


def test_a_decode_step_pays_for_one_row_of_the_square():
    attention = Attention(24, 6, 2, 4)
    past = KeysValues(torch.zeros(1, 2, 9, 4), torch.zeros(1, 2, 9, 4))
    rates = by_formula(SMALL)
    found = operations(lambda: attention(torch.zeros(1, 1, 24), past))
    assert found == rates.projections + 10 * rates.square


def test_the_fused_kernel_of_the_cpu_hides_from_the_counter_so_products_are_explicit():
    heads = torch.zeros(1, 6, 8, 4)
    fused = torch.nn.functional.scaled_dot_product_attention
    assert operations(lambda: fused(heads, heads, heads)) == 0
    assert (
        operations(lambda: heads @ heads.transpose(-1, -2) @ heads) == by_formula(SMALL).square * 64
    )


def test_a_count_that_is_not_the_formula_is_named(monkeypatch):
    monkeypatch.setattr(costs, "counted", lambda shape, length: Rates(1, 2, 3))
    with pytest.raises(BadCount, match=r"SmolLM2-135M 读 1 个词元.*公式是"):
        agreed(SMOLLM2_135M)


def test_the_census_holds_the_zoo_with_and_without_groups(monkeypatch):
    monkeypatch.setattr(costs, "MODELS", {"small": SMALL})
    found = costs.census.fresh()
    assert found.rates["small"].square == found.ungrouped["small"].square
    assert found.ungrouped["small"].projections == 2 * 4 * 24**2
