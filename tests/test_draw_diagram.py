"""A diagram is published with its table; its cells agree with the table, its words with facts."""

import pytest

from ffnsite.diagram import Canvas
from ffnsite.draw import publish
from ffnsite.errors import BadFigure
from ffnsite.figure import Diagram, Figure, Table

TABLE = Table(["通道", "gate"], [["7", "-1.2549"], ["8", "0.5"]])


def published(values: list[float], table: Table = TABLE):
    canvas = Canvas()
    canvas.text(0, 0, "闸门 3")
    canvas.cells(0, 0, 320, 30, values, limit=2)
    return publish(Figure(Diagram(canvas.svg(40), table), {}, "图")).views[0]


def test_the_table_goes_to_the_page():
    assert published([-1.2549]).table == TABLE


def test_words_are_claims_and_cells_are_data():
    assert published([-1.2549, 0.5]).texts == ["闸门 3"]


@pytest.mark.parametrize("value", [-1.26, 1.25, 7])  # another number, another sign, a row's name
def test_a_cell_that_is_not_in_the_table_is_refused(value):
    with pytest.raises(BadFigure, match="数据表里没有舍入后等于它的数"):
        published([value])


def test_a_cell_without_a_number_is_refused():
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><text class="ffn-value">很大</text></svg>'
    with pytest.raises(BadFigure, match="读不成一个数"):
        publish(Figure(Diagram(svg, TABLE), {}, "图"))


def test_a_thing_that_is_no_chart_is_refused():
    with pytest.raises(BadFigure, match="Diagram"):
        publish(Figure(3, {}, "图"))
