"""Finds where in the source a piece of the rendered page stands.

Markdown forgets places, but it leaves the words alone. So a block of the page is looked for by its
letters and digits only, in the letters and digits of what the source shows to readers.
"""

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import product

from ffnsite.prose.quote import Place
from ffnsite.prose.visible import OBJECT, Block

WIDTHS = (64, 32, 16, 8, 4, 2, 0)
WORD = re.compile(r"[^\W_]+")
# Only for looking: what is missing here makes a place less exact, never a number unseen.
CODE = (
    r"<!--.*?-->"
    r"|^[ >\t]*(?P<fence>`{3,}|~{3,})[^\n]*\n.*?^[ >\t]*(?P=fence)"
    r"|(?<!`)(?P<code>`+)(?!`)[^\n]*?[^`\n](?P=code)(?!`)"
)
NOT_READ = re.compile(CODE, re.DOTALL | re.MULTILINE)
UNSEEN = re.compile(
    r"\A---\n.*?\n---\n"  # front matter
    rf"|{CODE}"
    r"|\$\$.*?\$\$|(?<![\\$])\$(?=\S)[^$\n]+(?<=\S)\$"
    r"|\[[^\[\]\n]*\]\(\s*<?(?:fact|cite|plain):[^)\n]*\)"
    r"|!\[[^\[\]\n]*\]\([^)\n]*\)"
    r"|(?<=\])\([^)\n]*\)"  # a link's target
    r"|\[\^[^\]\n]*\]:?"  # a footnote's label
    r"|^[ \t]*\*\[[^\]\n]*\]:[^\n]*"  # an abbreviation
    r"|^[ \t]*\[[^\]\n]*\]:\s*\S+"  # a reference
    r"|^[ >\t]*[0-9]+[.)][ \t]"  # a list's number
    r"|^[ \t]*(?:!!!|\?\?\?\+?|===[!+]*)[\w \t-]*"
    r"|<[/A-Za-z][^<>]*>|\{[ :#.][^{}\n]*\}|&#?\w+;",
    re.DOTALL | re.MULTILINE,
)


def place_of(source: str, position: int, path: str) -> Place:
    """Line and column of a position in the text, both from 1."""
    line = source.count("\n", 0, position) + 1
    return Place(path, line, position - source.rfind("\n", 0, position))


@dataclass(slots=True)
class Verbatim:
    """Finds what stands in the source letter by letter, the same words each time further down.

    What stands in code is only found where it stands nowhere else.
    """

    source: str
    path: str
    outside: str = ""
    seen: dict[str, int] = field(default_factory=dict)

    def find(self, *written: str) -> int:
        """The next position of the first of these that has one; -1 where none has."""
        self.outside = self.outside or NOT_READ.sub(_blank, self.source)
        for words, text in product(written, (self.outside, self.source)):
            found = text.find(words, self.seen.get(words, 0))
            if found >= 0:
                self.seen[words] = found + max(1, len(words))
                return found
        return -1

    def place(self, *written: str, back: str = "") -> Place:
        """The next place of one of these, or of the last `back` before it; line 1 where none is."""
        return self.later(*written, back=back)()

    def later(self, *written: str, back: str = "") -> Callable[[], Place]:
        """Finds it now and counts its line when asked: most places are never shown."""
        return partial(self.at, max(0, self.find(*written)), back)

    def at(self, position: int, back: str = "") -> Place:
        """The place of a position, or of the last `back` before it."""
        begin = self.source.rfind(back, 0, position) if back else position
        return place_of(self.source, max(begin, 0), self.path)


class Locator:
    """Follows the page through its source: each stretch of words is given out once."""

    def __init__(self, source: str, path: str) -> None:
        self.path = path
        self.verbatim = Verbatim(source, path)
        self.words, self.positions = _condensed(UNSEEN.sub(_blank, source))
        self.given = bytearray(len(self.words))
        self.cursor = 0
        self.block: Block | None = None

    def place(self, block: Block, start: int, end: int) -> Place:
        """The place of `block.text[start:end]` in the source.

        Line 1, column 1 for text that stands nowhere in the source because Markdown made it up.
        """
        if block.attribute or not WORD.search(block.text, start, end):
            return self._verbatim(block, start, end)
        if block is not self.block:
            self._enter(block)
        first, last = bisect_left(self.offsets, start), bisect_left(self.offsets, end)
        if self.begin < 0:
            return self._by_context(first, last)
        return self._place(self.begin + first)

    def _enter(self, block: Block) -> None:
        """Looks for the block as a whole."""
        self.block = block
        self.text, self.offsets = _condensed(block.text)
        self.begin = self._search(self.text)

    def _by_context(self, first: int, last: int) -> Place:
        """Looks for the words with as many around them as the source has in one stretch."""
        for width in WIDTHS:
            left = max(0, first - width)
            found = self._search(self.text[left : last + width], inner=(first - left, last - left))
            if found >= 0:
                return self._place(found + first - left)
        return Place(self.path, 1, 1)

    def _search(self, words: str, inner: tuple[int, int] | None = None) -> int:
        """The next stretch not given out yet, below the last find or else from the top."""
        first, last = inner or (0, len(words))
        if first == last:
            return -1
        for begin in (self.cursor, 0):
            found = self.words.find(words, begin)
            while found >= 0 and self.given[found + first]:
                found = self.words.find(words, found + 1)
            if found >= 0:
                self.given[found + first : found + last] = b"\1" * (last - first)
                self.cursor = found + last
                return found
        return -1

    def _verbatim(self, block: Block, start: int, end: int) -> Place:
        """Looks for what has no words, or stands in an attribute, letter by letter."""
        behind = block.text[start:].split("\n")[0].split(OBJECT)[0]
        stretches = (behind[: end - start + width] for width in WIDTHS)
        return self.verbatim.place(*stretches)

    def _place(self, index: int) -> Place:
        return place_of(self.verbatim.source, self.positions[index], self.path)


def _condensed(text: str) -> tuple[str, list[int]]:
    """The letters and digits of a text, and the position of each."""
    words = list(WORD.finditer(text))
    positions = [at for word in words for at in range(*word.span())]
    return "".join(word[0] for word in words), positions


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])
