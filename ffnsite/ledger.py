"""The ledger: values quoted from the literature, one TOML file a source.

    [source]
    title = "…"            authors = "…"   year = 2020   venue = "…"   arxiv = "2002.05202"   url = "…"

    [values.swiglu_65k]
    value = 1.944          (or low and high)
    unit = "number"
    means = "…"            one Chinese sentence
    quote = "…"            at most 200 characters of the original, or:
    table = "Table 1"  row = "FFN_SwiGLU"  column = "65,536 steps"  cell = "1.944"  scale = "1"

The value must occur in the quote, or equal the cell times `scale` (a column headed "×10^6").
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import msgspec

from ffnsite import cache
from ffnsite.errors import BadFact, BadLedger
from ffnsite.figure import KEY, Fact

LONGEST_QUOTE = 200
POWER_OF_TEN = 2  # significant digits of 1, 10, 100 …
NUMBER = re.compile(r"(?<![\w.])[-−]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?\s*(%|[KMBT]\b)?")
SCALES = {
    "%": Fraction(1, 100),
    "K": Fraction(10**3),
    "M": Fraction(10**6),
    "B": Fraction(10**9),
    "T": Fraction(10**12),
    "": Fraction(1),
}


class Source(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Where a value was printed."""

    title: str
    authors: str
    year: int
    url: str
    venue: str = ""
    arxiv: str = ""
    doi: str = ""
    use: str = ""


class Row(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One quoted value as the file states it; numbers arrive as their decimal writing."""

    unit: str
    means: str
    value: str | None = None
    low: str | None = None
    high: str | None = None
    quote: str = ""
    table: str = ""
    row: str = ""
    column: str = ""
    cell: str = ""
    scale: str = "1"


class File(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A whole ledger file."""

    source: Source
    values: dict[str, Row] = {}


@dataclass(frozen=True, slots=True)
class Cited:
    """A value from the literature: its fact, its source, where it is printed, where it is written."""

    name: str
    fact: Fact
    source: Source
    locator: str
    where: str


def load(folder: Path, root: Path) -> dict[str, Cited]:
    """Full name (`shazeer2020.swiglu_65k`) to cited value, of every file of the folder.

    Raises:
        BadLedger: all faults of all files, each with file and line.
    """
    cited: dict[str, Cited] = {}
    faults: list[tuple[str, str]] = []
    for path in sorted(folder.glob("*.toml")):
        for found in _read(path, root):
            if isinstance(found, Cited):
                cited[found.name] = found
            else:
                faults.append(found)
    if faults:
        raise BadLedger("\n".join("：".join(fault) for fault in faults), faults)
    return cited


def sources(folder: Path) -> dict[str, Source]:
    """Key to source of every file of the folder; files that `load` refuses are left out."""
    found: dict[str, Source] = {}
    for path in sorted(folder.glob("*.toml")):
        try:
            found[path.stem] = _file(cache.read_bytes(path).decode("utf-8")).source
        except (tomllib.TOMLDecodeError, msgspec.ValidationError):
            continue
    return found


def _file(text: str) -> File:
    # Decimal keeps the digits as they are written: 1.636 and 1.6360 are different claims.
    return msgspec.convert(_written(tomllib.loads(text, parse_float=Decimal)), File)


def _read(path: Path, root: Path) -> Iterator[Cited | tuple[str, str]]:
    """Each value of the file, or what is wrong with it."""
    where = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
    text = cache.read_bytes(path).decode("utf-8")
    try:
        file = _file(text)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as fault:
        yield f"{where}:1", f"读不了：{fault}"
        return
    for key, row in file.values.items():
        place = f"{where}:{_line(text, key)}"
        try:
            yield _cited(f"{path.stem}.{key}", key, row, file.source, place)
        except (BadFact, BadLedger) as fault:
            yield place, f"{path.stem}.{key}：{fault}"


def _written(part: object, key: str = "") -> object:
    """Numbers of value, low and high as text; everything else as it is."""
    if isinstance(part, dict):
        return {name: _written(value, name) for name, value in part.items()}
    if key in {"value", "low", "high", "scale"} and isinstance(part, int | Decimal):
        return str(part)
    return part


def _line(text: str, key: str) -> int:
    header = re.compile(rf"^\[values\.{re.escape(key)}\]", re.MULTILINE).search(text)
    return text.count("\n", 0, header.start()) + 1 if header else 1


def _cited(name: str, key: str, row: Row, source: Source, where: str) -> Cited:
    if not KEY.fullmatch(key):
        raise BadLedger("键只能用 [a-z0-9_]+")
    ends = _ends(row)
    _check_evidence(row, ends)
    digits = max(_significant(text) for text in (row.value, row.low, row.high) if text)
    value = ends[0] if len(ends) == 1 else (ends[0], ends[1])
    return Cited(name, Fact(value, row.unit, digits, None, row.means), source, _locator(row), where)


def _ends(row: Row) -> list[Fraction]:
    given = [text for text in (row.value, row.low, row.high) if text is not None]
    single, pair = row.value is not None, row.low is not None and row.high is not None
    if single == pair or len(given) != (1 if single else len(("low", "high"))):
        raise BadLedger("要么写 value，要么 low 和 high 都写")
    try:
        return [Fraction(text) for text in given]
    except ValueError as fault:
        raise BadLedger(f"不是数：{fault}") from fault


def _check_evidence(row: Row, ends: list[Fraction]) -> None:
    in_table = all((row.table, row.row, row.column, row.cell))
    if bool(row.quote) == in_table:
        raise BadLedger("要么给 quote（原文），要么 table、row、column、cell 四样都给")
    if len(row.quote) > LONGEST_QUOTE:
        raise BadLedger(f"quote 有 {len(row.quote)} 个字符，最多 {LONGEST_QUOTE}")
    evidence = row.quote or row.cell
    printed = {number * Fraction(row.scale) for number in numbers(evidence)}
    missing = [end for end in ends if end not in printed and -end not in printed]
    if missing:
        wanted = "、".join(str(float(end)) for end in missing)
        place = "引文" if row.quote else "单元格"
        raise BadLedger(f"{place}“{evidence}”里没有 {wanted}；单位换算请写 scale")


def numbers(text: str) -> set[Fraction]:
    """Every number that an English text prints; `8.7%` is 0.087 and also 8.7, `46.7B` likewise."""
    found: set[Fraction] = set()
    for match in NUMBER.finditer(text):
        suffix = (match[1] or "").strip()
        plain = match[0].removesuffix(suffix).strip().replace(",", "").replace("−", "-")
        found |= {Fraction(plain), Fraction(plain) * SCALES[suffix]}
    return found


def _significant(text: str) -> int:
    """Significant digits of a decimal writing; a whole number's last zeros do not count."""
    mantissa = text.lower().partition("e")[0].lstrip("-+")
    digits = mantissa.replace(".", "").lstrip("0")
    kept = len(digits if "." in mantissa else digits.rstrip("0"))
    return POWER_OF_TEN if digits.rstrip("0") == "1" and "." not in mantissa else max(1, kept)


def _locator(row: Row) -> str:
    return (
        f"“{row.quote}”" if row.quote else f"{row.table}，{row.row} 行，{row.column} 列：{row.cell}"
    )
