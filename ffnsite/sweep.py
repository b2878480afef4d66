"""Computes the rows of a study side by side, and recomputes a sample of them.

joblib hands the rows out, to processes of this machine or to a Dask cluster; only those load the
laboratory. Each row is written as soon as it is there, so a killed run goes on where it stood.
"""

import importlib.util
import math
import os
import platform
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
from joblib import Parallel, delayed, parallel_config

from ffnsite import studies
from ffnsite.cache import Cache
from ffnsite.desk import Request, desk
from ffnsite.errors import BadSettings, BadStudy
from ffnsite.measurement import find
from ffnsite.project import Project
from ffnsite.studies import Ingredients, Line, Record, Study

DAY = 86_400


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row runs: folders of this machine, or None for a worker's own project and cache."""

    root: Path | None
    cache: Path | None


@dataclass(frozen=True, slots=True)
class Computed:
    """One row that was run: the code and reads it came from, or the last lines of its fault."""

    row: str
    ingredients: Ingredients
    line: Line | None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Workers:
    """Who runs the rows: so many processes here, or a Dask cluster at this address."""

    jobs: int
    scheduler: str | None = None


Told = Callable[[Computed], None]


def run(project: Project, study: Study, workers: Workers, told: Told) -> list[Computed]:
    """Computes the rows that are missing or stale and records each at once; the failed ones.

    Raises:
        BadStudy: a row was made by other code than the code here.
    """
    record = studies.load(study)
    waiting = studies.standing(project, study, record).waiting
    code = studies.code_of(study, project.root)
    failed = []
    studies.save(study, record)  # drops the rows that are no longer declared
    for computed in _side_by_side(study, waiting, workers, Place(project.root, project.cache)):
        told(computed)
        if computed.line is None:
            failed.append(computed)
            continue
        _check_code(study, computed, code)
        record = _with(record, computed.row, computed.ingredients, computed.line)
        studies.save(study, record)
    return failed


def _with(record: Record, row: str, ingredients: Ingredients, line: Line) -> Record:
    others = [each for each in record.rows if studies.canonical(each.arguments) != row]
    kept = record.ingredients | {ingredients.digest: ingredients}
    return Record(record.measure, kept, [*others, line])


def _check_code(study: Study, computed: Computed, code: dict[str, str]) -> None:
    theirs = computed.ingredients.code
    other = sorted(
        path for path in theirs.keys() | code.keys() if theirs.get(path) != code.get(path)
    )
    if other:
        raise BadStudy(
            f"研究 {study.name}：算 {computed.row} 的代码和这里开始时的不同（{'、'.join(other)}）；"
            "算的时候别改代码，集群上的代码要和这里一样"
        )


def _side_by_side(
    study: Study, rows: tuple[str, ...], workers: Workers, place: Place
) -> Iterator[Computed]:
    """The rows in the order in which they get ready."""
    if workers.scheduler is None:
        config = parallel_config("loky", n_jobs=workers.jobs, inner_max_num_threads=1)
    else:
        if importlib.util.find_spec("distributed") is None:
            raise BadSettings("--on 要用 Dask；先运行 pip install 'ffnsite[dask]'")
        place = Place(None, None)
        config = parallel_config("dask", n_jobs=-1, scheduler_host=workers.scheduler)
    with config:
        calls = (delayed(compute)(study, row, place) for row in rows)
        yield from Parallel(return_as="generator_unordered")(calls)


def compute(study: Study, row: str, place: Place) -> Computed:
    """Runs one row, wherever this process is; a fault becomes part of the answer."""
    if place.root is not None and place.cache is not None:
        desk.root, desk.cache = place.root, Cache(place.cache)
    if str(desk.root) not in sys.path:
        sys.path.insert(0, str(desk.root))
    ingredients = Ingredients(studies.code_of(study, desk.root), {})
    try:
        entry = find(study.declared.measure).entry(Request(study.declared.measure, row))
    except Exception:  # noqa: BLE001 - a row that fails costs only itself
        return Computed(row, ingredients, None, traceback.format_exc(limit=-3).strip())
    ingredients = replace(ingredients, reads=_project_reads(entry.recipe.reads))
    arguments = msgspec.json.decode(row)
    name, versions = ingredients.digest, entry.recipe.versions
    line = Line(arguments, name, versions, machine(), round(entry.seconds, 3), entry.body)
    return Computed(row, ingredients, line)


def _project_reads(reads: dict[str, str]) -> dict[str, str]:
    """What was read in the project, kept results aside: a record must hold on other machines too."""
    inside = {Path(path): hashed for path, hashed in reads.items()}
    return {
        path.relative_to(desk.root).as_posix(): hashed
        for path, hashed in sorted(inside.items())
        if path.is_relative_to(desk.root) and not path.is_relative_to(desk.cache.folder)
    }


def machine() -> str:
    """Where rows run, in words: system, architecture and cores."""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"


@dataclass(frozen=True, slots=True)
class Audited:
    """A recorded row that was recomputed, and every place where the two differ."""

    row: str
    differences: tuple[str, ...]


def audit(project: Project, study: Study, rows: int, turn: int, workers: Workers) -> list[Audited]:
    """Recomputes so many recorded rows in an empty cache; `turn` says where the sample begins.

    Raises:
        BadStudy: nothing is recorded.
    """
    lines = studies.load(study).rows
    if not lines:
        raise BadStudy(f"研究 {study.name} 还没有记录；运行 {studies.command('run', study.name)}")
    chosen = {
        studies.canonical(line.arguments): line
        for line in (lines[at % len(lines)] for at in range(turn * rows, (turn + 1) * rows))
    }
    with tempfile.TemporaryDirectory() as empty:
        place = Place(project.root, Path(empty))
        again = list(_side_by_side(study, tuple(chosen), workers, place))
    return [
        Audited(computed.row, _against(study, chosen[computed.row], computed)) for computed in again
    ]


def _against(study: Study, line: Line, computed: Computed) -> tuple[str, ...]:
    if computed.line is None:
        return (computed.fault,)
    old, new = (msgspec.json.decode(each.result) for each in (line, computed.line))
    return tuple(differences(old, new, study.declared.tolerance, study.declared.varying))


def differences(
    old: Any, new: Any, tolerance: float, varying: list[str], where: str = "result"
) -> Iterator[str]:
    """Where two results differ by more than the tolerance; all but floats must be equal."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        for key in old.keys() - set(varying):
            yield from differences(old[key], new[key], tolerance, varying, f"{where}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for at, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, tolerance, varying, f"{where}[{at}]")
    elif not _same(old, new, tolerance):
        yield f"{where} 记的是 {old!r}，重算得 {new!r}"


def _same(old: Any, new: Any, tolerance: float) -> bool:
    if isinstance(old, float) and isinstance(new, int | float):
        return math.isclose(old, new, rel_tol=tolerance, abs_tol=tolerance)
    return bool(old == new)


def turn_of_the_day(root: Path) -> int:
    """The day of the newest commit, counted from 1970: every commit day audits other rows.

    0 where there is no git.
    """
    asked = ["git", "-C", str(root), "log", "-1", "--format=%ct"]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return 0
    return int(said) // DAY if said.strip() else 0
