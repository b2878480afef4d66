"""Reads the words of one quotation, all of them, as one quantity."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Final

from ffnsite.errors import Unreadable
from ffnsite.quantity import intervals, patterns
from ffnsite.quantity.amounts import Ends, Vague
from ffnsite.quantity.bounds import BOTTOMLESS, Bound, decimal_string
from ffnsite.quantity.comparisons import comparison_at, direction, refuse_multiples
from ffnsite.quantity.intervals import Interval
from ffnsite.quantity.modifiers import (
    APPROXIMATE,
    BEFORE,
    BEHIND,
    INNOCENT_WORDS,
    Row,
    before_at,
    behind_end,
)  # fmt: skip
from ffnsite.quantity.monomials import DECLARED
from ffnsite.quantity.nouns import is_noun, known_noun_at
from ffnsite.quantity.numerals import Numeral
from ffnsite.quantity.quantity import Quantity
from ffnsite.quantity.ranges import range_at
from ffnsite.quantity.spelling import spell
from ffnsite.quantity.terms import Term, term_at
from ffnsite.quantity.units import refuse_lookalike
from ffnsite.quantity.vague import decade

_GAP: Final = re.compile(patterns.GAP)
_PAST: Final = re.compile("过(?=[半百千万亿])")  # 过半, 过亿
_HAN_NUMERAL: Final = re.compile("[〇零一二两三四五六七八九十百千万亿半几]")
_LATIN_WORD: Final = re.compile("[A-Za-zµ]+")


@dataclass(frozen=True, slots=True)
class _Opening:
    """The words before the number: modifiers, and a word of comparison among them."""

    rows: tuple[Row, ...]
    comparison: str
    end: int


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A whole quotation in its parts."""

    text: str
    claim: Numeral | Ends | Vague
    term: Term
    before: tuple[Row, ...]
    inner: tuple[Row, ...]
    behind: tuple[Row, ...]
    comparison: str
    noun: str
    noun_known: bool
    pinned: bool


def read(text: str, symbols: str = DECLARED) -> Quantity:
    """The quantity that all of `text` writes; `symbols` are the project's one-letter variables.

    Raises:
        Unreadable: the message, in Chinese, says what was not understood and what to write instead.
    """
    return _read(text, symbols)


@lru_cache(maxsize=8192)
def _read(text: str, symbols: str) -> Quantity:
    phrase = _parse(text, symbols)
    row = _one_modifier(phrase)
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


# --- the parts of a quotation
# --------------------------------------------------------------------------
def _parse(text: str, symbols: str) -> _Phrase:
    spelled = spell(text)
    opening = _opening(spelled.text)
    first = term_at(spelled, opening.end, symbols)
    if first is None:
        raise _no_number(text, spelled.text, opening)
    joined = range_at(spelled, first, symbols)
    term = joined.term if joined else first
    noun, known, behind = _closing(text, spelled.text, replace(term), is_range=joined is not None)
    return _Phrase(
        text=text,
        claim=joined.ends if joined else first.claim,
        term=term,
        before=opening.rows,
        inner=(Row.OVER,) if first.over else (),
        behind=behind,
        comparison=opening.comparison,
        noun=noun,
        noun_known=known,
        pinned=joined is not None and joined.pinned,
    )


def _opening(text: str) -> _Opening:
    """Modifiers, a word of comparison, modifiers: 约, 降低近, 约降低."""
    rows: list[Row] = []
    comparison, at = "", 0
    while True:
        word = before_at(text, at)
        past = _PAST.match(text, at)
        if word or past:
            rows.append(BEFORE[word] if word else Row.ABOVE)
            at += len(word) or 1
        elif not comparison and (comparison := comparison_at(text, at)):
            at += len(comparison)
        else:
            return _Opening(tuple(rows), comparison, at)
        at = _skip(text, at)


def _skip(text: str, at: int) -> int:
    gap = _GAP.match(text, at)
    return gap.end() if gap else at


