"""What a written number claims: its value, and how far a truth may lie from it.

Four widths per number (rule book, sections 1 to 3): plain, behind an approximation word, below
it behind 近, and the place that 多 adds. Units only scale them.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

TENTH: Final = Fraction(1, 10)
HALF: Final = Fraction(1, 2)

FRACTION_TOLERANCE: Final = Fraction(1, 100)  # p/q ± min(0.01, 4 % of p/q)
FRACTION_SHARE: Final = Fraction(4, 100)
FRACTION_WIDENED: Final = 3  # behind an approximation word
HALF_TOLERANCE: Final = Fraction(2, 100)
HALF_ABOUT: Final = Fraction(5, 100)
DOUBLING_SHARE: Final = Fraction(5, 100)
DOUBLING_ABOUT: Final = Fraction(10, 100)
EXPRESSION_ABOUT: Final = Fraction(5, 100)  # 约 2^12, 约 √2: no written digit to be off by
EXACTNESS: Final = Fraction(1, 10**9)


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number as written, in the scale it is written in.

    `digits` are its significant digits; `loose_digits`, where not 0, replace them behind an
    approximation word (约 √2). `exact` marks 2^12, √2 and coefficients; `half` the words for a
    half; `ten` a plain 10.
    """

    value: Fraction
    plain: Fraction
    about: Fraction
    near: Fraction
    place: Fraction
    digits: int
    exact: bool = False
    half: bool = False
    ten: bool = False
    loose_digits: int = 0

    def times(self, scale: Fraction) -> "Numeral":
        """The same claim in another unit."""
        if scale == 1:
            return self
        return replace(
            self,
            value=self.value * scale,
            plain=self.plain * scale,
            about=self.about * scale,
            near=self.near * scale,
            place=self.place * scale,
        )

    def negative(self) -> "Numeral":
        """The same claim about the opposite number."""
        return replace(self, value=-self.value)

    @property
    def exactly(self) -> Fraction:
        """Half-width behind a word of exactness: min(1e-9 |v|, plain)."""
        return min(EXACTNESS * abs(self.value), self.plain)


def written(digits: str, *, lone: bool | None = None) -> Numeral:
    """A number written in decimal digits ("65536", "3.0").

    `lone` overrules the guess that only a bare "1" is a lone one, whose unit is a tenth of it.
    """
    whole, _, decimals = digits.partition(".")
    ones = Fraction(1, 10 ** len(decimals))
    value = Fraction(int(whole + decimals), ones.denominator)
    significant = (whole + decimals).lstrip("0")
    power = significant.rstrip("0") == "1"
    lone = digits == "1" if lone is None else lone
    ulp = value * TENTH if lone else ones
    place = _last_place(whole, decimals)
    count = max(1, len(significant) if decimals else len(significant.rstrip("0")))
    if power and (not decimals or significant == "1"):
        count, loose = max(count, 2), value * TENTH
    else:
        loose = ulp if decimals else place
    plain = ulp / 2
    about = max(loose / 2 if count == 1 else loose, plain)
    return Numeral(
        value=value,
        plain=plain,
        about=about,
        near=about,
        place=place,
        digits=count,
        ten=digits == "10",
    )


def _last_place(whole: str, decimals: str) -> Fraction:
    """Place of the last digit that is not zero; 1 for zero itself."""
    if decimals.strip("0"):
        return Fraction(1, 10 ** len(decimals.rstrip("0")))
    kept = whole.rstrip("0")
    return Fraction(10 ** (len(whole) - len(kept))) if kept else Fraction(1)


def part(numerator: int, denominator: int) -> Numeral:
    """A fraction p/q, written in Chinese or with a slash: p/q ± min(0.01, 4 % of p/q)."""
    value = Fraction(numerator, denominator)
    width = min(FRACTION_TOLERANCE, FRACTION_SHARE * value)
    widened = FRACTION_WIDENED * width
    return _tolerated(value, width, widened, widened)


def half() -> Numeral:
    """一半, 半数, 二分之一, 半: 0.5 ± 0.02, behind an approximation word ± 0.05."""
    return replace(_tolerated(HALF, HALF_TOLERANCE, HALF_ABOUT, HALF_ABOUT), half=True)


def doubling(value: Fraction) -> Numeral:
    """翻倍, 翻两番, 减半: ± 5 %, behind an approximation word ± 10 %."""
    widened = DOUBLING_ABOUT * value
    return _tolerated(value, DOUBLING_SHARE * value, widened, widened)


def expression(value: Fraction, *, rational: bool = True) -> Numeral:
    """2^12, √2, 1/√2: exact; a root is given to 60 digits and held to one part in 10^9."""
    width = Fraction(0) if rational else EXACTNESS * value
    numeral = _tolerated(value, width, EXPRESSION_ABOUT * value, EXPRESSION_ABOUT * value)
    if rational and value.denominator == 1:
        numeral = replace(numeral, digits=written(str(value.numerator)).digits)
    return replace(numeral, exact=True, loose_digits=digits_of_width(value, numeral.about))


def _tolerated(value: Fraction, plain: Fraction, about: Fraction, place: Fraction) -> Numeral:
    return Numeral(value, plain, about, about, place, digits_of_width(value, plain))


def digits_of_width(value: Fraction, width: Fraction) -> int:
    """Significant digits that value ± width claims: the most whose half unit covers the width."""
    if not value or not width:
        return 1
    unit = Fraction(1)
    while unit > abs(value):
        unit /= 10
    while unit * 10 <= abs(value):
        unit *= 10
    count = 0
    while unit / 2 >= width:
        unit /= 10
        count += 1
    return max(count, 1)
