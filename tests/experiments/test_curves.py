"""Activation curves against their equations and known minima."""

import math

import pytest

from ffnsite.experiments.curves import curve, curves, lowest

EQUATIONS = {
    "relu": lambda z: max(z, 0),
    "gelu": lambda z: z * 0.5 * (1 + math.erf(z / math.sqrt(2))),
    "silu": lambda z: z / (1 + math.exp(-z)),
    "sigmoid": lambda z: 1 / (1 + math.exp(-z)),
}


@pytest.mark.parametrize("name", EQUATIONS)
def test_values_are_the_equation(name):
    found = curve(name, 4.0, 0.25)
    assert found.z[0] == -4
    assert found.z[-1] == 4
    assert found.value == pytest.approx([EQUATIONS[name](z) for z in found.z], abs=1e-12)


@pytest.mark.parametrize("name", ["gelu", "silu", "sigmoid"])
def test_slopes_are_the_quotient_of_small_differences(name):
    found, f, h = curve(name, 4.0, 0.25), EQUATIONS[name], 1e-5
    quotients = [(f(z + h) - f(z - h)) / (2 * h) for z in found.z]
    assert found.slope == pytest.approx(quotients, abs=1e-8)


def test_swish_is_lowest_where_its_value_is_one_more_than_its_place():
    # Swish' = s(1 + z(1 - s)) = 0 with s the sigmoid, so 1/s = -z·(1-s)/s = -z·e^-z: z + 1 = zs
    place, value = lowest("silu")
    assert value == pytest.approx(place + 1)
    assert value == pytest.approx(EQUATIONS["silu"](place))


def test_gelu_is_lowest_where_the_density_balances_the_distribution():
    place, value = lowest("gelu")
    density = math.exp(-place * place / 2) / math.sqrt(2 * math.pi)
    assert value == pytest.approx(-place * place * density)


@pytest.mark.parametrize("name", ["relu", "sigmoid", "identity"])
def test_a_curve_without_a_dip_has_no_lowest_point(name):
    assert lowest(name) is None


def test_curves_come_in_the_order_that_is_asked_for():
    first, second = curves.fresh(("silu", "relu"))
    assert first.lowest is not None
    assert second.lowest is None
    assert second.z.tolist() == [step / 8 for step in range(-32, 33)]
