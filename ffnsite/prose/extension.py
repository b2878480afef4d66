"""The Python-Markdown extension: binds, judges and shows every number and figure of a page.

    lines ── mark ──> Markdown ──> tree ── bind ──> HTML ── sweep ──> HTML

`mark` numbers the bindings (exact line and column), `bind` turns each bound link into a checked
number, each figure into its chart and each formula into MathML, `sweep` looks for numerals that
nothing binds and joins Chinese lines. Without this extension the page still builds: its bindings
are then plain links.
"""

import html
import xml.etree.ElementTree as ET
from dataclasses import replace

from markdown import Markdown
from markdown.extensions import Extension
from markdown.extensions.tables import TableProcessor
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import HTML_PLACEHOLDER_RE

from ffnsite.errors import BadFormula
from ffnsite.prose import binding, formula, marks, picture, sweep
from ffnsite.prose.careful_table import CarefulTable
from ffnsite.prose.quote import Place, Verdict
from ffnsite.prose.sheet import Sheet, Shelf

# Above fenced code (25), so that lines are still those of the file; below line endings (30).
MARK_PRIORITY = 28
# Below MkDocs' own links (0): what we write is final.
BIND_PRIORITY = -10
SWEEP_PRIORITY = -10
TABLE_PRIORITY = 75  # Python-Markdown's own
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}


class FactsExtension(Extension):
    """Holds the shelf (what may be quoted) and the sheet (the page being read)."""

    def __init__(self, shelf: Shelf) -> None:
        super().__init__()
        self.shelf = shelf
        self.sheet = Sheet("", "")

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        """Registers the three steps."""
        md.registerExtension(self)
        md.preprocessors.register(_Mark(md, self), "ffnsite-mark", MARK_PRIORITY)
        md.treeprocessors.register(_Bind(md, self), "ffnsite-bind", BIND_PRIORITY)
        md.postprocessors.register(_Sweep(md, self), "ffnsite-sweep", SWEEP_PRIORITY)
        plain = next((p for p in md.parser.blockprocessors if isinstance(p, TableProcessor)), None)
        if plain is not None:
            careful = CarefulTable(plain, self)
            md.parser.blockprocessors.register(careful, "table", TABLE_PRIORITY)


class _Mark(Preprocessor):
    def __init__(self, md: Markdown, extension: FactsExtension) -> None:
        super().__init__(md)
        self.extension = extension

    def run(self, lines: list[str]) -> list[str]:
        sheet = self.extension.sheet
        marked, sheet.marks = marks.mark(lines, sheet.path, sheet.offset)
        return marked


class _Bind(Treeprocessor):
    def __init__(self, md: Markdown, extension: FactsExtension) -> None:
        super().__init__(md)
        self.extension = extension

    def run(self, root: ET.Element) -> None:
        elements = list(root.iter())
        parents = {child: parent for parent in elements for child in parent}
        self.taken = {element.get("id") for element in elements}
        for element in elements:
            if element.tag == "a":
                self._number(element)
            elif element.tag == "img":
                self._figure(parents[element], element)
            elif element.get("class") == "arithmatex":
                self._formula(parents[element], element)
        self.extension.sheet.bound = True

    def _number(self, link: ET.Element) -> None:
        taken = self._take(link.get("href", ""))
        if taken is None:
            return
        target, place = taken
        scheme, _, name = target.partition(":")
        words = _unstashed(binding.words_of(link), self.md)
        sheet, shelf = self.extension.sheet, self.extension.shelf
        if scheme == "figure":
            message = "图前面要有感叹号：![替代文字](figure:名字)"
            sheet.fault(place, target, Verdict.MISPLACED, message)
            return
        judged = binding.judge_quote(place, binding.plain_words(words), scheme, name, shelf)
        quote = replace(judged, anchor=self._anchor())
        sheet.quotes.append(quote)
        binding.dress(link, quote, sheet)

    def _anchor(self) -> str:
        """The id of the next number on the page; a heading may have taken the first choice."""
        number = len(self.extension.sheet.quotes) + 1
        while f"n{number}" in self.taken:
            number += 1
        self.taken.add(f"n{number}")
        return f"n{number}"

    def _figure(self, parent: ET.Element, image: ET.Element) -> None:
        taken = self._take(image.get("src", ""))
        if taken is None:
            return
        target, place = taken
        scheme, _, name = target.partition(":")
        sheet, shelf = self.extension.sheet, self.extension.shelf
        alone = parent.tag == "p" and len(parent) == 1 and not (parent.text or "").strip()
        if scheme != "figure" or not alone or (image.tail or "").strip():
            message = (
                "图要独占一段，写成 ![替代文字](figure:名字)"
                if scheme == "figure"
                else f"数前面没有感叹号：[字]({target})"
            )
            sheet.fault(place, target, Verdict.MISPLACED, message)
            return
        shown = picture.place_figure(place, name, image.get("alt", ""), sheet, shelf)
        parent.clear()
        parent.text = self.md.htmlStash.store(shown)

    def _formula(self, parent: ET.Element, element: ET.Element) -> None:
        # Display formulas arrive escaped for HTML: their & parts columns.
        wrapped = html.unescape(marks.strip("".join(element.itertext())))
        source, display = formula.latex(wrapped)
        sheet = self.extension.sheet
        place = sheet.verbatim.later(f"${source}$", f"\\({source}\\)", *source.split("\n"))
        if parent.tag in HEADINGS and not parent.get("data-toc-label"):
            sheet.fault(place(), source, Verdict.MISPLACED, formula.IN_HEADING)
        if parent.get("class", "").split()[:1] != ["ffn-number"]:
            sheet.formulas += len(formula.numerals(source))
        try:
            shown = formula.mathml(source, display=display)
        except BadFormula as fault:
            sheet.fault(place(), source, Verdict.UNREADABLE, f"公式写错了：{fault}")
            return
        element.set("class", "ffn-math")
        element.text = self.md.htmlStash.store(shown)

    def _take(self, target: str) -> tuple[str, Place] | None:
        """A binding's target and place; None for an ordinary link. Wrongly written ones stay marked."""
        taken = marks.take(target)
        if taken is None:
            return None
        target, number = taken
        mark = self.extension.sheet.marks[number]
        if mark.form != "inline":
            return None
        self.extension.sheet.met.add(number)
        return target, mark.place


class _Sweep(Postprocessor):
    def __init__(self, md: Markdown, extension: FactsExtension) -> None:
        super().__init__(md)
        self.extension = extension

    def run(self, text: str) -> str:
        sheet, shelf = self.extension.sheet, self.extension.shelf
        if not sheet.bound:  # a heading on its way into the table of contents
            return text
        sweep.report_lost(text, sheet)
        sweep.report_strange(text, sheet)
        text = sweep.sweep(marks.strip(text), sheet, shelf.names)
        return sweep.join_lines(text) if sheet.shown else text


def _unstashed(words: str, md: Markdown) -> str:
    """Raw HTML and entities of the words come back, which Markdown keeps aside until the end."""
    stashed = md.htmlStash.rawHtmlBlocks
    return HTML_PLACEHOLDER_RE.sub(lambda found: html.unescape(str(stashed[int(found[1])])), words)


def makeExtension(**settings: Shelf) -> FactsExtension:  # noqa: N802 - Python-Markdown's name
    """The entry point by name; `shelf` says what may be quoted."""
    return FactsExtension(**settings)
