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
    r"<!--.*?-->|<(?P<close>/?)(?P<tag>[A-Za-z][\w:-]*)(?P<rest>(?:[^>\"']++|\"[^\"]*\"|'[^']*')*+)>|&(?:#\d+|#x[\da-fA-F]+|\w+);|[^<&]+|[<&]",
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
HIDING, HIDING_CLASSES = AS_OBJECT | GONE, OBJECT_CLASSES | GONE_CLASSES


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
        close, tag, rest = token.group("close", "tag", "rest")
        if tag is None:
            reader.read(token)
            continue
        tag = tag.lower()
        if reader.hidden:
            reader.skip(token, tag)
            continue
        hides = not close and _hides(tag, rest)
        if "=" in rest and (not hides or tag in VOID):
            yield from _attributes(token)
        if hides:
            reader.hide(token, tag)
        elif tag not in INLINE:
            yield from reader.part()
    yield from reader.part()


def _attributes(token: re.Match[str]) -> Iterator[Block]:
    """What a tag says to readers itself: alternative text, a title to hover over."""
    for found in READ.finditer(token["rest"]):
        text = html.unescape(found["double"] or found["single"] or "")
        if text.strip():
            yield Block(text, [token.start()] * len(text), found["name"])


class _Reader:
    """The block being read, and the open tags of a hidden element (its own tag only)."""

    def __init__(self) -> None:
        self.block = Block()
        self.hidden: list[str] = []

    def part(self) -> tuple[Block, ...]:
        """Ends the block; hands it over unless it is blank."""
        done = self.block
        if not done.text:
            return ()
        self.block = Block()
        return (done,) if done.text.strip() else ()

    def hide(self, token: re.Match[str], tag: str) -> None:
        """A tag that hides what it holds: that stands as one object, or is gone."""
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
        text = token[0]
        if self.hidden or text.startswith("<!--"):
            return
        if text.startswith("&") and len(text) > 1:
            self.block.add(html.unescape(text), token.start(), step=False)
        else:
            self.block.add(text, token.start())


def _hides(tag: str, rest: str) -> bool:
    return tag in HIDING or not _classes(rest).isdisjoint(HIDING_CLASSES)


def _is_gone(tag: str, rest: str) -> bool:
    return tag in GONE or not _classes(rest).isdisjoint(GONE_CLASSES)


def _classes(rest: str) -> set[str]:
    found = CLASS.search(rest) if "class" in rest else None
    return set((found[1] or found[2] or "").split()) if found else set()
