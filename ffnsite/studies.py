"""Studies: experiments with more runs than a build may take, their rows recorded beside the figures.

    figures/studies/<name>.toml    what is asked: the measurement, the arguments of every row
    figures/studies/<name>.json    what came out: one row a line, with all that it depends on

A row counts while its arguments are declared and the code that made it, the measurement's file and
everything that it imports, says what it said then. Versions, machine and seconds stand beside each
row, but another library or machine does not make it stale: that is what `study audit` is for.
Neither the declaration nor the record needs the laboratory to be read.
"""

import hashlib
import itertools
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

import msgspec

from ffnsite import cache, sources
from ffnsite.desk import PLUMBING, desk
from ffnsite.errors import BadStudy, FfnsiteError, nearest
from ffnsite.project import Project

if TYPE_CHECKING:  # it knows arrays, which take long to import
    from ffnsite.measurement import Measurement

P = ParamSpec("P")
R = TypeVar("R")
FOLDER = "studies"


class Declaration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A study's TOML file.

    Attributes:
        question: what it asks, one Chinese sentence.
        measure: the dotted name of a @measurement.
        tolerance: how far a recomputed number may lie from a recorded one, relatively and absolutely.
        rows: the arguments of each row, by name.
        grid: argument to values; every row is run with every combination of them.
        varying: fields of the result that no second run repeats, such as seconds; not audited.
    """

    question: str
    measure: str
    tolerance: float
    rows: list[dict[str, Any]] = msgspec.field(default_factory=lambda: [{}])
    grid: dict[str, list[Any]] = {}
    varying: list[str] = []


@dataclass(frozen=True, slots=True)
class Ingredients:
    """What rows were made from: project file to hash, of Python its code, of all else its bytes."""

    code: dict[str, str]
    reads: dict[str, str]

    @property
    def digest(self) -> str:
        """A short name for these ingredients."""
        return hashlib.sha256(canonical([self.code, self.reads]).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Line:
    """One recorded row; `ingredients` names an entry of the record."""

    arguments: dict[str, Any]
    ingredients: str
    versions: dict[str, str]
    machine: str
    seconds: float
    result: msgspec.Raw


@dataclass(frozen=True, slots=True)
class Record:
    """A study's JSON file."""

    measure: str
    ingredients: dict[str, Ingredients]
    rows: list[Line]


@dataclass(frozen=True, slots=True)
class Row(Generic[R]):
    """A recorded row as a figure reads it."""

    arguments: dict[str, Any]
    result: R
    seconds: float
    machine: str


@dataclass(frozen=True, slots=True)
class Study:
    """A declared study; `rows` are the arguments of each as JSON, in the order of the file."""

    name: str
    declared: Declaration
    rows: tuple[str, ...]
    where: Path

    @property
    def record(self) -> Path:
        """The file of recorded rows."""
        return self.where.with_suffix(".json")


@dataclass(frozen=True, slots=True)
class Standing:
    """What of a study is to be run: rows never recorded, rows whose ingredients changed, and those."""

    missing: tuple[str, ...]
    stale: tuple[str, ...]
    changed: tuple[str, ...]
    stray: int

    @property
    def waiting(self) -> tuple[str, ...]:
        """The arguments of all rows that a run would compute."""
        return self.missing + self.stale

    def __str__(self) -> str:
        said = (
            (len(self.missing), "还没有算过"),
            (len(self.stale), f"记下之后变了的是 {'、'.join(self.changed)}，要重算"),
            (self.stray, "已不在声明里"),
        )
        return "，".join(f"{count} 行{what}" for count, what in said if count)


def canonical(thing: Any) -> str:
    """Its JSON, the same for equal things."""
    return msgspec.json.encode(thing, order="deterministic").decode()


def folder_of(project: Project) -> Path:
    """Where a project declares and records its studies."""
    return project.figures / FOLDER


def names(folder: Path) -> list[str]:
    """Every study that is declared or recorded."""
    return sorted({path.stem for kind in ("toml", "json") for path in folder.glob(f"*.{kind}")})


def declared(folder: Path, name: str) -> Study:
    """The study of this name.

    Raises:
        BadStudy: there is none, or its file is wrong; the message names the nearest or the fault.
    """
    where = folder / f"{name}.toml"
    short = f"{folder.parent.name}/{folder.name}/{where.name}"
    if not where.is_file():
        raise BadStudy(_unknown(folder, name, "toml"))
    try:
        found = msgspec.convert(tomllib.loads(where.read_text(encoding="utf-8")), Declaration)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as fault:
        raise BadStudy(f"{short}：{fault}") from fault
    rows = [canonical(row | dict(values)) for row in found.rows for values in _grid(found)]
    twice = next((row for row in rows if rows.count(row) > 1), None)
    if twice:
        raise BadStudy(f"{short}：有两行的参数都是 {twice}；删掉一行")
    return Study(name, found, tuple(rows), where)


def _grid(found: Declaration) -> list[list[tuple[str, Any]]]:
    columns = ([(key, value) for value in values] for key, values in found.grid.items())
    return [list(chosen) for chosen in itertools.product(*columns)]


def _unknown(folder: Path, name: str, kind: str) -> str:
    known = sorted(path.stem for path in folder.glob(f"*.{kind}"))
    close = "、".join(nearest(name, known) or known) or "一个也没有"
    return f"{folder.parent.name}/{folder.name} 里没有 {name}.{kind}；现有的里最像的：{close}"


