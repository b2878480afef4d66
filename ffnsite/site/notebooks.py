"""What mkdocs-jupyter does not do for a notebook's page: headings, links to other pages, a download."""

import posixpath
import re
from collections.abc import Iterable
from pathlib import Path

from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink
from mkdocs.utils import get_relative_url

from ffnsite.prose.notebook import slug_of

LINK = re.compile(r'<a href="(?P<path>[^":#]+\.(?:md|py))(?P<anchor>#[^"]*)?"')


def name_headings(page: Page) -> None:
    """Gives the contents and the page's title the words without `{#slug}`, and the slug as anchor."""
    for item in _all(page.toc):
        named = slug_of(item.title)
        if named:
            item.title, item.id = named
    named = slug_of(str(page.title or ""))
    if named:
        page.title = named[0]


def _all(items: Iterable[AnchorLink]) -> Iterable[AnchorLink]:
    for item in items:
        yield item
        yield from _all(item.children)


def relink(html: str, page: Page, files: Files) -> str:
    """Links to sources of other pages lead to the pages themselves."""
    folder = posixpath.dirname(page.file.src_uri)

    def resolved(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, match["path"]))
        file = files.get_file_from_path(target)
        if file is None:
            return match[0]
        return f'<a href="{get_relative_url(file.url, page.url)}{match["anchor"] or ""}"'

    return LINK.sub(resolved, html)


def with_download(html: str, page: Page) -> str:
    """The page with a link to the executed notebook, which mkdocs-jupyter lays beside it."""
    name = Path(page.file.abs_src_path or "").name
    link = f'<p class="ffn-generated"><a href="{name}" download>下载 .ipynb</a></p>'
    return html.replace("</h1>", f"</h1>{link}", 1)
