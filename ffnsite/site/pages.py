"""The files of a site as the build and the check both see them: no ledger, notebooks already executed."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import get_plugins
from mkdocs.structure.files import File, Files, get_files, set_exclusions
from mkdocs.structure.pages import Page

from ffnsite.project import Project
from ffnsite.site.settings import plugin_options

JUPYTER = "mkdocs-jupyter"


def arrange(files: Files, config: MkDocsConfig, project: Project, labs: dict[str, Path]) -> None:
    """Takes the ledger out, and puts each executed notebook of `labs` in the place of its source."""
    ledger = project.ledger
    for file in list(files):
        source = project.docs / file.src_uri
        if source.is_relative_to(ledger):
            files.remove(file)
        elif _lab_of(file, project) is not None:
            files.remove(file)
            executed = labs.get(_lab_of(file, project) or "")
            if executed is not None:
                page = File(file.src_uri, None, config.site_dir, config.use_directory_urls)
                page.abs_src_path = str(executed)
                files.append(page)


def tell_origin(files: Files, project: Project) -> None:
    """mkdocs-jupyter wraps the notebooks and forgets where a generated one lies: tells it."""
    for file in files:
        wrapped = getattr(file, "file", None)
        if isinstance(wrapped, File) and _lab_of(file, project) is not None:
            file.abs_src_path = wrapped.abs_src_path


def _lab_of(file: File, project: Project) -> str | None:
    """The name of the notebook that the file is the source of; None for other files."""
    source = project.docs / file.src_uri
    if source.parent != project.labs or source.suffix != ".py":
        return None
    return f"lab/{source.stem}"


def is_notebook(file: File) -> bool:
    """Whether the page is made of a notebook, so that no Markdown parser of ours reads it."""
    return file.is_documentation_page() and not file.src_uri.endswith(".md")


@dataclass(frozen=True, slots=True)
class Pages:
    """The files of a site that is read without being built; other plugins' files are not among them."""

    files: Files
    config: MkDocsConfig
    jupyter: Any

    def rendered(self, notebooks: list[File]) -> Iterator[Page]:
        """Each notebook's page with the HTML that mkdocs-jupyter makes of it in a build."""
        if self.jupyter is None or not notebooks:
            return
        self.jupyter.on_pre_build(config=self.config)
        for file in notebooks:
            page = Page(None, file, self.config)
            self.jupyter.on_pre_page(page, config=self.config, files=self.files)
            page.render(self.config, self.files)
            yield page


def pages_of(config: MkDocsConfig, project: Project, labs: dict[str, Path]) -> Pages:
    """The files as a build has them when its pages are read."""
    files = get_files(config)
    arrange(files, config, project, labs)
    jupyter = _jupyter(config) if any(_may_be_notebook(file) for file in files) else None
    if jupyter is not None:
        files = jupyter.on_files(files, config=config) or files
        tell_origin(files, project)
    set_exclusions(files, config)
    return Pages(files, config, jupyter)


def _may_be_notebook(file: File) -> bool:
    return Path(file.abs_src_path or "").suffix == ".ipynb"


def _jupyter(config: MkDocsConfig) -> Any:
    """The plugin with the site's options, loaded only here: it takes a second to import."""
    path = Path(config.config_file_path or "mkdocs.yml")
    options = plugin_options(path, JUPYTER)
    if options is None:
        return None
    plugin = get_plugins()[JUPYTER].load()()
    plugin.load_config(options, str(path))
    return plugin
