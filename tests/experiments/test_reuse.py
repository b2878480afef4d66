"""Words that come again, and how far their FFN outputs are from the last time."""

import pytest
import torch

from ffnsite.errors import BadExperiment
from ffnsite.experiments import reuse
from ffnsite.experiments.reuse import compared, distance, repeats
from ffnsite.models.llama import Llama, LlamaConfig


@pytest.fixture
def small():
    torch.manual_seed(3)
    model = Llama(LlamaConfig(16, 24, 4, 4, 2, 4, 12, tied=True, rope_base=1e4, norm_eps=1e-5))
    return model.eval().requires_grad_(False).double()


def test_a_word_is_set_against_its_last_earlier_occurrence_but_never_the_first_place():
    assert repeats([7, 3, 7, 3, 3, 7]) == ([1, 3, 2], [3, 4, 5])


def test_distance_is_relative_to_the_earlier_one():
    a, b = torch.tensor([[3.0, 4.0]]), torch.tensor([[3.0, 1.0]])
    assert distance(a, b).tolist() == pytest.approx([3 / 5])
    assert distance(b, a).tolist() == pytest.approx([3 / 10**0.5])


@torch.inference_mode()
def test_outputs_are_those_of_the_model_s_own_ffns(small):
    tokens, heard = torch.tensor([[5, 1, 2, 1, 4]]), []
    for block in small.blocks:
        block.ffn.register_forward_hook(lambda _, __, out: heard.append(out[0]))
    small(tokens)
    own = [float((out[1] - out[3]).norm() / out[1].norm()) for out in heard]
    _, outputs, identical = compared(small, tokens)
    assert outputs[:, 0].tolist() == pytest.approx(own)
    assert not identical.any()


def test_without_attention_the_same_word_brings_the_same_input(small):
    for block in small.blocks:
        block.attention.output.weight.zero_()
    inputs, outputs, identical = compared(small, torch.tensor([[5, 1, 2, 1, 4]]))
    assert identical.all()
    assert not inputs.any()
    assert not outputs.any()


def test_smollm2_on_real_text_brings_back_words_but_no_input():
    found = reuse.reuse.fresh("networkx", 1, 64)
    assert found.words == 64
    assert 5 < found.repeated < 64
    assert found.identical == 0
    assert found.outputs[0] < found.outputs[15]


def test_a_text_without_repeats_is_refused():
    with pytest.raises(BadExperiment, match="没有重复的词元"):
        reuse.reuse.fresh("networkx", 1, 2)
