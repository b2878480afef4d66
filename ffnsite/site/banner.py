"""What an author sees on top of a page while something is wrong; only `mkdocs serve` shows it."""

from html import escape

from ffnsite.prose.sheet import Sheet
from ffnsite.report import Report


def add(content: str, report: Report, sheet: Sheet) -> str:
    """The page's HTML with the faults of the page and of the whole site above it."""
    here = [str(fault) for fault in sheet.faults]
    elsewhere = len(report.faults) - len(here) - len(report.stock.faults)
    lines = [*map(str, report.stock.faults), *here]
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    more = f"<p>别的页面还有 {elsewhere} 处。</p>" if elsewhere else ""
    summary = f"<p>{len(report.faults)} 处不对，这样的网站不会发布。</p>"
    head = '<aside class="ffn-faults ffn-generated" role="alert">'
    return f"{head}{summary}<ul>{items}</ul>{more}</aside>{content}"
