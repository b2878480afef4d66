"""What torch keeps of a block, against the published formulas."""

import pytest
import torch

from ffnsite.errors import BadExperiment
from ffnsite.experiments.stored import Dropout, Stored, block, by_formula, listening, stored


@pytest.mark.parametrize(
    ("batch", "length", "width", "heads"),
    [(2, 24, 32, 4), (3, 10, 64, 8), (1, 7, 48, 3), (1, 2048, 12_288, 96)],
)
def test_a_gelu_block_keeps_what_korthikanti_count_and_two_small_things(
    batch, length, width, heads
):
    found = stored.fresh(batch, length, width, heads, 4 * width)
    formula = by_formula(batch, length, width, heads)
    assert (found.attention, found.square) == (formula.attention, formula.square)
    assert (found.ffn, found.norm) == (formula.ffn, formula.norm)
    assert found.statistics == 2 * batch * length * 2 * 4  # two norms, two float32 a token
    assert found.mask == length**2


def test_the_formula_of_gpt_3_is_34_and_80():
    once = 2048 * 12_288
    found = by_formula(1, 2048, 12_288, 96)
    assert found.attention + found.ffn + found.norm == 34 * once
    assert found.square == 80 * once
    assert found.total == 114 * once


def test_a_swiglu_ffn_keeps_four_inner_tensors_its_input_and_a_mask():
    batch, length, width, inner = 2, 24, 48, 128
    found = stored.fresh(batch, length, width, 4, inner, "swiglu")
    assert found.ffn == batch * length * (2 * width + 4 * 2 * inner + width)


def test_each_kept_tensor_of_the_ffn_is_one_of_the_paper_s():
    made, x = block(32, 4, 128, "gelu"), torch.empty(2, 24, 32, dtype=torch.bfloat16, device="meta")
    with listening(made) as kept:
        made(x.requires_grad_())
    sizes = sorted(each.size for each in kept if each.part == "ffn")
    once = 2 * 24 * 32
    assert sizes == [once, 2 * once, 8 * once, 8 * once]  # mask, input, before and behind GELU


def test_without_gradients_nothing_is_kept():
    made, x = block(32, 4, 128, "gelu"), torch.empty(2, 24, 32, dtype=torch.bfloat16, device="meta")
    with torch.no_grad(), listening(made) as kept:
        made(x)
    assert kept == []


def test_dropout_sets_a_tenth_to_zero_and_keeps_the_mean():
    torch.manual_seed(1)
    out = Dropout()(torch.ones(100_000))
    assert float((out == 0).double().mean()) == pytest.approx(0.1, abs=0.005)
    assert float(out.double().mean()) == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("length", [32, 8])
def test_a_length_that_is_a_width_is_refused(length):
    with pytest.raises(BadExperiment, match="句长"):
        stored.fresh(2, length, 32, 4, 128)


def test_the_total_is_the_sum_of_all_kinds():
    assert Stored(1, 2, 4, 8, 16, 32).total == 63
