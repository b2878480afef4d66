"""Reads every page of a site without building it: what `ffnsite check` does.

Many pages are read by several processes, each with one Markdown parser of its own.
"""

from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markdown import Markdown
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page

from ffnsite.errors import BadSettings
from ffnsite.facts import take_stock
from ffnsite.gather import Watcher
from ffnsite.project import Project
from ffnsite.prose import matter, notebook
from ffnsite.prose.extension import FactsExtension
from ffnsite.prose.quote import Place, Verdict
from ffnsite.prose.sheet import Sheet, Shelf
from ffnsite.report import Report
from ffnsite.site import pages
from ffnsite.site.settings import Settings, project_of

FEW = 64  # pages that are read before a second process would have started
CHUNK = 16


def check(
    config: MkDocsConfig,
    settings: Settings,
    paths: tuple[Path, ...],
    watcher: Watcher | None = None,
) -> Report:
    """The report of the whole site, or of the pages and folders named; stale figures are drawn first.

    Raises:
        BadSettings: a path is no page of the site and holds none.
    """
    project = project_of(config, settings)
    stock = take_stock(project, settings.names, watcher=watcher)
    site = pages.pages_of(config, project, stock.gathered.labs)
    chosen = _chosen(site.files.documentation_pages(), project, paths)
    desk = Desk(config.markdown_extensions, config.mdx_configs or {}, project, stock.shelf)
    articles = [project.docs / file.src_uri for file in chosen if not pages.is_notebook(file)]
    notebooks = site.rendered([file for file in chosen if pages.is_notebook(file)])
    sheets = (
        *_read_all(desk, articles),
        *(_judge(page, project, stock.shelf) for page in notebooks),
    )
    return Report(stock, sheets, whole=settings.whole and not paths)


def _chosen(files: Sequence[File], project: Project, paths: tuple[Path, ...]) -> Sequence[File]:
    """The pages that lie at or below one of the paths; all of them where none is given."""
    if not paths:
        return files
    sources = {file: (project.docs / file.src_uri).resolve() for file in files}
    chosen: set[File] = set()
    for path in paths:
        below = {file for file, source in sources.items() if source.is_relative_to(path.resolve())}
        if not below:
            raise BadSettings(f"{path} 不是网站的页面，里面也没有页面；请给 docs 里的 .md 或文件夹")
        chosen |= below
    return [file for file in files if file in chosen]


def _judge(page: Page, project: Project, shelf: Shelf) -> Sheet:
    """The sheet of a notebook's page."""
    path = project.docs / page.file.src_uri
    sheet = Sheet(project.short(path), path.read_text(encoding="utf-8"))
    notebook.judge_page(page.content or "", sheet, shelf)
    return sheet


@dataclass(frozen=True, slots=True)
class Desk:
    """What a process needs to read pages."""

    extensions: list[Any]
    settings: dict[str, Any]
    project: Project
    shelf: Shelf

    def reader(self) -> "Reader":
        """A Markdown parser with the extension on it."""
        extension = FactsExtension(self.shelf)
        parser = Markdown(extensions=[*self.extensions, extension], extension_configs=self.settings)
        # Nobody registers a pattern any more, and a tuple is read faster than a registry.
        inline = parser.treeprocessors["inline"]
        inline.inlinePatterns = tuple(parser.inlinePatterns)  # type: ignore[attr-defined]
        return Reader(self.project, extension, parser)


@dataclass(frozen=True, slots=True)
class Reader:
    """One Markdown parser that reads page after page."""

    project: Project
    extension: FactsExtension
    parser: Markdown

    def read(self, path: Path) -> Sheet:
        """The sheet of a page."""
        try:
            source = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as fault:
            return self._unread(path, fault)
        text, offset = matter.split(source)
        sheet = Sheet(self.project.short(path), source, offset, shown=False)
        self.extension.sheet = sheet
        self.parser.reset()
        self.parser.convert(text)
        matter.judge_matter(sheet, self.extension.shelf)
        sheet.marks.clear()  # every binding is judged; nobody needs to carry them further
        return sheet

    def _unread(self, path: Path, fault: Exception) -> Sheet:
        """The sheet of a file that is no text."""
        sheet = Sheet(self.project.short(path), "")
        message = f"读不了这一页，文章要存成 UTF-8：{fault}"
        sheet.fault(Place(sheet.path, 1, 1), "", Verdict.UNREADABLE, message)
        return sheet


def _read_all(desk: Desk, paths: list[Path]) -> Iterable[Sheet]:
    if len(paths) < FEW or desk.project.jobs == 1:
        return map(desk.reader().read, paths)
    with ProcessPoolExecutor(desk.project.jobs, initializer=_sit_down, initargs=(desk,)) as pool:
        return list(pool.map(_read_here, paths, chunksize=CHUNK))


_readers: list[Reader] = []


def _sit_down(desk: Desk) -> None:
    """Runs once in each process: its parser is built before the first page arrives."""
    _readers.append(desk.reader())


def _read_here(path: Path) -> Sheet:
    return _readers[0].read(path)
