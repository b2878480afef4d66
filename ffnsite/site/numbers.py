"""The page of all numbers: what it says, what it means, who computes it, where it is quoted."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from html import escape

from ffnsite.figure import Table
from ffnsite.prose import formula, wording
from ffnsite.prose.binding import KINDS
from ffnsite.prose.quote import Known, Quote
from ffnsite.report import Report

COLUMNS = ["名字", "来路", "值", "单位", "口径", "谁算的", "文献", "原文", "位置"]
TOKEN = "<!-- ffnsite:numbers -->"
Address = Callable[[Quote], str]


def fill(content: str, report: Report, address: Address, downloads: tuple[str, str]) -> str:
    """The page's HTML with the table of all numbers in the place of the token.

    `address` leads to a quote, `downloads` to the table as CSV and as JSON, all from this page.
    """
    if TOKEN not in content:
        return content
    return content.replace(TOKEN, _ledger(report, address, downloads))


def _ledger(report: Report, address: Address, downloads: tuple[str, str]) -> str:
    quotes: dict[str, list[Quote]] = defaultdict(list)
    for quote in report.quotes:
        quotes[quote.name].append(quote)
    groups: dict[str, list[Known]] = defaultdict(list)
    for known in report.stock.shelf.known.values():
        groups[known.name.partition(".")[0]].append(known)
    sections = (_section(report, group, rows, quotes, address) for group, rows in groups.items())
    body = "".join(sections)
    return (
        f'<div class="ffn-generated" data-search-exclude>{_filter(report, downloads)}{body}</div>'
    )


def table(report: Report) -> Table:
    """All numbers for download: one row a quote, and one for each number that nothing quotes."""
    quotes: dict[str, list[Quote]] = defaultdict(list)
    for quote in report.quotes:
        quotes[quote.name].append(quote)
    rows = [
        [*_cells(known), *quoted]
        for known in report.stock.shelf.known.values()
        for quoted in [[q.text, str(q.place)] for q in quotes[known.name]] or [["", ""]]
    ]
    return Table(COLUMNS, rows)


def _cells(known: Known) -> list[str]:
    fact = known.fact
    shown = [known.name, KINDS[known.kind], wording.show_fact(fact), fact.unit]
    return [*shown, fact.means, known.where, known.source]


def _filter(report: Report, downloads: tuple[str, str]) -> str:
    """Controls that the page's script reads; without it every row is shown."""
    pages = "".join(_option(sheet.path, sheet.path) for sheet in report.sheets if sheet.quotes)
    kinds = "".join(_option(kind, KINDS[kind]) for kind in ("fact", "cite"))
    return (
        '<form class="ffn-filter">'
        f'<select name="page" aria-label="按页面筛选">{_option("", "所有页面")}{pages}</select>'
        f'<select name="kind" aria-label="按来路筛选">{_option("", "现算和文献")}{kinds}</select>'
        '<input name="text" type="search" placeholder="筛选" aria-label="按文字筛选"></form>'
        f'<p><a href="{downloads[0]}" download>下载 CSV</a> · <a href="{downloads[1]}" download>JSON</a></p>'
    )


def _option(value: str, label: str) -> str:
    return f'<option value="{escape(value)}">{escape(label)}</option>'


def _section(
    report: Report, group: str, rows: list[Known], quotes: dict[str, list[Quote]], address: Address
) -> str:
    body = "".join(_row(known, quotes[known.name], address) for known in rows)
    return (
        f'<section><h2 id="figure-{group}" data-search-exclude>{_title(report, group, rows[0])}</h2>'
        '<div class="ffn-scroll"><table class="ffn-ledger"><thead><tr><th scope="col">值</th>'
        '<th scope="col">口径</th><th scope="col">出处</th><th scope="col">引用处</th></tr></thead>'
        f"<tbody>{body}</tbody></table></div></section>"
    )


def _title(report: Report, group: str, first: Known) -> str:
    if first.kind == "cite":
        source = report.stock.cited[first.name].source
        return f'<a href="{escape(source.url)}">{escape(source.title)}</a>'
    seconds = report.stock.gathered.facts[first.name].seconds
    caption = report.stock.shelf.drawings[group].caption
    return f"图 {escape(group)}<small>{escape(caption)} 画它用了 {seconds:.1f} 秒</small>"


def _row(known: Known, quotes: list[Quote], address: Address) -> str:
    spread = wording.show_spread(known.fact)
    value = escape(wording.show_fact(known.fact))
    value += f"<br><small>换种子：{escape(spread)}</small>" if spread else ""
    made = f"<code>{escape(known.where)}</code>"
    made += f"<br><small>{escape(known.source)}</small>" if known.source else ""
    places = "、".join(_places(quotes, address)) or "还没有引用"
    pages = " ".join(dict.fromkeys(quote.place.path for quote in quotes))
    return (
        f'<tr id="{escape(known.name)}" data-kind="{known.kind}" data-page="{escape(pages)}">'
        f"<td>{value}</td><td>{escape(known.fact.means)}<br><code>{escape(known.name)}</code></td>"
        f"<td>{made}</td><td>{places}</td></tr>"
    )


def _places(quotes: list[Quote], address: Address) -> Iterator[str]:
    for quote in quotes:
        place = escape(f"{quote.place.path}:{quote.place.line}")
        yield f'<a href="{escape(address(quote))}" title="{place}">{formula.words_html(quote.text)}</a>'
