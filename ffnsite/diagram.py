"""A room for data-flow diagrams: SVG text with boxes, arrows and rows of shaded value cells.

A diagram is one narrow column, 320 units wide, so that its words stay readable on a phone; on a
wide page it is 400 pixels wide and no more. It is drawn with the colours of `look` only, which the
page swaps for the dark scheme; a cell takes one stop of a colour scale, never a mixture.

    canvas = Canvas()
    canvas.box(0, 0, 320, 34, "x")
    canvas.arrow((160, 34), (160, 60))
    canvas.cells(0, 60, 320, 30, values, limit=2.0)
    Diagram(canvas.svg(90), table)
"""

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import Literal, TypeAlias

from ffnsite import look
from ffnsite.figure import VALUE_CLASS
from ffnsite.look import Scale

Point: TypeAlias = tuple[float, float]
Anchor: TypeAlias = Literal["start", "middle", "end"]

WIDTH = 320
WIDEST = 400
TEXT = 13.5
SMALL = 12.5
PAPER = str(look.DIVERGING[2][1])
"""The middle of the diverging scale: light on a light page, dark on a dark one."""
_HEAD = 4.5
_RADIUS = 4
_LINEAR = 0.03928  # where sRGB turns from a line into a power


class Canvas:
    """What is drawn so far; x runs right and y down, in units of 1/320 of the diagram's width."""

    def __init__(self, width: float = WIDTH) -> None:
        self._width = width
        self._root = ET.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "width": _short(WIDEST * width / WIDTH),
                "font-family": look.FONT.replace('"', "'"),
                "font-size": _short(TEXT),
                "fill": look.INK,
            },
        )

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: float = TEXT,
        colour: str = look.INK,
        anchor: Anchor = "start",
        bold: bool = False,
    ) -> None:
        """Words whose middle line is at y; a numeral in them has to agree with a fact."""
        self._write(x, y, words, size, colour, anchor, {"font-weight": "600"} if bold else {})

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        words: str = "",
        *,
        fill: str = "none",
        stroke: str = look.MUTED,
        dashed: bool = False,
    ) -> None:
        """A rounded box with its words in the middle."""
        dashes = {"stroke-dasharray": "4 3"} if dashed else {}
        self._rectangle(x, y, width, height, {"fill": fill, "stroke": stroke, **dashes})
        if words:
            colour = look.INK if fill == "none" else ink_on(fill)
            self.text(x + width / 2, y + height / 2, words, colour=colour, anchor="middle")

    def line(self, *points: Point, colour: str = look.MUTED) -> None:
        """A line through these points."""
        steps = " ".join(f"{_short(x)},{_short(y)}" for x, y in points)
        self._line("polyline", {"points": steps}, colour)

    def arrow(self, *points: Point, colour: str = look.MUTED) -> None:
        """A line through these points, with its head at the last one."""
        self.line(*points, colour=colour)
        (tail_x, tail_y), (x, y) = points[-2:]
        length = ((x - tail_x) ** 2 + (y - tail_y) ** 2) ** 0.5
        along_x, along_y = (x - tail_x) / length * _HEAD, (y - tail_y) / length * _HEAD
        left = (x - along_x - along_y, y - along_y + along_x)
        right = (x - along_x + along_y, y - along_y - along_x)
        self.line(left, (x, y), right, colour=colour)

    def cell(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        value: float,
        *,
        limit: float,
        words: str | None = None,
        scale: Scale = look.DIVERGING,
        size: float = TEXT,
    ) -> None:
        """A cell shaded by its value and written over with it, to two decimals unless told.

        `limit` is the value of the scale's last stop; a diverging scale begins at its negative.
        `words` is the value as it shall be written; "" leaves the cell bare.
        """
        fill = shade(value, limit, scale)
        self._rectangle(x, y, width, height, {"fill": fill})
        written = number(value) if words is None else words
        middle = (x + width / 2, y + height / 2)
        if written:
            self._write(*middle, written, size, ink_on(fill), "middle", {"class": VALUE_CLASS})

    def cells(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        values: Sequence[float],
        *,
        limit: float,
        scale: Scale = look.DIVERGING,
        size: float = TEXT,
        gap: float = 3,
    ) -> None:
        """A row of cells side by side that fills the width."""
        each = (width - gap * (len(values) - 1)) / len(values)
        for index, value in enumerate(values):
            left = x + index * (each + gap)
            self.cell(left, y, each, height, value, limit=limit, scale=scale, size=size)

    def svg(self, height: float) -> str:
        """The drawing, cut at this height, as SVG text."""
        self._root.set("viewBox", f"0 0 {_short(self._width)} {_short(height)}")
        return ET.tostring(self._root, encoding="unicode")

    def _write(
        self,
        x: float,
        y: float,
        words: str,
        size: float,
        colour: str,
        anchor: Anchor,
        more: dict[str, str],
    ) -> None:
        # Shifted by hand: Safari and older printers ignore dominant-baseline.
        style = {"x": _short(x), "y": _short(y + 0.35 * size), **more}
        style |= {"font-size": _short(size)} if size != TEXT else {}
        style |= {"fill": colour} if colour != look.INK else {}
        style |= {"text-anchor": anchor} if anchor != "start" else {}
        ET.SubElement(self._root, "text", style).text = words

    def _rectangle(
        self, x: float, y: float, width: float, height: float, style: dict[str, str]
    ) -> None:
        sides = {"x": x, "y": y, "width": width, "height": height, "rx": _RADIUS}
        places = {name: _short(side) for name, side in sides.items()}
        ET.SubElement(self._root, "rect", places | style)

    def _line(self, shape: str, place: dict[str, str], colour: str) -> None:
        style = {"fill": "none", "stroke": colour, "stroke-width": "1.3"}
        ET.SubElement(self._root, shape, place | style)


def shade(value: float, limit: float, scale: Scale = look.DIVERGING) -> str:
    """The scale's stop nearest to the value.

    A diverging scale runs from -limit to limit, any other from 0 to limit; beyond is the last stop.
    """
    part = value / limit if limit else 0.0
    place = (part + 1) / 2 if scale is look.DIVERGING else part
    nearest = min(scale, key=lambda stop: abs(float(stop[0]) - place))
    return str(nearest[1])


def ink_on(fill: str) -> str:
    """The colour for words on this fill that is the more legible in its worse scheme."""
    return max(look.INK, PAPER, key=lambda ink: legibility(ink, fill))


def legibility(ink: str, fill: str) -> float:
    """The contrast ratio of two light colours of `look` in the scheme where it is lower.

    Source: WCAG 2.2, contrast ratio, from 1 to 21.
    """
    dark = (look.DARK[ink], look.DARK[fill])
    return min(_contrast(ink, fill), _contrast(*dark))


def number(value: float, decimals: int = 2) -> str:
    """The value with a real minus sign; a zero has no sign."""
    written = f"{value:.{decimals}f}"
    return written.replace("-", "−") if float(written) else written.lstrip("-")


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    """Relative luminance of an sRGB colour written #rrggbb (WCAG 2.2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= _LINEAR else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _short(length: float) -> str:
    """A length to a tenth of a unit, without needless zeros."""
    return f"{length:.1f}".removesuffix(".0")