def load(study: Study) -> Record:
    """What is recorded of the study; empty before its first run, or when it measures another thing.

    Raises:
        BadStudy: the file is damaged.
    """
    if not study.record.is_file():
        return Record(study.declared.measure, {}, [])
    record = _decode(study.record.read_bytes(), study.record)
    if record.measure != study.declared.measure:
        return Record(study.declared.measure, {}, [])
    return record


def _decode(content: bytes, path: Path) -> Record:
    try:
        record = msgspec.json.decode(content, type=Record)
    except (msgspec.MsgspecError, UnicodeDecodeError) as fault:
        raise BadStudy(f"{_short(path)} 损坏：{fault}；{_mend(path)}") from fault
    unknown = {line.ingredients for line in record.rows} - record.ingredients.keys()
    if unknown:
        raise BadStudy(f"{_short(path)} 损坏：没有 {min(unknown)} 这份配料；{_mend(path)}")
    return record


def _short(path: Path) -> str:
    return "/".join(path.parts[-3:])


def _mend(path: Path) -> str:
    return f"从 git 里取回它，或者删掉它再运行 {command('run', path.stem)}"


def command(verb: str, name: str) -> str:
    """What to type, for messages."""
    return f"python -m ffnsite study {verb} {name}"


def save(study: Study, record: Record) -> None:
    """Writes the rows in the order of the declaration, one a line; all of it or nothing."""
    order = {row: at for at, row in enumerate(study.rows)}
    rows = [line for line in record.rows if canonical(line.arguments) in order]
    rows.sort(key=lambda line: order[canonical(line.arguments)])
    used = {line.ingredients for line in rows}
    ingredients = {name: each for name, each in record.ingredients.items() if name in used}
    head = msgspec.json.format(
        msgspec.json.encode(Record(record.measure, ingredients, [])), indent=1
    )
    text = head.decode().removesuffix("[]\n}") + "[\n" + ",\n".join(map(_line, rows)) + "\n]\n}\n"
    cache.write_atomically(study.record, text.encode())


def _line(line: Line) -> str:
    # Through Python's own json, which puts a result of any layout on one line with spaces to read.
    return json.dumps(json.loads(msgspec.json.encode(line)), ensure_ascii=False)


def code_of(study: Study, root: Path) -> dict[str, str]:
    """File to hash of all the code that a row of the study depends on, as it is now.

    Raises:
        BadStudy: there is no file of the measurement's module.
    """
    module = study.declared.measure.rpartition(".")[0]
    path = sources.module_file(module, root)
    if path is None:
        raise BadStudy(f"{_short(study.where)}：measure 说的模块 {module} 没有文件")
    files = sources.closure(path, root, PLUMBING).files
    return {cache.short(file, root): sources.code_hash(file) for file in sorted(files)}


def standing(project: Project, study: Study, record: Record) -> Standing:
    """Which rows are missing or stale now, and why."""
    code = code_of(study, project.root)
    lines = {canonical(line.arguments): line for line in record.rows}
    changed = {
        row: _changed(record.ingredients[lines[row].ingredients], code, project.root)
        for row in study.rows
        if row in lines
    }
    return Standing(
        missing=tuple(row for row in study.rows if row not in lines),
        stale=tuple(row for row, files in changed.items() if files),
        changed=tuple(sorted(set().union(*changed.values()))),
        stray=len(lines.keys() - set(study.rows)),
    )


def _changed(old: Ingredients, code: dict[str, str], root: Path) -> set[str]:
    """The files that are no longer what they were."""
    files = {path for path in old.code.keys() | code.keys() if old.code.get(path) != code.get(path)}
    return files | {path for path, hashed in old.reads.items() if _hash(root / path) != hashed}


def _hash(path: Path) -> str:
    return sources.file_hash(path) if path.is_file() else "missing"


def faults(project: Project) -> dict[Path, str]:
    """File to what is wrong with its study; empty when every recorded row is what the code says."""
    found = {}
    folder = folder_of(project)
    for name in names(folder):
        where = folder / f"{name}.toml"
        fault = _fault(project, name)
        if fault:
            found[where if where.is_file() else where.with_suffix(".json")] = fault
    return found


def _fault(project: Project, name: str) -> str:
    try:
        study = declared(folder_of(project), name)
        wrong = str(standing(project, study, load(study)))
    except FfnsiteError as fault:
        return str(fault)
    return (
        f"研究 {name} 共 {len(study.rows)} 行：{wrong}；运行 {command('run', name)}"
        if wrong
        else ""
    )


def recorded(measured: "Measurement[P, R]", name: str) -> list[Row[R]]:
    """The recorded rows of a study, for a figure: `recorded(effects, "aie")`.

    The file counts as read by the figure, so new rows redraw it.

    Raises:
        BadStudy: nothing of this name is recorded, the file is damaged, or another thing was measured.
    """
    path = desk.figures / FOLDER / f"{name}.json"
    if not path.is_file():
        raise BadStudy(f"{_unknown(path.parent, name, 'json')}；先运行 {command('run', name)}")
    record = _decode(cache.read_bytes(path), path)
    if record.measure != measured.name:
        raise BadStudy(f"{_short(path)} 记的是 {record.measure}，这里要的是 {measured.name}")
    return [_typed(line, measured, path) for line in record.rows]


def _typed(line: Line, measured: "Measurement[P, R]", path: Path) -> Row[R]:
    try:
        return Row(line.arguments, measured.typed(line.result), line.seconds, line.machine)
    except msgspec.ValidationError as fault:
        where = canonical(line.arguments)
        raise BadStudy(f"{_short(path)} 里 {where} 这行的结果读不回来：{fault}") from fault
