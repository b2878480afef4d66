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
TOKEN = re.compile(r"<!--.*?-->|<(?P<close>/?)(?P<tag>[A-Za-z][\w:-]*)(?P<rest>(?:\"[^\"]*\"|'[^']*'|[^>\"'])*)>|&(?:#\d+|#x[\da-fA-F]+|\w+);|[^<&]+|[<&]", re.DOTALL)
CLASS = re.compile(r"\bclass\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
INLINE = {
    "a", "abbr", "b", "bdi", "cite", "del", "em", "i", "ins", "kbd", "label", "mark", "q", "s", "small",
    "span", "strong", "sub", "sup", "u", "wbr",
}  # fmt: skip
AS_OBJECT = {"code", "pre", "math", "svg", "img"}
GONE = {"script", "style", "noscript", "template", "head"}
OBJECT_CLASSES = {"ffn-number", "ffn-figure", "ffn-fault", "ffn-math", "arithmatex", "highlight"}
GONE_CLASSES = {"headerlink", "footnote-ref", "footnote-backref", "ffn-generated"}


@dataclass(slots=True)
class Block:
    """A stretch of running text, and for each of its characters the offset in the HTML."""

    text: str = ""
    offsets: list[int] = field(default_factory=list)

    def add(self, text: str, offset: int, *, step: bool = True) -> None:
        """Appends text that stands at this offset; without `step` all of it stands there."""
        self.text += text
        self.offsets.extend(range(offset, offset + len(text)) if step else [offset] * len(text))


def blocks(source: str) -> Iterator[Block]:
    """The blocks of visible text of the HTML, in document order; blank ones are left out."""
    block = Block()
    hidden: list[str] = []  # open tags below and including the hidden one
    for token in TOKEN.finditer(source):
        tag = (token["tag"] or "").lower()
        if hidden:
            _follow(hidden, tag, bool(token["close"]), token[0])
        elif tag and _hides(tag, token["rest"], bool(token["close"])):
            if not _is_gone(tag, token["rest"]):
                block.add(OBJECT, token.start())
            if tag not in VOID and not token[0].endswith("/>"):
                hidden.append(tag)
        elif tag and tag not in INLINE:
            if block.text.strip():
                yield block
            block = Block()
        elif not tag and not token[0].startswith("<!--"):
            _add_text(block, token[0], token.start())
    if block.text.strip():
        yield block


def _follow(hidden: list[str], tag: str, closes: bool, token: str) -> None:
    """Keeps track of open tags inside a hidden element until it is closed itself."""
    if closes and tag == hidden[-1]:
        hidden.pop()
    elif tag == hidden[-1] and not token.endswith("/>"):
        hidden.append(tag)


def _hides(tag: str, rest: str, closes: bool) -> bool:
    if closes:
        return False
    return tag in AS_OBJECT or tag in GONE or bool(_classes(rest) & (OBJECT_CLASSES | GONE_CLASSES))


def _is_gone(tag: str, rest: str) -> bool:
    return tag in GONE or bool(_classes(rest) & GONE_CLASSES)


def _classes(rest: str) -> set[str]:
    found = CLASS.search(rest)
    return set((found[1] or found[2] or "").split()) if found else set()


def _add_text(block: Block, token: str, offset: int) -> None:
    if token.startswith("&") and len(token) > 1:
        block.add(html.unescape(token), offset, step=False)
    else:
        block.add(token, offset)
