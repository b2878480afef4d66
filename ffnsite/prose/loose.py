"""Finds the numbers of a text that nothing binds, and says which of them claim nothing and why."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ffnsite import quantity
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
        text: The numeral; where it has to be bound with modifiers, unit and measure word around it.
        exemption: Name of the class in `EXEMPTIONS` that excuses it; None means it must be bound.
    """

    start: int
    end: int
    text: str
    exemption: str | None


def find_loose(text: str, names: Names) -> list[Loose]:
    """Every numeral of one block of visible prose, in order, with the class that excuses it.

    `text` carries no markup: the caller has put U+FFFC in place of links, code and formulas. A
    number that must be bound is one entry with all that belongs to it (近四个数量级, 65% 到 80%).
    Time grows in proportion to the length of the text.
    """
    spans = list(_spans_by_class(text, names))
    judged = [
        (start, end, _class_of(text, start, end, spans)) for start, end in find_numerals(text)
    ]
    return list(_whole_quantities(text, judged))


def _whole_quantities(text: str, judged: list[tuple[int, int, str | None]]) -> Iterator[Loose]:
    """Widens what must be bound to the quantity it stands in, but never into an excused numeral."""
    starts, ends = _spans_of(quantity.find_numerals(text))
    excused = [start for start, _, name in judged if name] + [len(text)]
    done = 0
    for start, end, name in judged:
        if name:
            done = end
            yield Loose(start, end, text[start:end], name)
        elif start >= done:
            around = bisect_right(starts, start) - 1
            if around >= 0 and start < ends[around]:
                wall = excused[bisect_left(excused, start)]
                start, end = max(starts[around], done), max(end, min(ends[around], wall))
            done = end
            yield Loose(start, end, text[start:end], None)


def _spans_by_class(text: str, names: Names) -> Iterator[tuple[str, Spans]]:
    """For each class where its pattern matched; the project's names come first."""
    if names.pattern is not None:
        yield "name", _spans(text, names.pattern)
    for exemption in EXEMPTIONS:
        yield exemption.name, _spans(text, exemption.pattern)


def _spans(text: str, pattern: re.Pattern[str]) -> Spans:
    return _spans_of(match.span() for match in pattern.finditer(text))


def _spans_of(pairs: Iterable[tuple[int, int]]) -> Spans:
    kept = list(pairs)
    return [start for start, _ in kept], [end for _, end in kept]


def _class_of(text: str, start: int, end: int, spans: list[tuple[str, Spans]]) -> str | None:
    """Name of the first class with a match around the whole numeral; idioms are also looked up."""
    for name, (starts, ends) in spans:
        nearest = bisect_right(starts, start) - 1
        if nearest >= 0 and end <= ends[nearest]:
            return name
    return "idiom" if inside_a_word(text, start, end) else None
