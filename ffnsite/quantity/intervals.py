"""From a number and its modifier to the interval that the words stand for."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from ffnsite.quantity.amounts import Ends, Vague
from ffnsite.quantity.bounds import BOTTOMLESS, ENDLESS, Bound, power_of_ten
from ffnsite.quantity.modifiers import Row
from ffnsite.quantity.numerals import Numeral

ZERO: Final = Fraction(0)


@dataclass(frozen=True, slots=True)
class Interval:
    """The values that a claim allows; `side` is "above" or "below" when it is open to one side."""

    low: Bound
    high: Bound
    low_open: bool = False
    high_open: bool = False
    side: str = ""


def interval(numeral: Numeral, row: Row, bottom: Bound) -> Interval:
    """What `numeral` claims behind a modifier of `row`.

    `bottom` is where the dimension starts: 0 for what is never negative, else -∞.
    """
    value = numeral.value
    match row:
        case Row.ABOVE:
            return Interval(value, ENDLESS, low_open=True, high_open=True, side="above")
        case Row.AT_LEAST:
            return Interval(value, ENDLESS, high_open=True, side="above")
        case Row.BELOW | Row.AT_MOST:
            return _downwards(value, bottom, is_open=row is Row.BELOW)
        case Row.OVER:
            return Interval(value, value + numeral.place, low_open=True, high_open=numeral.ten)
        case Row.NEAR:
            return _near(numeral)
    width = {Row.PLAIN: numeral.plain, Row.ABOUT: numeral.about}.get(row, numeral.exactly)
    return Interval(value - width, value + width)


def _downwards(value: Fraction, bottom: Bound, *, is_open: bool) -> Interval:
    """Below a value that is not positive there is no floor at zero."""
    low = bottom if value > 0 else BOTTOMLESS
    return Interval(low, value, low_open=low == BOTTOMLESS, high_open=is_open, side="below")


def _near(numeral: Numeral) -> Interval:
    """Up to the value from below: 近 30 is 25…30, 近 -30 is -35…-30."""
    return Interval(numeral.value - numeral.near, numeral.value)


def majority(found: Interval) -> Interval:
    """超过一半, 一半以上: more than half of a whole is at most all of it."""
    return Interval(found.low, Fraction(1), low_open=True)


def between(ends: Ends, row: Row, bottom: Bound) -> Interval:
    """From the lower end of the first number to the upper end of the second."""
    first, second = interval(ends.first, row, bottom), interval(ends.second, row, bottom)
    return Interval(first.low, second.high)


def within_whole(found: Interval) -> Interval:
    """A range of shares stays in 0…1."""
    return replace(found, low=max(found.low, ZERO), high=min(found.high, Fraction(1)))


def spread(vague: Vague) -> Interval:
    """The range that words like 几十 are."""
    side = "above" if vague.high == ENDLESS else ""
    return Interval(vague.low, vague.high, vague.low_open, vague.high_open, side)


def orders_of_magnitude(found: Interval) -> Interval:
    """From an interval of exponents to one of ratios: 3.5…4 is 10^3.5…10^4."""
    low = max(found.low, ZERO)
    return replace(found, low=power_of_ten(low), high=power_of_ten(found.high))
