"""The page of references and its BibTeX, made from the ledger."""

import re
from collections import defaultdict
from html import escape

from ffnsite.ledger import Source
from ffnsite.prose import wording
from ffnsite.report import Report

TOKEN = "<!-- ffnsite:references -->"
BIBTEX = "references.bib"


def fill(content: str, report: Report, download: str) -> str:
    """The page's HTML with the list of sources in the place of the token."""
    if TOKEN not in content:
        return content
    rows = "".join(_entry(key, source, report) for key, source in _sources(report).items())
    link = f'<p><a href="{escape(download)}" download>下载 BibTeX</a></p>'
    listing = f'{link}<dl class="ffn-references">{rows}</dl>'
    return content.replace(TOKEN, f'<div class="ffn-generated">{listing}</div>')


def _sources(report: Report) -> dict[str, Source]:
    """Key to source, oldest first."""
    return dict(
        sorted(report.stock.sources.items(), key=lambda item: (item[1].year, item[1].authors))
    )


def _entry(key: str, source: Source, report: Report) -> str:
    venue = f"，{escape(source.venue)}" if source.venue else ""
    head = (
        f'<dt id="{escape(key)}">{escape(source.authors)}（{source.year}）'
        f'<a href="{escape(source.url)}">{escape(source.title)}</a>{venue}</dt>'
    )
    use = f"<dd>{escape(source.use)}</dd>" if source.use else ""
    return head + use + _values(key, report)


def _values(key: str, report: Report) -> str:
    """The values of the source that pages quote, each with the place where it is printed."""
    quoted: dict[str, int] = defaultdict(int)
    for quote in report.quotes:
        if quote.kind == "cite" and quote.name.partition(".")[0] == key:
            quoted[quote.name] += 1
    items = "".join(
        f"<li>{escape(wording.show_fact(report.stock.cited[name].fact))}："
        f"{escape(report.stock.cited[name].fact.means)}"
        f"<br><small>{escape(report.stock.cited[name].locator)}，引用 {count} 次</small></li>"
        for name, count in quoted.items()
    )
    summary = f"引用了 {len(quoted)} 个数"
    return (
        f"<dd><details><summary>{summary}</summary><ul>{items}</ul></details></dd>" if items else ""
    )


def bibtex(report: Report) -> str:
    """One entry a source, under the ledger's own keys."""
    return "\n".join(_bibtex_entry(key, source) for key, source in _sources(report).items())


def _bibtex_entry(key: str, source: Source) -> str:
    fields = {
        "title": f"{{{source.title}}}",
        "author": " and ".join(_authors(source.authors)),
        "year": str(source.year),
        "howpublished": source.venue,
        "eprint": source.arxiv,
        "archiveprefix": "arXiv" if source.arxiv else "",
        "doi": source.doi,
        "url": source.url,
    }
    body = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@misc{{{key},\n{body}}}\n"


def _authors(text: str) -> list[str]:
    """`A. B., C. D. and E. F.` as single names; `et al.` becomes BibTeX's `others`."""
    names = re.split(r"\s*(?:,|、|;|\band\b|&)\s*", text.replace("et al.", ", others"))
    return [name for name in names if name]
