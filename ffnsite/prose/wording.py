"""Numbers as an author reads them in messages, cards and tables: exact, in the fact's own unit."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

from ffnsite.figure import Fact
from ffnsite.quantity import Bound, Quantity

SHOWN_DIGITS = 6
PERCENT_UNITS = {"share", "change"}
SUFFIX = {
    "pp": " 个百分点",
    "byte": " 字节",
    "s": " 秒",
    "m": " 米",
    "byte/s": " 字节/秒",
    "byte/param": " 字节/参数",
}
PLAIN = {"share", "change", "ratio", "count", "number"}
SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def show_fact(fact: Fact) -> str:
    """The fact's value with its unit, no more digits than it has: `80.77%`, `6,738,415,616`, `8d²`."""
    low, high = fact.ends
    shown = show(low, fact.unit, fact.digits)
    return f"{shown}–{show(high, fact.unit, fact.digits)}" if fact.is_range else shown


def show_spread(fact: Fact) -> str:
    """The spread over seeds, or nothing."""
    if fact.spread is None:
        return ""
    low, high = (show(Fraction(end), fact.unit, None) for end in fact.spread)
    return f"{low}–{high}"


def show(value: Fraction, unit: str, digits: int | None = None) -> str:
    """A value in its unit, rounded to `digits` significant digits (whole numbers stay whole)."""
    scaled = value * 100 if unit in PERCENT_UNITS | {"pp"} else value
    if scaled.denominator == 1 and (digits is None or abs(scaled) < 10**digits):
        number = f"{scaled.numerator:,}"
    else:
        number = rounded(scaled, min(digits or SHOWN_DIGITS, SHOWN_DIGITS))
    if unit in PERCENT_UNITS:
        return f"{number}%"
    return number + _suffix(unit)


def _suffix(unit: str) -> str:
    if unit in PLAIN:
        return ""
    if unit in SUFFIX:
        return SUFFIX[unit]
    if "/" in unit or unit in {"FLOP", "nat", "bit"}:
        return f" {unit}"
    letters = (_power(letter) for letter in unit.split(" "))
    return "".join(letters)


def _power(letter: str) -> str:
    base, _, exponent = letter.partition("^")
    return base + exponent.translate(SUPERSCRIPT)


def rounded(value: Fraction, digits: int) -> str:
    """The value as a decimal of so many significant digits, without an exponent."""
    if value == 0:
        return "0"
    with localcontext() as context:
        context.prec = digits
        decimal = Decimal(value.numerator) / Decimal(value.denominator)
    text = f"{decimal:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def show_interval(quantity: Quantity, unit: str) -> str:
    """What the words were read as: `84.5%–85.5%`, `大于 0.5`, `不超过 3`."""
    low, high = _end(quantity.low, unit), _end(quantity.high, unit)
    if math.isinf(quantity.high):
        return f"{'大于' if quantity.low_open else '不小于'} {low}"
    if math.isinf(quantity.low) or (quantity.low == 0 and quantity.high_open):
        return f"{'小于' if quantity.high_open else '不超过'} {high}"
    return low if low == high else f"{low}–{high}"


def _end(bound: Bound, unit: str) -> str:
    return "" if isinstance(bound, float) else show(bound, unit)
