"""Gate readings against the equation of SwiGLU, written out in float64."""

import numpy as np
import pytest
import torch

from ffnsite.errors import BadExperiment
from ffnsite.experiments import gates
from ffnsite.experiments.gates import (
    CHANGES,
    EDGES,
    ffn_inputs,
    mean_loss,
    readings,
    summary,
    swish,
)
from ffnsite.models import smollm2
from ffnsite.models.gated import GatedFFN
from ffnsite.models.llama import Llama, LlamaConfig

TEXT = "She sliced the mango with a knife"


@pytest.fixture
def small():
    torch.manual_seed(3)
    model = Llama(LlamaConfig(16, 24, 4, 4, 2, 4, 12, tied=True, rope_base=1e4, norm_eps=1e-5))
    return model.eval().requires_grad_(False).double()


@pytest.fixture
def tokens():
    return torch.tensor([[3, 1, 4, 1, 5, 9]])


def test_a_reading_of_smollm2_is_the_equation_on_its_weights_in_float64():
    (found,) = readings.fresh(TEXT, (("mango", 11),))
    ffn = smollm2.model().blocks[11].ffn
    w_gate, w_up, w_down = (part.weight.double().numpy() for part in (ffn.gate, ffn.up, ffn.down))
    gate, up = w_gate @ found.x, w_up @ found.x
    opened = gate / (1 + np.exp(-gate))
    np.testing.assert_allclose(found.gate, gate, atol=1e-4)
    np.testing.assert_allclose(found.up, up, atol=1e-4)
    np.testing.assert_allclose(found.opened, opened, atol=1e-4)
    np.testing.assert_allclose(found.product, opened * up, atol=1e-3)
    np.testing.assert_allclose(found.out, w_down @ (opened * up), atol=1e-3)


def test_the_read_word_is_its_own_last_token_and_later_words_change_nothing():
    (whole,) = readings.fresh(TEXT, (("mango", 5),))
    (cut,) = readings.fresh("She sliced the mango", (("mango", 5),))
    np.testing.assert_allclose(whole.x, cut.x, atol=1e-4)
    assert "".join(whole.words) == TEXT


def test_the_inputs_are_what_each_ffn_of_the_model_s_own_forward_reads(small, tokens):
    heard = []
    for block in small.blocks:
        block.ffn.register_forward_pre_hook(lambda _, given: heard.append(given[0][0]))
    small(tokens)
    torch.testing.assert_close(ffn_inputs(small, tokens), torch.stack(heard[:4]))


def test_without_a_change_the_loss_is_that_of_the_model(small, tokens):
    chances = small(tokens)[0].softmax(dim=-1)
    by_hand = -sum(float(chances[at, tokens[0, at + 1]].log()) for at in range(5)) / 5
    assert mean_loss(small, tokens, CHANGES["none"]) == pytest.approx(by_hand, rel=1e-9)
    assert mean_loss(small, tokens, GatedFFN.forward) == pytest.approx(by_hand, rel=1e-9)


def test_exchanging_both_matrices_and_the_branches_changes_nothing(small, tokens):
    before = mean_loss(small, tokens, CHANGES["none"])
    for block in small.blocks:
        block.ffn.gate, block.ffn.up = block.ffn.up, block.ffn.gate
    assert mean_loss(small, tokens, CHANGES["swapped"]) == before
    assert mean_loss(small, tokens, CHANGES["none"]) != before


@pytest.mark.parametrize(
    ("change", "opened"),
    [
        ("no_negative", lambda z: max(z, 0.0) / (1 + np.exp(-z))),
        ("at_most_one", lambda z: min(z / (1 + np.exp(-z)), 1.0)),
        ("sigmoid", lambda z: 1 / (1 + np.exp(-z))),
    ],
)
def test_a_change_of_the_gates_is_its_equation(small, change, opened):
    ffn, x = small.blocks[0].ffn, 3 * torch.randn(16, dtype=torch.float64)
    gates_by_hand = np.array([opened(z) for z in ffn.gate(x).tolist()])
    expected = ffn.down.weight.numpy() @ (gates_by_hand * ffn.up(x).numpy())
    np.testing.assert_allclose(CHANGES[change](ffn, x).numpy(), expected, atol=1e-12)


def test_the_first_word_may_keep_its_wide_gates(small):
    ffn, x = small.blocks[0].ffn, 30 * torch.randn(1, 3, 16, dtype=torch.float64)
    found = CHANGES["at_most_one_later"](ffn, x)
    torch.testing.assert_close(found[:, 0], ffn(x)[:, 0])
    torch.testing.assert_close(found[:, 1:], CHANGES["at_most_one"](ffn, x)[:, 1:])
    assert not torch.allclose(found[:, 1:], ffn(x)[:, 1:])


def test_a_summary_of_gates_counted_by_hand():
    first_word, second_word = [0.0, 9.0, -1.0, 1.5], [-20.0, 0.19, 2.0, 2.0]
    found = summary(np.array([[first_word, second_word]]))
    assert found.words == 2
    assert found.above_one[0] == 4 / 8  # Swish(1.5) is 1.23, Swish(2) is 1.76
    assert found.negative[0] == 2 / 8
    assert found.near_zero[0] == 2 / 8  # 0 and -20; Swish(0.19) is 0.104
    assert found.smallest[0] == pytest.approx(-1 / (1 + np.e))
    assert found.largest_first[0] == pytest.approx(9 / (1 + np.exp(-9)))
    assert found.largest_later[0] == pytest.approx(2 / (1 + np.exp(-2)))
    assert found.histogram.shape == (1, len(EDGES) - 1)
    assert found.histogram[0, 0] == found.histogram[0, -1] == 1 / 8  # -20 and 9 lie beyond
    assert found.histogram.sum() == 1


def test_swish_is_its_equation_and_never_overflows():
    z = np.array([-1.2784645, 0.0, 3.0, -1e4, 1e4])
    np.testing.assert_allclose(swish(z), [-0.2784645, 0, 3 / (1 + np.exp(-3)), 0, 1e4], atol=1e-7)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((TEXT, (("mango", 3), ("mango", 30))), "从 0 到 29"),
        ((TEXT, (("peach", 3),)), "恰好出现一次"),
        (("a mango, a mango", (("mango", 3),)), "恰好出现一次"),
    ],
)
def test_a_word_or_layer_that_is_not_there_is_named(arguments, message):
    with pytest.raises(BadExperiment, match=message):
        readings.fresh(*arguments)


def test_places_come_in_the_order_that_is_asked_for():
    late, early = readings.fresh(TEXT, (("knife", 20), ("mango", 2)))
    assert np.array_equal(late.x, readings.fresh(TEXT, (("knife", 20),))[0].x)
    assert np.array_equal(early.x, readings.fresh(TEXT, (("mango", 2),))[0].x)


def test_openings_of_a_text_are_the_summary_of_its_readings():
    short, longer = gates.openings.fresh(("a knife", TEXT))
    (one,) = readings.fresh("a knife", (("knife", 20),))
    assert (short.words, longer.words) == (2, 7)
    assert short.largest_later[20] == pytest.approx(one.opened.max(), rel=1e-5)


def test_a_loss_of_smollm2_is_low_and_grows_when_its_matrices_are_exchanged():
    found = gates.losses.fresh((TEXT,))
    assert found.keys() == CHANGES.keys()
    assert found["none"][0] < 6 < found["swapped"][0]