def _closing(
    text: str, spelled: str, term: Term, *, is_range: bool
) -> tuple[str, bool, tuple[Row, ...]]:
    """The noun and the modifier behind the number: 个参数左右 → (个参数, known, (ABOUT,))."""
    rest = spelled[term.end :].strip()
    if is_range and rest in ("之间", "间"):
        return term.noun, True, ()
    word = behind_end(rest)
    body = rest.removesuffix(word).rstrip() if word else rest
    if not body:
        _refuse_innocent(text, spelled, rest)
        return term.noun, True, (BEHIND[word],) if word else ()
    if len(word) == 1:
        word, body = "", rest
    if not _may_count(term, spelled, body):
        raise _leftover(text, spelled, term.end, body)
    known = bool(term.noun or known_noun_at(body, 0))
    return term.noun or body, known, (BEHIND[word],) if word else ()


def _may_count(term: Term, spelled: str, body: str) -> bool:
    """Whether `body` is the noun that the number counts.

    It stands behind digits, a measure word, a Latin multiplier or a symbolic coefficient, never
    behind a unit.
    """
    first = _LATIN_WORD.match(body)
    if first and not term.noun:
        refuse_lookalike(first[0])
        if spelled[term.end] == body[0] and spelled[term.end - 1].isdigit():
            return False
    if not is_noun(body) or body.startswith("级"):
        return False
    if term.noun or term.monomial is not None:
        return True
    # 几 and 数 without 十 百 千 need a known measure word: 数量级 is not several of something.
    vague = isinstance(term.amount.claim, Vague) and spelled[term.end - 1] not in "几数"
    return term.bare and (term.amount.arabic or term.amount.power or vague)


# --- what cannot be read
# -------------------------------------------------------------------------------
def _no_number(text: str, spelled: str, opening: _Opening) -> Unreadable:
    innocent = next((word for word in INNOCENT_WORDS if spelled.startswith(word)), "")
    if innocent:
        return Unreadable(f"“{text}” 里的“{innocent}”不是数的修饰词；只引用数和紧挨着它的词")
    if spelled.startswith("第"):
        return Unreadable(f"“{text}” 是序号，不是数量；序号不用绑定")
    rest = spelled[opening.end :]
    if not rest:
        return Unreadable(f"“{text}” 只有修饰词，没有数")
    if rest.lstrip("-+. ")[:1].isdigit():
        return Unreadable(
            f"“{rest}” 不是一个数：数字前不写多余的零、点和符号，"
            "一个数里只有一个小数点，千位用 65,536"
        )
    return Unreadable(f"“{text}” 里没有读到数：不认识“{rest}”；一处引用只写一个数和紧挨着它的词")


def _refuse_innocent(text: str, spelled: str, rest: str) -> None:
    if rest and spelled in INNOCENT_WORDS:
        raise Unreadable(f"“{text}” 是一个词，里面的“{rest}”不是数的修饰词")


def _leftover(text: str, spelled: str, end: int, body: str) -> Unreadable:
    done = spelled[:end].strip()
    if body[0] in "+-":
        why = "和式、差式不读，请写算好的数"
    elif any(character.isdigit() for character in body) or _HAN_NUMERAL.search(body):
        why = "一处引用只能有一个数（千位用 65,536，范围写成 3–5）"
    elif any(word in body for word in BEHIND):
        why = "一个数只能有一个修饰词，修饰词紧跟在数或量词后面"
    elif _HAN_NUMERAL.match(spelled[end - 1]):
        why = "汉字数后面只认识常见的量词，别的名词前请用阿拉伯数字"
    else:
        why = "多出来的字请移到链接外面"
    return Unreadable(f"“{text}” 读到“{done}”之后还剩“{body}”：{why}")


