"""Diagrams: the colours of `look` only, legible in both schemes, wide enough for a phone."""

import re
import xml.etree.ElementTree as ET

import pytest

from ffnsite import diagram, look
from ffnsite.diagram import Canvas

COLUMN_ON_A_PHONE = 288  # CSS pixels of Material's text column on a page of 320


def drawn() -> str:
    canvas = Canvas()
    canvas.box(0, 0, 100, 30, "x < y & 词", fill=look.FFN)
    canvas.arrow((50, 30), (50, 60))
    canvas.text(0, 70, "小字", size=diagram.SMALL, colour=look.MUTED)
    canvas.cells(0, 80, 320, 30, [-2.0, -0.004, 1.257], limit=2.0)
    return canvas.svg(120)


def elements(name: str, svg: str) -> list[ET.Element]:
    return [element for element in ET.fromstring(svg).iter() if element.tag.endswith(f"}}{name}")]


def test_words_are_escaped_and_come_back_whole():
    assert "x < y & 词" in [element.text for element in elements("text", drawn())]


def test_every_colour_has_its_dark_one():
    assert set(re.findall(r"#[0-9a-fA-F]{6}\b", drawn())) <= look.DARK.keys()


def test_the_smallest_words_are_eleven_pixels_on_the_narrowest_phone():
    assert diagram.SMALL * COLUMN_ON_A_PHONE / diagram.WIDTH >= 11


def test_an_arrow_s_head_opens_backwards_from_its_point():
    canvas = Canvas()
    canvas.arrow((0, 0), (10, 0))
    _, head = elements("polyline", canvas.svg(10))
    left, point, right = (tuple(map(float, p.split(","))) for p in head.get("points").split())
    assert point == (10, 0)
    assert left[0] < 10
    assert right[0] < 10
    assert left[1] == -right[1] != 0


def test_cells_fill_the_width_with_equal_gaps():
    canvas = Canvas()
    canvas.cells(10, 0, 300, 30, [1, 2, 3], limit=3, gap=6)
    sides = [(float(r.get("x")), float(r.get("width"))) for r in elements("rect", canvas.svg(30))]
    assert sides == [(10, 96), (112, 96), (214, 96)]


@pytest.mark.parametrize(
    ("value", "scale", "stop"),
    [
        (-2, look.DIVERGING, 0),
        (-0.9, look.DIVERGING, 1),
        (0.4, look.DIVERGING, 2),
        (99, look.DIVERGING, 4),
        (0.3, look.SEQUENTIAL, 1),
        (2, look.SEQUENTIAL, 5),
    ],
)
def test_a_value_takes_the_nearest_stop(value, scale, stop):
    assert diagram.shade(value, 2, scale) == scale[stop][1]


@pytest.mark.parametrize("fill", [stop[1] for stop in look.DIVERGING])
def test_words_on_a_diverging_cell_are_legible_in_both_schemes(fill):
    assert diagram.legibility(diagram.ink_on(fill), fill) >= 4.5


def test_black_on_white_has_the_contrast_that_wcag_gives(monkeypatch):
    same = {"#000000": "#000000", "#ffffff": "#ffffff"}
    monkeypatch.setattr(look, "DARK", same)
    assert diagram.legibility("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize(
    ("value", "words"), [(-1.005, "−1.00"), (-0.004, "0.00"), (0, "0.00"), (12.345, "12.35")]
)
def test_a_number_has_a_real_minus_sign_and_zero_has_none(value, words):
    assert diagram.number(value) in {words, words.replace("12.35", "12.34")}
