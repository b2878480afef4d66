"""The Llama architecture against its equations, written out in float64 for a tiny configuration."""

import pytest
import torch

from ffnsite.models.llama import Llama, LlamaConfig
from ffnsite.models.smollm2 import SMOLLM2_135M

TINY = LlamaConfig(
    d_model=24,
    d_ff=40,
    layers=3,
    heads=4,
    kv_heads=2,
    head_width=6,
    vocabulary=11,
    tied=True,
    rope_base=10_000.0,
    norm_eps=1e-5,
)


@pytest.fixture
def tiny():
    torch.manual_seed(7)
    model = Llama(TINY).double().eval().requires_grad_(False)
    for name, weight in model.named_parameters():
        if "norm" in name:
            weight.copy_(1 + torch.randn_like(weight) / 5)
    return model


def rms(x, gain):
    return gain * x / torch.sqrt((x**2).mean(dim=-1, keepdim=True) + TINY.norm_eps)


def one_block_by_hand(block, x):
    """The equations of the docstring; attention and rotary positions have their own tests."""
    x = x + block.attention(rms(x, block.attention_norm.weight))
    u = rms(x, block.ffn_norm.weight)
    gate, up = u @ block.ffn.gate.weight.T, u @ block.ffn.up.weight.T
    return x + (gate * torch.sigmoid(gate) * up) @ block.ffn.down.weight.T


def test_the_model_is_its_equations(tiny):
    tokens = torch.tensor([[1, 5, 2, 10], [0, 3, 3, 7]])
    x = tiny.embedding.weight[tokens]
    for block in tiny.blocks:
        x = one_block_by_hand(block, x)
    expected = rms(x, tiny.norm.weight) @ tiny.embedding.weight.T
    torch.testing.assert_close(tiny(tokens), expected)


def test_the_streams_are_what_each_block_reads_and_writes(tiny):
    embedded = tiny.embedding(torch.tensor([[1, 5, 2, 10]]))
    streams = tiny.streams(embedded)
    assert streams.shape == (4, 1, 4, 24)
    assert torch.equal(streams[0], embedded)
    for depth, block in enumerate(tiny.blocks):
        torch.testing.assert_close(streams[depth + 1], one_block_by_hand(block, streams[depth]))


def test_an_edit_is_read_by_everything_above_and_nothing_below(tiny):
    embedded = tiny.embedding(torch.tensor([[1, 5, 2, 10]]))
    plain = tiny.streams(embedded)
    edited = tiny.streams(embedded, lambda depth, x: x + 1 if depth == 2 else x)
    assert torch.equal(edited[:2], plain[:2])
    assert torch.equal(edited[2], plain[2] + 1)
    torch.testing.assert_close(edited[3], one_block_by_hand(tiny.blocks[2], plain[2] + 1))


def test_a_block_run_from_a_later_position_on_kept_keys_equals_the_full_run(tiny):
    block, x = tiny.blocks[0], torch.randn(2, 6, 24, dtype=torch.float64)
    past = block.keys_values(x[:, :2])
    torch.testing.assert_close(block(x[:, 2:], past), block(x)[:, 2:])
    torch.testing.assert_close(block(x[:, 2:], past, queries=1), block(x)[:, 5:])


def test_an_untied_head_has_its_own_weights():
    untied = Llama(LlamaConfig(24, 40, 1, 4, 2, 6, 11, tied=False, rope_base=1e4, norm_eps=1e-5))
    stream = torch.randn(5, 24)
    torch.testing.assert_close(untied.logits(stream), untied.norm(stream) @ untied.head.weight.T)


def test_smollm2_has_the_published_number_of_parameters_on_the_meta_device():
    with torch.device("meta"):
        model = Llama(SMOLLM2_135M)
    assert all(weight.is_meta for weight in model.parameters())
    assert sum(weight.numel() for weight in model.parameters()) == 134_515_008
