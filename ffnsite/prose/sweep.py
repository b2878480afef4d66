"""The last look at a page's HTML: bindings that were lost, numerals that nothing binds, Chinese lines."""

import re
from difflib import get_close_matches

from ffnsite.prose import marks, matter
from ffnsite.prose.exempt import Names
from ffnsite.prose.locate import Locator
from ffnsite.prose.loose import Loose, find_loose
from ffnsite.prose.quote import Place, Quote, Verdict
from ffnsite.prose.sheet import Sheet
from ffnsite.prose.visible import HAN, blocks

NOT_SHOWN = re.compile(r"<(code|pre)\b.*?</\1>|<!--.*?-->", re.DOTALL)  # or shown as it is written
LINK = re.compile(r"(?:href|src)=\"(?P<scheme>[A-Za-z]+)\s*[:：](?P<name>[^\"]*)\"")
LIKE_OURS = 0.7  # facts:, Fact: and site: are, file: and facetime: are not
# Each branch begins with a character of its own and looks back from there: most text is passed over.
BROKEN_LINE = re.compile(
    rf"\n(?<={HAN}\n)((?:<[^>]+>)*)(?={HAN})|<(?<={HAN}<)(/[^>]+>(?:</[^>]+>)*)\n((?:<[^>]+>)*)(?={HAN})"
)
PREFORMATTED = re.compile(r"(<pre\b.*?</pre>|<script\b.*?</script>)", re.DOTALL)
BROKEN_MARKUP = re.compile(r"\$|\*\*")
WHY_BROKEN = {
    "$": "公式没有闭合：$ 不成对，或者表格里的公式用了 |（写成 \\mid 或 \\vert）；要写美元号就写 \\$",
    "**": "加粗没有生效：** 不成对，或者里面挨着空格",
}
HOW = {
    "reference": "引用式链接看不出它绑的是哪几个字，请写成 [字](fact:名字)",
    "html": "原始 HTML 里的绑定不会被检查，请写成 [字](fact:名字)",
    "auto": "<fact:…> 没有可检查的字，请写成 [字](fact:名字)",
    "inline": "这里的绑定不生效（在公式、原始 HTML 或没有闭合的括号里），请写成 [字](fact:名字)",
}


def report_lost(html: str, sheet: Sheet) -> None:
    """A fault for every binding that reached no link: only code may show bindings as they are."""
    kept = {number for code in NOT_SHOWN.finditer(html) for number in marks.find(code[0])}
    for number, mark in enumerate(sheet.marks):
        if number not in sheet.met and number not in kept:
            sheet.fault(mark.place, "", Verdict.MISPLACED, HOW[mark.form])


def report_strange(html: str, sheet: Sheet) -> None:
    """A fault for every link that is nearly a binding: a scheme of ours misspelt, or not resolved."""
    for link in LINK.finditer(NOT_SHOWN.sub("", html)):
        scheme, name = link["scheme"], link["name"]
        close = get_close_matches(scheme.lower(), marks.SCHEMES, 1, LIKE_OURS)
        if close and not marks.MARK.search(name):
            place = sheet.verbatim.place(f"]({scheme}", back="[")
            how = "图要独占一段，写成 ![替代文字]" if close[0] == "figure" else "请写成 [字]"
            message = f"“{scheme}:{name}”在这里不是绑定；{how}({close[0]}:名字)"
            sheet.fault(place, scheme, Verdict.MISPLACED, message)


def sweep(html: str, sheet: Sheet, names: Names) -> str:
    """Notes every numeral that nothing binds; the HTML with those that need a binding in red."""
    locator = Locator(sheet.source, sheet.path)
    red: list[tuple[int, int]] = []
    for block in blocks(html):
        for broken in BROKEN_MARKUP.finditer("" if block.attribute else block.text):
            place = locator.place(block, broken.start(), broken.end())
            if not _escaped(sheet.source, place):
                sheet.fault(place, broken[0], Verdict.MISPLACED, WHY_BROKEN[broken[0]])
        for loose in find_loose(matter.masked(block, sheet.source), names):
            place = locator.place(block, loose.start, loose.end)
            sheet.quotes.append(_quote(loose, place, block.attribute))
            if not loose.exemption and not block.attribute:
                red.append((block.offsets[loose.start], block.offsets[loose.end - 1] + 1))
    return _redden(html, red)


def _quote(loose: Loose, place: Place, attribute: str) -> Quote:
    """A numeral that nothing binds as a quote of its own."""
    words = loose.text
    if loose.exemption:
        return Quote(place, words, "loose", loose.exemption, Verdict.EXEMPT)
    how = f"写成 [{words}](fact:…)、(cite:…) 或 (plain:理由)"
    if attribute:
        how = f"{attribute} 里放不了链接，在 front matter 的 facts: 下写“{words}: fact:名字”"
    message = f"“{words}”没有绑定。{how}"
    return Quote(place, words, "loose", "", Verdict.UNBOUND, message)


def _escaped(source: str, place: Place) -> bool:
    """Whether a backslash stands before the place: the author wants the character itself."""
    line = source.splitlines()[place.line - 1] if source else ""
    return line[place.column - 2 : place.column - 1] == "\\"


def _redden(html: str, spans: list[tuple[int, int]]) -> str:
    """The HTML with the spans marked, last first so that offsets stay right; none crosses a tag."""
    for start, end in sorted(spans, reverse=True):
        words = html[start:end].partition("<")[0]
        rest = html[start + len(words) :]
        html = f'{html[:start]}<span class="ffn-unbound" title="没有绑定">{words}</span>{rest}'
    return html


def join_lines(html: str) -> str:
    """A line break between two Chinese characters is no space (outside preformatted text)."""
    parts = PREFORMATTED.split(html)
    return "".join(
        part if PREFORMATTED.fullmatch(part) else BROKEN_LINE.sub(_joined, part) for part in parts
    )


def _joined(match: re.Match[str]) -> str:
    return match[1] if match[2] is None else f"<{match[2]}{match[3]}"