def _one_modifier(phrase: _Phrase) -> Row:
    """The single modifier of the phrase; one before and one behind may say the same."""
    rows = (*phrase.before, *phrase.inner, *phrase.behind)
    if not rows:
        return Row.PLAIN
    doubled = len(phrase.before) == len(phrase.behind) == 1 and not phrase.inner
    if len(rows) > 1 and not (doubled and rows[0] is rows[1]):
        names = "、".join(f"“{row.value}”类" for row in rows)
        raise Unreadable(f"“{phrase.text}” 里一个数有两个修饰词（{names}）；只留一个")
    return rows[0]


# --- the quantity
# --------------------------------------------------------------------------------------
def _quantity(phrase: _Phrase, row: Row) -> Quantity:
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
        side=found.side,
        exact=isinstance(claim, Numeral)
        and (row is Row.EXACT or (claim.exact and row is Row.PLAIN)),
        share=_is_share(phrase.term),
        magnitude=orders,
        comparison="" if orders else direction(phrase.comparison),
        noun_known=phrase.noun_known,
    )


def _dimension(phrase: _Phrase) -> str:
    term = phrase.term
    if term.monomial is not None:
        return "symbolic"
    if term.unit.dimension != "number":
        return term.unit.dimension
    if phrase.noun:
        return "count"
    return "ratio" if term.parts or term.amount.ratio else "number"


def _unit(phrase: _Phrase) -> str:
    term = phrase.term
    return term.monomial.name if term.monomial else term.unit.base or phrase.noun


def _is_share(term: Term) -> bool:
    return term.unit.share or term.parts is not None or (term.amount.share and term.bare)


def _settled_power(phrase: _Phrase, row: Row) -> _Phrase:
    """百万 alone is a range, 近百万 a number; a lonely 百, 千, 万 or 亿 needs a modifier."""
    claim = phrase.claim
    if not (phrase.term.amount.power and isinstance(claim, Numeral)) or row is not Row.PLAIN:
        return phrase
    if re.match("[百千万亿](?![万亿])", phrase.text):
        raise Unreadable(f"“{phrase.text}” 前面缺一个数字；写 一百、上百 或 百万级 这样")
    return replace(phrase, claim=decade(claim.value))


def _interval(phrase: _Phrase, row: Row, bottom: Bound) -> Interval:
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


def _single(phrase: _Phrase, claim: Numeral, row: Row, bottom: Bound) -> Interval:
    if row is Row.OVER and claim.value <= 0:
        raise Unreadable(f"“{phrase.text}”：“多”“余”只能跟在正数后面")
    found = intervals.interval(claim, row, bottom)
    behind = row is Row.AT_LEAST and not phrase.before
    if claim.half and phrase.term.bare and (row is Row.ABOVE or behind):
        return intervals.majority(found)
    return found


def _between(phrase: _Phrase, claim: Ends, row: Row, bottom: Bound) -> Interval:
    if row not in (Row.PLAIN, Row.ABOUT) or (phrase.pinned and row is Row.ABOUT):
        raise Unreadable(f"“{phrase.text}” 是一个范围，不能再加“{row.value}”类的词")
    found = intervals.between(claim, row, bottom)
    if _is_share(phrase.term) and claim.second.value <= 1:
        return intervals.within_whole(found)
    return found


def _order_count(claim: Numeral | Ends | Vague) -> Numeral | Ends | Vague:
    """The count of orders of magnitude has a unit of one, whatever its digits."""
    if isinstance(claim, Ends):
        return Ends(_by_ones(claim.first), _by_ones(claim.second))
    return _by_ones(claim) if isinstance(claim, Numeral) else claim


def _by_ones(numeral: Numeral) -> Numeral:
    if numeral.value.denominator != 1:
        return numeral
    half = Fraction(1, 2)
    return replace(numeral, plain=half, about=half, near=half, place=Fraction(1), ten=False)


def _digits(claim: Numeral | Ends | Vague, row: Row) -> int:
    if isinstance(claim, Numeral):
        return (row in APPROXIMATE and claim.loose_digits) or claim.digits
    return max(claim.first.digits, claim.second.digits) if isinstance(claim, Ends) else 1
