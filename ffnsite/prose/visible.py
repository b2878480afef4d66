"""What a reader sees of a page: its HTML as blocks of running text, each character with its place.

Works on the HTML of a Markdown page, of a notebook, and on built pages alike. What claims nothing
as prose (code, formulas, checked numbers, whole figures) stands as U+FFFC, so that it still parts
words; scripts and styles are gone.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

OBJECT = "\ufffc"
HAN = r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]"  # a line break between two of these is no space
TOKEN = re.compile(
    r"<!--.*?-->|<(?P<close>/?)(?P<tag>[A-Za-z][\w:-]*)(?P<rest>(?:\"[^\"]*\"|'[^']*'|[^>\"'])*)>|&(?:#\d+|#x[\da-fA-F]+|\w+);|[^<&]+|[<&]",
    re.DOTALL,
)
CLASS = re.compile(r"\bclass\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
READ = re.compile(
    r"\s(?P<name>alt|title|aria-label|placeholder)\s*=\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)')"
)
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
INLINE = {
    "a", "abbr", "b", "bdi", "cite", "del", "em", "i", "ins", "kbd", "mark", "q", "s", "small", "span",
    "strong", "sub", "sup", "u", "wbr",
}  # fmt: skip
AS_OBJECT = {"code", "pre", "math", "img"}
GONE = {"script", "style", "template", "head"}
OBJECT_CLASSES = {"ffn-number", "ffn-figure", "ffn-fault", "ffn-math", "arithmatex", "highlight"}
GONE_CLASSES = {
    "headerlink",
    "footnote-ref",
    "footnote-backref",
    "ffn-generated",
    "toc",  # repeats the headings
    "anchor-link",
    "jp-CodeCell",  # a notebook's code and what it prints
}


@dataclass(slots=True)
class Block:
    """A stretch of running text, and for each of its characters the offset in the HTML.

    `attribute` names the attribute whose value the text is; it is empty for running text.
    """

    text: str = ""
    offsets: list[int] = field(default_factory=list)
    attribute: str = ""

    def add(self, text: str, offset: int, *, step: bool = True) -> None:
        """Appends text that stands at this offset; without `step` all of it stands there."""
        self.text += text
        self.offsets.extend(range(offset, offset + len(text)) if step else [offset] * len(text))


def blocks(source: str) -> Iterator[Block]:
    """The blocks of visible text of the HTML, in document order; blank ones are left out."""
    reader = _Reader()
    for token in TOKEN.finditer(source):
        tag = (token["tag"] or "").lower()
        if reader.hidden:
            reader.skip(token, tag)
            continue
        yield from _attributes(token, tag)
        if tag and tag not in INLINE and not _hides(tag, token):
            yield from reader.part()
        elif tag:
            reader.open(token, tag)
        elif not token[0].startswith("<!--"):
            reader.read(token)
    yield from reader.part()


def _attributes(token: re.Match[str], tag: str) -> Iterator[Block]:
    """What a tag says to readers itself: alternative text, a title to hover over."""
    if not tag or (_hides(tag, token) and tag not in VOID):
        return
    for found in READ.finditer(token["rest"]):
        text = html.unescape(found["double"] or found["single"] or "")
        if text.strip():
            yield Block(text, [token.start()] * len(text), found["name"])


class _Reader:
    """The block being read, and the open tags of a hidden element (its own tag only)."""

    def __init__(self) -> None:
        self.block = Block()
        self.hidden: list[str] = []

    def part(self) -> Iterator[Block]:
        """Ends the block; hands it over unless it is blank."""
        done, self.block = self.block, Block()
        if done.text.strip():
            yield done

    def open(self, token: re.Match[str], tag: str) -> None:
        """An inline tag, or one that hides what it holds: that stands as one object, or is gone."""
        if not _hides(tag, token):
            return
        if not _is_gone(tag, token["rest"]):
            self.block.add(OBJECT, token.start())
        if tag not in VOID and not token[0].endswith("/>"):
            self.hidden.append(tag)

    def skip(self, token: re.Match[str], tag: str) -> None:
        """Keeps count inside a hidden element until it is closed itself."""
        if tag == self.hidden[-1] and token["close"]:
            self.hidden.pop()
        elif tag == self.hidden[-1] and not token[0].endswith("/>"):
            self.hidden.append(tag)

    def read(self, token: re.Match[str]) -> None:
        """Text, or an entity, whose characters all stand where the entity stands."""
        if token[0].startswith("&") and len(token[0]) > 1:
            self.block.add(html.unescape(token[0]), token.start(), step=False)
        else:
            self.block.add(token[0], token.start())


def _hides(tag: str, token: re.Match[str]) -> bool:
    if token["close"]:
        return False
    marked = _classes(token["rest"]) & (OBJECT_CLASSES | GONE_CLASSES)
    return tag in AS_OBJECT or tag in GONE or bool(marked)


def _is_gone(tag: str, rest: str) -> bool:
    return tag in GONE or bool(_classes(rest) & GONE_CLASSES)


def _classes(rest: str) -> set[str]:
    found = CLASS.search(rest)
    return set((found[1] or found[2] or "").split()) if found else set()
