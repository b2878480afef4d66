"""Two numbers joined: 65%–80%, 1–2 万, 0.081 ± 0.004. What is written once is both ends'."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from ffnsite.errors import Unreadable
from ffnsite.quantity import patterns
from ffnsite.quantity.amounts import Ends
from ffnsite.quantity.numerals import Numeral
from ffnsite.quantity.spelling import Spelled
from ffnsite.quantity.terms import Term, ends_of, term_at

_DASH: Final = re.compile(patterns.RANGE_DASH)
_PLUS_MINUS: Final = re.compile(rf"{patterns.GAP}±{patterns.GAP}")
# 五千到一万 is 5000 to 10000, 三到五万 30000 to 50000: Chinese ends share 万 unless the range
# would fall, and then only when the ends are of like size.
_LIKE_SIZE: Final = 100
_HUNDRED: Final = 100


@dataclass(frozen=True, slots=True)
class Joined:
    """The two numbers of a range in base units, and the term that carries their unit.

    `pinned` marks centre ± margin, whose ends no word may widen.
    """

    ends: Ends
    term: Term
    pinned: bool = False


def range_at(spelled: Spelled, first: Term, symbols: str) -> Joined | None:
    """The range or the ± whose first number is `first`; None when nothing joins it to a second."""
    for joint, join in ((_PLUS_MINUS, _plus_minus), (_DASH, _from_to)):
        match = joint.match(spelled.text, first.end)
        second = term_at(spelled, match.end(), symbols) if match else None
        if match and second:
            written = spelled.text[: second.end]
            _refuse_inner_words(first, second, written)
            return join(first, second, written)
    return None


def _refuse_inner_words(first: Term, second: Term, written: str) -> None:
    if first.over or second.over or ends_of(first, second) is None:
        raise Unreadable(f"“{written}”：范围的两端要各是一个确定的数，不能带“多”“几”“上百”这样的词")


def _from_to(first: Term, second: Term, written: str) -> Joined:
    first, second = _shared(first, second, written)
    ends = ends_of(first, second)
    if ends is None or ends.first.value >= ends.second.value:
        raise Unreadable(
            f"“{written}” 的范围不是从小到大；小的写前面，两端的乘数（万、亿）和单位不同时各写各的"
        )
    return Joined(ends, second)


def _plus_minus(first: Term, second: Term, written: str) -> Joined:
    if not (_kind(first)[0] == "ratio" and second.unit.dimension == "pp"):  # 81% ± 2 个百分点
        first, second = _shared(first, second, written)
    ends = ends_of(first, second)
    if ends is None or ends.second.value < 0:
        raise Unreadable(f"“{written}” 的误差要写成正数，例如 0.081 ± 0.004")
    centre, margin = ends.first.value, ends.second.value
    low, high = (replace(_pinned(ends.first), value=centre + sign * margin) for sign in (-1, 1))
    return Joined(
        Ends(low, high), replace(second, amount=first.amount, unit=first.unit), pinned=True
    )


def _pinned(numeral: Numeral) -> Numeral:
    """The end of a ± is where it is said to be."""
    zero = Fraction(0)
    return replace(numeral, plain=zero, about=zero, near=zero)


def _shared(first: Term, second: Term, written: str) -> tuple[Term, Term]:
    """Both terms with the unit and the multiplier that only one of them has."""
    first, second = _share_unit(first, second), _share_unit(second, first)
    if _kind(first) != _kind(second):
        raise Unreadable(f"“{written}” 两端的单位不同")
    return _share_multiplier(first, second, written)


def _share_unit(term: Term, other: Term) -> Term:
    if not term.bare or term.amount.ratio:
        return term
    amount = term.amount
    if other.monomial is not None and isinstance(amount.claim, Numeral):
        amount = replace(amount, claim=replace(amount.claim, plain=Fraction(0), exact=True))
    return replace(
        term,
        amount=amount,
        unit=other.unit,
        parts=other.parts,
        monomial=other.monomial,
        noun=other.noun,
    )


def _kind(term: Term) -> tuple[str, str, bool]:
    dimension = "ratio" if term.parts or term.amount.ratio else term.unit.dimension
    base = term.monomial.name if term.monomial else term.noun or term.unit.base
    return dimension, base, term.unit.orders


def _share_multiplier(first: Term, second: Term, written: str) -> tuple[Term, Term]:
    if first.multiplier is None and second.multiplier is not None:
        return replace(first, multiplier=second.multiplier), second
    if first.multiplier is not None and second.multiplier is None and second.amount.arabic:
        _refuse_unclear_multiplier(first, second, written)
        return first, replace(second, multiplier=first.multiplier)
    if first.multiplier is None and second.amount.tail > first.amount.tail == 1:
        return _share_tail(first, second), second
    _refuse_unclear_hundreds(first, second, written)
    return first, second


def _refuse_unclear_multiplier(first: Term, second: Term, written: str) -> None:
    """1 万到 12,000: the second number has outgrown the multiplier of the first."""
    claim = second.amount.claim
    if isinstance(claim, Numeral) and first.multiplier and abs(claim.value) >= first.multiplier:
        raise Unreadable(f"“{written}” 的乘数只写在前一个数上，后一个数不清楚；两端都写乘数")


def _refuse_unclear_hundreds(first: Term, second: Term, written: str) -> None:
    """三到五百 may be 3 or 300 to 500."""
    left, right = first.amount.claim, second.amount.claim
    if first.amount.arabic or not (isinstance(left, Numeral) and isinstance(right, Numeral)):
        return
    rounded = right.place in (_HUNDRED, 10 * _HUNDRED) and right.value < 10 * right.place
    if rounded and left.value < right.value / right.place:
        raise Unreadable(f"“{written}” 说不清前一个数是个位还是百位、千位；写成 三百到五百")


def _share_tail(first: Term, second: Term) -> Term:
    shared = replace(first, multiplier=second.amount.tail)
    left, right, alone = shared.claim, second.claim, first.claim
    if not (
        isinstance(left, Numeral) and isinstance(right, Numeral) and isinstance(alone, Numeral)
    ):
        return first
    falls = left.value >= right.value
    return first if falls and alone.value * _LIKE_SIZE >= right.value else shared
