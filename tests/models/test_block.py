"""Blocks of every order of norm and sublayer against their equations, in float64."""

import pytest
import torch
from torch import nn

from ffnsite.models.attention import Attention
from ffnsite.models.block import ParallelBlock, PostNormBlock, PreNormBlock
from ffnsite.models.ffn import FFN

NORMS = {"LayerNorm": nn.LayerNorm, "RMSNorm": nn.RMSNorm}
every_norm = pytest.mark.parametrize("kind", NORMS)


def parts(width: int, kind: str = "LayerNorm") -> tuple[nn.Module, nn.Module, nn.Module, nn.Module]:
    """Attention, FFN and two norms with gains and shifts that are not the identity."""
    torch.manual_seed(0)
    norms = NORMS[kind](width, eps=1e-5), NORMS[kind](width, eps=1e-5)
    for norm in norms:
        for parameter in norm.parameters():
            nn.init.normal_(parameter)
    return Attention(width, 2), FFN(width, 4 * width), *norms


def normed(x: torch.Tensor, norm: nn.Module) -> torch.Tensor:
    """Gain (x - mean) / sqrt(variance + eps) + shift; RMSNorm without mean and shift."""
    is_layer_norm = isinstance(norm, nn.LayerNorm)
    x = x - x.mean(-1, keepdim=True) if is_layer_norm else x
    scaled = norm.weight * x / torch.sqrt((x**2).mean(-1, keepdim=True) + 1e-5)
    return scaled + norm.bias if is_layer_norm else scaled


@every_norm
def test_pre_norm_block_equals_its_equation_in_float64(kind):
    block = PreNormBlock(*parts(8, kind)).double()
    x = torch.randn(2, 5, 8, dtype=torch.float64)
    h = x + block.attention(normed(x, block.attention_norm))
    expected = h + block.ffn(normed(h, block.ffn_norm))
    torch.testing.assert_close(block(x), expected)


@every_norm
def test_post_norm_block_equals_its_equation_in_float64(kind):
    block = PostNormBlock(*parts(8, kind)).double()
    x = torch.randn(2, 5, 8, dtype=torch.float64)
    h = normed(x + block.attention(x), block.attention_norm)
    expected = normed(h + block.ffn(h), block.ffn_norm)
    torch.testing.assert_close(block(x), expected)


@every_norm
def test_parallel_block_equals_its_equation_in_float64(kind):
    attention, ffn, norm, _ = parts(8, kind)
    block = ParallelBlock(attention, ffn, norm).double()
    x = torch.randn(2, 5, 8, dtype=torch.float64)
    read = normed(x, norm)
    torch.testing.assert_close(block(x), x + attention(read) + ffn(read))


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
