"""Front matter: what readers see of it (title, description) is checked too.

A number there cannot be a link, so it is bound beside it, words to name:

    title: FFN 占八成
    facts:
      八成: fact:params.llama3_8b_block_share
"""

import re
from functools import lru_cache
from typing import Any

import yaml

from ffnsite.prose.binding import judge_quote
from ffnsite.prose.locate import place_of
from ffnsite.prose.loose import find_loose
from ffnsite.prose.quote import Place, Quote, Verdict
from ffnsite.prose.sheet import Sheet, Shelf
from ffnsite.prose.visible import OBJECT, Block

MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*\n", re.DOTALL)
SEEN = ("title", "description", "summary", "subtitle")


def split(source: str) -> tuple[str, int]:
    """The text behind the front matter, and how many lines precede it."""
    found = MATTER.match(source)
    text = source[found.end() :].lstrip("\n") if found else source
    return text, source[: len(source) - len(text)].count("\n")


def masked(block: Block, source: str) -> str:
    """A block's text; in an attribute, where no link can stand, without the words bound under `facts:`."""
    if not block.attribute:
        return block.text
    found = MATTER.match(source)
    return _without(block.text, _read(found[1])) if found else block.text


@lru_cache(maxsize=64)
def _read(text: str) -> dict[str, Any]:
    """The front matter as a mapping; an empty one where it is none or no YAML."""
    try:
        matter = yaml.safe_load(text)
    except yaml.YAMLError:
        return {}
    return matter if isinstance(matter, dict) else {}


def _facts(matter: dict[str, Any]) -> dict[str, str]:
    """The words bound under `facts:`, and what to."""
    facts = matter.get("facts")
    return {str(w): str(target) for w, target in facts.items()} if isinstance(facts, dict) else {}


def _without(text: str, matter: dict[str, Any]) -> str:
    for words in _facts(matter):
        text = text.replace(words, OBJECT * len(words))
    return text


def judge_matter(sheet: Sheet, shelf: Shelf) -> None:
    """Notes every number of the front matter on the sheet: bound under `facts:`, exempt, or loose."""
    found = MATTER.match(sheet.source)
    if found is None:
        return
    try:
        yaml.safe_load(found[1])
    except yaml.YAMLError as fault:
        line = getattr(getattr(fault, "problem_mark", None), "line", 0) + 2
        message = f"front matter 不是合法的 YAML：{fault}"
        sheet.fault(Place(sheet.path, line, 1), "", Verdict.UNREADABLE, message)
        return
    matter = _read(found[1])
    if matter.get("facts") and not _facts(matter):
        message = "front matter 的 facts: 下每行应是“字: fact:名字”"
        sheet.fault(_place(sheet, "facts:"), "facts", Verdict.MISPLACED, message)
    for words, target in _facts(matter).items():
        sheet.quotes.append(_bound(sheet, words, target, shelf))
    for key in SEEN:
        _loose(sheet, key, _without(str(matter.get(key) or ""), matter), shelf)


def _bound(sheet: Sheet, words: str, target: str, shelf: Shelf) -> Quote:
    scheme, _, name = target.partition(":")
    place = _place(sheet, words)
    if scheme not in {"fact", "cite", "plain"}:
        message = f"“{words}: {target}”应写成“{words}: fact:名字”"
        return Quote(place, words, "loose", "", Verdict.MISPLACED, message)
    return judge_quote(place, words, scheme, name, shelf)


def _loose(sheet: Sheet, key: str, text: str, shelf: Shelf) -> None:
    for loose in find_loose(text, shelf.names):
        place = _place(sheet, loose.text)
        if loose.exemption:
            quote = Quote(place, loose.text, "loose", loose.exemption, Verdict.EXEMPT)
        else:
            message = f"{key} 里的“{loose.text}”没有绑定；在 facts: 下写“{loose.text}: fact:名字”"
            quote = Quote(place, loose.text, "loose", "", Verdict.UNBOUND, message)
        sheet.quotes.append(quote)


def _place(sheet: Sheet, words: str) -> Place:
    return place_of(sheet.source, max(0, sheet.source.find(words)), sheet.path)
