"""Counting real modules, and noticing when formula and module part company."""

from dataclasses import replace

import pytest
from torch import nn

from ffnsite.errors import BadCount
from ffnsite.experiments import counting
from ffnsite.models import sizes
from ffnsite.models.gated import GatedFFN
from ffnsite.models.moe import MoE
from ffnsite.models.zoo import MODELS, SMOLLM2_135M


@pytest.mark.parametrize("key", MODELS)
def test_modules_and_formulas_agree_to_the_unit(key):
    built = counting.build(MODELS[key])
    assert sizes.model(MODELS[key]).total == sum(p.numel() for p in built.parameters())
    assert counting.tally(built) == sizes.model(MODELS[key])
    assert counting.tally(counting.first_block(built)) == sizes.block(MODELS[key])


def test_the_census_holds_every_model_of_the_zoo():
    counts = counting.census.fresh().counts
    assert {key: count.model for key, count in counts.items()} == {
        key: sizes.model(shape) for key, shape in MODELS.items()
    }
    assert counts["llama3_8b"].block == sizes.block(MODELS["llama3_8b"])


@pytest.mark.parametrize("key", ["smollm2", "qwen25_05b", "mixtral_8x7b", "palm_540b"])
@pytest.mark.parametrize(
    "change",
    [{"tied": True}, {"tied": False}, {"bias": "qkv"}, {"bias": "none"}, {"kv_heads": 1}],
    ids=str,
)
def test_routes_agree_with_and_without_biases_and_a_head_of_its_own(key, change):
    changed = replace(MODELS[key], layers=2, **change)
    assert counting.tally(counting.build(changed)) == sizes.model(changed)


def test_building_takes_no_memory():
    assert all(p.device.type == "meta" for p in counting.build(MODELS["llama3_8b"]).parameters())


def test_a_shared_tensor_counts_once():
    module = nn.ModuleDict({"embedding": nn.Embedding(5, 3), "head": nn.Linear(3, 5, bias=False)})
    module["head"].weight = module["embedding"].weight
    assert counting.tally(module).total == 15


def test_biases_of_ffn_stand_apart_from_its_matrices():
    parts = counting.tally(nn.ModuleDict({"ffn": GatedFFN(3, 5, bias=True)}))
    assert (parts.ffn, parts.ffn_bias) == (45, 13)


def test_a_router_is_no_part_of_its_experts():
    layer = MoE(3, [GatedFFN(3, 5), GatedFFN(3, 5)], active=1)
    parts = counting.tally(nn.ModuleDict({"ffn": layer}))
    assert (parts.ffn, parts.router) == (2 * 45, 2 * 3)


def test_a_disagreement_names_the_part_and_both_counts():
    formula = sizes.block(replace(SMOLLM2_135M, d_ff=1537))
    built = counting.tally(counting.first_block(counting.build(SMOLLM2_135M)))
    with pytest.raises(BadCount, match=r"SmolLM2.*ffn：公式 2,655,936，模块 2,654,208"):
        counting.agreed("SmolLM2 的一层", formula, built)


def test_a_parameter_of_an_unknown_module_is_refused():
    with pytest.raises(BadCount, match=r"mystery\.weight 不知道归哪一部分"):
        counting.tally(nn.ModuleDict({"mystery": nn.Linear(2, 2)}))
