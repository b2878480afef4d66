"""Reads the words of one quotation, all of them, as one quantity."""

import re
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from ffnsite.errors import Unreadable
from ffnsite.quantity import intervals
from ffnsite.quantity.amounts import Claim, Ends, Vague
from ffnsite.quantity.bounds import BOTTOMLESS, Bound, decimal_string
from ffnsite.quantity.comparisons import direction, refuse_multiples
from ffnsite.quantity.intervals import Interval
from ffnsite.quantity.modifiers import APPROXIMATE, Row
from ffnsite.quantity.monomials import DECLARED
from ffnsite.quantity.numerals import Numeral
from ffnsite.quantity.phrases import Phrase, one_modifier, parse
from ffnsite.quantity.quantity import Quantity
from ffnsite.quantity.terms import Term
from ffnsite.quantity.vague import decade


def read(text: str, symbols: str = DECLARED) -> Quantity:
    """The quantity that all of `text` writes; `symbols` are the project's one-letter variables.

    Raises:
        Unreadable: the message, in Chinese, says what was not understood and what to write instead.
    """
    return _read(text, symbols)


@lru_cache(maxsize=8192)
def _read(text: str, symbols: str) -> Quantity:
    phrase = parse(text, symbols)
    row = one_modifier(phrase)
    refuse_multiples(text, phrase.comparison, phrase.term.unit.name)
    return _quantity(phrase, row)


def to_json(text: str, symbols: str = DECLARED) -> dict[str, object]:
    """What `ffnsite read` prints for `text`: an interval in decimal strings, or an error."""
    try:
        quantity = read(text, symbols)
    except Unreadable as error:
        return {"text": text, "error": str(error)}
    return {
        "text": text,
        "low": decimal_string(quantity.low),
        "high": decimal_string(quantity.high),
        "low_open": quantity.low_open,
        "high_open": quantity.high_open,
        "dimension": quantity.dimension,
        "unit": quantity.unit,
        "digits": quantity.digits,
    }


def _quantity(phrase: Phrase, row: Row) -> Quantity:
    dimension = _dimension(phrase)
    phrase = _settled_power(phrase, row)
    claim = phrase.claim
    orders = phrase.term.unit.orders
    found = _interval(phrase, row, BOTTOMLESS if dimension == "number" else Fraction(0))
    if orders:
        found = intervals.orders_of_magnitude(found)
    return Quantity(
        text=phrase.text,
        low=found.low,
        high=found.high,
        low_open=found.low_open,
        high_open=found.high_open,
        dimension=dimension,
        unit=_unit(phrase),
        digits=_digits(claim, row),
        value=claim.value if isinstance(claim, Numeral) and not orders else None,
        ends=(claim.first.value, claim.second.value) if isinstance(claim, Ends) else None,
        slack=_slack(claim, row) if isinstance(claim, Ends) else None,
        side=found.side,
        exact=isinstance(claim, Numeral)
        and (row is Row.EXACT or (claim.exact and row is Row.PLAIN)),
        share=_is_share(phrase.term),
        magnitude=orders,
        comparison="" if orders else direction(phrase.comparison),
        noun_known=phrase.noun_known,
    )


def _dimension(phrase: Phrase) -> str:
    term = phrase.term
    if term.monomial is not None:
        return "symbolic"
    if term.unit.dimension != "number":
        return term.unit.dimension
    if phrase.noun:
        return "count"
    return "ratio" if term.parts or term.amount.ratio else "number"


def _unit(phrase: Phrase) -> str:
    term = phrase.term
    return term.monomial.name if term.monomial else term.unit.base or phrase.noun


def _is_share(term: Term) -> bool:
    return term.unit.share or term.parts is not None or (term.amount.share and term.bare)


def _settled_power(phrase: Phrase, row: Row) -> Phrase:
    """百万 alone is a range, 近百万 a number; a lonely 百, 千, 万 or 亿 needs a modifier."""
    claim = phrase.claim
    if not (phrase.term.amount.power and isinstance(claim, Numeral)) or row is not Row.PLAIN:
        return phrase
    if re.match("[百千万亿](?![万亿])", phrase.text):
        raise Unreadable(f"“{phrase.text}” 前面缺一个数字；写 一百、上百 或 百万级 这样")
    return replace(phrase, claim=decade(claim.value))


def _interval(phrase: Phrase, row: Row, bottom: Bound) -> Interval:
    claim = phrase.claim
    if phrase.term.unit.orders:
        claim = _order_count(claim)
    if isinstance(claim, Numeral):
        return _single(phrase, claim, row, bottom)
    if isinstance(claim, Vague):
        if row is not Row.PLAIN:
            raise Unreadable(f"“{phrase.text}” 的数本身已是一个范围，不能再加“{row.value}”类的词")
        return intervals.spread(claim)
    return _between(phrase, claim, row, bottom)


def _single(phrase: Phrase, claim: Numeral, row: Row, bottom: Bound) -> Interval:
    if row is Row.OVER and claim.value <= 0:
        raise Unreadable(f"“{phrase.text}”：“多”“余”只能跟在正数后面")
    found = intervals.interval(claim, row, bottom)
    behind = row is Row.AT_LEAST and not phrase.before
    if claim.half and phrase.term.bare and (row is Row.ABOVE or behind):
        return intervals.majority(found)
    return found


def _between(phrase: Phrase, claim: Ends, row: Row, bottom: Bound) -> Interval:
    if row not in (Row.PLAIN, Row.ABOUT) or (phrase.pinned and row is Row.ABOUT):
        raise Unreadable(f"“{phrase.text}” 是一个范围，不能再加“{row.value}”类的词")
    found = intervals.between(claim, row, bottom)
    if _is_share(phrase.term) and claim.first.value >= 0 and claim.second.value <= 1:
        return intervals.within_whole(found)
    return found


def _order_count(claim: Claim) -> Claim:
    """The count of orders of magnitude has a unit of one, whatever its digits."""
    if isinstance(claim, Ends):
        return Ends(_by_ones(claim.first), _by_ones(claim.second))
    return _by_ones(claim) if isinstance(claim, Numeral) else claim


def _by_ones(numeral: Numeral) -> Numeral:
    half = Fraction(1, 2)
    return replace(numeral, plain=half, about=half, near=half, place=Fraction(1), ten=False)


def _slack(claim: Ends, row: Row) -> tuple[Fraction, Fraction]:
    """Half of the last place of each end; a share's cap at 0 or 1 takes nothing away from it."""
    first, second = claim.first, claim.second
    return (first.about, second.about) if row is Row.ABOUT else (first.plain, second.plain)


def _digits(claim: Claim, row: Row) -> int:
    if isinstance(claim, Numeral):
        return (row in APPROXIMATE and claim.loose_digits) or claim.digits
    return max(claim.first.digits, claim.second.digits) if isinstance(claim, Ends) else 1
