"""Ends of intervals: exact fractions, or a float infinity where an interval has no end."""

import math
from decimal import Context, Decimal
from fractions import Fraction

Bound = Fraction | float

ENDLESS = math.inf
BOTTOMLESS = -math.inf

# Digits kept of a fraction that no decimal string ends; far below any tolerance of the rule book.
KEPT_DIGITS = 50


def decimal_string(bound: Bound) -> str:
    """`bound` as a plain decimal: "1640000000", "0.805", "inf", "-inf".

    Fractions whose decimals end are written in full, without an exponent. One that does not end
    (2/3) is rounded half-even to 50 significant digits.
    """
    if isinstance(bound, float):
        return _infinity(bound)
    places = _decimal_places(bound.denominator)
    if places is None:
        context = Context(prec=KEPT_DIGITS)
        return format(context.divide(Decimal(bound.numerator), Decimal(bound.denominator)), "f")
    sign = "-" if bound < 0 else ""
    digits = str(abs(bound.numerator) * 10**places // bound.denominator).rjust(places + 1, "0")
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


def _infinity(bound: float) -> str:
    if not math.isinf(bound):
        raise TypeError(f"a bound is a Fraction or an infinity, not the float {bound!r}")
    return "inf" if bound > 0 else "-inf"


def _decimal_places(denominator: int) -> int | None:
    """Places after the point that write 1/denominator in full; None when its decimals never end."""
    twos = fives = 0
    while denominator % 2 == 0:
        denominator, twos = denominator // 2, twos + 1
    while denominator % 5 == 0:
        denominator, fives = denominator // 5, fives + 1
    return max(twos, fives) if denominator == 1 else None


def power_of_ten(exponent: Bound) -> Bound:
    """10**exponent; rational exponents that are no integers give 60 correct digits (10**3.5)."""
    if isinstance(exponent, float):
        return ENDLESS if exponent > 0 else Fraction(0)
    if exponent.denominator == 1:
        return Fraction(10) ** int(exponent)
    context = Context(prec=60)
    written = context.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))
    return Fraction(context.power(Decimal(10), written))
