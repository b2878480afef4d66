"""Numbers raised to a power: 2^12 and 2 的十二次方 are exact, 10⁻⁶ is scientific notation."""

import re
from fractions import Fraction
from typing import Final

from ffnsite.errors import Unreadable
from ffnsite.quantity import patterns
from ffnsite.quantity.amounts import Amount
from ffnsite.quantity.chinese import integer
from ffnsite.quantity.numerals import Numeral, expression, written

MOST_EXPONENT: Final = 400
TEN: Final = 10

_RAISED: Final = re.compile(patterns.RAISED)
_SPOKEN: Final = re.compile(patterns.SPOKEN_POWER)


def raised(text: str, at: int) -> Amount | None:
    """2^12, 10^-6; superscripts and braces are already spelled with `^`."""
    match = _RAISED.match(text, at)
    if match is None:
        return None
    numeral = _power(int(match[1]), within_reach(int(match[2])), match[0])
    return Amount(numeral, match.end(), arabic=True)


def spoken(text: str, at: int) -> Amount | None:
    """2 的 12 次方, 二的十二次方, 10 的负六次方: each number in digits or in characters."""
    match = _SPOKEN.match(text, at)
    if match is None:
        return None
    exponent = _whole(match[3]) * (-1 if match[2] else 1)
    numeral = _power(_whole(match[1]), within_reach(exponent), match[0])
    return Amount(numeral, match.end(), arabic=match[1].isascii())


def within_reach(exponent: int) -> int:
    """`exponent` itself.

    Raises:
        Unreadable: it is beyond any number that a page quotes.
    """
    if abs(exponent) > MOST_EXPONENT:
        raise Unreadable(f"指数 {exponent} 太大（上限 {MOST_EXPONENT}）")
    return exponent


def _whole(words: str) -> int:
    return int(words) if words.isascii() else integer(words)


def _power(base: int, exponent: int, words: str) -> Numeral:
    """A power of ten is scientific notation without its coefficient; every other one is exact."""
    if base == 0 or abs(exponent) * (1 if base == TEN else len(str(base))) > MOST_EXPONENT:
        raise Unreadable(f"“{words}” 算不出或太大")
    value = Fraction(base) ** exponent
    return written("1").times(value) if base == TEN else expression(value)
