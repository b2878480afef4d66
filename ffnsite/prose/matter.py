"""Front matter: what readers see of it (title, description) is checked too.

A number there cannot be a link, so it is bound beside it, words to name:

    title: FFN 占八成
    facts:
      八成: fact:params.llama3_8b_block_share
"""

import re

import yaml

from ffnsite.prose.binding import judge_quote
from ffnsite.prose.locate import place_of
from ffnsite.prose.loose import find_loose
from ffnsite.prose.quote import Place, Quote, Verdict
from ffnsite.prose.sheet import Sheet, Shelf

MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*\n", re.DOTALL)
SEEN = ("title", "description", "summary", "subtitle")


def split(source: str) -> tuple[str, int]:
    """The text behind the front matter, and how many lines precede it."""
    found = MATTER.match(source)
    text = source[found.end() :].lstrip("\n") if found else source
    return text, source[: len(source) - len(text)].count("\n")


def judge_matter(sheet: Sheet, shelf: Shelf) -> None:
    """Notes every number of the front matter on the sheet: bound under `facts:`, exempt, or loose."""
    found = MATTER.match(sheet.source)
    if found is None:
        return
    try:
        matter = yaml.safe_load(found[1]) or {}
    except yaml.YAMLError as fault:
        line = getattr(getattr(fault, "problem_mark", None), "line", 0) + 2
        message = f"front matter 不是合法的 YAML：{fault}"
        sheet.fault(Place(sheet.path, line, 1), "", Verdict.UNREADABLE, message)
        return
    facts = matter.get("facts") or {}
    for words, target in facts.items():
        sheet.quotes.append(_bound(sheet, str(words), str(target), shelf))
    for key in SEEN:
        _loose(sheet, key, str(matter.get(key) or ""), [str(words) for words in facts], shelf)


def _bound(sheet: Sheet, words: str, target: str, shelf: Shelf) -> Quote:
    scheme, _, name = target.partition(":")
    place = _place(sheet, words)
    if scheme not in {"fact", "cite", "plain"}:
        message = f"“{words}: {target}”应写成“{words}: fact:名字”"
        return Quote(place, words, "loose", "", Verdict.MISPLACED, message)
    return judge_quote(place, words, scheme, name, shelf)


def _loose(sheet: Sheet, key: str, text: str, bound: list[str], shelf: Shelf) -> None:
    for words in bound:
        text = text.replace(words, "\ufffc" * len(words))
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
