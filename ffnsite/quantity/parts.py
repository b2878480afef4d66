"""Fractions, halves, doublings, Chinese numbers: 三分之二, 一半, 翻两番, 两三百."""

import re
from fractions import Fraction
from typing import Final

from ffnsite.errors import Unreadable
from ffnsite.quantity import patterns
from ffnsite.quantity.amounts import Amount, Ends
from ffnsite.quantity.chinese import DIGITS, integer, spoken
from ffnsite.quantity.numerals import HALF, Numeral, doubling, half, part, written

_FRACTION: Final = re.compile(patterns.FRACTION_WORDS)
_HALF: Final = re.compile(rf"{patterns.HALVES}(?!导)")
_DOUBLING: Final = re.compile(patterns.DOUBLINGS)
_NUMBER: Final = re.compile(patterns.HAN_NUMBER)
_DIGIT_BY_DIGIT: Final = re.compile("[点\u3007]")  # 三点一四, 二〇四八
# Two neighbouring digits that mean "one or the other": 三四, 两三, and 三五.
_DIGIT: Final = patterns.HAN_DIGIT[:-1] + "点]"
_PAIR: Final = re.compile(
    f"(?<!{_DIGIT})([一二两三四五六七八九])([二三四五六七八九两])(?!{_DIGIT})"
)
_LEAST_DENOMINATOR: Final = 2


def fraction(text: str, at: int) -> Amount | None:
    """三分之二, 3 分之 2, 一又二分之一; 二分之一 is a half."""
    match = _FRACTION.match(text, at)
    if match is None:
        return None
    denominator, numerator = _whole(match[2]), _whole(match[3])
    if denominator < _LEAST_DENOMINATOR:
        raise Unreadable(f"“{match[0]}” 的分母要大于 1")
    value = Fraction(numerator, denominator) + (_whole(match[1]) if match[1] else 0)
    numeral = half() if value == HALF else part(value.numerator, value.denominator)
    return Amount(numeral, match.end(), ratio=True, share=value <= 1)


def _whole(words: str) -> int:
    return int(words) if words.isascii() else integer(words)


def halves(text: str, at: int) -> Amount | None:
    """一半, 半数, 半."""
    match = _HALF.match(text, at)
    return Amount(half(), match.end(), ratio=True, share=True) if match else None


def doublings(text: str, at: int) -> Amount | None:
    """翻倍 and 翻一番 are 2, 翻两番 4, 减半 0.5."""
    match = _DOUBLING.match(text, at)
    if match is None:
        return None
    if match[3]:
        value = HALF
    else:
        times = match[2] or "一"
        value = Fraction(2) ** (int(times) if times.isascii() else DIGITS.get(times, 10))
    return Amount(doubling(value), match.end(), ratio=True)


def chinese(text: str, at: int) -> Amount | None:
    """二十三, 三点五, 三万五; 两三百 and 十五六 are the two ends of a range."""
    match = _NUMBER.match(text, at)
    if match is None:
        return None
    words = match[0]
    pair = _PAIR.search(words)
    if pair and not _DIGIT_BY_DIGIT.search(words):
        return Amount(_pair(words, pair), match.end())
    read = spoken(words)
    return Amount(
        written(read.digits, lone=read.lone).times(read.scale), match.end(), tail=read.tail
    )


def _pair(words: str, pair: re.Match[str]) -> Ends:
    """Both readings of 十五六, each held to half the place of the doubled digit."""
    low, high = DIGITS[pair[1]], DIGITS[pair[2]]
    if high - low != 1 and (low, high) != (3, 5):
        raise Unreadable(
            f"“{words}” 里有两个数：“{pair[1]}” 和 “{pair[2]}”；范围写成 {low} 到 {high}"
        )
    first = integer(words[: pair.start(2)] + words[pair.end(2) :])
    second = integer(words[: pair.start(1)] + words[pair.end(1) :])
    place = Fraction(second - first, high - low)
    return Ends(_placed(first, place), _placed(second, place))


def _placed(value: int, place: Fraction) -> Numeral:
    """A whole number whose last counted digit is at `place`."""
    width = place / 2
    digits = written(str(value)).digits
    return Numeral(Fraction(value), width, width, width, place, digits)
