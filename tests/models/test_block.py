"""Pre- and post-norm blocks against their equations, written out in float64."""

import torch
from torch import nn
from torch.nn import functional

from ffnsite.models.attention import Attention
from ffnsite.models.block import PostNormBlock, PreNormBlock
from ffnsite.models.ffn import FFN


def parts(width: int) -> tuple[nn.Module, nn.Module, nn.Module, nn.Module]:
    """Attention, FFN and two norms with gains and shifts that are not the identity."""
    torch.manual_seed(0)
    norms = nn.LayerNorm(width), nn.LayerNorm(width)
    for norm in norms:
        nn.init.normal_(norm.weight)
        nn.init.normal_(norm.bias)
    return Attention(width, 2), FFN(width, 4 * width), *norms


def normed(x: torch.Tensor, norm: nn.Module) -> torch.Tensor:
    return functional.layer_norm(x, x.shape[-1:], norm.weight, norm.bias)


def test_pre_norm_block_equals_its_equation_in_float64():
    block = PreNormBlock(*parts(8)).double()
    x = torch.randn(2, 5, 8, dtype=torch.float64)
    h = x + block.attention(normed(x, block.attention_norm))
    expected = h + block.ffn(normed(h, block.ffn_norm))
    torch.testing.assert_close(block(x), expected)


def test_post_norm_block_equals_its_equation_in_float64():
    block = PostNormBlock(*parts(8)).double()
    x = torch.randn(2, 5, 8, dtype=torch.float64)
    h = normed(x + block.attention(x), block.attention_norm)
    expected = normed(h + block.ffn(h), block.ffn_norm)
    torch.testing.assert_close(block(x), expected)


def test_pre_norm_block_whose_sublayers_are_silent_passes_the_stream_unchanged():
    block = PreNormBlock(*parts(8)).double()
    for silent in (block.attention.output, block.ffn.down):
        for parameter in silent.parameters():
            nn.init.zeros_(parameter)
    x = torch.randn(1, 3, 8, dtype=torch.float64)
    assert torch.equal(block(x), x)


def test_post_norm_block_normalises_even_a_silent_stream():
    block = PostNormBlock(Attention(8, 2), FFN(8, 32), nn.LayerNorm(8), nn.LayerNorm(8)).double()
    y = block(5 + 3 * torch.randn(1, 4, 8, dtype=torch.float64))
    torch.testing.assert_close(y.mean(-1), torch.zeros(1, 4, dtype=torch.float64))
    torch.testing.assert_close(
        y.var(-1, correction=0), torch.ones(1, 4, dtype=torch.float64), rtol=1e-3, atol=0
    )
