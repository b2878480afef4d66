"""The MkDocs plugin: wires facts and the Markdown extension into a build, and does nothing else."""

import json
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal

import jieba
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from ffnsite import sources
from ffnsite.errors import BadSource, FfnsiteError
from ffnsite.facts import Stock, take_stock
from ffnsite.prose import matter, notebook
from ffnsite.prose.extension import FactsExtension
from ffnsite.prose.quote import Quote
from ffnsite.prose.sheet import Sheet
from ffnsite.prose.stamp import stamp, wrap
from ffnsite.report import Report, as_json, page_counts
from ffnsite.site import assets, banner, notebooks, numbers, pages, references
from ffnsite.site.progress import TerminalWatcher
from ffnsite.site.settings import Settings, project_of
from ffnsite.tabulate import csv_text

log = logging.getLogger("mkdocs.plugins.ffnsite")
NUMBERS_PAGE = "numbers.md"
NUMBERS_CSV = "numbers.csv"
FACTS = "facts.json"
NUMBERS_TEXT = f"# 数字台账 {{#numbers}}\n\n{numbers.TOKEN}\n"


class FactsPlugin(BasePlugin[Settings]):
    """Draws stale figures before a build, checks every number while pages render, publishes or refuses."""

    serving = False
    stock: Stock
    extension: FactsExtension

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Remembers whether an author is looking on; also keeps this instance across rebuilds."""
        self.serving = command == "serve"
        jieba.setLogLevel(logging.WARNING)  # it tells of its dictionary on standard error

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Takes stock of all facts, and adds the Markdown extension that quotes them."""
        try:
            self.project = project_of(config, self.config)
            with TerminalWatcher() as watcher:
                self.stock = take_stock(self.project, self.config.names, watcher=watcher)
        except FfnsiteError as fault:
            raise PluginError(str(fault)) from fault
        self.extension = FactsExtension(self.stock.shelf)
        self.sheets: dict[str, Sheet] = {}
        config.markdown_extensions.append(self.extension)  # type: ignore[arg-type]
        config.extra_css = [*assets.STYLES, *config.extra_css]
        config.extra_javascript.extend(assets.SCRIPTS)
        return config

    def _add_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Adds scripts, style, plotly, the data of figures, and the numbers page where there is none."""
        for file in assets.generated(config, self.stock.gathered.drawings):
            files.append(file)
        if files.get_file_from_path(NUMBERS_PAGE) is None:
            files.append(File.generated(config, NUMBERS_PAGE, content=NUMBERS_TEXT))
        pages.arrange(files, config, self.project, self.stock.gathered.labs)
        return files

    @event_priority(-100)
    def _tell_origin(self, files: Files, *, config: MkDocsConfig) -> Files:
        pages.tell_origin(files, self.project)
        return files

    # Before and after mkdocs-jupyter, wherever it stands in mkdocs.yml.
    on_files = CombinedEvent(event_priority(100)(_add_files), _tell_origin)

    def on_page_markdown(
        self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files
    ) -> str:
        """Lays out a fresh sheet for the page that Markdown is about to read."""
        self.extension.sheet = self._sheet(page, page.file.content_string, files)
        return markdown

    def _sheet(self, page: Page, source: str, files: Files) -> Sheet:
        path = self.project.short(self.project.docs / page.file.src_uri)
        _, offset = matter.split(source)
        numbers_file = files.get_file_from_path(NUMBERS_PAGE)

        def link(target: str) -> str:
            if numbers_file is not None and target.startswith("numbers/"):
                target = numbers_file.url + target.removeprefix("numbers/")
            return get_relative_url(target, page.url)

        return Sheet(path, source, offset, link)

    def on_page_content(self, html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Keeps the sheet, and lets the page say how many numbers it has."""
        if pages.is_notebook(page.file):
            html = self._read_notebook(html, page, config, files)
        sheet = self.extension.sheet
        matter.judge_matter(sheet, self.stock.shelf)
        self.sheets[page.file.src_uri] = sheet
        stamped = wrap(html, stamp(sheet, self.stock.shelf))
        counts = page_counts(sheet)
        if not counts:
            return stamped
        address = sheet.link("numbers/")
        foot = '<p class="ffn-counts ffn-generated" data-search-exclude>'
        return f'{stamped}{foot}<a href="{address}">{counts}</a></p>'

    def _read_notebook(self, html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Judges the rendered notebook, and mends what its renderer does not know of our pages."""
        source = (self.project.docs / page.file.src_uri).read_text(encoding="utf-8")
        self.extension.sheet = self._sheet(page, source, files)
        html = notebook.judge_page(html, self.extension.sheet, self.stock.shelf)
        notebooks.name_headings(page)
        html = notebooks.relink(html, page, files)
        jupyter = config.plugins.get(pages.JUPYTER)
        copied = jupyter is not None and jupyter.config["include_source"]
        return notebooks.with_download(html, page) if copied else html

    def on_env(self, env: Any, *, config: MkDocsConfig, files: Files) -> None:
        """All pages are read: fills the pages made of reports, then publishes or refuses."""
        sheets = tuple(self.sheets.values())
        self.report = Report(self.stock, sheets, whole=self.config.whole)
        self._fill_pages(files)
        if not self.report.faults:
            return
        if not self.serving:
            raise PluginError(f"数字没有全部对上，网站不发布。\n{self.report.text()}")
        log.error(self.report.text())
        for file in files.documentation_pages():
            if file.page is not None and file.page.content is not None:
                file.page.content = banner.add(
                    file.page.content, self.report, self.sheets[file.src_uri]
                )

    def _fill_pages(self, files: Files) -> None:
        """Writes the numbers and the references into the pages that ask for them."""
        targets = {sheet.path: files.get_file_from_path(uri) for uri, sheet in self.sheets.items()}
        for file in files.documentation_pages():
            page = file.page
            if page is None or page.content is None:
                continue
            relative = partial(get_relative_url, other=file.url)

            def address(quote: Quote, relative: Callable[[str], str] = relative) -> str:
                target = targets[quote.place.path]
                return relative(f"{target.url if target else ''}#{quote.anchor}")

            downloads = (relative(f"{assets.FOLDER}/{NUMBERS_CSV}"), relative(FACTS))
            page.content = numbers.fill(page.content, self.report, address, downloads)
            bibtex = relative(f"{assets.FOLDER}/{references.BIBTEX}")
            page.content = references.fill(page.content, self.report, bibtex)

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Writes the build report and the downloads beside the pages."""
        site = Path(config.site_dir)
        report = json.dumps(as_json(self.report), ensure_ascii=False, indent=1)
        for name, text in {
            FACTS: report,
            f"{assets.FOLDER}/{NUMBERS_CSV}": csv_text(numbers.table(self.report)),
            f"{assets.FOLDER}/{references.BIBTEX}": references.bibtex(self.report),
        }.items():
            (site / name).write_text(text, encoding="utf-8", newline="")

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Any
    ) -> LiveReloadServer:
        """Watches what figures and notebooks are made of, and the ledger, besides the pages."""
        project = self.project
        server.watch(str(project.figures))
        if project.ledger.is_dir():
            server.watch(str(project.ledger))
        made = sources.figure_files(project.figures) | sources.lab_files(project.labs)
        for file in made.values():
            # One that is no Python yet is in a watched folder itself: mending it is seen.
            with suppress(BadSource):
                for needed in sources.closure(file, project.root).files:
                    server.watch(str(needed))
        return server
