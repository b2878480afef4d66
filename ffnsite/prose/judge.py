"""Judges what the words of a quote claim against the fact that they name, in a fixed order."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from ffnsite.errors import Unreadable
from ffnsite.figure import Fact, Number, exact
from ffnsite.prose.quote import Verdict
from ffnsite.quantity import Quantity, canonical, read

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

Ends = tuple[Fraction, Fraction]


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


def _width(spread: tuple[Number, Number]) -> Fraction:
    """How far the ends of a spread are apart."""
    return exact(spread[1]) - exact(spread[0])


def _disagrees(quantity: Quantity, fact: Fact) -> str:
    """The whole of a fact's range or spread must lie in what the words claim."""
    ends = _told(quantity, fact.ends)
    if fact.is_range and quantity.ends is not None and not _ends_match(quantity, ends):
        return "范围的两端没有都对上"
    if fact.spread:
        ends = _told(quantity, (exact(fact.spread[0]), exact(fact.spread[1])))
    return "" if all(quantity.holds(end) for end in ends) else "值不在写出的范围里"


def _told(quantity: Quantity, ends: Ends) -> Ends:
    """The values as the words tell them: 少了三成 is what a change of -0.3 is called."""
    low, high = ends
    return (-high, -low) if quantity.comparison == "less" and high < 0 else (low, high)


def _ends_match(quantity: Quantity, ends: Ends) -> bool:
    """A quoted range says where a fact's range begins and ends, each as precisely as it is written."""
    written, slack = quantity.ends or ends, quantity.slack or (Fraction(0), Fraction(0))
    return all(abs(written[at] - ends[at]) <= slack[at] for at in (0, 1))


def _too_loose(quantity: Quantity, fact: Fact) -> str:
    """A claim open to one side must still say something, of one end of a fact's range at least."""
    if not quantity.side:
        return ""
    bound = Fraction(quantity.low if quantity.side == "above" else quantity.high)
    loose = _far_in_orders if quantity.magnitude else _far
    if all(loose(bound, end, quantity.side) for end in _told(quantity, fact.ends)):
        return "值离这个界十倍以上，等于没说"
    return ""


def _far(bound: Fraction, value: Fraction, side: str) -> bool:
    """Whether `value` is more than ten times past `bound`, away from zero or towards it."""
    if not bound or not value:
        return False
    away = (bound > 0) == (side == "above") or (bound > 0) != (value > 0)
    larger, smaller = (value, bound) if away else (bound, value)
    return abs(larger) > LOOSE_FACTOR * abs(smaller)


def _far_in_orders(bound: Fraction, value: Fraction, side: str) -> bool:
    """The same of orders of magnitude, whose claim is about the logarithm: 10^k, ten times k."""
    if not value:
        return False
    ratio = max(abs(value), 1 / abs(value))
    larger, smaller = (ratio, bound) if side == "above" else (bound, ratio)
    return smaller > 1 and larger > smaller**LOOSE_FACTOR


TESTS: tuple[tuple[Verdict, Callable[[Quantity, Fact], str]], ...] = (
    (Verdict.WRONG_UNIT, _wrong_unit),
    (Verdict.TOO_PRECISE, _too_precise),
    (Verdict.DISAGREES, _disagrees),
    (Verdict.TOO_LOOSE, _too_loose),
)
