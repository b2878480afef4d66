"""Rotary positions against complex numbers and against the property that they are for."""

import torch

from ffnsite.models.rotary import Rotary


def test_turning_multiplies_each_pair_by_a_complex_unit():
    rotary = Rotary(width=8, base=100.0)
    heads = torch.randn(3, 5, 8, dtype=torch.float64)
    speeds = torch.tensor([100.0 ** (-2 * i / 8) for i in range(4)], dtype=torch.float64)
    angles = torch.arange(5, dtype=torch.float64)[:, None] * speeds
    turned = torch.complex(heads[..., :4], heads[..., 4:]) * torch.exp(1j * angles)
    expected = torch.cat((turned.real, turned.imag), dim=-1)
    torch.testing.assert_close(rotary(heads), expected, atol=1e-6, rtol=0)


def test_a_product_of_query_and_key_depends_only_on_their_distance():
    rotary = Rotary(width=16)
    query, key = torch.randn(2, 1, 16, dtype=torch.float64)
    near = rotary(query, first=3) @ rotary(key, first=1).T
    far = rotary(query, first=103) @ rotary(key, first=101).T
    torch.testing.assert_close(near, far, atol=1e-4, rtol=0)
    elsewhere = rotary(query, first=3) @ rotary(key, first=2).T
    assert not torch.allclose(near, elsewhere, atol=1e-3)


def test_starting_later_equals_cutting_a_longer_run():
    rotary = Rotary(width=4)
    heads = torch.randn(2, 7, 4)
    torch.testing.assert_close(rotary(heads[:, 3:], first=3), rotary(heads)[:, 3:])
