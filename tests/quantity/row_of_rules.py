"""One row of the rule book as test cases, written as `text → [low, high) dimension`."""

import math
import re
from dataclasses import dataclass
from fractions import Fraction

from ffnsite.errors import Unreadable
from ffnsite.quantity import Quantity, read

_EXPECTED = re.compile(r"([\[(])(\S+), (\S+)([\])])(?: ([a-z_]+))?(?: (\d+) digits)?")


@dataclass(frozen=True, slots=True)
class Row:
    """Lines `text → interval` that are right, and `text ✗ value` (or `text ✗`: unreadable)."""

    right: str
    wrong: str


def cases(rows, side):
    """(row, text, expectation) of every case of every row."""
    mark = " → " if side == "right" else " ✗"
    found = []
    for name, row in rows.items():
        for line in filter(None, map(str.strip, getattr(row, side).split("\n"))):
            text, separator, expected = line.partition(mark)
            assert separator, line
            text = text.replace("\\u2009", "\u2009").replace("\\u00a0", "\u00a0")
            found.append((name, text, expected.strip()))
    return found


def check_right(text, expected):
    """The reading of `text` has exactly the ends, brackets, dimension and digits that `expected` names."""
    match = _EXPECTED.fullmatch(expected)
    assert match, expected
    quantity = read(text)
    assert (quantity.low, quantity.high) == (_end(match[2]), _end(match[3]))
    assert (quantity.low_open, quantity.high_open) == (match[1] == "(", match[4] == ")")
    assert match[5] is None or quantity.dimension == match[5]
    assert match[6] is None or quantity.digits == int(match[6])


def check_wrong(text, value):
    """`text` is unreadable, or its claim is false of `value`."""
    try:
        quantity = read(text)
    except Unreadable:
        assert not value, f"{text} should be readable and false of {value}"
    else:
        assert value, f"{text} should be unreadable, read as {quantity}"
        assert isinstance(quantity, Quantity)
        assert not quantity.holds(Fraction(value))


def _end(words):
    return {"inf": math.inf, "-inf": -math.inf}.get(words) or Fraction(words)


_ANY_DIGIT = re.compile("[0-9\u3007零一二两三四五六七八九]+")


def shape(text):
    """`text` with its digits made equal, to see whether two cases differ in more than digits."""
    return _ANY_DIGIT.sub("0", text)
