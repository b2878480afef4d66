"""SwiGLU at work: two words in three layers of SmolLM2-135M, channel by channel.

Of the 1,536 channels of a layer six are shown: the three with the largest product, and those that
stand a quarter, half and three quarters down the order of products.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ffnsite import look
from ffnsite.diagram import SMALL, Canvas
from ffnsite.experiments.gates import Reading, readings
from ffnsite.figure import Diagram, Fact, Figure, Table
from ffnsite.models.smollm2 import SMOLLM2_135M

TEXT = "The chef sliced a ripe mango with a very sharp knife and smiled"
WORDS = ("mango", "knife")
LAYERS = (3, 15, 28)
PLACES = tuple((word, layer) for word in WORDS for layer in LAYERS)

COLUMNS = ("gate", "Swish", "up", "乘积")
LEFT, CELL, GAP, HIGH, STEP = (47, 119, 191, 263), 56, 16, 26, 31
SIGNS = ("→", "×", "＝")
LIMIT = 2.0
TENTH = 10


@dataclass(frozen=True, slots=True)
class Channel:
    """One of the d_ff channels: its number and its four values."""

    index: int
    values: tuple[float, float, float, float]


def draw() -> Figure:
    """The diagram of each word and layer, and the numbers that are told of them."""
    found = dict(zip(PLACES, readings(TEXT, PLACES), strict=True))
    charts = {_label(*place): _diagram(one, *place) for place, one in found.items()}
    first = next(iter(charts))
    facts = _sizes(found[PLACES[0]])
    for place, one in found.items():
        facts |= _facts(one, *place)
    return Figure(
        chart=charts.pop(first),
        label=first,
        variants=charts,
        facts=facts,
        caption=(
            "从上往下读。每行是一条通道，颜色深浅是数的大小，橙红为正、蓝为负。"
            "Swish(gate) 与 up 相乘得到乘积；"
            f"全部 {SMOLLM2_135M.d_ff:,} 个乘积再由 W_down 混成输出。"
            "上三行是乘积最大的三条，下三行从大到小取自其余。"
        ),
    )


def _label(word: str, layer: int) -> str:
    return f"{word} · 第 {layer} 层"


def _diagram(one: Reading, word: str, layer: int) -> Diagram:
    chosen = _channels(one)
    canvas = Canvas()
    canvas.box(0, 1, 320, 32, f"{word} 在第 {layer} 层：x，{len(one.x)} 个数，长度 {_norm(one.x)}")
    for column, words in ((0, "W_gate"), (2, "W_up")):
        middle = LEFT[column] + CELL / 2
        canvas.arrow((middle, 33), (middle, 60))
        canvas.text(middle + 6, 46, words, size=SMALL, colour=look.MUTED)
    for left, words in zip(LEFT, COLUMNS, strict=True):
        canvas.text(left + CELL / 2, 70, words, anchor="middle", bold=True)
    for row, channel in enumerate(chosen):
        _row(canvas, 83 + STEP * row + (10 if row >= len(chosen) // 2 else 0), channel)
    bottom = 83 + STEP * len(chosen) + 10
    canvas.text(0, bottom + 10, f"……一共 {len(one.gate):,} 条通道", size=SMALL, colour=look.MUTED)
    middle = LEFT[3] + CELL / 2
    canvas.arrow((middle, bottom), (middle, bottom + 27))
    canvas.text(middle - 6, bottom + 14, "W_down", size=SMALL, colour=look.MUTED, anchor="end")
    out = f"输出，{len(one.out)} 个数，长度 {_norm(one.out)}，加回残差流"
    canvas.box(0, bottom + 28, 320, 32, out)
    return Diagram(canvas.svg(bottom + 61), _table(chosen))


def _row(canvas: Canvas, top: float, channel: Channel) -> None:
    middle = top + HIGH / 2
    canvas.text(0, middle, f"#{channel.index}", size=SMALL, colour=look.MUTED)
    for left, value in zip(LEFT, channel.values, strict=True):
        canvas.cell(left, top, CELL, HIGH, value, limit=LIMIT)
    for left, sign in zip(LEFT[1:], SIGNS, strict=True):
        canvas.text(left - GAP / 2, middle, sign, size=SMALL, colour=look.MUTED, anchor="middle")


def _table(chosen: list[Channel]) -> Table:
    rows = [[f"#{one.index}", *(f"{value:.4f}" for value in one.values)] for one in chosen]
    return Table(["通道", "gate", "Swish(gate)", "up", "乘积"], rows)


def _channels(one: Reading) -> list[Channel]:
    """The three strongest channels, then one a quarter, half and three quarters down."""
    order = np.argsort(-np.abs(one.product), kind="stable")
    places = (0, 1, 2, len(order) // 4, len(order) // 2, 3 * len(order) // 4)
    parts = (one.gate, one.opened, one.up, one.product)
    return [
        Channel(int(at), (float(parts[0][at]), *(float(part[at]) for part in parts[1:])))  # type: ignore[arg-type]
        for at in order[list(places)]
    ]


def _norm(vector: np.ndarray) -> str:
    return f"{np.linalg.norm(vector):.3g}"


def _sizes(one: Reading) -> dict[str, Fact]:
    return {
        "d": Fact(len(one.x), "count", means="SmolLM2-135M 残差流的宽度 d。"),
        "d_ff": Fact(len(one.gate), "count", means="SmolLM2-135M 每层 FFN 的通道数 d_ff。"),
        "layers": Fact(SMOLLM2_135M.layers, "count", means="SmolLM2-135M 的层数。"),
        "tenth": Fact(
            Fraction(len(one.gate) // TENTH, len(one.gate)),
            "share",
            means="「乘积最大的一成通道」是全部通道的几分之几。",
        ),
        "words": Fact(len(one.words), "count", means="示意图用的那句话切成几个词元。"),
    }


def _facts(one: Reading, word: str, layer: int) -> dict[str, Fact]:
    where = f"SmolLM2-135M 第 {layer} 层（从零数）在 {word} 上"
    strongest = _channels(one)[0]
    energy = np.sort(one.product**2)[::-1]
    tenth = len(energy) // TENTH
    return {
        f"{word}_{layer}_x": _measured(
            float(np.linalg.norm(one.x)), f"{where}，FFN 的输入 x 的长度。"
        ),
        f"{word}_{layer}_out": _measured(
            float(np.linalg.norm(one.out)), f"{where}，FFN 输出的长度。"
        ),
        f"{word}_{layer}_gate": _measured(strongest.values[0], f"{where}，乘积最大的通道的 gate。"),
        f"{word}_{layer}_opened": _measured(
            strongest.values[1], f"{where}，乘积最大的通道的 Swish(gate)。"
        ),
        f"{word}_{layer}_up": _measured(strongest.values[2], f"{where}，乘积最大的通道的 up。"),
        f"{word}_{layer}_product": _measured(
            strongest.values[3], f"{where}，各通道里绝对值最大的乘积，带符号。"
        ),
        f"{word}_{layer}_above_one": Fact(
            float((one.opened > 1).mean()), "share", 2, means=f"{where}，闸门大于一的通道的份额。"
        ),
        f"{word}_{layer}_negative": Fact(
            float((one.opened < 0).mean()), "share", 2, means=f"{where}，闸门为负的通道的份额。"
        ),
        f"{word}_{layer}_top_tenth": Fact(
            float(energy[:tenth].sum() / energy.sum()),
            "share",
            2,
            means=f"{where}，乘积最大的一成通道占全部乘积平方和的份额。",
        ),
    }


def _measured(value: float, means: str) -> Fact:
    return Fact(value, "number", digits=3, means=means)
