"""Judges what the words of a quote claim against the fact that they name (quantities.md §6)."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from ffnsite.errors import Unreadable
from ffnsite.figure import Fact
from ffnsite.prose.quote import Verdict
from ffnsite.quantity import Bound, Quantity, read

LOOSE_FACTOR = 10
DIMENSIONS = {
    "share": "ratio",
    "ratio": "ratio",
    "change": "ratio",
    "pp": "pp",
    "count": "count",
    "number": "number",
    "byte": "bytes",
    "s": "seconds",
    "m": "length",
    "FLOP": "work",
    "FLOP/s": "work_rate",
    "FLOP/byte": "intensity",
    "byte/s": "bandwidth",
    "token/s": "token/s",
    "byte/param": "byte/param",
    "nat": "information",
    "bit": "information",
}
BARE_FITS = {"ratio", "count", "number"}


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict, and the reading that led to it (None when the words could not be read)."""

    verdict: Verdict
    quantity: Quantity | None = None
    reason: str = ""


def judge(text: str, fact: Fact) -> Judgement:
    """What the words `text` are worth as a quotation of the fact."""
    try:
        quantity = read(text)
    except Unreadable as fault:
        return Judgement(Verdict.UNREADABLE, None, str(fault))
    for verdict, test in TESTS:
        reason = test(quantity, fact)
        if reason:
            return Judgement(verdict, quantity, reason)
    return Judgement(Verdict.AGREES, quantity)


def _wrong_unit(quantity: Quantity, fact: Fact) -> str:
    expected = DIMENSIONS.get(fact.unit, "symbolic")
    if quantity.dimension == "number" and expected in BARE_FITS:
        return ""
    if quantity.dimension != expected and not (quantity.dimension in BARE_FITS and expected == "number"):
        return f"写的是{_dimension(quantity)}，事实的单位是 {fact.unit}"
    if expected in {"symbolic", "information"} and quantity.unit != fact.unit:
        return f"写的是 {quantity.unit}，事实是 {fact.unit}"
    if quantity.comparison and fact.unit != "change":
        return "写的是变化的幅度，事实不是（单位不是 change）"
    return ""


def _dimension(quantity: Quantity) -> str:
    return f" {quantity.unit}" if quantity.unit else f"“{NAMES.get(quantity.dimension, quantity.dimension)}”"


NAMES = {"number": "不带单位的数", "ratio": "比例", "count": "个数", "pp": "百分点", "symbolic": "含字母的式子"}


def _too_precise(quantity: Quantity, fact: Fact) -> str:
    if fact.digits is not None and quantity.digits > fact.digits:
        return f"写了 {quantity.digits} 位有效数字，只有 {fact.digits} 位站得住"
    if fact.spread and _width(quantity) < exact_width(fact.spread):
        return "写得比换种子的波动还窄"
    return ""


def exact_width(spread: tuple[int | float | Fraction, int | float | Fraction]) -> Fraction:
    """How far the ends of a spread are apart."""
    return Fraction(spread[1]) - Fraction(spread[0])


def _width(quantity: Quantity) -> Bound:
    return quantity.high - quantity.low


def _disagrees(quantity: Quantity, fact: Fact) -> str:
    low, high = fact.ends
    if fact.spread:
        low, high = Fraction(fact.spread[0]), Fraction(fact.spread[1])
    if quantity.magnitude:
        low, high = _magnitudes(low, high)
    if fact.is_range and quantity.parts:
        parts = zip(quantity.parts, (low, high), strict=True)
        return "" if all(holds(part, end) for part, end in parts) else "范围的两端没有都对上"
    return "" if holds(quantity, low) and holds(quantity, high) else "值不在写出的范围里"


def _magnitudes(low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """A ratio below one counts as its inverse: orders of magnitude have no direction."""
    ends = [max(end, 1 / end) if end > 0 else end for end in (low, high)]
    return min(ends), max(ends)


def holds(quantity: Quantity, value: Fraction) -> bool:
    """Whether the value lies in the interval that the words stand for."""
    above = value > quantity.low if quantity.low_open else value >= quantity.low
    below = value < quantity.high if quantity.high_open else value <= quantity.high
    return above and below


def _too_loose(quantity: Quantity, fact: Fact) -> str:
    """A claim open to one side must still say something."""
    low, high = (abs(end) for end in fact.ends)
    if quantity.magnitude or 0 in {quantity.low, quantity.high, low, high} - {_floor(quantity)}:
        return ""
    if math.isinf(quantity.high) and low > LOOSE_FACTOR * abs(quantity.low):
        return "值是这个下界的十倍以上，等于没说"
    if quantity.one_sided_below and high * LOOSE_FACTOR < abs(quantity.high):
        return "值不到这个上界的十分之一，等于没说"
    return ""


TESTS: tuple[tuple[Verdict, Callable[[Quantity, Fact], str]], ...] = (
    (Verdict.WRONG_UNIT, _wrong_unit),
    (Verdict.TOO_PRECISE, _too_precise),
    (Verdict.DISAGREES, _disagrees),
    (Verdict.TOO_LOOSE, _too_loose),
)
