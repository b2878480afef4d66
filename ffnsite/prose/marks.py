"""Numbers the bindings of a page before Markdown reads it, so that line and column stay exact.

Markdown forgets where a link stood. So each binding is given a mark, right behind its scheme, before
the page is parsed: `](fact:params.x)` becomes `](fact:«17»params.x)`. The mark comes back out of the
parsed link; a mark that comes back nowhere was a binding in a place where bindings do not work.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass

from ffnsite.prose.quote import Place

FORMS = ("inline", "reference", "html", "auto")
SCHEMES = ("fact", "cite", "plain", "figure")
# Tangut ideographs: letters to every lexer, so code with a mark inside is not torn apart, and no
# article of ours is written in Tangut.
_ZERO, _OPEN, _CLOSE = 0x17000, "\U000187f0", "\U000187f1"
_DIGITS = "".join(chr(_ZERO + digit) for digit in range(10))
_TO_TANGUT = str.maketrans("0123456789", _DIGITS)
_FROM_TANGUT = str.maketrans(_DIGITS, "0123456789")

MARK = re.compile(f"{_OPEN}([{_DIGITS}]+){_CLOSE}")
BINDING = re.compile(
    r"(?P<lead>(?P<inline>\]\(\s*<?)"  # [words](fact:…) and ![words](figure:…)
    r"|(?P<reference>^ {0,3}\[[^\]\n]+\]:\s*<?)"  # [label]: fact:… is forbidden: nobody sees what it claims
    r"|(?P<html>(?:href|src)\s*=\s*[\"']?)"  # raw HTML is forbidden
    r"|(?P<auto><))"  # <fact:…> has no words to check
    rf"(?P<scheme>{'|'.join(SCHEMES)}):",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a binding stands and how it is written: inline, reference, html or auto."""

    place: Place
    form: str


def mark(lines: list[str], path: str, offset: int) -> tuple[list[str], list[Mark]]:
    """The lines with every binding marked, and the marks; `offset` lines of front matter precede."""
    text = "\n".join(lines)
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    marks: list[Mark] = []

    def numbered(match: re.Match[str]) -> str:
        form = next(name for name in FORMS if match[name] is not None)
        begin = _begin(match, form)
        line = bisect_right(starts, begin)
        marks.append(Mark(Place(path, offset + line, begin - starts[line - 1] + 1), form))
        return f"{match[0]}{_OPEN}{str(len(marks) - 1).translate(_TO_TANGUT)}{_CLOSE}"

    return BINDING.sub(numbered, text).split("\n"), marks


def _begin(match: re.Match[str], form: str) -> int:
    """Where the link begins: at its opening bracket, in the same paragraph, for an inline link."""
    if form != "inline":
        return match.start()
    depth = 0
    for position in range(match.start(), match.string.rfind("\n\n", 0, match.start()), -1):
        depth += {"]": 1, "[": -1}.get(match.string[position], 0)
        if depth == 0:
            image = match.string[position - 1 : position] == "!"
            return position - 1 if image else position
    return match.start()


def take(target: str) -> tuple[str, int] | None:
    """A link's target without its mark, and the mark's number; None for a target without one."""
    found = MARK.search(target)
    if found is None:
        return None
    return target[: found.start()] + target[found.end() :], int(found[1].translate(_FROM_TANGUT))


def find(text: str) -> list[int]:
    """The numbers of all marks in a text, in order."""
    return [int(found[1].translate(_FROM_TANGUT)) for found in MARK.finditer(text)]


def strip(text: str) -> str:
    """The text without marks."""
    return MARK.sub("", text)
