"""The child process: draws one figure or runs one measurement, and hands over plain data.

    python -m ffnsite.draw figure FOLDER NAME OUT
    python -m ffnsite.draw measure REQUEST

`gather` starts it with one torch thread. Exit status 0: OUT holds the outcome. Anything else is
reported by `gather` with the last lines that the child wrote.
"""

import importlib
import json
import math
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import msgspec
from plotly.graph_objects import Figure as PlotlyFigure

from ffnsite import cache, look
from ffnsite.cache import Entry, write_atomically
from ffnsite.desk import KIND, Outcome, Request, Unmeasured, desk
from ffnsite.errors import BadFigure, BadSource, FfnsiteError
from ffnsite.figure import (
    VALUE_CLASS,
    Chart,
    Diagram,
    Drawing,
    Figure,
    Table,
    View,
    write_fact,
)
from ffnsite.measurement import find
from ffnsite.tabulate import tabulate, words


def main(arguments: list[str]) -> int:
    """Runs what the command line asks for; the exit status."""
    sys.path.insert(0, str(desk.root))
    try:
        match arguments:
            case ["figure", folder, name, out]:
                outcome = draw(folder, name)
                write_atomically(Path(out), msgspec.json.encode(outcome))
            case ["measure"]:
                measure_all(sys.stdin)
            case _:
                raise BadFigure(f"不认识的参数：{arguments!r}")
    except FfnsiteError as fault:
        sys.stderr.write(f"{type(fault).__name__}: {fault}\n")
        return 1
    return 0


def draw(folder: str, name: str) -> Outcome:
    """The outcome of calling the figure's `draw()`."""
    desk.asking = True
    desk.used = {}
    desk.figures = desk.root.joinpath(*folder.split("."))
    started = time.perf_counter()
    with cache.recording() as reads:
        try:
            drawing = publish(_figure(folder, name))
            requests: list[Request] = []
        except Unmeasured as unmeasured:
            drawing, requests = None, unmeasured.requests
    return Outcome(drawing, requests, list(desk.used), reads, time.perf_counter() - started)


def measure_all(lines: Iterable[str]) -> None:
    """Runs the measurement that each line asks for, keeps its result, and answers with its name.

    Raises:
        BadSource: a file that an earlier line needed is another one now; what is loaded is stale.
    """
    seen: dict[str, str] = {}
    for line in lines:
        request = msgspec.json.decode(line, type=Request)
        find(request.function).run(request)
        entry = desk.cache.load(KIND, request.name)
        files = entry.recipe.files if isinstance(entry, Entry) else {}
        changed = sorted(
            path for path in files if seen.setdefault(path, files[path]) != files[path]
        )
        if changed:
            desk.cache.remove(KIND, request.name)
            raise BadSource(f"正算着，{'、'.join(changed)} 变了；再存一次盘就重算")
        sys.stdout.write(f"{request.name}\n")
        sys.stdout.flush()


def _figure(folder: str, name: str) -> Figure:
    module = importlib.import_module(f"{folder}.{name}")
    if not callable(getattr(module, "draw", None)):
        raise BadFigure(f"{folder}/{name}.py 里没有 draw() 函数")
    figure = module.draw()
    if not isinstance(figure, Figure):
        raise BadFigure(f"draw() 应返回 Figure，这里返回 {type(figure).__name__}")
    return figure


def publish(figure: Figure) -> Drawing:
    """The figure as plain data: facts written exactly, charts as JSON, their tables and texts."""
    return Drawing(
        caption=figure.caption,
        facts={key: write_fact(fact) for key, fact in figure.facts.items()},
        views=[_view(label, chart) for label, chart in figure.charts.items()],
        dark=look.DARK,
    )


def _view(label: str, chart: Chart) -> View:
    if isinstance(chart, str):
        return _diagram_view(label, Diagram(chart, Table([], [])))
    if isinstance(chart, Diagram):
        return _diagram_view(label, chart)
    if not isinstance(chart, PlotlyFigure):
        raise BadFigure(
            f"图应是 plotly 的 Figure、Diagram 或 SVG 文字，这里是 {type(chart).__name__}"
        )
    styled = PlotlyFigure(chart).update_layout(template=look.template())
    _check_plain(styled.to_plotly_json())
    plain: dict[str, Any] = json.loads(styled.to_json())
    height = plain["layout"].get("height") or look.HEIGHT
    return View(label, tabulate(plain["data"]), list(words(plain)), height, plotly=plain)


def _diagram_view(label: str, diagram: Diagram) -> View:
    texts = _svg_texts(diagram.svg)
    _check_values([text for text, is_value in texts if is_value], diagram.table)
    claims = [text for text, is_value in texts if not is_value]
    return View(label, diagram.table, claims, 0, svg=diagram.svg)


def _svg_texts(svg: str) -> list[tuple[str, bool]]:
    """The texts that a reader sees in the drawing, and whether each is a value of its table."""
    try:
        root = ET.fromstring(svg)
    except ET.ParseError as fault:
        raise BadFigure(f"SVG 不是合法的 XML：{fault}") from fault
    return [
        ("".join(element.itertext()), VALUE_CLASS in element.get("class", "").split())
        for element in root.iter()
        if element.tag.rpartition("}")[2] == "text"
    ]


def _check_values(values: list[str], table: Table) -> None:
    """Raises BadFigure for a written value that is not the rounding of a cell of the table."""
    cells = [cell for row in table.rows for cell in row[1:] if _is_number(cell)]
    for written in dict.fromkeys(values):
        plain = written.replace("−", "-")
        if not _is_number(plain):
            raise BadFigure(f"示意图的数格里写着“{written}”，读不成一个数")
        half = Decimal(1).scaleb(int(Decimal(plain).as_tuple().exponent)) / 2
        if not any(abs(Decimal(cell) - Decimal(plain)) <= half for cell in cells):
            raise BadFigure(f"示意图的数格里写着“{written}”，数据表里没有舍入后等于它的数")


def _is_number(cell: str) -> bool:
    try:
        return Decimal(cell).is_finite()
    except InvalidOperation:
        return False


def _check_plain(part: Any, where: str = "") -> None:
    """Raises BadFigure for NaN, infinity or a packed array anywhere in the chart; a gap is None."""
    if isinstance(part, dict) and "bdata" in part:
        raise BadFigure(f"图的数据 {where} 是 numpy 数组；请先 .tolist()，页面里才是读得懂的数")
    if isinstance(part, dict):
        for key, value in part.items():
            _check_plain(value, f"{where}.{key}".lstrip("."))
    elif isinstance(part, list | tuple):
        for index, value in enumerate(part):
            _check_plain(value, f"{where}[{index}]")
    elif isinstance(part, float) and not math.isfinite(part):
        raise BadFigure(f"图的数据 {where} 是 {part}；空格请用 None")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
