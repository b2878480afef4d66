"""What one number at a place of the text can be: a numeral, two ends, or a word like 几十."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from ffnsite.quantity.bounds import Bound
from ffnsite.quantity.numerals import Numeral

ONE: Final = Fraction(1)


@dataclass(frozen=True, slots=True)
class Vague:
    """Words that are a range by themselves: 几十 is [20, 100), 上百 is [100, ∞)."""

    low: Fraction
    high: Bound
    low_open: bool = False
    high_open: bool = True

    def times(self, scale: Fraction) -> "Vague":
        """The same range in another unit."""
        high = self.high if isinstance(self.high, float) else self.high * scale
        return Vague(self.low * scale, high, self.low_open, self.high_open)


@dataclass(frozen=True, slots=True)
class Ends:
    """Two numbers that bound a range: 三五倍, 65%–80%."""

    first: Numeral
    second: Numeral

    def times(self, scale: Fraction) -> "Ends":
        """The same range in another unit."""
        return Ends(self.first.times(scale), self.second.times(scale))


Claim = Numeral | Vague | Ends


@dataclass(frozen=True, slots=True)
class Amount:
    """A number read at a place of the text.

    `ratio` marks words that are ratios without a unit (三分之二, 一半, 3:1) and `share` those of a
    whole; `power` marks a bare 百万, a number only behind or before a modifier; `tail` is the 万
    or 亿 that a Chinese number ends in.
    """

    claim: Claim
    end: int
    arabic: bool = False
    ratio: bool = False
    share: bool = False
    power: bool = False
    tail: Fraction = field(default=ONE)


Reader = Callable[[str, int], Amount | None]
