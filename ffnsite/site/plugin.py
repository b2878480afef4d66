"""The MkDocs plugin: wires facts and the Markdown extension into a build, and does nothing else."""

import json
import logging
from pathlib import Path
from typing import Any, Literal

import jieba
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from ffnsite import sources
from ffnsite.errors import FfnsiteError
from ffnsite.facts import Stock, take_stock
from ffnsite.prose import matter
from ffnsite.prose.extension import FactsExtension
from ffnsite.prose.quote import Quote
from ffnsite.prose.sheet import Sheet
from ffnsite.prose.stamp import stamp, wrap
from ffnsite.report import Report, as_json, page_counts
from ffnsite.site import assets, banner, numbers
from ffnsite.site.progress import TerminalWatcher
from ffnsite.site.settings import Settings, project_of

log = logging.getLogger("mkdocs.plugins.ffnsite")
NUMBERS_PAGE = "numbers.md"
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

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Adds scripts, style, plotly, the data of figures, and the numbers page where there is none."""
        for file in assets.generated(config, self.stock.gathered.drawings):
            files.append(file)
        if files.get_file_from_path(NUMBERS_PAGE) is None:
            files.append(File.generated(config, NUMBERS_PAGE, content=NUMBERS_TEXT))
        ledger = self.project.ledger.relative_to(self.project.docs).as_posix()
        for file in list(files):
            if file.src_uri.startswith(f"{ledger}/"):
                files.remove(file)
        return files

    def on_page_markdown(
        self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files
    ) -> str:
        """Lays out a fresh sheet for the page that Markdown is about to read."""
        source = page.file.content_string
        _, offset = matter.split(source)
        path = self.project.short(Path(config.docs_dir) / page.file.src_uri)
        numbers_file = files.get_file_from_path(NUMBERS_PAGE)

        def link(target: str) -> str:
            if numbers_file is not None and target.startswith("numbers/"):
                target = numbers_file.url + target.removeprefix("numbers/")
            return get_relative_url(target, page.url)

        self.extension.sheet = Sheet(path, source, offset, link)
        return markdown

    def on_page_content(self, html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Keeps the sheet, and lets the page say how many numbers it has."""
        sheet = self.extension.sheet
        matter.judge_matter(sheet, self.stock.shelf)
        self.sheets[page.file.src_uri] = sheet
        stamped = wrap(html, stamp(sheet, self.stock.shelf))
        counts = page_counts(sheet)
        if not counts:
            return stamped
        address = sheet.link("numbers/")
        return f'{stamped}<p class="ffn-counts ffn-generated"><a href="{address}">{counts}</a></p>'

    def on_env(self, env: Any, *, config: MkDocsConfig, files: Files) -> None:
        """All pages are read: fills the numbers page, then publishes or refuses."""
        self.report = Report(self.stock, tuple(self.sheets.values()))
        self._fill_numbers(files)
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

    def _fill_numbers(self, files: Files) -> None:
        file = files.get_file_from_path(NUMBERS_PAGE)
        if file is None or file.page is None or file.page.content is None:
            return
        here = file.url
        pages = {sheet.path: files.get_file_from_path(uri) for uri, sheet in self.sheets.items()}

        def address(quote: Quote) -> str:
            page = pages[quote.place.path]
            return get_relative_url(f"{page.url if page else ''}#{quote.anchor}", here)

        file.page.content = numbers.fill(file.page.content, self.report, address)

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Writes the build report beside the pages."""
        text = json.dumps(as_json(self.report), ensure_ascii=False, indent=1)
        (Path(config.site_dir) / "facts.json").write_text(text, encoding="utf-8")

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Any
    ) -> LiveReloadServer:
        """Watches what figures are made of, besides the pages."""
        server.watch(str(self.project.figures))
        for file in sources.figure_files(self.project.figures).values():
            for needed in sources.closure(file, self.project.root).files:
                server.watch(str(needed))
        return server
