"""Bytes of a decode step, worked by hand and measured on real tensors."""

from fractions import Fraction

import pytest
import torch

from ffnsite.experiments.traffic import cache_numbers, intensity, meets_ffn, reads
from ffnsite.models import smollm2
from ffnsite.models.zoo import LLAMA_3_8B, LLAMA_7B, MIXTRAL_8X7B, MODELS, SMOLLM2_135M


def test_llama_7b_reads_its_weights_and_half_a_mebibyte_a_cached_token():
    found = reads(LLAMA_7B, cached=1000)
    assert found.attention == 2 * 32 * 4 * 4096**2
    assert found.ffn == 2 * 32 * 3 * 4096 * 11_008
    assert found.head == 2 * 32_000 * 4096
    assert found.cache == 1000 * 2 * 32 * 2 * 4096 == 1000 * 2**19
    assert found.weights + found.cache == found.total


@pytest.mark.parametrize(
    ("shape", "tokens"), [(LLAMA_7B, 16_512), (LLAMA_3_8B, 86_016), (SMOLLM2_135M, 6912)]
)
def test_the_cache_costs_as_much_as_the_ffn_at_the_token_worked_by_hand(shape, tokens):
    assert meets_ffn(shape) == tokens
    found = reads(shape, tokens)
    assert found.cache == found.ffn
    assert reads(shape, tokens - 1).cache < found.ffn


@pytest.mark.parametrize("width", [1, 2, 4])
def test_weights_and_cache_of_one_width_meet_at_the_same_token(width):
    found = reads(LLAMA_3_8B, 86_016, width)
    assert found.cache == found.ffn


def test_bytes_of_smollm2_are_those_of_its_tensors():
    model = smollm2.model()
    found = reads(SMOLLM2_135M, cached=5, width=4)
    parts = {"attention": "attention", "ffn": "ffn"}
    for name, module in parts.items():
        held = sum(w.nbytes for block in model.blocks for w in getattr(block, module).parameters())
        assert getattr(found, name) == held
    assert found.weights == sum(weight.nbytes for weight in model.parameters())
    offered = model.blocks[0].keys_values(torch.zeros(1, 5, 576))
    assert found.cache == 30 * (offered.keys.nbytes + offered.values.nbytes)


def test_a_token_of_mixtral_reads_two_experts_of_each_layer():
    assert reads(MIXTRAL_8X7B, 0).ffn == 2 * 32 * 2 * 3 * 4096 * 14_336


def test_groups_of_queries_divide_the_cache_of_a_token():
    assert 4 * cache_numbers(LLAMA_3_8B) == cache_numbers(LLAMA_7B)


@pytest.mark.parametrize("key", MODELS)
def test_cache_and_square_meet_the_ffn_at_lengths_that_differ_by_the_group(key):
    shape = MODELS[key]
    ffn = shape.active * (3 if shape.ffn == "gated" else 2) * shape.d_model * shape.d_ff
    square = Fraction(2 * ffn, 4 * shape.heads * shape.head_width)
    assert meets_ffn(shape) == square * shape.heads // shape.kv_heads


def test_sixteen_bit_weights_give_one_operation_a_byte_for_each_text():
    weights = 3 * 4096 * 11_008
    assert intensity(2 * weights, 2 * weights) == 1
    assert intensity(64 * 2 * weights, 2 * weights) == 64
    assert intensity(2 * weights, 4 * weights) == Fraction(1, 2)
