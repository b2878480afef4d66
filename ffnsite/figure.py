"""Facts and figures: what a file in `figures/` returns, and what of it the pages are given.

Knows neither torch nor plotly, so that the reading half may hold facts without loading a model.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Rational, Real
from statistics import fmean
from typing import Any

from ffnsite.errors import BadFact, BadFigure

Number = int | float | Fraction
Chart = Any  # a plotly figure, a Diagram, or SVG text that shows no data

VALUE_CLASS = "ffn-value"
KEY = re.compile(r"[a-z0-9_]+")
MONOMIAL = re.compile(r"(?:[A-Za-z](?:\^\d+)?)(?: [A-Za-z](?:\^\d+)?)*")
UNITS = {
    "share": "占整体的份额（0 到 1）",
    "ratio": "倍数",
    "change": "变化的幅度（比例）",
    "pp": "百分点",
    "count": "个数",
    "number": "纯数",
    "byte": "字节",
    "s": "秒",
    "m": "米",
    "FLOP": "FLOP",
    "FLOP/s": "FLOP/s",
    "FLOP/byte": "FLOP/byte",
    "byte/s": "byte/s",
    "token/s": "token/s",
    "byte/param": "字节/参数",
    "nat": "nat",
    "bit": "bit",
}


@dataclass(frozen=True, slots=True)
class Fact:
    """One number with its definition.

    Attributes:
        value: int or Fraction where it is exact, else a float; a pair is a range (low, high).
        unit: a key of `UNITS`, or a monomial such as `d^2` or `n d^2`.
        digits: significant digits that survive other seeds, thread counts and CPUs; a float needs
            it, None says the value is exact.
        spread: (low, high) over several seeds.
        means: one Chinese sentence that defines the number.

    Raises:
        BadFact: NaN, infinity, a float without digits, an unknown unit, no definition …
    """

    value: Number | tuple[Number, Number]
    unit: str
    digits: int | None = None
    spread: tuple[Number, Number] | None = None
    means: str = ""

    def __post_init__(self) -> None:
        faults = [*self._number_faults(), *self._word_faults()]
        if faults:
            raise BadFact("；".join(faults))

    @classmethod
    def over(cls, values: Sequence[float], unit: str, means: str, digits: int = 2) -> "Fact":
        """The mean of what several texts, seeds or facts gave, with the lowest and the highest."""
        low, high = min(values), max(values)
        # The mean of equal floats may miss them by a bit.
        mean = min(max(fmean(values), low), high)
        return cls(mean, unit, digits=digits, spread=(low, high), means=means)

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The value as an exact range; both ends are the same for a single value."""
        low, high = self.value if isinstance(self.value, tuple) else (self.value, self.value)
        return exact(low), exact(high)

    @property
    def is_range(self) -> bool:
        """Whether the value is a pair (low, high)."""
        return isinstance(self.value, tuple)

    def _numbers(self) -> list[Number]:
        pair = self.value if isinstance(self.value, tuple) else (self.value,)
        return [*pair, *(self.spread or ())]

    def _number_faults(self) -> list[str]:
        numbers = self._numbers()
        if not all(isinstance(n, Real) and not isinstance(n, bool) for n in numbers):
            return [f"事实的值应是 int、float 或 Fraction，这里是 {self.value!r}"]
        if not all(math.isfinite(n) for n in numbers):
            return [f"事实的值是 {self.value!r}（spread {self.spread!r}），NaN 和无穷不能引用"]
        faults = []
        if self.digits is None and not all(isinstance(n, Rational) for n in numbers):
            faults.append(
                f"{self.value!r} 是浮点数，要写 digits：换种子、线程数、CPU 后还站得住几位"
            )
        if self.digits is not None and self.digits < 1:
            faults.append(f"digits 应至少是 1，这里是 {self.digits}")
        return faults + self._order_faults()

    def _order_faults(self) -> list[str]:
        low, high = self.ends
        faults = [] if low <= high else [f"范围 {self.value!r} 的两端颠倒了"]
        if self.spread is not None and not exact(self.spread[0]) <= low <= high <= exact(
            self.spread[1]
        ):
            faults.append(f"值 {self.value!r} 不在 spread {self.spread!r} 里")
        if self.unit == "share" and not 0 <= low <= high <= 1:
            faults.append(f"份额 {self.value!r} 不在 0 到 1 之间")
        return faults

    def _word_faults(self) -> list[str]:
        faults = []
        if self.unit not in UNITS and not MONOMIAL.fullmatch(self.unit):
            faults.append(f"不认识的单位 {self.unit!r}；可用 {'、'.join(UNITS)}，或单项式如 d^2")
        if not self.means.strip():
            faults.append("缺 means：用一句中文说清这个数的口径")
        return faults


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with named facts; what `draw()` of a figure file returns.

    Attributes:
        chart: a plotly figure, a `Diagram`, or SVG text without data, shown first.
        facts: key to fact; the full name is `<figure file>.<key>`.
        caption: Chinese text below; its numerals agree with facts of this figure.
        variants: label to chart, what a reader may switch to besides the first one.
        label: the first chart's label, needed where there are variants.
    """

    chart: Chart
    facts: dict[str, Fact]
    caption: str
    variants: dict[str, Chart] = field(default_factory=dict)
    label: str = ""

    def __post_init__(self) -> None:
        wrong = [key for key in self.facts if not KEY.fullmatch(key)]
        if wrong:
            raise BadFigure(f"事实的键只能用 [a-z0-9_]+，这里有 {'、'.join(map(repr, wrong))}")
        if not self.caption.strip():
            raise BadFigure("图缺 caption：用一句中文说图里要看什么")
        if self.variants and not self.label:
            raise BadFigure("图有 variants 时，第一张也要有 label，读者才知道在看哪一张")

    @property
    def charts(self) -> dict[str, Chart]:
        """Label to chart, the first one first."""
        return {self.label: self.chart, **self.variants}


@dataclass(frozen=True, slots=True)
class Table:
    """The data of one chart, as a reader without pictures gets it."""

    columns: list[str]
    rows: list[list[str]]


@dataclass(frozen=True, slots=True)
class Diagram:
    """A drawing as SVG text, with the table of the data that it shows.

    A numeral in its words agrees with a fact, as in any chart; what is written in an element of
    class `VALUE_CLASS` is data and agrees with a cell of the table.
    """

    svg: str
    table: Table


@dataclass(frozen=True, slots=True)
class View:
    """One chart ready for the page: either plotly's data and layout, or SVG text."""

    label: str
    table: Table
    texts: list[str]
    height: int
    plotly: dict[str, Any] | None = None
    svg: str | None = None


