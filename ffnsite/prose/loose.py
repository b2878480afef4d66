"""Finds the numbers of a text that nothing binds, and says which of them claim nothing and why."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import TypeAlias

from ffnsite import quantity
from ffnsite.prose.exempt import EXEMPTIONS, Names
from ffnsite.prose.idioms import inside_a_word
from ffnsite.prose.numerals import find_numerals

Span: TypeAlias = tuple[int, int]
"""Start and end of a piece of the text."""


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
    numerals = list(find_numerals(text))
    if not numerals:
        return []
    classes = _classes(text, numerals, names)
    excused = [
        Loose(*span, text[slice(*span)], classes[span]) for span in numerals if span in classes
    ]
    bare = [span for span in numerals if span not in classes]
    return sorted([*excused, *_whole_quantities(text, bare, excused)], key=attrgetter("start"))


def _classes(text: str, numerals: list[Span], names: Names) -> dict[Span, str]:
    """The class of each numeral that one excuses: the first with a match around the whole of it."""
    classes: dict[Span, str] = {}
    left = numerals
    for name, pattern in _patterns(names):
        matches = [match.span() for match in pattern.finditer(text)] if left else []
        if matches:
            inside = _Spans(matches)
            classes |= {span: name for span in left if inside.around(span)}
            left = [span for span in left if span not in classes]
    return classes | {span: "idiom" for span in left if inside_a_word(text, *span)}


def _patterns(names: Names) -> Iterator[tuple[str, re.Pattern[str]]]:
    if names.pattern is not None:
        yield "name", names.pattern
    for exemption in EXEMPTIONS:
        yield exemption.name, exemption.pattern


def _whole_quantities(text: str, bare: list[Span], excused: list[Loose]) -> Iterator[Loose]:
    """Widens what must be bound to the quantity it stands in, but never into an excused numeral."""
    quantities = _Spans(quantity.find_numerals(text) if bare else ())
    walls = [(0, 0), *((loose.start, loose.end) for loose in excused), (len(text), len(text))]
    done = 0
    for start, end in bare:
        if start < done:
            continue
        first, last = quantities.around((start, start + 1)) or (start, end)
        behind = bisect_right(walls, (start, start))
        start, done = max(first, done, walls[behind - 1][1]), max(end, min(last, walls[behind][0]))
        yield Loose(start, done, text[start:done], None)


class _Spans:
    """Spans in order and without overlap."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans = list(spans)
        self._starts = [start for start, _ in self._spans]

    def around(self, span: Span) -> Span | None:
        """The one that covers all of `span`."""
        nearest = bisect_right(self._starts, span[0]) - 1
        covers = nearest >= 0 and span[1] <= self._spans[nearest][1]
        return self._spans[nearest] if covers else None
