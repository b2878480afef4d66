"""Looks at the built pages: rendering, other plugins or an old build may have changed what was checked."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File

from ffnsite.prose import formula, marks, matter
from ffnsite.prose.exempt import Names
from ffnsite.prose.loose import find_loose
from ffnsite.prose.quote import Fault, Quote
from ffnsite.prose.sheet import Sheet
from ffnsite.prose.stamp import stamp, unwrap
from ffnsite.prose.sweep import NOT_SHOWN
from ffnsite.prose.visible import OBJECT, blocks
from ffnsite.report import Report

UNRESOLVED = re.compile(r"""(?:href|src)\s*=\s*["']?(?:fact|cite|plain|figure):[^"'\s>]*""")
TAG = re.compile(r"<[^>]*>")
AROUND = 12


def check(site: Path, config: MkDocsConfig, report: Report) -> Iterator[Fault]:
    """What is wrong with the built page of each sheet of the report."""
    base = Path(config.config_file_path).resolve().parent
    for sheet in report.sheets:
        page = site / _address(base / sheet.path, config)
        if page.is_file():
            yield from _page(page.read_text(encoding="utf-8"), sheet, report)
        else:
            yield _fault(sheet, f"{site} 里没有这一页；先 mkdocs build")


def _address(source: Path, config: MkDocsConfig) -> str:
    """Where the page lies in the site; a notebook's page lies where an article of its name would."""
    name = source.relative_to(Path(config.docs_dir).resolve()).with_suffix(".md").as_posix()
    return File(name, config.docs_dir, config.site_dir, config.use_directory_urls).dest_uri


def _page(text: str, sheet: Sheet, report: Report) -> Iterator[Fault]:
    shelf = report.stock.shelf
    article = unwrap(text)
    if article is None:
        yield _fault(sheet, "页面上没有核对过的印记；这一页不是带着 ffnsite 生成的")
        return
    mark, body = article
    if mark != stamp(sheet, shelf):
        yield _fault(sheet, "页面是旧的：生成之后文章、事实或图变过；再 mkdocs build 一次")
    for left in UNRESOLVED.findall(NOT_SHOWN.sub("", body)):
        yield _fault(sheet, f"页面里还有没解开的绑定：{left}")
    if marks.find(body):
        yield _fault(sheet, "页面里还有绑定的记号")
    for quote in sheet.quotes:
        if quote.anchor and quote.verdict.right:
            yield from _number(body, quote)
    yield from _loose(body, sheet, shelf.names)


def _number(body: str, quote: Quote) -> Iterator[Fault]:
    """The number stands on the page as it was written."""
    found = re.search(rf'<a [^>]*\bid="{quote.anchor}"[^>]*>(.*?)</a>', body, re.DOTALL)
    shown = found[1] if found else ""
    if not _says(shown, quote.text):
        place = quote.place
        message = f"文章里写的是“{quote.text}”，生成的页面上是“{TAG.sub('', shown)}”"
        yield Fault(place.path, place.line, place.column, "changed", message)


def _says(shown: str, words: str) -> bool:
    """Whether the HTML says the words, each formula set as the build sets it."""
    for source in formula.QUOTED.findall(words):
        shown = shown.replace(formula.mathml(source, display=False), OBJECT, 1)
    said = html.unescape(TAG.sub("", shown))
    return _squeeze(said) == _squeeze(formula.QUOTED.sub(OBJECT, words))


def _squeeze(words: str) -> str:
    return "".join(words.split())


def _loose(body: str, sheet: Sheet, names: Names) -> Iterator[Fault]:
    for block in blocks(body):
        for loose in find_loose(matter.masked(block, sheet.source), names):
            if not loose.exemption:
                around = block.text[max(0, loose.start - AROUND) : loose.end + AROUND].strip()
                yield _fault(sheet, f"生成的页面上，“{around}”里的“{loose.text}”没有绑定")


def _fault(sheet: Sheet, message: str) -> Fault:
    return Fault(sheet.path, 1, 0, "built", message)