@dataclass(frozen=True, slots=True)
class WrittenFact:
    """A fact as JSON: exact numbers written out (`81`, `2/3`, `0.8077`)."""

    value: list[str]
    unit: str
    digits: int | None
    spread: list[str] | None
    means: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a child process hands over of a figure: plain data, nothing to execute."""

    caption: str
    facts: dict[str, WrittenFact]
    views: list[View]
    dark: dict[str, str]


def exact(number: Number) -> Fraction:
    """The number as a fraction; a float is taken at its shortest decimal writing."""
    if isinstance(number, Fraction):
        return number
    return Fraction(repr(float(number))) if isinstance(number, float) else Fraction(number)


def write_fact(fact: Fact) -> WrittenFact:
    """The fact as JSON-able text that `read_fact` turns back without loss."""
    low, high = fact.ends
    return WrittenFact(
        value=[str(low), str(high)] if fact.is_range else [str(low)],
        unit=fact.unit,
        digits=fact.digits,
        spread=[str(exact(end)) for end in fact.spread] if fact.spread else None,
        means=fact.means,
    )


def read_fact(written: WrittenFact) -> Fact:
    """The fact again, its numbers as exact fractions.

    Raises:
        BadFact: the record does not hold a fact.
    """
    try:
        ends = [Fraction(text) for text in written.value]
        spread = tuple(Fraction(text) for text in written.spread) if written.spread else None
    except (ValueError, ZeroDivisionError) as fault:
        raise BadFact(f"事实的记录读不出数：{written.value!r} {written.spread!r}") from fault
    value = (ends[0], ends[1]) if len(ends) == len(("low", "high")) else ends[0]
    pair = (spread[0], spread[1]) if spread else None
    return Fact(value, written.unit, written.digits, pair, written.means)
