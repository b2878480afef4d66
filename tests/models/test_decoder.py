"""The decoder of any blocks against its equation, in float64."""

import pytest
import torch
from torch import nn

from ffnsite.models.attention import Attention
from ffnsite.models.block import ParallelBlock, PreNormBlock
from ffnsite.models.decoder import Decoder
from ffnsite.models.gated import GatedFFN
from ffnsite.models.moe import MoE

WIDTH = 12


def blocks() -> list[nn.Module]:
    """A block of Mixtral with the biases of Qwen2.5, and one of PaLM."""
    experts = [GatedFFN(WIDTH, 20) for _ in range(3)]
    return [
        PreNormBlock(
            Attention(WIDTH, 4, 2, bias=True, output_bias=False),
            MoE(WIDTH, experts, 2),
            nn.RMSNorm(WIDTH),
            nn.RMSNorm(WIDTH),
        ),
        ParallelBlock(Attention(WIDTH, 4, 1), GatedFFN(WIDTH, 20), nn.LayerNorm(WIDTH, bias=False)),
    ]


@pytest.mark.parametrize("tied", [True, False])
def test_logits_are_the_equation(tied):
    torch.manual_seed(0)
    norm = nn.RMSNorm(WIDTH, eps=1e-5)
    nn.init.normal_(norm.weight)
    model = Decoder(17, WIDTH, blocks(), norm, tied).double()
    tokens = torch.tensor([[3, 16, 0, 5], [1, 1, 2, 9]])
    x = model.blocks[1](model.blocks[0](model.embedding.weight[tokens]))
    x = norm.weight * x / ((x**2).mean(-1, keepdim=True) + 1e-5).sqrt()
    head = model.embedding.weight if tied else model.head.weight
    torch.testing.assert_close(model(tokens), x @ head.T)


def test_a_tied_head_is_no_parameter_of_its_own():
    tied, untied = (Decoder(17, WIDTH, [], nn.RMSNorm(WIDTH), tied) for tied in (True, False))
    count = [sum(p.numel() for p in model.parameters()) for model in (tied, untied)]
    assert count == [17 * 12 + 12, 2 * 17 * 12 + 12]
