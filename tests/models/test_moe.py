"""The mixture of experts against its equation, position by position and expert by expert."""

import math

import pytest
import torch
from torch import nn

from ffnsite.models.ffn import FFN
from ffnsite.models.gated import GatedFFN
from ffnsite.models.moe import MoE

KINDS = {"two matrices": lambda: FFN(6, 9), "gated": lambda: GatedFFN(6, 9)}


def mixture(kind: str = "gated", experts: int = 5, active: int = 2) -> MoE:
    torch.manual_seed(3)
    return MoE(6, [KINDS[kind]() for _ in range(experts)], active).double()


def by_hand(layer: MoE, x: torch.Tensor) -> torch.Tensor:
    """One position: all scores, the largest ones, their exponentials shared out."""
    scores = (layer.router.weight @ x).tolist()
    chosen = sorted(range(len(scores)), key=lambda i: -scores[i])[: layer.active]
    whole = sum(math.exp(scores[i]) for i in chosen)
    gates = [math.exp(scores[i]) / whole for i in chosen]
    return sum(gate * layer.experts[i](x) for gate, i in zip(gates, chosen, strict=True))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("active", [1, 2, 5])
def test_layer_equals_a_plain_loop_over_positions_and_experts_in_float64(kind, active):
    layer = mixture(kind, active=active)
    x = torch.randn(3, 4, 6, dtype=torch.float64)
    expected = torch.stack([by_hand(layer, row) for row in x.flatten(0, 1)]).view_as(x)
    torch.testing.assert_close(layer(x), expected, rtol=1e-12, atol=1e-12)


def test_gates_of_a_position_sum_to_one_and_fall_from_the_first():
    routing = mixture().route(torch.randn(7, 6, dtype=torch.float64))
    torch.testing.assert_close(routing.gates.sum(dim=-1), torch.ones(7, dtype=torch.float64))
    assert (routing.gates[:, 0] >= routing.gates[:, 1]).all()


def test_an_expert_that_nobody_chooses_changes_nothing():
    layer = mixture(active=1)
    x = torch.randn(1, 3, 6, dtype=torch.float64)
    before, idle = layer(x), set(range(5)) - set(layer.route(x).experts.flatten().tolist())
    for index in idle:
        nn.init.constant_(layer.experts[index].down.weight, 9.0)
    assert idle
    assert torch.equal(layer(x), before)


def test_equal_experts_give_what_one_of_them_gives():
    layer = mixture()
    for expert in layer.experts:
        expert.load_state_dict(layer.experts[0].state_dict())
    x = torch.randn(2, 3, 6, dtype=torch.float64)
    torch.testing.assert_close(layer(x), layer.experts[0](x))


def test_what_comes_in_decides_and_gradients_reach_router_and_chosen_experts():
    layer = mixture()
    x = torch.randn(1, 6, dtype=torch.float64)
    layer(x).sum().backward()
    reached = {i for i, expert in enumerate(layer.experts) if expert.up.weight.grad.any()}
    assert reached == set(layer.route(x).experts[0].tolist())
    assert layer.router.weight.grad.any()


@pytest.mark.parametrize("active", [0, 6])
def test_more_or_fewer_active_experts_than_there_are_is_refused(active):
    with pytest.raises(ValueError, match=f"{active} active experts cannot be chosen from 5"):
        mixture(active=active)
