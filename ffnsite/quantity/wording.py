"""Words that are right for a computed value, for messages about numbers that disagree."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import gcd
from typing import Final

from ffnsite.errors import Unreadable
from ffnsite.quantity.monomials import DECLARED
from ffnsite.quantity.quantity import Quantity
from ffnsite.quantity.reading import read

MOST: Final = 3
_DIGITS: Final = (3, 2, 1)
_HAN: Final = "零一二三四五六七八九"
# Numbers outside this range are offered in powers of ten.
_SMALLEST: Final = Fraction(1, 10**4)
_LARGEST: Final = Fraction(10**7)
_COUNTABLE: Final = 10**15  # whole numbers below it are offered in full and in 亿
_FITTING: Final = {"ratio": {"ratio", "number"}, "count": {"count", "number"}}

# Units that a value is offered in, smallest first; the largest one not above the value is taken.
_STEPS: Final[dict[str, tuple[tuple[str, Fraction], ...]]] = {
    "bytes": (("B", Fraction(1)), ("KB", Fraction(10**3)), ("MB", Fraction(10**6)),
              ("GB", Fraction(10**9)), ("TB", Fraction(10**12))),
    "seconds": (("ns", Fraction(1, 10**9)), ("µs", Fraction(1, 10**6)), ("ms", Fraction(1, 10**3)),
                ("秒", Fraction(1)), ("分钟", Fraction(60)), ("小时", Fraction(3600)),
                ("天", Fraction(86400))),
    "length": (("mm", Fraction(1, 1000)), ("cm", Fraction(1, 100)), ("m", Fraction(1)),
               ("km", Fraction(1000))),
    "work": tuple((f"{prefix}FLOP", Fraction(1000**power))
                  for power, prefix in enumerate(["", "K", "M", "G", "T", "P", "E"])),
    "work_rate": tuple((f"{prefix}FLOP/s", Fraction(1000**power))
                       for power, prefix in enumerate(["", "K", "M", "G", "T", "P", "E"])),
    "bandwidth": tuple((f"{prefix}B/s", Fraction(1000**power))
                       for power, prefix in enumerate(["", "K", "M", "G", "T"])),
}  # fmt: skip
_BASE_UNITS: Final = {"intensity": "FLOP/byte", "information": "nats", "pp": "个百分点"}
_UNIT_WORDS: Final = {
    "byte/param": "字节/参数", "nat": "nats", "bit": "比特", "byte": "", "s": "", "m": "",
    "byte/s": "", "FLOP": "", "FLOP/s": "", "pp": "",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Form:
    """A value as a number and what stands behind it: (67.4, " 亿"), (80.8, "%")."""

    number: Fraction
    suffix: str


def offer(
    value: Fraction | int | float,
    dimension: str,
    *,
    unit: str = "",
    share: bool = False,
    digits: int | None = None,
    symbols: str = DECLARED,
) -> list[str]:
    """Up to three wordings, most precise first, that read back to intervals holding `value`.

    `value` is in the base unit of `dimension`; `unit` is the fact's base unit, measure word or
    monomial; `share` marks a part of a whole; none of the wordings has more than `digits`
    significant digits.
    """
    exact = Fraction(value)
    written = Fraction(str(value)) if isinstance(value, float) else exact
    found: list[str] = []
    for words in _candidates(written, dimension, unit, share=share):
        if words not in found and _is_right(words, exact, dimension, digits, symbols):
            found.append(words)
        if len(found) == MOST:
            break
    return found


def _is_right(
    words: str, value: Fraction, dimension: str, digits: int | None, symbols: str
) -> bool:
    try:
        quantity: Quantity = read(words, symbols)
    except Unreadable:
        return False
    fits = quantity.dimension in _FITTING.get(dimension, {dimension})
    return fits and quantity.holds(value) and (digits is None or quantity.digits <= digits)


def _candidates(value: Fraction, dimension: str, unit: str, *, share: bool) -> Iterator[str]:
    if dimension == "symbolic":
        yield from _symbolic(value, unit)
        return
    form = _form(value, dimension, unit, share=share)
    rounded = [_rounded(form.number, digits) + form.suffix for digits in _DIGITS]
    yield rounded[0]
    yield from _whole(value, dimension, unit)
    yield rounded[1]
    if share and dimension == "ratio":
        yield from _parts(value)
    yield f"约 {rounded[1]}"
    yield from (f"约 {rounded[2]}", rounded[2])
    yield _bracket(form)


def _whole(value: Fraction, dimension: str, unit: str) -> Iterator[str]:
    """A count in full: 6,738,415,616."""
    if dimension in ("count", "number") and value.denominator == 1 and abs(value) < _COUNTABLE:
        grouped = f"{int(value):,}"
        yield f"{grouped} {unit}".strip() if dimension == "count" else grouped


def _form(value: Fraction, dimension: str, unit: str, *, share: bool) -> _Form:
    if dimension == "ratio":
        return _ratio_form(value, share=share)
    if dimension in ("number", "count"):
        return _count_form(value, unit if dimension == "count" else "")
    words = _UNIT_WORDS.get(unit, unit)
    if dimension in _STEPS and not words:
        return _stepped(value, _STEPS[dimension])
    scale = 100 if dimension == "pp" else 1
    return _Form(value * scale, f" {words or _BASE_UNITS.get(dimension, unit)}")


def _ratio_form(value: Fraction, *, share: bool) -> _Form:
    if share or abs(value) < Fraction(1, 10):
        return _Form(value * 100, "%")
    return _Form(value / 10**4, " 万倍") if abs(value) >= 10**5 else _Form(value, " 倍")


def _count_form(value: Fraction, noun: str) -> _Form:
    behind = f" {noun}" if noun and noun[0].isascii() else noun
    for multiplier, power in (("亿", 8), ("万", 4)):
        if 10**power <= abs(value) < _COUNTABLE:
            return _Form(value / 10**power, f" {multiplier}{behind}")
    return _Form(value, f" {noun}" if noun else "")


def _stepped(value: Fraction, steps: tuple[tuple[str, Fraction], ...]) -> _Form:
    reached = [step for step in steps if abs(value) >= step[1]]
    name, size = reached[-1] if reached else steps[0]
    return _Form(value / size, f" {name}")


def _parts(share: Fraction) -> Iterator[str]:
    """约八成, 近一半, 约三分之二: the words that hold are kept by the caller."""
    yield from ("近一半", "约一半")
    for denominator in (3, 4):
        numerator = round(share * denominator)
        if 0 < numerator < denominator and gcd(numerator, denominator) == 1:
            yield f"约{_HAN[denominator]}分之{_HAN[numerator]}"
    tenths = round(share * 10)
    if 0 < tenths < len(_HAN):
        yield f"约{_HAN[tenths]}成"


def _symbolic(value: Fraction, monomial: str) -> Iterator[str]:
    """8d^2, 8/3 d^2, 约 2.7d^2; in $…$ where the letters alone are no variables."""
    gap = " " if " " in monomial else ""
    exact = _terminating(value)
    forms = [monomial] if value == 1 else []
    forms.append(f"{exact}{gap}{monomial}" if exact else f"{value} {monomial}")
    forms += [f"约 {_rounded(value, digits)}{gap}{monomial}" for digits in _DIGITS]
    forms.append(_bracket(_Form(value, f"{gap}{monomial}")))
    yield from forms
    yield from (f"${form}$" if form[0] != "约" else f"约 ${form[2:]}$" for form in forms)


def _terminating(value: Fraction) -> str:
    """`value` as a decimal of at most six places, or ""."""
    scaled = value * 10**6
    if scaled.denominator != 1:
        return ""
    return format((Decimal(int(scaled)).scaleb(-6)).normalize(), "f")


def _rounded(number: Fraction, digits: int) -> str:
    """`number` to `digits` significant digits, in powers of ten where it is very small or large.

    Zeros at the end are kept only where something was rounded away.
    """
    if not number:
        return "0"
    kept, last = _kept(number, digits)
    exponent = 0 if _SMALLEST <= abs(number) < _LARGEST else last + len(str(abs(kept))) - 1
    shown = Decimal(kept).scaleb(last - exponent)
    if Fraction(shown) * Fraction(10) ** exponent == number:
        shown = shown.normalize()
    return format(shown, "f") + (f"×10^{exponent}" if exponent else "")


def _kept(number: Fraction, digits: int) -> tuple[int, int]:
    """The significant digits as an integer, and the power of ten of the last of them."""
    last = _exponent(number) - digits + 1
    kept = round(number / Fraction(10) ** last)
    return (kept // 10, last + 1) if len(str(abs(kept))) > digits else (kept, last)


def _exponent(number: Fraction) -> int:
    """The power of ten of the first significant digit."""
    size = abs(number)
    exponent = len(str(size.numerator)) - len(str(size.denominator))
    return exponent if size >= Fraction(10) ** exponent else exponent - 1


def _bracket(form: _Form) -> str:
    """Two numbers of one digit with the value between: 0.9–2 GB. The coarsest words there are."""
    size = abs(form.number)
    if not size:
        return f"0{form.suffix}"
    step = Fraction(10) ** _exponent(size)
    first = int(size / step)
    low = Fraction(9, 10) * step if first == 1 else first * step
    high = 20 * step if first == len(_HAN) - 1 else (first + 1) * step
    ends = (_rounded(low, 1), _rounded(high, 1))
    if form.number < 0:
        return f"-{ends[1]} 到 -{ends[0]}{form.suffix}"
    return f"{ends[0]}–{ends[1]}{form.suffix}"
