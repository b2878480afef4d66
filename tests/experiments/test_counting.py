"""Counting real modules, and noticing when formula and module part company."""

from dataclasses import replace

import pytest
from torch import nn

from ffnsite.errors import BadCount
from ffnsite.experiments import counting
from ffnsite.models import sizes
from ffnsite.models.gated import GatedFFN
from ffnsite.models.zoo import MODELS, SMOLLM2_135M


@pytest.mark.parametrize("key", MODELS)
def test_modules_and_formulas_agree_to_the_unit(key):
    count = counting.counted.fresh(key)
    built = counting.build(MODELS[key])
    assert count.model.total == sum(p.numel() for p in built.parameters())
    assert count.block == sizes.block(MODELS[key])


def test_an_untied_head_costs_one_more_embedding_in_both_routes():
    untied = replace(SMOLLM2_135M, tied=False)
    assert counting.tally(counting.build(untied)) == sizes.model(untied)


def test_building_takes_no_memory():
    assert all(p.device.type == "meta" for p in counting.build(MODELS["llama3_8b"]).parameters())


def test_a_shared_tensor_counts_once():
    module = nn.ModuleDict({"embedding": nn.Embedding(5, 3), "head": nn.Linear(3, 5, bias=False)})
    module["head"].weight = module["embedding"].weight
    assert counting.tally(module).total == 15


def test_biases_of_ffn_stand_apart_from_its_matrices():
    parts = counting.tally(nn.ModuleDict({"ffn": GatedFFN(3, 5, bias=True)}))
    assert (parts.ffn, parts.ffn_bias) == (45, 13)


def test_a_disagreement_names_the_part_and_both_counts():
    formula = sizes.block(replace(SMOLLM2_135M, d_ff=1537))
    built = counting.tally(counting.first_block(counting.build(SMOLLM2_135M)))
    with pytest.raises(BadCount, match=r"SmolLM2.*ffn：公式 2,655,936，模块 2,654,208"):
        counting.agreed("SmolLM2 的一层", formula, built)


def test_a_parameter_of_an_unknown_module_is_refused():
    with pytest.raises(BadCount, match=r"mystery\.weight 不知道归哪一部分"):
        counting.tally(nn.ModuleDict({"mystery": nn.Linear(2, 2)}))


def test_an_unknown_model_is_answered_with_its_neighbours():
    with pytest.raises(BadCount, match=r"gpt2_smal.*gpt2_small"):
        counting.counted.fresh("gpt2_smal")
