"""A quotation in its parts: modifiers, word of comparison, number with unit, noun, modifiers."""

import re
from dataclasses import dataclass
from typing import Final

from ffnsite.errors import Unreadable
from ffnsite.quantity import patterns
from ffnsite.quantity.amounts import Claim, Vague
from ffnsite.quantity.comparisons import comparison_at
from ffnsite.quantity.modifiers import BEFORE, BEHIND, Row, before_at, behind_end
from ffnsite.quantity.nouns import is_noun, known_noun_at
from ffnsite.quantity.ranges import range_at
from ffnsite.quantity.refusals import leftover, no_number, refuse_innocent
from ffnsite.quantity.spelling import spell
from ffnsite.quantity.terms import Term, term_at
from ffnsite.quantity.units import refuse_lookalike

_GAP: Final = re.compile(patterns.GAP)
_PAST: Final = re.compile("过(?=[半百千万亿])")  # 过半, 过亿
_LATIN_WORD: Final = re.compile("[A-Za-zµ]+")


@dataclass(frozen=True, slots=True)
class _Opening:
    """The words before the number: modifiers, and a word of comparison among them."""

    rows: tuple[Row, ...]
    comparison: str
    end: int


@dataclass(frozen=True, slots=True)
class Phrase:
    """A whole quotation in its parts."""

    text: str
    claim: Claim
    term: Term
    before: tuple[Row, ...]
    inner: tuple[Row, ...]
    behind: tuple[Row, ...]
    comparison: str
    noun: str
    noun_known: bool
    pinned: bool


def parse(text: str, symbols: str) -> Phrase:
    """All of `text` in its parts.

    Raises:
        Unreadable: words are left over, or there is no number.
    """
    spelled = spell(text)
    opening = _opening(spelled.text)
    first = term_at(spelled, opening.end, symbols)
    if first is None:
        raise no_number(text, spelled.text, opening.end)
    joined = range_at(spelled, first, symbols)
    term = joined.term if joined else first
    noun, known, behind = _closing(text, spelled.text, term, is_range=joined is not None)
    return Phrase(
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
        refuse_innocent(text, spelled, rest)
        return term.noun, True, (BEHIND[word],) if word else ()
    if len(word) == 1:
        word, body = "", rest
    if not _may_count(term, spelled, body):
        raise leftover(text, spelled, term.end, body)
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


def one_modifier(phrase: Phrase) -> Row:
    """The single modifier of the phrase; one before and one behind may say the same.

    Raises:
        Unreadable: there are two.
    """
    rows = (*phrase.before, *phrase.inner, *phrase.behind)
    if not rows:
        return Row.PLAIN
    doubled = len(phrase.before) == len(phrase.behind) == 1 and not phrase.inner
    if len(rows) > 1 and not (doubled and rows[0] is rows[1]):
        names = "、".join(f"“{row.value}”类" for row in rows)
        raise Unreadable(f"“{phrase.text}” 里一个数有两个修饰词（{names}）；只留一个")
    return rows[0]
