"""One figure on a page: chart, caption, alternative text, data table, download; its numerals checked."""

import json
from fractions import Fraction
from html import escape

from ffnsite.cache import library_version
from ffnsite.errors import nearest
from ffnsite.figure import Drawing, Fact, View, read_fact
from ffnsite.prose import wording
from ffnsite.prose.exempt import Names
from ffnsite.prose.judge import judge
from ffnsite.prose.loose import find_loose
from ffnsite.prose.quote import Place, Verdict
from ffnsite.prose.sheet import Sheet, Shelf

PLOTLY = f"assets/ffnsite/plotly-{library_version('plotly')}.min.js"
SHORTEST_ALT = 8


def place_figure(place: Place, name: str, alt: str, sheet: Sheet, shelf: Shelf) -> str:
    """The figure's HTML; what is wrong with it is noted on the sheet."""
    drawing = shelf.drawings.get(name)
    if drawing is None:
        sheet.fault(place, name, Verdict.UNKNOWN, _missing(name, shelf))
        return f'<p class="ffn-fault" role="note">{escape(_missing(name, shelf))}</p>'
    if len(alt.strip()) < SHORTEST_ALT:
        message = f"图 {name} 的替代文字“{alt}”太短；看不到图的读者要从里面知道图说了什么"
        sheet.fault(place, alt, Verdict.MISPLACED, message)
    for words in disagreeing(alt, facts_of(drawing), shelf.names):
        message = f"替代文字里的“{words}”对不上图 {name} 的任何一个事实"
        sheet.fault(place, words, Verdict.DISAGREES, message)
    sheet.figures.append(name)
    return figure_html(name, alt, drawing, sheet) if sheet.shown else ""


def _missing(name: str, shelf: Shelf) -> str:
    if name in shelf.broken:
        return f"图 {name} 没画成：{shelf.broken[name]}"
    close = nearest(name, [*shelf.drawings, *shelf.broken])
    return f"没有叫 {name} 的图；" + (
        f"最像的是 {'、'.join(close)}" if close else "figures/ 里一个也不像"
    )


def facts_of(drawing: Drawing) -> list[Fact]:
    """The facts that the figure's texts must agree with."""
    return [read_fact(written) for written in drawing.facts.values()]


def disagreeing(text: str, facts: list[Fact], names: Names) -> list[str]:
    """The numerals of a figure's text that agree with none of its facts."""
    loose = [found.text for found in find_loose(text, names) if not found.exemption]
    return [
        words
        for words in loose
        if not any(judge(words, fact).verdict is Verdict.AGREES for fact in facts)
    ]


def drawn_faults(drawing: Drawing, names: Names) -> list[str]:
    """The numerals in caption, titles, legend and annotations that agree with no fact."""
    facts = facts_of(drawing)
    texts = [
        drawing.caption,
        *(text for view in drawing.views for text in [view.label, *view.texts]),
    ]
    return [
        f"图里写着“{words}”，对不上这张图的任何一个事实"
        for text in dict.fromkeys(texts)
        for words in disagreeing(text, facts, names)
    ]


def figure_html(name: str, alt: str, drawing: Drawing, sheet: Sheet) -> str:
    """The figure as HTML that also says everything without JavaScript."""
    first = drawing.views[0]
    again = sheet.figures.count(name)
    anchor = f"figure-{name}" if again == 1 else f"figure-{name}-{again}"
    how = sheet.link(f"numbers/#figure-{name}")
    download = sheet.link(f"assets/ffnsite/{name}.csv")
    return (
        f'<figure class="ffn-figure" id="{anchor}" data-plotly="{sheet.link(PLOTLY)}" '
        "data-search-exclude>"
        f"{_switch(drawing.views)}{_chart(first, alt)}{_data(drawing)}"
        f"<figcaption>{escape(drawing.caption)} "
        f'<span class="ffn-links"><a href="{how}">怎么算的</a> · '
        f'<a href="{download}" download>CSV</a></span></figcaption>'
        f"{''.join(map(_table, drawing.views))}</figure>"
    )


def _switch(views: list[View]) -> str:
    if len(views) == 1:
        return ""
    buttons = "".join(
        f'<button type="button" aria-pressed="{"true" if index == 0 else "false"}">'
        f"{escape(view.label)}</button>"
        for index, view in enumerate(views)
    )
    return f'<div class="ffn-switch" role="group" aria-label="切换">{buttons}</div>'


def _chart(view: View, alt: str) -> str:
    inside = view.svg or ""
    style = f' style="--ffn-height:{view.height}px"' if view.plotly else ""
    return f'<div class="ffn-chart" role="img" aria-label="{escape(alt)}"{style}>{inside}</div>'


def _data(drawing: Drawing) -> str:
    """The charts as inert JSON in a template, which browsers neither show nor run."""
    charts = [view.plotly or {"svg": view.svg} for view in drawing.views]
    text = json.dumps(
        {"charts": charts, "dark": drawing.dark}, ensure_ascii=False, separators=(",", ":")
    )
    return f'<template class="ffn-data">{escape(text, quote=False)}</template>'


def _table(view: View) -> str:
    if not view.table.rows:
        return ""
    summary = f"数据表：{view.label}" if view.label else "数据表"
    head = "".join(f"<th scope='col'>{escape(cell)}</th>" for cell in view.table.columns)
    rows = "".join(_row(row) for row in view.table.rows)
    return (
        f'<details class="ffn-table"><summary>{escape(summary)}</summary><div class="ffn-scroll">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div></details>"
    )


def _row(row: list[str]) -> str:
    head, *cells = row
    return (
        f"<tr><th scope='row'>{escape(head)}</th>"
        + "".join(f"<td>{escape(shortened(cell))}</td>" for cell in cells)
        + "</tr>"
    )


def shortened(cell: str) -> str:
    """A data cell as a reader wants it: four significant digits; the CSV keeps them all."""
    try:
        number = Fraction(cell)
    except (ValueError, ZeroDivisionError):
        return cell
    return f"{int(number):,}" if number.denominator == 1 else wording.rounded(number, 4)
