"""Finds where in the source a piece of the rendered page stands, by the words around it."""

from dataclasses import dataclass

from ffnsite.prose.quote import Place
from ffnsite.prose.visible import OBJECT, Block

WIDEST = 16


@dataclass(slots=True)
class Locator:
    """Follows the rendered page through its source: what comes later is looked for further down."""

    source: str
    path: str
    cursor: int = 0

    def place(self, block: Block, start: int, end: int) -> Place:
        """The place of `block.text[start:end]` in the source.

        Takes the widest stretch of words around it that the source still holds below the last find,
        then above it (footnotes are rendered at the end). Line 1, column 1 for text that stands
        nowhere in the source because Markdown made it up.
        """
        for width in range(WIDEST, -1, -1):
            left, right = _reach(block.text, start, end, width)
            for begin in (self.cursor, 0):
                found = self.source.find(block.text[left:right], begin)
                if found >= 0:
                    position = found + start - left
                    self.cursor = max(self.cursor, position + end - start)
                    return place_of(self.source, position, self.path)
        return Place(self.path, 1, 1)


def _reach(text: str, start: int, end: int, width: int) -> tuple[int, int]:
    """Up to `width` characters to both sides, never across a link, a formula or a line's end."""
    left, right = start, end
    while left > max(0, start - width) and text[left - 1] not in (OBJECT, "\n"):
        left -= 1
    while right < min(len(text), end + width) and text[right] not in (OBJECT, "\n"):
        right += 1
    return left, right


def place_of(source: str, position: int, path: str) -> Place:
    """Line and column of a position in the text, both from 1."""
    line = source.count("\n", 0, position) + 1
    return Place(path, line, position - source.rfind("\n", 0, position))
