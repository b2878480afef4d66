"""Words offered for a value read back to an interval that holds it, in no more digits."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffnsite.quantity import offer, read

UNITS = {
    "number": [""],
    "ratio": [""],
    "count": ["", "层", "参数", "token"],
    "bytes": ["byte"],
    "seconds": ["s"],
    "length": ["m"],
    "work": ["FLOP"],
    "work_rate": ["FLOP/s"],
    "intensity": ["FLOP/byte", "byte/param"],
    "bandwidth": ["byte/s", "token/s"],
    "information": ["nat", "bit"],
    "pp": ["pp"],
    "symbolic": ["d", "d^2", "n d^2", "x", "d_ff"],
}
VALUES = st.one_of(
    st.integers(1, 10**13),
    st.fractions(Fraction(1, 1000), 1000, max_denominator=1000),
    st.floats(1e-6, 1e12),
)
DIMENSIONS = st.sampled_from(sorted(UNITS)).flatmap(
    lambda dimension: st.tuples(st.just(dimension), st.sampled_from(UNITS[dimension]))
)


@given(VALUES, DIMENSIONS, st.sampled_from([None, 1, 2, 3, 5]))
def test_every_offer_holds_the_value_and_keeps_to_its_digits(value, kind, digits):
    dimension, unit = kind
    words = offer(value, dimension, unit=unit, digits=digits)
    assert 1 <= len(words) <= 3
    for text in words:
        quantity = read(text)
        assert quantity.holds(value)
        assert digits is None or quantity.digits <= digits
        assert quantity.dimension in {dimension, "number"}


@given(st.fractions(0, 1).filter(bool), st.sampled_from([None, 1, 2, 4]))
def test_offers_for_a_share_hold_it(share, digits):
    for text in offer(share, "ratio", share=True, digits=digits):
        assert read(text).holds(share)


@pytest.mark.parametrize(
    ("value", "dimension", "options", "words"),
    [
        (Fraction(8077, 10000), "ratio", {"share": True}, ["80.8%", "81%", "约八成"]),
        (Fraction(2, 3), "ratio", {"share": True}, ["66.7%", "67%", "约三分之二"]),
        (Fraction(4546, 10000), "ratio", {"share": True}, ["45.5%", "45%", "近一半"]),
        (6738415616, "count", {}, ["67.4 亿", "6,738,415,616", "67 亿"]),
        (Fraction(8), "symbolic", {"unit": "d^2"}, ["8d^2", "约 8d^2", "8–9d^2"]),
        (Fraction(8, 3), "ratio", {}, ["2.67 倍", "2.7 倍", "约 2.7 倍"]),
        (Fraction(8, 3), "symbolic", {"unit": "d"}, ["8/3 d", "约 2.67d", "约 2.7d"]),
        (-0.28, "number", {}, ["-0.28", "约 -0.28", "约 -0.3"]),
        (0, "count", {}, ["0", "约 0"]),
        (3.35e12, "bandwidth", {"unit": "byte/s"}, ["3.35 TB/s", "3.4 TB/s", "约 3.4 TB/s"]),
    ],
)
def test_offers_are_what_an_author_would_write(value, dimension, options, words):
    assert offer(value, dimension, **options) == words


def test_a_value_known_to_one_digit_is_not_offered_with_two():
    assert offer(1.04, "ratio", digits=1) == ["0.9–2 倍"]
