"""The data of a chart as a table, for readers without pictures and for download."""

import csv
import io
from collections.abc import Callable, Iterable
from typing import Any

from ffnsite.errors import BadFigure
from ffnsite.figure import Table

Trace = dict[str, Any]


def tabulate(traces: list[Trace]) -> Table:
    """The drawn data of plotly traces, cell by cell.

    Bars and lines that share an axis stand side by side; a heatmap is laid out as it is drawn.

    Raises:
        BadFigure: a kind of trace that this table does not know.
    """
    kinds = {trace.get("type", "scatter") for trace in traces}
    unknown = kinds - KINDS.keys()
    if unknown:
        raise BadFigure(
            f"不会把 {'、'.join(sorted(unknown))} 类型的图变成数据表；能变的有 {'、'.join(KINDS)}"
        )
    if len({KINDS[kind] for kind in kinds}) > 1:
        raise BadFigure(f"一张图里混用 {'、'.join(sorted(kinds))}，变不成一张数据表")
    return KINDS[kinds.pop()](traces) if kinds else Table([], [])


def _series(traces: list[Trace]) -> Table:
    """Category or x first, then one column a trace."""
    sideways = all(trace.get("orientation") == "h" for trace in traces)
    along, up = ("y", "x") if sideways else ("x", "y")
    places = list(dict.fromkeys(place for trace in traces for place in _list(trace, along)))
    columns = [dict(zip(_list(trace, along), _list(trace, up), strict=True)) for trace in traces]
    names = [str(trace.get("name") or "") for trace in traces]
    rows = [[_text(place), *(_text(column.get(place)) for column in columns)] for place in places]
    return Table(["", *names], rows)


def _grid(traces: list[Trace]) -> Table:
    """One row a line of the heatmap, its label first."""
    rows = []
    for trace in traces:
        for label, line in zip(_list(trace, "y"), _list(trace, "z"), strict=True):
            rows.append([_text(label), *map(_text, line)])
    return Table(["", *map(_text, _list(traces[0], "x"))], rows)


def _list(trace: Trace, axis: str) -> list[Any]:
    values = trace.get(axis)
    if not isinstance(values, list | tuple):
        raise BadFigure(
            f"图的 {axis} 应是普通列表，这里是 {type(values).__name__}；numpy 数组请先 .tolist()"
        )
    return list(values)


def _text(value: Any) -> str:
    return "" if value is None else str(value)


KINDS: dict[str, Callable[[list[Trace]], Table]] = {
    "bar": _series,
    "scatter": _series,
    "heatmap": _grid,
}


def csv_text(table: Table) -> str:
    """The table as CSV (RFC 4180), first line the columns."""
    text = io.StringIO()
    csv.writer(text).writerows([table.columns, *table.rows])
    return text.getvalue()


def words(chart: dict[str, Any]) -> Iterable[str]:
    """The texts of a chart that make claims: titles, names in the legend, annotations, bar texts."""
    layout = chart.get("layout", {})
    yield from _titles(layout)
    yield from (note["text"] for note in layout.get("annotations", []) if note.get("text"))
    for trace in chart.get("data", []):
        yield from (str(trace[key]) for key in ("name",) if trace.get(key))
        text = trace.get("text")
        yield from [text] if isinstance(text, str) else map(str, text or [])
        yield from _titles(trace.get("colorbar", {}))


def _titles(part: dict[str, Any]) -> Iterable[str]:
    for key, value in part.items():
        if key == "title" and isinstance(value, dict) and value.get("text"):
            yield value["text"]
        elif key.startswith(("xaxis", "yaxis")) and isinstance(value, dict):
            yield from _titles(value)
