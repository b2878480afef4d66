"""The closed formulas against numbers worked by hand and against the textbook coefficients."""

from dataclasses import replace
from fractions import Fraction

import pytest

from ffnsite.models import sizes
from ffnsite.models.sizes import Architecture

TINY = Architecture(
    name="tiny",
    d_model=6,
    d_ff=10,
    layers=3,
    heads=2,
    kv_heads=1,
    head_width=3,
    vocabulary=11,
    ffn="two",
    norm="layer",
    bias="all",
    tied=False,
    source="this test",
    positions=7,
)


def test_block_with_everything_is_the_sum_worked_by_hand():
    block = sizes.block(TINY)
    # query 6x6, key 6x3, value 6x3, output 6x6; up 6x10, down 10x6; biases 6+3+3+6 and 10+6
    assert (block.attention, block.ffn) == (108, 120)
    assert (block.attention_bias, block.ffn_bias) == (18, 16)
    assert block.norm == 24  # two norms, each a gain and a shift of 6
    assert (block.matrices, block.small, block.total) == (228, 58, 286)


def test_model_is_its_blocks_and_the_rest():
    model = sizes.model(TINY)
    assert (model.embedding, model.positions, model.head) == (66, 42, 66)
    assert model.norm == 3 * 24 + 12
    assert model.total == 3 * 286 + 12 + 66 + 42 + 66


@pytest.mark.parametrize(
    ("change", "fewer"),
    [
        ({"bias": "none"}, 3 * (18 + 16)),
        ({"bias": "qkv"}, 3 * (6 + 16)),  # those of the output and of the FFN go
        ({"tied": True}, 66),
        ({"norm": "rms"}, 3 * 12 + 6),
        ({"positions": 0}, 42),
        ({"final_norm": False}, 12),
        ({"kv_heads": 2}, -3 * 2 * (18 + 3)),
        ({"ffn": "gated"}, -3 * (60 + 10)),
        ({"cross_layers": 2}, -2 * (108 + 18 + 12)),
        ({"block_norms": 1}, 3 * 12),
        ({"segments": 2}, -2 * 6),
        ({"embedding_norm": True}, -12),
        ({"pooler": True}, -(36 + 6)),
        ({"experts": 4}, -3 * (3 * (120 + 16) + 4 * 6)),  # three more FFNs and a router
    ],
)
def test_each_choice_changes_the_total_by_its_own_parameters(change, fewer):
    assert sizes.model(TINY).total - sizes.model(replace(TINY, **change)).total == fewer


@pytest.mark.parametrize("width", [64, 512, 12_288])
def test_standard_block_is_four_and_eight_d_squared(width):
    shape = replace(TINY, d_model=width, d_ff=4 * width, heads=8, kv_heads=8, head_width=width // 8)
    assert sizes.in_d_squared(sizes.attention(shape), shape) == 4
    assert sizes.in_d_squared(sizes.feed_forward(shape), shape) == 8


def test_a_gate_at_eight_thirds_of_the_width_costs_as_much_as_two_matrices_at_four_times():
    two, three = replace(TINY, d_ff=24), replace(TINY, d_ff=16, ffn="gated")
    assert sizes.feed_forward(two) == sizes.feed_forward(three) == 8 * 6**2


def test_a_token_runs_through_all_but_the_idle_experts():
    shape = replace(TINY, experts=4, active=2, bias="none")
    assert sizes.active(shape) == sizes.model(shape).total - 3 * 2 * 120
    assert sizes.active(TINY) == sizes.model(TINY).total


def test_a_router_of_one_expert_is_none():
    assert sizes.block(TINY).router == 0


def test_rule_of_thumb_by_hand():
    assert sizes.rule_of_thumb(TINY) == 12 * 3 * 36 + 11 * 6


@pytest.mark.parametrize(
    ("d_model", "multiple_of", "multiplier", "published"),
    [
        (4096, 256, Fraction(1), 11_008),  # LLaMA-7B
        (5120, 256, Fraction(1), 13_824),  # LLaMA-13B
        (8192, 256, Fraction(1), 22_016),  # LLaMA-65B
        (8192, 4096, Fraction("1.3"), 28_672),  # Llama-2-70B
        (4096, 1024, Fraction("1.3"), 14_336),  # Llama-3-8B
    ],
)
def test_width_rule_gives_the_published_widths(d_model, multiple_of, multiplier, published):
    assert sizes.gated_width(d_model, multiple_of, multiplier) == published
