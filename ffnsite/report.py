"""Verdicts of a whole site, as text for people and as JSON for machines."""

from collections import Counter
from dataclasses import asdict, dataclass
from fractions import Fraction
from importlib import metadata
from typing import Any

from ffnsite.facts import Stock
from ffnsite.prose.binding import KINDS
from ffnsite.prose.exempt import EXEMPTIONS
from ffnsite.prose.quote import Fault, Quote, Verdict
from ffnsite.prose.sheet import Sheet
from ffnsite.quantity import decimal_string

LABELS = {exemption.name: exemption.label for exemption in EXEMPTIONS}
LIBRARIES = ("ffnsite", "mkdocs", "mkdocs-material", "markdown", "numpy", "plotly", "torch")


@dataclass(frozen=True, slots=True)
class Report:
    """The pages of a site as they were read, and what they could quote from.

    `built` holds what is wrong with the built pages, where they were looked at too; where the
    series is `whole`, a cited value that nothing quotes is a fault.
    """

    stock: Stock
    sheets: tuple[Sheet, ...]
    built: tuple[Fault, ...] = ()
    whole: bool = False

    @property
    def quotes(self) -> list[Quote]:
        """Every number of every page, in reading order."""
        return [quote for sheet in self.sheets for quote in sheet.quotes]

    @property
    def faults(self) -> list[Fault]:
        """All that keeps the site from being published; empty when it is all true."""
        pages = (fault for sheet in self.sheets for fault in sheet.faults)
        unquoted = map(self._unquoted_fault, self.unquoted if self.whole else ())
        return [*self.stock.faults, *pages, *self.built, *unquoted]

    def _unquoted_fault(self, name: str) -> Fault:
        path, _, line = self.stock.cited[name].where.rpartition(":")
        message = f"{name} 没有人引用；引用它，或者从台账里删掉"
        return Fault(path, int(line), 0, "unquoted", message)

    @property
    def unquoted(self) -> list[str]:
        """The cited values that no page quotes and no figure reads."""
        quoted = {quote.name for quote in self.quotes}
        return [name for name in self.stock.cited if name not in quoted]

    def text(self) -> str:
        """The faults one a paragraph, and a closing line with the counts."""
        counts = Counter(quote.kind for quote in self.quotes if quote.verdict.right)
        checked = "、".join(f"{counts[kind]} {name}" for kind, name in KINDS.items())
        if self.faults:
            lines = [str(fault) for fault in self.faults]
            return "\n".join([*lines, f"{len(lines)} 处不对；其余 {checked} 都对得上。"])
        left = f"台账里还有 {len(self.unquoted)} 个数没有人引用。" if self.unquoted else ""
        return f"{len(self.sheets)} 页，{checked}，都对得上。{left}"


def page_counts(sheet: Sheet) -> str:
    """The line at the foot of a page: `本页 41 个数：29 现算、9 文献、3 免检`."""
    bound = [quote for quote in sheet.quotes if quote.kind in KINDS]
    counts = Counter(quote.kind for quote in bound)
    kinds = "、".join(f"{counts[kind]} {name}" for kind, name in KINDS.items() if counts[kind])
    return f"本页 {len(bound)} 个数：{kinds}" if bound else ""


def exempt_counts(sheet: Sheet) -> dict[str, int]:
    """Exempt class (by its Chinese label) to how many numerals of the page fall under it."""
    counts = Counter(
        q.name for q in sheet.quotes if q.kind == "loose" and q.verdict is Verdict.EXEMPT
    )
    found = {LABELS.get(name, name): count for name, count in sorted(counts.items())}
    return found | ({"公式里的数": sheet.formulas} if sheet.formulas else {})


def as_json(report: Report) -> dict[str, Any]:
    """The build report, `site/facts.json`: facts, quotes, counts a page, versions."""
    return {
        "facts": [_fact(report, name) for name in report.stock.shelf.known],
        "quotes": [_quote(quote) for quote in report.quotes if quote.kind != "loose"],
        "exempt": [_quote(quote) for quote in report.quotes if quote.kind == "loose"],
        "pages": {sheet.path: _page(sheet) for sheet in report.sheets},
        "faults": [asdict(fault) for fault in report.faults],
        "unquoted": report.unquoted,
        "versions": {name: metadata.version(name) for name in LIBRARIES},
    }


def _fact(report: Report, name: str) -> dict[str, Any]:
    known = report.stock.shelf.known[name]
    low, high = known.fact.ends
    computed = report.stock.gathered.facts.get(name)
    return {
        "name": name,
        "kind": known.kind,
        "value": [decimal_string(low), decimal_string(high)]
        if known.fact.is_range
        else decimal_string(low),
        "unit": known.fact.unit,
        "digits": known.fact.digits,
        "spread": [decimal_string(Fraction(end)) for end in known.fact.spread or ()] or None,
        "means": known.fact.means,
        "where": known.where,
        "source": known.source or None,
        "seconds": round(computed.seconds, 3) if computed else None,
    }


def _quote(quote: Quote) -> dict[str, Any]:
    interval = quote.quantity and {
        "low": decimal_string(quote.quantity.low),
        "high": decimal_string(quote.quantity.high),
        "low_open": quote.quantity.low_open,
        "high_open": quote.quantity.high_open,
    }
    return {
        "page": quote.place.path,
        "line": quote.place.line,
        "column": quote.place.column,
        "text": quote.text,
        "kind": quote.kind,
        "name": quote.name,
        "interval": interval,
        "verdict": quote.verdict.value,
        "message": quote.message or None,
    }


def _page(sheet: Sheet) -> dict[str, Any]:
    bound = Counter(KINDS[quote.kind] for quote in sheet.quotes if quote.kind in KINDS)
    return {**bound, "免检类": exempt_counts(sheet), "图": sheet.figures}
