"""The units that facts state, in the table that quotations are read with."""

from fractions import Fraction

import pytest

from ffnsite.quantity import DIMENSIONS, canonical, unit_named


@pytest.mark.parametrize(
    ("name", "dimension", "base", "scale"),
    [
        ("", "number", "", 1),
        ("%", "ratio", "", Fraction(1, 100)),
        ("GB/s", "bandwidth", "byte/s", 10**9),
        ("层", "count", "层", 1),
        ("参数", "count", "参数", 1),
        ("s", "seconds", "s", 1),
        ("d", "symbolic", "d", 1),
        ("d^2n", "symbolic", "n d^2", 1),
        ("KiB", "bytes", "byte", 1024),
        ("nat", "information", "nat", 1),
        ("字节/参数", "intensity", "byte/param", 1),
        ("TFLOPS", "work_rate", "FLOP/s", 10**12),
    ],
)
def test_a_fact_unit_has_a_dimension_and_a_size(name, dimension, base, scale):
    unit = unit_named(name)
    assert (unit.dimension, unit.base, unit.scale) == (dimension, base, scale)
    assert unit.dimension in DIMENSIONS


@pytest.mark.parametrize("written", ["n d^2", "d^2 n", "nd^2", "d n d", "$n d^{2}$"])
def test_a_product_of_variables_has_one_name_in_any_order(written):
    assert canonical(written) == "n d^2"
