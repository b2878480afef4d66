"""Bounds as decimal strings, and the object that `ffnsite read` prints."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffnsite.quantity import decimal_string, to_json


@pytest.mark.parametrize(
    ("bound", "text"),
    [
        (Fraction(1640000000), "1640000000"),
        (Fraction(161, 200), "0.805"),
        (Fraction(-1, 8), "-0.125"),
        (Fraction(0), "0"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (Fraction(2, 3), "0." + "6" * 49 + "7"),
        (Fraction(34 * 10**37), "34" + "0" * 37),
        (Fraction(1, 10**9), "0.000000001"),
    ],
)
def test_bounds_are_written_out_without_exponents(bound, text):
    assert decimal_string(bound) == text


@given(st.decimals(allow_nan=False, allow_infinity=False, places=12))
def test_a_bound_with_ending_decimals_survives_the_string(number):
    assert Fraction(decimal_string(Fraction(number))) == Fraction(number)


@given(st.fractions())
def test_other_bounds_are_right_to_forty_nine_digits(bound):
    error = abs(Fraction(decimal_string(bound)) - bound)
    assert error <= abs(bound) / 10**49


def test_a_binary_float_is_no_bound():
    with pytest.raises(TypeError, match=r"not the float 0\.1"):
        decimal_string(0.1)


def test_a_reading_prints_as_one_object():
    assert to_json("不到 16.4 亿个参数") == {
        "text": "不到 16.4 亿个参数",
        "low": "0",
        "high": "1640000000",
        "low_open": False,
        "high_open": True,
        "dimension": "count",
        "unit": "个",
        "digits": 3,
    }


def test_endless_ends_print_as_inf():
    printed = to_json("超过 5")
    assert (printed["low"], printed["high"]) == ("5", "inf")
    assert to_json("低于 -5")["low"] == "-inf"


def test_an_unreadable_text_prints_its_error():
    printed = to_json("5%%")
    assert printed["text"] == "5%%"
    assert "还剩“%”" in printed["error"]
    assert set(printed) == {"text", "error"}
