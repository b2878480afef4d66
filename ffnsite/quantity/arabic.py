"""Numbers in digits: 65,536, 3.4×10^38, 1/√2, 8/3, 3:1."""

import re
from decimal import Context, Decimal
from fractions import Fraction
from math import isqrt
from typing import Final

from ffnsite.errors import Unreadable
from ffnsite.quantity import patterns
from ffnsite.quantity.amounts import Amount
from ffnsite.quantity.numerals import expression, part, written
from ffnsite.quantity.powers import within_reach

_DECIMAL: Final = re.compile(patterns.DECIMAL)
_SCALED: Final = re.compile(rf"({patterns.DECIMAL})(?:{patterns.E_EXPONENT}|{patterns.TIMES_TEN})")
_SLASHED: Final = re.compile(patterns.SLASHED)
_ROOT: Final = re.compile(patterns.ROOT)
_PROPORTION: Final = re.compile(patterns.PROPORTION)
_SEPARATORS: Final = re.compile(r"[,\u00a0\u2009\u202f]")


def root(text: str, at: int) -> Amount | None:
    """√2, 3√2 and 1/√2: exact, though no decimal writes them."""
    match = _ROOT.match(text, at)
    if match is None:
        return None
    radicand = int(match[3])
    context = Context(prec=60)
    value = Fraction(context.sqrt(Decimal(radicand)))
    if match[2] and not value:
        raise Unreadable(f"“{match[0]}” 的分母是 0")
    factor = int(match[1] or 1)
    value = factor / value if match[2] else factor * value
    rational = isqrt(radicand) ** 2 == radicand
    return Amount(expression(value, rational=rational), match.end(), arabic=True)


def scientific(text: str, at: int) -> Amount | None:
    """3.4e38 and 3.4 × 10^38: the digits of the coefficient are the digits of the number."""
    match = _SCALED.match(text, at)
    if match is None:
        return None
    numeral = written(_digits(match[1])).times(
        Fraction(10) ** within_reach(int(match[2] or match[3]))
    )
    return Amount(numeral, match.end(), arabic=True)


def slashed(text: str, at: int) -> Amount | None:
    """8/3, a fraction with the tolerance of fractions."""
    match = _SLASHED.match(text, at)
    if match is None:
        return None
    return Amount(part(int(match[1]), int(match[2])), match.end(), arabic=True)


def proportion(text: str, at: int) -> Amount | None:
    """3:1, read as the fraction 3/1."""
    match = _PROPORTION.match(text, at)
    if match is None:
        return None
    left, right = Fraction(match[1]), Fraction(match[2])
    if not right:
        raise Unreadable(f"“{match[0]}” 的后一项是 0")
    value = left / right
    return Amount(part(value.numerator, value.denominator), match.end(), arabic=True, ratio=True)


def decimal(text: str, at: int) -> Amount | None:
    """81, 65,536, 3.0: digits as usual."""
    match = _DECIMAL.match(text, at)
    if match is None:
        return None
    return Amount(written(_digits(match[0])), match.end(), arabic=True)


def _digits(match: str) -> str:
    return _SEPARATORS.sub("", match)
