"""Judges what the words of a quote claim against the fact that they name, in a fixed order."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from ffnsite.errors import Unreadable
from ffnsite.figure import Fact
from ffnsite.prose.quote import Verdict
from ffnsite.quantity import Bound, Quantity, canonical, read

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
    "token/s": "bandwidth",
    "byte/param": "intensity",
    "nat": "information",
    "bit": "information",
}
BARE_FITS = {"ratio", "count", "number"}
# Two units of one dimension that no factor turns into one another.
UNIT_MATTERS = {"symbolic", "information", "bandwidth", "intensity"}


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
    bare = {quantity.dimension, expected} <= BARE_FITS and "number" in {
        quantity.dimension,
        expected,
    }
    if quantity.dimension != expected and not bare:
        return f"写的是{_dimension(quantity)}，事实的单位是 {fact.unit}"
    unit = canonical(fact.unit) if expected == "symbolic" else fact.unit
    if expected in UNIT_MATTERS and quantity.unit != unit:
        return f"写的是 {quantity.unit}，事实是 {fact.unit}"
    if quantity.comparison and fact.unit not in {"change", "pp"}:
        return "写的是变化的幅度，事实不是（单位不是 change 或 pp）"
    return ""


def _dimension(quantity: Quantity) -> str:
    return (
        f" {quantity.unit}"
        if quantity.unit
        else f"“{NAMES.get(quantity.dimension, quantity.dimension)}”"
    )


NAMES = {
    "number": "不带单位的数",
    "ratio": "比例",
    "count": "个数",
    "pp": "百分点",
    "symbolic": "含字母的式子",
}


def _too_precise(quantity: Quantity, fact: Fact) -> str:
    if fact.digits is not None and quantity.digits > fact.digits:
        return f"写了 {quantity.digits} 位有效数字，只有 {fact.digits} 位站得住"
    if fact.spread and quantity.high - quantity.low < _width(fact.spread):
        return "写得比换种子的波动还窄"
    return ""


def _width(spread: tuple[int | float | Fraction, int | float | Fraction]) -> Fraction:
    """How far the ends of a spread are apart."""
    return Fraction(spread[1]) - Fraction(spread[0])


def _disagrees(quantity: Quantity, fact: Fact) -> str:
    """The whole of a fact's range or spread must lie in what the words claim."""
    if fact.is_range and quantity.ends is not None and not _ends_match(quantity, fact):
        return "范围的两端没有都对上"
    ends = fact.spread or fact.ends
    return "" if all(quantity.holds(end) for end in ends) else "值不在写出的范围里"


def _ends_match(quantity: Quantity, fact: Fact) -> bool:
    """A quoted range says where a fact's range begins and ends, each as precisely as it is written."""
    first, second = quantity.ends or (Fraction(0), Fraction(0))
    tolerance = max(first - quantity.low, quantity.high - second)
    return all(
        abs(written - end) <= tolerance
        for written, end in zip((first, second), fact.ends, strict=True)
    )


def _size(bound: Bound) -> Bound:
    return -bound if bound < 0 else bound


def _too_loose(quantity: Quantity, fact: Fact) -> str:
    """A claim open to one side must still say something."""
    low, high = abs(fact.ends[0]), abs(fact.ends[1])
    if quantity.side == "above" and 0 < LOOSE_FACTOR * _size(quantity.low) < low:
        return "值是这个下界的十倍以上，等于没说"
    if quantity.side == "below" and 0 < LOOSE_FACTOR * high < _size(quantity.high):
        return "值不到这个上界的十分之一，等于没说"
    return ""


TESTS: tuple[tuple[Verdict, Callable[[Quantity, Fact], str]], ...] = (
    (Verdict.WRONG_UNIT, _wrong_unit),
    (Verdict.TOO_PRECISE, _too_precise),
    (Verdict.DISAGREES, _disagrees),
    (Verdict.TOO_LOOSE, _too_loose),
)
