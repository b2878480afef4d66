"""Rounded models against the equations, layer by layer, on a small model."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from ffnsite.errors import BadExperiment
from ffnsite.experiments import quantizing, rounding
from ffnsite.experiments.quantizing import SCHEMES, SITES, WHERE, Rounded, Scheme
from ffnsite.models import smollm2
from ffnsite.models.llama import Llama, LlamaConfig


@pytest.fixture
def small():
    torch.manual_seed(3)
    config = LlamaConfig(64, 192, 3, 4, 2, 16, 23, tied=True, rope_base=1e4, norm_eps=1e-5)
    return Llama(config).eval().requires_grad_(False)


@pytest.fixture
def text():
    return torch.from_numpy(np.random.default_rng(8).integers(0, 23, (5, 9)))


def layer(inputs: int, outputs: int) -> nn.Linear:
    torch.manual_seed(4)
    return nn.Linear(inputs, outputs, bias=False).requires_grad_(False)


def test_a_rounded_layer_is_whole_numbers_times_two_scales():
    linear, x = layer(6, 3), torch.randn(1, 4, 6)
    found = Rounded(linear, SCHEMES["int8_word"], "rounded")(x)
    for position in range(4):
        word = x[0, position].double()
        word_scale = float(word.abs().max()) / 127
        for output in range(3):
            row = linear.weight[output].double()
            row_scale = float(row.abs().max()) / 127
            whole = sum(
                round(float(a) / word_scale) * round(float(w) / row_scale)
                for a, w in zip(word, row, strict=True)
            )
            assert found[0, position, output] == pytest.approx(
                whole * word_scale * row_scale, abs=1e-5
            )


def test_one_scale_for_a_text_is_not_shared_by_the_texts_of_a_batch():
    rounded = Rounded(layer(6, 3), SCHEMES["int8_tensor"], "rounded")
    x = torch.randn(2, 4, 6)
    x[1] *= 1000
    torch.testing.assert_close(rounded(x)[:1], rounded(x[:1]))


def test_an_exact_first_position_is_not_rounded_and_takes_no_part_in_the_scale():
    linear, x = layer(6, 3), torch.randn(1, 4, 6)
    scheme = Scheme("tensor", "float")
    wide = torch.cat((10_000 * x[:, :1], x[:, 1:]), dim=1)
    exact = Rounded(linear, scheme, "exact")
    torch.testing.assert_close(exact(wide)[:, 0], linear(wide)[:, 0])
    torch.testing.assert_close(exact(wide)[:, 1:], exact(x)[:, 1:])
    assert not Rounded(linear, scheme, "rounded")(wide)[:, 1:].any()  # nothing but zeros is left


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_a_smoothed_layer_that_is_not_rounded_is_the_layer(alpha):
    linear, x = layer(6, 3), torch.randn(1, 4, 6)
    factors = rounding.smoothing(x.abs().amax((0, 1)), linear.weight.abs().amax(0), alpha)
    smooth = Rounded(linear, Scheme("float", "float", alpha=alpha), "rounded", factors)
    torch.testing.assert_close(smooth(x), linear(x), atol=1e-6, rtol=1e-6)
    assert not torch.equal(smooth.weight, linear.weight)


@pytest.mark.parametrize("name", ["bf16", "fp16"])
def test_a_format_rounds_input_and_weight(name):
    linear, x = layer(6, 3), torch.randn(1, 4, 6)
    kind = {"bf16": torch.bfloat16, "fp16": torch.float16}[name]
    expected = functional.linear(x.to(kind).float(), linear.weight.to(kind).float())
    assert torch.equal(Rounded(linear, SCHEMES[name], "rounded")(x), expected)


def test_places_are_all_linear_layers_of_a_block_each_once(small):
    linears = {
        name for name, part in small.blocks[0].named_modules() if isinstance(part, nn.Linear)
    }
    named = [name for site in SITES for name in SITES[site]]
    assert sorted(named) == sorted(linears)
    assert set(WHERE["all"]) == set(WHERE["attention"]) | set(WHERE["ffn"]) == set(SITES)


@pytest.mark.parametrize("where", ["attention", "ffn", "down", "all"])
def test_only_the_layers_of_the_place_are_rounded_and_the_model_given_stays(small, text, where):
    before = small(text)
    sites = WHERE[where]
    rounded = quantizing.rounded_model(small, SCHEMES["int8_word"], sites, "rounded", text)
    names = {name for site in sites for name in SITES[site]}
    for block in rounded.blocks:
        changed = {name for name, part in block.named_modules() if isinstance(part, Rounded)}
        assert changed == names
    assert torch.equal(small(text), before)
    assert not torch.equal(rounded(text), before)


def test_inputs_of_every_place_are_those_of_the_equations(small, text):
    found = quantizing.site_inputs(small, text[0])
    stream = small.embedding(text[:1])
    for at, block in enumerate(small.blocks):
        torch.testing.assert_close(found["query_key_value"][at], block.attention_norm(stream)[0])
        torch.testing.assert_close(
            block.attention.output(found["output"][at]),
            block.attention(block.attention_norm(stream))[0],
        )
        stream = stream + block.attention(block.attention_norm(stream))
        torch.testing.assert_close(found["gate_up"][at], block.ffn_norm(stream)[0])
        hidden = block.ffn.hidden(block.ffn_norm(stream))
        torch.testing.assert_close(found["down"][at], hidden[0])
        stream = stream + block.ffn.down(hidden)


def test_the_largest_inputs_are_over_all_calibration_words_that_are_rounded(small, text):
    each = [quantizing.site_inputs(small, row)["down"] for row in text]
    whole = torch.cat(each, dim=1).abs().amax(1)
    torch.testing.assert_close(quantizing.largest_inputs(small, "rounded", text)["down"], whole)
    later = torch.cat([one[:, 1:] for one in each], dim=1).abs().amax(1)
    torch.testing.assert_close(quantizing.largest_inputs(small, "exact", text)["down"], later)


def test_layers_that_read_the_same_input_share_the_factors(small, text):
    rounded = quantizing.rounded_model(
        small, SCHEMES["smooth_050"], WHERE["gate_up"], "rounded", text
    )
    ffn, plain = rounded.blocks[1].ffn, small.blocks[1].ffn
    both = torch.maximum(plain.gate.weight.abs().amax(0), plain.up.weight.abs().amax(0))
    largest = quantizing.largest_inputs(small, "rounded", text)["gate_up"][1]
    torch.testing.assert_close(ffn.gate.factors, (largest / both).sqrt())
    assert torch.equal(ffn.gate.factors, ffn.up.factors)


def test_the_loss_of_a_row_is_the_mean_over_its_next_words(small, text):
    found = quantizing.row_losses(small, text)
    for row, loss in zip(text, found, strict=True):
        chances = small(row[None])[0].double().softmax(-1)
        by_hand = [-float(chances[at, row[at + 1]].log()) for at in range(8)]
        assert loss == pytest.approx(np.mean(by_hand), rel=1e-5)


def test_a_cost_is_the_mean_of_paired_rises_and_its_standard_error(monkeypatch, small):
    draws = np.random.default_rng(2).integers(0, 23, (12, 9))
    monkeypatch.setattr(quantizing.corpus, "rows", lambda *_: torch.from_numpy(draws))
    monkeypatch.setattr(smollm2, "model", lambda: small)
    monkeypatch.setattr(quantizing, "plain_losses", quantizing.plain_losses.fresh)
    found = quantizing.cost.fresh("int8_tensor", "ffn", "rounded", "networkx")
    text = torch.from_numpy(draws)
    rounded = quantizing.rounded_model(
        small, SCHEMES["int8_tensor"], WHERE["ffn"], "rounded", text[8:]
    )
    rises = np.subtract(
        quantizing.row_losses(rounded, text[:8]), quantizing.row_losses(small, text[:8])
    )
    assert found.rise == pytest.approx(rises.mean())
    assert found.error == pytest.approx(np.sqrt(((rises - rises.mean()) ** 2).sum() / 7 / 8))
    assert found.plain == pytest.approx(np.mean(quantizing.row_losses(small, text[:8])))
    same = quantizing.cost.fresh("float", "all", "rounded", "networkx")
    assert (same.rise, same.error) == (0, 0)


@pytest.mark.parametrize(
    ("scheme", "where", "message"),
    [("int7", "all", "没有量化方案 'int7'"), ("float", "head", "没有 'head' 这个部位")],
)
def test_an_unknown_scheme_or_place_is_named(scheme, where, message):
    with pytest.raises(BadExperiment, match=message):
        quantizing.look_up(scheme, where)
