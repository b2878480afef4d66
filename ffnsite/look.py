"""How every chart looks: colours with a meaning, one template, both colour schemes.

A chart is made with the light colours below and nothing else. The page holds `DARK`, a table from
each light colour to its dark one, and swaps them when the reader changes the scheme, so a chart is
drawn from one set of data in both. Colours differ in lightness as well as hue, which keeps them
apart for colour-blind readers and in print.
"""

from typing import Any, TypeAlias

import plotly.graph_objects as go

INK = "#1f2a37"
MUTED = "#5c6773"
GRID = "#e1e5ea"
ATTENTION = "#3a6ea5"
FFN = "#c8553d"
EMBEDDING = "#8d96a3"
HEAD = "#b9a44c"
OTHER = "#6b4e71"
POSITIVE = "#2f7f6f"
NEGATIVE = "#8f2d56"
CLEAR = "rgba(0,0,0,0)"

Scale: TypeAlias = list[list[float | str]]
"""Stops of a colour scale: the place from 0 to 1, and its colour."""

SEQUENTIAL: Scale = [
    [0.0, "#f6f3ee"],
    [0.2, "#f2d3b4"],
    [0.4, "#e8a17e"],
    [0.6, "#cc6a5c"],
    [0.8, "#953a55"],
    [1.0, "#4f1d4a"],
]
DIVERGING: Scale = [
    [0.0, "#1f4e79"],
    [0.25, "#7fa8cc"],
    [0.5, "#f4f4f2"],
    [0.75, "#e09a7a"],
    [1.0, "#9c2f2a"],
]

DARK = {
    INK: "#e4e7eb",
    MUTED: "#a9b3be",
    GRID: "#3b424f",
    ATTENTION: "#82b1e0",
    FFN: "#f08c70",
    EMBEDDING: "#9aa4b2",
    HEAD: "#dcc873",
    OTHER: "#b592bd",
    POSITIVE: "#63c3ae",
    NEGATIVE: "#e07aa5",
    "#f6f3ee": "#232733",
    "#f2d3b4": "#4a2f4d",
    "#e8a17e": "#8a3a5b",
    "#cc6a5c": "#c9605f",
    "#953a55": "#eda17c",
    "#4f1d4a": "#fbe6c8",
    "#1f4e79": "#8fc1ee",
    "#7fa8cc": "#41698f",
    "#f4f4f2": "#262a33",
    "#e09a7a": "#9c5140",
    "#9c2f2a": "#ff9d84",
}

HEIGHT = 360
FONT = (
    '-apple-system, "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", '
    '"Noto Sans CJK SC", "Source Han Sans SC", "WenQuanYi Micro Hei", sans-serif'
)


def chart(height: int = HEIGHT) -> go.Figure:
    """An empty figure of this height in pixels, in the house style; the width follows the page."""
    figure = go.Figure()
    figure.update_layout(template=template(), height=height)
    return figure


def template() -> go.layout.Template:
    """Fonts, margins, axes and legend of every chart."""
    return go.layout.Template(
        layout={
            "font": {"family": FONT, "size": 13, "color": INK},
            "paper_bgcolor": CLEAR,
            "plot_bgcolor": CLEAR,
            "margin": {"l": 8, "r": 8, "t": 28, "b": 8},
            "colorway": [ATTENTION, FFN, EMBEDDING, HEAD, OTHER, POSITIVE, NEGATIVE],
            "hoverlabel": {"font": {"family": FONT}},
            "legend": {"orientation": "h", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"},
            "xaxis": _axis(),
            "yaxis": _axis(),
            "bargap": 0.35,
        }
    )


def _axis() -> dict[str, Any]:
    return {
        "automargin": True,
        "fixedrange": True,
        "gridcolor": GRID,
        "linecolor": GRID,
        "zerolinecolor": GRID,
        "tickfont": {"color": MUTED},
        "ticklabelstandoff": 6,
        "title": {"font": {"color": MUTED, "size": 13}},
    }
