"""Attributions against finite differences and ablation on a small random Llama, in float64."""

import pytest
import torch

from ffnsite.experiments.attribution import attributions
from ffnsite.models.llama import Llama, LlamaConfig

TARGET = 7


@pytest.fixture
def small():
    torch.manual_seed(3)
    model = Llama(LlamaConfig(16, 24, 3, 4, 2, 4, 12, tied=True, rope_base=1e4, norm_eps=1e-5))
    return model.eval().requires_grad_(False).double()


@pytest.fixture
def tokens():
    return torch.tensor([[3, 1, 4, 1]])


def scaled(model, tokens, layer, position, channel, factor):
    """log P(target) of a forward pass in which one channel at one token is scaled."""

    def scale(_, given):
        key = given[0].clone()
        key[:, position, channel] *= factor
        return (key,)

    hook = model.blocks[layer].ffn.down.register_forward_pre_hook(scale)
    gained = model(tokens)[0, -1].log_softmax(dim=-1)[TARGET]
    hook.remove()
    return float(gained)


@pytest.mark.parametrize(
    ("layer", "position", "channel"), [(0, 1, 3), (1, 2, 20), (1, 3, 0), (2, 3, 11)]
)
def test_an_attribution_is_the_slope_of_log_p_when_the_channel_is_scaled(
    small, tokens, layer, position, channel
):
    found = float(attributions(small, tokens, TARGET)[layer, position, channel])
    up, down = (scaled(small, tokens, layer, position, channel, 1 + e) for e in (1e-5, -1e-5))
    assert found == pytest.approx((up - down) / 2e-5, rel=1e-5, abs=1e-9)


def test_in_the_top_layer_only_the_last_token_counts(small, tokens):
    found = attributions(small, tokens, TARGET)
    assert found.shape == (3, 4, 24)
    assert (found[2, :3] == 0).all()
    assert (found[2, 3] != 0).all()


def test_ablating_a_channel_of_a_weak_layer_loses_its_attribution(small, tokens):
    small.blocks[1].ffn.down.weight.mul_(1e-4)  # so weak that the first order is all
    plain = float(small(tokens)[0, -1].log_softmax(dim=-1)[TARGET])
    found = attributions(small, tokens, TARGET)[1, 3]
    lost = [plain - scaled(small, tokens, 1, 3, channel, 0.0) for channel in range(24)]
    torch.testing.assert_close(
        found, torch.tensor(lost, dtype=torch.float64), rtol=1e-3, atol=1e-12
    )


def test_the_model_s_parameters_get_no_gradient(small, tokens):
    attributions(small, tokens, TARGET)
    assert all(parameter.grad is None for parameter in small.parameters())
