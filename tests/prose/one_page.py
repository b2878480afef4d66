"""One Markdown page read in this process, with two facts and a drawing to quote."""

from fractions import Fraction

from markdown import Markdown

from ffnsite.figure import Drawing, Fact, Table, View
from ffnsite.prose import matter
from ffnsite.prose.exempt import names_of
from ffnsite.prose.extension import FactsExtension
from ffnsite.prose.quote import Known
from ffnsite.prose.sheet import Sheet, Shelf

FACTS = {
    "block.share": Fact(Fraction(2, 3), "share", means="FFN 的份额"),
    "block.width": Fact(2048, "count", means="宽度"),
    "block.ffn": Fact(8, "d^2", means="参数"),
}
KNOWN = {name: Known(name, fact, "figures/block.py:7", "fact") for name, fact in FACTS.items()}
EXTENSIONS = [
    "abbr", "admonition", "attr_list", "def_list", "footnotes", "md_in_html", "tables", "toc",
    "pymdownx.arithmatex", "pymdownx.details", "pymdownx.superfences", "pymdownx.tabbed",
]  # fmt: skip
SETTINGS = {"pymdownx.arithmatex": {"generic": True}, "pymdownx.tabbed": {"alternate_style": True}}


VIEW = View("", Table(["", "值"], [["FFN", "8"]]), [], 240, plotly={"data": []})


def shelf(caption="一层参数怎么分"):
    return Shelf(KNOWN, {"block": Drawing(caption, {}, [VIEW], {})}, {}, names_of([]))


SHELF = shelf()


def read(source, shelf=SHELF):
    """The page's HTML, and the sheet with all that was found."""
    extension = FactsExtension(shelf)
    parser = Markdown(extensions=[*EXTENSIONS, extension], extension_configs=SETTINGS)
    text, offset = matter.split(source)
    sheet = Sheet("a.md", source, offset)
    extension.sheet = sheet
    html = parser.convert(text)
    matter.judge_matter(sheet, shelf)
    return html, sheet


def faults(source):
    """What is wrong on the page: line:column, kind, message."""
    _, sheet = read(source)
    return [(f"{fault.line}:{fault.column}", fault.kind, fault.message) for fault in sheet.faults]


def places(source):
    return [place for place, _, _ in faults(source)]
