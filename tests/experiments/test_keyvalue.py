"""Both readings of an FFN: by hand, to the bit on whole numbers, to rounding on a real model."""

import math

import numpy as np
import pytest
import torch

from ffnsite.experiments import keyvalue
from ffnsite.experiments.keyvalue import difference, last_word, memories, product, silenced, summed
from ffnsite.experiments.values import Said
from ffnsite.models import smollm2
from ffnsite.models.ffn import ACTIVATIONS, FFN

SENTENCE = "The Danube flows"


def test_the_small_layer_by_hand():
    # x = (2, 1); keys (1, 0), (−1, 1), (0, 1), (1, −1); values (2, 0), (1, −2), (−1, 2), (1, 1)
    assert [one.score for one in memories()] == [2, -1, 1, 1]
    assert [one.part for one in memories()] == [(4, 0), (0, 0), (-1, 2), (1, 1)]
    assert product() == (4, 3)


def test_the_parts_of_the_memories_add_up_to_the_product():
    assert tuple(map(sum, zip(*(one.part for one in memories()), strict=True))) == product()


def test_with_whole_numbers_relu_s_two_readings_are_equal_to_the_bit():
    generator = np.random.default_rng(1)
    w1, w2, x = (
        torch.from_numpy(generator.integers(-3, 4, shape).astype(np.float64))
        for shape in ((64, 16), (16, 64), (200, 16))
    )
    coefficients = (x @ w1.T).clamp(min=0)
    assert torch.equal(summed(coefficients, w2.T), coefficients @ w2.T)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@torch.inference_mode()
def test_any_layer_of_two_matrices_is_its_sum_over_memories(activation):
    torch.manual_seed(2)
    ffn = FFN(16, 64, activation, bias=False).double()
    x = torch.randn(30, 16, dtype=torch.float64)
    by_hand = torch.zeros(30, 16, dtype=torch.float64)
    for i in range(64):  # f(k_i · x) v_i, one memory after another
        by_hand += ffn.activation(x @ ffn.up.weight[i])[:, None] * ffn.down.weight[:, i]
    torch.testing.assert_close(ffn(x), by_hand, rtol=0, atol=1e-12)
    torch.testing.assert_close(
        summed(ffn.hidden(x), ffn.down.weight.T), by_hand, rtol=0, atol=1e-12
    )


def test_on_a_real_model_the_readings_differ_by_rounding_only():
    found = difference.fresh(SENTENCE)
    words = len(smollm2.tokenizer().encode(SENTENCE).ids)
    assert found.outputs == 30 * words * 576
    assert 0 < found.relu < 1e-12
    assert 0 < found.swiglu < 1e-12


def test_used_memories_are_those_of_the_equation_in_float64(monkeypatch):
    everything = np.arange(30 * 1536).reshape(30, 1536)
    values = Said(everything, everything + 1, everything * 0.0, everything * 0.0)
    monkeypatch.setattr(keyvalue, "said", lambda: values)
    found = last_word.fresh(SENTENCE, 2, 3)
    heard = []
    model, tokenizer = smollm2.model(), smollm2.tokenizer()
    ffn = model.blocks[2].ffn
    hook = ffn.register_forward_pre_hook(lambda _, given: heard.append(given[0][0, -1].double()))
    tokens = tokenizer.encode(SENTENCE).ids
    logits = model(torch.tensor([tokens]))[0, -1]
    hook.remove()
    gate = (ffn.gate.weight.double() @ heard[0]).numpy()
    up = (ffn.up.weight.double() @ heard[0]).numpy()
    c = gate / (1 + np.exp(-gate)) * up
    shares = np.abs(c) * np.linalg.norm(ffn.down.weight.double().numpy(), axis=0)
    order = np.argsort(-shares)[:3]
    assert [one.channel for one in found.used] == order.tolist()
    for one in found.used:
        assert one.coefficient == pytest.approx(c[one.channel], abs=1e-3)
        assert one.share == pytest.approx(shares[one.channel] / shares.sum(), abs=1e-4)
        token = everything[2, one.channel] + (one.coefficient < 0)
        assert one.says == tokenizer.decode([int(token)])
    assert found.words == tuple(tokenizer.decode([token]) for token in tokens)
    assert found.model_says == tokenizer.decode([int(logits.argmax())])
    y = ffn.down.weight.double().numpy() @ c * model.norm.weight.double().numpy()
    assert found.layer_says == tokenizer.decode(
        [int((model.embedding.weight.double().numpy() @ y).argmax())]
    )
    assert math.isclose(
        sum(one.share for one in found.used), shares[order].sum() / shares.sum(), abs_tol=1e-3
    )


@torch.inference_mode()
def test_silencing_a_memory_is_taking_its_column_out_of_the_down_matrix():
    model, tokenizer = smollm2.model(), smollm2.tokenizer()
    ((clean, off),) = silenced.fresh((SENTENCE,), " through", 23, 863)
    tokens, token = (tokenizer.encode(text).ids for text in (SENTENCE, " through"))
    down = model.blocks[23].ffn.down.weight
    whole = down.clone()
    assert clean == pytest.approx(float(model(torch.tensor([tokens]))[0, -1].softmax(-1)[token[0]]))
    try:
        down[:, 863] = 0
        by_hand = float(model(torch.tensor([tokens]))[0, -1].softmax(-1)[token[0]])
    finally:
        down.copy_(whole)
    assert off == pytest.approx(by_hand, rel=1e-4)
    assert off != pytest.approx(clean, rel=1e-3)
