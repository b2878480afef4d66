"""Reads every page of a site without building it: what `ffnsite check` does."""

from pathlib import Path

from markdown import Markdown
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import get_files
from mkdocs.utils.meta import get_data

from ffnsite.facts import Stock, take_stock
from ffnsite.gather import Watcher
from ffnsite.project import Project
from ffnsite.prose.extension import FactsExtension
from ffnsite.prose.sheet import Sheet
from ffnsite.report import Report
from ffnsite.site.settings import Settings, project_of


def check(
    config: MkDocsConfig,
    settings: Settings,
    paths: tuple[Path, ...],
    watcher: Watcher | None = None,
) -> Report:
    """The report of the whole site, or of the pages named; stale figures are drawn first."""
    project = project_of(config, settings)
    stock = take_stock(project, settings.names, watcher=watcher)
    return Report(stock, tuple(_read_pages(config, project, stock, paths)))


def _read_pages(
    config: MkDocsConfig, project: Project, stock: Stock, paths: tuple[Path, ...]
) -> list[Sheet]:
    extension = FactsExtension(stock.shelf)
    markdown = Markdown(
        extensions=[*config.markdown_extensions, extension],
        extension_configs=config.mdx_configs or {},
    )
    files = get_files(config).documentation_pages()
    sources = [Path(file.abs_src_path or "") for file in files if file.src_uri.endswith(".md")]
    wanted = {path.resolve() for path in paths}
    return [
        _read(path, project, extension, markdown)
        for path in sources
        if not wanted or path.resolve() in wanted
    ]


def _read(path: Path, project: Project, extension: FactsExtension, markdown: Markdown) -> Sheet:
    source = path.read_text(encoding="utf-8-sig")
    text, _ = get_data(source)
    offset = source[: len(source) - len(text)].count("\n") if source.endswith(text) else 0
    extension.sheet = Sheet(project.short(path), source, offset)
    markdown.reset()
    markdown.convert(text)
    return extension.sheet
