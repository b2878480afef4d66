"""The stamp of a page: says by which text, facts and figures it was checked and built."""

import hashlib
import re

import msgspec

from ffnsite.figure import write_fact
from ffnsite.prose.sheet import Sheet, Shelf

BEGIN = re.compile(r"<!-- ffnsite ([0-9a-f]{16}) -->")
END = "<!-- /ffnsite -->"


def stamp(sheet: Sheet, shelf: Shelf) -> str:
    """Sixteen hex digits that change with the page's text, the facts it quotes, the figures it shows."""
    digest = hashlib.sha256(sheet.source.encode())
    for quote in sheet.quotes:
        if quote.known is not None:
            digest.update(msgspec.json.encode([quote.name, write_fact(quote.known.fact)]))
    for name in sheet.figures:
        digest.update(msgspec.json.encode(shelf.drawings[name]))
    return digest.hexdigest()[:16]


def wrap(html: str, mark: str) -> str:
    """The page's HTML between two comments, the first with the stamp."""
    return f"<!-- ffnsite {mark} -->{html}{END}"


def unwrap(page: str) -> tuple[str, str] | None:
    """Stamp and HTML of the article in a whole built page; None when there is none."""
    begin = BEGIN.search(page)
    end = page.find(END, begin.end()) if begin else -1
    return (begin[1], page[begin.end() : end]) if begin and end >= 0 else None
