"""One bound link: looked up, judged, and dressed as a number that says where it comes from."""

import html
import re
import xml.etree.ElementTree as ET

from ffnsite.errors import nearest
from ffnsite.prose import wording
from ffnsite.prose.judge import DIMENSIONS, UNIT_MATTERS, judge
from ffnsite.prose.quote import Known, Place, Quote, Verdict
from ffnsite.prose.sheet import Sheet, Shelf
from ffnsite.prose.visible import HAN
from ffnsite.quantity import offer

WRAPPED = re.compile(r"\\\((.*?)\\\)", re.DOTALL)
SAYS_THE_SAME = {"b", "code", "em", "i", "ins", "mark", "span", "strong"}
SAME = re.compile(rf"</?(?:{'|'.join(sorted(SAYS_THE_SAME))})(?:\s[^>]*)?>")
BROKEN_LINE = re.compile(rf"(?<={HAN})\n(?={HAN})")
KINDS = {"fact": "现算", "cite": "文献", "plain": "免检"}


def plain_words(words: str) -> str:
    r"""The link's words as an author wrote them: `\(8d^2\)` is `$8d^2$` again."""
    return BROKEN_LINE.sub("", WRAPPED.sub(r"$\1$", words).strip())


def words_of(element: ET.Element) -> str:
    """What an element says; a tag that changes what is said stays: `10<sup>3</sup>` is not 103."""
    parts = [element.text or ""]
    for child in element:
        inner = words_of(child)
        parts.append(inner if child.tag in SAYS_THE_SAME else f"<{child.tag}>{inner}</{child.tag}>")
        parts.append(child.tail or "")
    return "".join(parts)


def without_markup(words: str) -> str:
    """The same for a piece of HTML."""
    return html.unescape(SAME.sub("", words))


def judge_quote(place: Place, words: str, scheme: str, name: str, shelf: Shelf) -> Quote:
    """The quote with its verdict, message and better wordings."""
    if scheme == "plain":
        return _exemption(place, words, name)
    known = shelf.known.get(name)
    if known is None or known.kind != scheme:
        message = _unknown(words, scheme, name, shelf)
        return Quote(place, words, scheme, name, Verdict.UNKNOWN, message)
    judgement = judge(words, known.fact)
    if judgement.verdict.right:
        quantity = judgement.quantity
        return Quote(place, words, scheme, name, judgement.verdict, known=known, quantity=quantity)
    offers = tuple(offer_words(known))
    reading = (
        f"读作 {wording.show_interval(judgement.quantity, known.fact.unit)}"
        if judgement.quantity
        else "读不懂"
    )
    message = (
        f"“{words}” {reading}（{judgement.reason}），"
        f"但 {name} = {wording.show_fact(known.fact)}（{known.where}）。"
    )
    message += f"可写 {'、'.join(offers)}。" if offers else ""
    return Quote(
        place, words, scheme, name, judgement.verdict, message, offers, known, judgement.quantity
    )


def offer_words(known: Known) -> list[str]:
    """Wordings that would be right for the fact."""
    fact = known.fact
    low, high = fact.ends
    dimension = DIMENSIONS.get(fact.unit, "symbolic")
    if low != high:
        return [wording.show_fact(fact)]
    unit = fact.unit if dimension in UNIT_MATTERS else ""
    share = fact.unit in wording.PERCENT_UNITS
    return offer(low, dimension, unit=unit, share=share, digits=fact.digits)


def _exemption(place: Place, words: str, reason: str) -> Quote:
    if not reason.strip():
        message = f"“{words}”免检却没写理由：[{words}](plain:理由)"
        return Quote(place, words, "plain", "", Verdict.MISPLACED, message)
    return Quote(place, words, "plain", reason, Verdict.EXEMPT)


def _unknown(words: str, scheme: str, name: str, shelf: Shelf) -> str:
    figure = name.partition(".")[0]
    if scheme == "fact" and figure in shelf.broken:
        return f"“{words}”要的 {name} 没有值：图 {figure} 没画成（{shelf.broken[figure].splitlines()[0]}）"
    if name in shelf.known:
        kind = shelf.known[name].kind
        return f"“{words}”：{name} 是 {kind}: 不是 {scheme}:，请写 ({kind}:{name})"
    close = nearest(name, [known for known in shelf.known if shelf.known[known].kind == scheme])
    hint = (
        f"最像的是 {'、'.join(close)}"
        if close
        else f"现有 {len(shelf.known)} 个名字，运行 ffnsite facts 看清单"
    )
    return f"“{words}”绑的 {scheme}:{name} 不存在；{hint}"


def dress(link: ET.Element, quote: Quote, sheet: Sheet) -> None:
    """Turns the link into a checked number (or, where it is wrong, a red one with what would be right)."""
    link.attrib.clear()
    link.set("class", "ffn-number" if quote.verdict.right else "ffn-number ffn-wrong")
    if not sheet.shown:
        return
    link.set("id", quote.anchor)
    link.set("data-kind", quote.kind)
    link.set("data-name", quote.name)
    link.set("href", sheet.link(f"numbers/#{quote.name}" if quote.known else "numbers/"))
    if quote.kind == "plain":
        link.set("data-means", f"作者免检：{quote.name}")
    if quote.known:
        _provenance(link, quote.known)
    if not quote.verdict.right:
        link.set("data-verdict", quote.verdict.value)
        link.set("data-message", quote.message)
        link.set("data-offer", "|".join(quote.offers))
        _note(link, quote)


def _provenance(link: ET.Element, known: Known) -> None:
    """What the card shows: exact value, definition, where it is made, spread."""
    link.set("data-value", wording.show_fact(known.fact))
    link.set("data-means", known.fact.means)
    link.set("data-source", known.where)
    spread = wording.show_spread(known.fact)
    if spread:
        link.set("data-spread", spread)
    if known.source:
        link.set("data-cited", known.source)


def _note(link: ET.Element, quote: Quote) -> None:
    """A visible note right behind the wrong number; authors only, such a page is never published."""
    right = f"应为 {wording.show_fact(quote.known.fact)}" if quote.known else quote.message
    if quote.offers:
        right += f"，可写 {'、'.join(quote.offers)}"
    note = ET.SubElement(link, "span", {"class": "ffn-fault", "role": "note"})
    note.text = right
