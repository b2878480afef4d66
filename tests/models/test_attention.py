"""Attention against the equation written out position by position, in float64."""

import pytest
import torch

from ffnsite.models.attention import Attention
from ffnsite.models.rotary import Rotary


def by_hand(layer: Attention, x: torch.Tensor) -> torch.Tensor:
    """softmax(q kᵀ / √h) v for one sequence, head after head and query after query."""
    width, share = layer.head_width, layer.heads // layer.kv_heads
    turn = layer.rotary if layer.rotary is not None else lambda heads: heads
    rows = []
    for head in range(layer.heads):
        own = slice(head * width, (head + 1) * width)
        shared = slice(head // share * width, (head // share + 1) * width)
        query, key = turn(layer.query(x)[:, own]), turn(layer.key(x)[:, shared])
        value = layer.value(x)[:, shared]
        gathered = []
        for place in range(len(x)):
            seen = place + 1 if layer.causal else len(x)
            weights = torch.softmax(key[:seen] @ query[place] / width**0.5, dim=0)
            gathered.append(weights @ value[:seen])
        rows.append(torch.stack(gathered))
    return layer.output(torch.cat(rows, dim=1))


@pytest.mark.parametrize("kv_heads", [None, 2, 1], ids=["multi-head", "grouped", "multi-query"])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("rotary", [None, Rotary(6)], ids=["unturned", "rotary"])
def test_the_layer_is_its_equation(kv_heads, causal, rotary):
    layer = Attention(20, 4, kv_heads, head_width=6, bias=True, causal=causal, rotary=rotary)
    layer = layer.double()
    x = torch.randn(2, 5, 20, dtype=torch.float64)
    expected = torch.stack([by_hand(layer, one) for one in x])
    torch.testing.assert_close(layer(x), expected, rtol=1e-12, atol=1e-12)


def test_grouped_queries_equal_full_heads_with_repeated_keys_and_values():
    grouped = Attention(24, 6, kv_heads=2).double()
    full = Attention(24, 6).double()
    key, value = grouped.key.weight.view(2, 4, 24), grouped.value.weight.view(2, 4, 24)
    repeated = {
        "query.weight": grouped.query.weight,
        "output.weight": grouped.output.weight,
        "key.weight": key.repeat_interleave(3, dim=0).view(24, 24),
        "value.weight": value.repeat_interleave(3, dim=0).view(24, 24),
    }
    full.load_state_dict(repeated)
    x = torch.randn(1, 4, 24, dtype=torch.float64)
    torch.testing.assert_close(grouped(x), full(x))


def test_a_causal_layer_passes_nothing_backwards_and_a_full_one_does():
    x = torch.randn(1, 6, 8)
    changed = x.clone()
    changed[0, 3] += 1
    for causal in (True, False):
        layer = Attention(8, 2, causal=causal)
        same = (layer(x) == layer(changed)).all(dim=-1)[0]
        assert same.tolist() == [causal] * 3 + [False] * 3


def test_asking_from_the_last_positions_on_kept_keys_equals_the_full_run():
    layer = Attention(16, 4, kv_heads=2, rotary=Rotary(4)).double()
    x = torch.randn(3, 9, 16, dtype=torch.float64)
    past = layer.keys_values(x[:, :5])
    torch.testing.assert_close(layer(x[:, 5:], past), layer(x)[:, 5:])
    torch.testing.assert_close(layer(x[:, 5:], past, queries=2), layer(x)[:, 7:])


@pytest.mark.parametrize(
    ("bias", "output_bias", "parameters"),
    [(False, None, 64 * 4), (True, None, 72 * 4), (True, False, 64 * 4 + 24)],
)
def test_biases_stand_where_they_are_asked_for(bias, output_bias, parameters):
    layer = Attention(8, 2, bias=bias, output_bias=output_bias)
    assert sum(weight.numel() for weight in layer.parameters()) == parameters


def test_query_heads_that_cannot_share_evenly_are_refused():
    with pytest.raises(ValueError, match="9 query heads cannot share 2 key-value heads"):
        Attention(576, 9, kv_heads=2)
