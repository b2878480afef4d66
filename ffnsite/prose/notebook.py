"""Notebook pages: judged in their rendered HTML, where a binding is an ordinary link.

nbconvert leaves formulas as LaTeX, headings with their `{#slug}` as text, and brings scripts and
styles of its own, some from other hosts. Here formulas become MathML, slugs become ids, and all
scripts and styles go; the site's own style shows the cells.
"""

import html
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import unquote

from ffnsite.errors import BadFormula
from ffnsite.prose import binding, formula, picture
from ffnsite.prose.quote import Verdict
from ffnsite.prose.sheet import Sheet, Shelf
from ffnsite.prose.sweep import HOW, join_lines, report_strange, sweep
from ffnsite.prose.visible import blocks

BAGGAGE = re.compile(
    r"<(script|style)\b.*?</\1>"
    r"|<div class=\"zeroclipboard-container\">.*?</clipboard-copy>\s*</div>"
    r"|<div class=\"(?:clipboard-copy-txt|jp-(?:Input|Output)Prompt|jp-Collapser)\b[^>]*>[^<]*</div>",
    re.DOTALL,
)
INPUT = re.compile(
    r"<div class=\"highlight-ipynb[^>]*><pre>(?:<span></span>)?(.*?)</pre></div>", re.DOTALL
)
OUTPUT = re.compile(r"(data-mime-type=\"text/plain\"[^>]*>\s*)<pre>(.*?)</pre>", re.DOTALL)
HEADING = re.compile(
    r"<(?P<tag>h[1-6]) id=\"[^\"]*\">(?P<text>.*?)\s*\{#(?P<slug>[\w-]+)\}"
    r"(?:<a class=\"anchor-link\"[^>]*>.*?</a>)?</(?P=tag)>",
    re.DOTALL,
)
LINK = re.compile(
    r"<a href=\"(?P<scheme>fact|cite|plain):(?P<name>[^\"]*)\"[^>]*>(?P<words>.*?)</a>", re.DOTALL
)
FIGURE = re.compile(r"<p>\s*<img (?P<rest>[^>]*src=\"figure:(?P<name>[^\"]*)\"[^>]*)/?>\s*</p>")
ALT = re.compile(r"\balt=\"([^\"]*)\"")
CODE = re.compile(r"(<(pre|code|math)\b.*?</\2>)", re.DOTALL)
FORMULA = re.compile(
    r"\$\$(?P<display>.+?)\$\$|(?<![\\$])\$(?![\s$])(?P<inline>[^$\n]+?)(?<![\s\\])\$", re.DOTALL
)
NAMELESS = re.compile(r"(<h[1-6]) id=\"\"([^\n]*?)<a class=\"anchor-link\"[^>]*>.*?</a>")
WRITTEN = re.compile(r"\]\((?:fact|cite|plain|figure):")


def judge_page(page: str, sheet: Sheet, shelf: Shelf) -> str:
    """The notebook's HTML with its numbers judged and shown; everything found is on the sheet."""
    page = NAMELESS.sub(r"\1\2", _as_our_code(BAGGAGE.sub("", page)))
    page = HEADING.sub(lambda heading: _heading(heading, sheet), page)
    page = LINK.sub(lambda link: _number(link, sheet, shelf), page)
    page = FIGURE.sub(lambda image: _figure(image, sheet, shelf), page)
    page = _outside_code(page, lambda text: FORMULA.sub(lambda f: _formula(f, sheet), text))
    report_strange(page, sheet)
    _report_written(page, sheet)
    return join_lines(sweep(page, sheet, shelf.names))


def _as_our_code(page: str) -> str:
    """Cells and outputs in the markup of the site's own code blocks, which its style knows."""
    page = INPUT.sub(r'<div class="highlight"><pre><code>\1</code></pre></div>', page)
    return OUTPUT.sub(r'\1<pre class="ffn-output"><code>\2</code></pre>', page)


def slug_of(title: str) -> tuple[str, str] | None:
    """A heading's words and its explicit slug; None where it has none."""
    found = re.fullmatch(r"(.*?)\s*\{#([\w-]+)\}", title)
    return (found[1], found[2]) if found else None


def _report_written(page: str, sheet: Sheet) -> None:
    """A fault for each binding that a reader would see as it is written: it became no link."""
    for block in blocks(page):
        for written in WRITTEN.findall(block.text):
            message = "这里的绑定没有成为链接；有空格的写成 [字](<plain:理由 理由>)"
            sheet.fault(sheet.verbatim.place(written, back="["), "", Verdict.MISPLACED, message)


def _heading(match: re.Match[str], sheet: Sheet) -> str:
    tag, slug = match["tag"], match["slug"]
    for found in FORMULA.finditer(match["text"]):
        sheet.fault(sheet.verbatim.place(found[0]), found[0], Verdict.MISPLACED, formula.IN_HEADING)
    link = f'<a class="headerlink" href="#{slug}" title="这一节的链接">¶</a>'
    return f'<{tag} id="{slug}">{match["text"]}{link}</{tag}>'


def _number(link: re.Match[str], sheet: Sheet, shelf: Shelf) -> str:
    """The link as a checked number; a formula in it is set, and judged as it is written."""
    name = unquote(html.unescape(link["name"]))
    target = f"{link['scheme']}:{name}"
    places = [f"]({target})", f"]({target} ", f"](<{target}>"]
    position = sheet.verbatim.find(*places)
    if position < 0:
        form = "reference" if f"]: {target}" in sheet.source else "html"
        sheet.fault(sheet.verbatim.place(target), target, Verdict.MISPLACED, HOW[form])
        return link["words"]
    place = sheet.verbatim.at(position, back="[")
    words = binding.plain_words(binding.without_markup(link["words"]))
    judged = binding.judge_quote(place, words, link["scheme"], name, shelf)
    quote = replace(judged, anchor=f"n{len(sheet.quotes) + 1}")
    sheet.quotes.append(quote)
    element = ET.Element("a")
    element.text = "\ufffc"
    binding.dress(element, quote, sheet)
    shown = FORMULA.sub(_mathml, link["words"])
    return ET.tostring(element, encoding="unicode", method="html").replace("\ufffc", shown, 1)


def _figure(image: re.Match[str], sheet: Sheet, shelf: Shelf) -> str:
    place = sheet.verbatim.place(f"](figure:{image['name']})", back="!")
    alt = ALT.search(image["rest"])
    return picture.place_figure(
        place, image["name"], html.unescape(alt[1]) if alt else "", sheet, shelf
    )


def _formula(found: re.Match[str], sheet: Sheet) -> str:
    source = html.unescape(found["display"] or found["inline"]).strip()
    sheet.formulas += len(formula.numerals(source))
    try:
        return f'<span class="ffn-math">{_mathml(found)}</span>'
    except BadFormula as fault:
        message = f"公式写错了：{fault}"
        sheet.fault(
            sheet.verbatim.place(f"${source}$", *source.split("\n")),
            source,
            Verdict.UNREADABLE,
            message,
        )
        return f'<span class="arithmatex">{found[0]}</span>'


def _mathml(found: re.Match[str]) -> str:
    source = html.unescape(found["display"] or found["inline"])
    return formula.mathml(source.strip(), display=found["display"] is not None)


def _outside_code(page: str, change: Callable[[str], str]) -> str:
    """Applies `change` to the text between code, formulas and already checked numbers."""
    parts = CODE.split(page)
    # The pattern has two groups: text, code, its tag, text, code, its tag, …
    return "".join(
        change(part) if index % 3 == 0 else (part if index % 3 == 1 else "")
        for index, part in enumerate(parts)
    )
