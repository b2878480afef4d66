"""Finds the numbers of a text that nothing binds, and says which of them claim nothing and why."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ffnsite.prose.exempt import EXEMPTIONS, Names
from ffnsite.prose.idioms import inside_a_word
from ffnsite.prose.numerals import find_numerals


Spans: TypeAlias = tuple[list[int], list[int]]
"""Starts and ends of the matches of one pattern, in order."""


@dataclass(frozen=True, slots=True)
class Loose:
    """A numeral outside any binding.

    Attributes:
        start: Offset of its first character in the text that was searched.
        end: Offset behind its last character.
        text: The numeral, with the unit or measure word behind it where it has to be bound.
        exemption: Name of the class in `EXEMPTIONS` that excuses it; None means it must be bound.
    """

    start: int
    end: int
    text: str
    exemption: str | None


# Only for the message: what the reader takes as part of the number (12 层, 6.5d, 0.041 nats).
_UNIT = re.compile(
    r"\s?(?:倍|成|个百分点|个数量级|[个层条种次步维篇行头词页秒天]|(?:ms|us|µs|s|min|h|nats?|bits?|[KMGT]?i?B|FLOPs?)\b)"
    r"|[A-Za-zµ]+[²³]?"
)


def find_loose(text: str, names: Names) -> list[Loose]:
    """Every numeral of one block of visible prose, in order, with the class that excuses it.

    `text` carries no markup: the caller has put U+FFFC in place of links, code and formulas.
    Time grows in proportion to the length of the text.
    """
    spans = list(_spans_by_class(text, names))
    return [_judge(text, start, end, spans) for start, end in find_numerals(text)]


def _spans_by_class(text: str, names: Names) -> Iterator[tuple[str, Spans]]:
    """For each class where its pattern matched; the project's names come first."""
    if names.pattern is not None:
        yield "name", _spans(text, names.pattern)
    for exemption in EXEMPTIONS:
        yield exemption.name, _spans(text, exemption.pattern)


def _spans(text: str, pattern: re.Pattern[str]) -> Spans:
    matches = [match.span() for match in pattern.finditer(text)]
    return [start for start, _ in matches], [end for _, end in matches]


def _judge(text: str, start: int, end: int, spans: list[tuple[str, Spans]]) -> Loose:
    for name, (starts, ends) in spans:
        nearest = bisect_right(starts, start) - 1
        if nearest >= 0 and end <= ends[nearest]:
            return Loose(start, end, text[start:end], name)
    if inside_a_word(text, start, end):
        return Loose(start, end, text[start:end], "idiom")
    unit = _UNIT.match(text, end)
    stop = unit.end() if unit else end
    return Loose(start, stop, text[start:stop], None)
