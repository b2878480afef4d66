"""Runs what is stale in child processes on all cores, and collects what the figures hand over.

A figure that asks for measurements nobody has made is put aside, its measurements run side by side
in workers, which load the laboratory once, then the figure is drawn again. A child that raises,
prints, hangs or dies costs only itself. Neither torch nor plotly is ever loaded here.
"""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ffnsite import cache, child, sources
from ffnsite.cache import Cache, Entry, Reason, Recipe, Stale
from ffnsite.child import ChildFailed
from ffnsite.desk import KIND as MEASUREMENTS
from ffnsite.desk import PLUMBING, Outcome, Request
from ffnsite.errors import FfnsiteError
from ffnsite.figure import Drawing, Fact, read_fact
from ffnsite.project import Project
from ffnsite.sources import PACKAGE_ROOT, Importer

FIGURES, NOTEBOOKS = "figures", "notebooks"
EXECUTE = ("-m", "ffnsite.execute")
DRAW = ("-m", "ffnsite.draw")


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A fact with its full name, the place that makes it, and the seconds its figure took."""

    name: str
    fact: Fact
    where: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Gathered:
    """All figures of a project: their drawings, their facts, what failed, what ran and why.

    `labs` leads from a notebook's name to the executed notebook.
    """

    drawings: dict[str, Drawing]
    facts: dict[str, KnownFact]
    faults: dict[str, str]
    ran: dict[str, Stale]
    labs: dict[str, Path]

    @property
    def figure_names(self) -> list[str]:
        """Every figure that has a file, drawn or not."""
        return sorted(self.drawings.keys() | self.faults.keys())


class Watcher:
    """Is told what runs; the silent one. `terminal` shows a bar for each."""

    def started(self, name: str, seconds: float | None) -> None:
        """A child starts; `seconds` is what it took last time."""

    def ended(self, name: str, fault: str | None) -> None:
        """A child is over."""


def stale(project: Project, only: set[str] | None = None) -> dict[str, Stale]:
    """Figure or notebook to the reason why it would run now; what would not run is left out."""
    files = _files(project)
    names = files.keys() if only is None else files.keys() & only
    importer = Importer(project.root, PLUMBING)
    found = {name: _why(project, name, files[name], importer) for name in sorted(names)}
    return {name: reason for name, reason in found.items() if reason}


def _files(project: Project) -> dict[str, Path]:
    return sources.figure_files(project.figures) | sources.lab_files(project.labs)


def _slot(name: str) -> tuple[str, str]:
    """Kind and name of the entry: `lab/x` is a notebook, all else a figure."""
    lab, _, short = name.rpartition("/")
    return (NOTEBOOKS, short) if lab else (FIGURES, name)


def _why(project: Project, name: str, path: Path, importer: Importer) -> Stale | None:
    store = Cache(project.cache)
    try:
        recipe = _recipe(project, path, importer)
    except FfnsiteError as fault:
        return Stale(Reason.SOURCE, str(fault))
    entry = store.load(*_slot(name))
    reason = cache.why_stale(entry, recipe)
    if reason or not isinstance(entry, Entry):
        return reason
    lost = [use for use in entry.uses if not isinstance(store.load(MEASUREMENTS, use), Entry)]
    return Stale(Reason.MEASUREMENT, "、".join(lost)) if lost else None


def _recipe(project: Project, path: Path, importer: Importer) -> Recipe:
    """What the thing depends on: its own closure, and that of the program that makes it."""
    maker = "draw.py" if path.parent == project.figures else "execute.py"
    makers = importer.closure(PACKAGE_ROOT / "ffnsite" / maker)
    return cache.recipe_of(importer.closure(path) | makers, project.root)


def gather(
    project: Project,
    *,
    fresh: bool = False,
    only: set[str] | None = None,
    watcher: Watcher | None = None,
) -> Gathered:
    """Draws every stale figure (with `fresh`: every one of `only`), returns the whole collection."""
    if fresh:
        _forget(project, only)
    reasons = stale(project, only)
    faults = child.complete(_Round(project, watcher or Watcher()).draw(reasons)) if reasons else {}
    gathered = collect(project, faults, reasons)
    if only is None:
        _evict(project)
    return gathered


def _forget(project: Project, only: set[str] | None) -> None:
    """Removes the entries of the named figures and the measurements that they used."""
    store = Cache(project.cache)
    for name in _files(project).keys() if only is None else only:
        entry = store.load(*_slot(name))
        for use in entry.uses if isinstance(entry, Entry) else []:
            store.remove(MEASUREMENTS, use)
        store.remove(*_slot(name))


class _Round:
    """One round of drawing: at most `jobs` children at once, each measurement made once."""

    def __init__(self, project: Project, watcher: Watcher) -> None:
        self.project = project
        self.watcher = watcher
        self.store = Cache(project.cache)
        self.places = asyncio.Semaphore(project.jobs)
        self.measuring: dict[str, asyncio.Task[None]] = {}
        self.idle: list[child.Worker] = []

    async def draw(self, names: dict[str, Stale]) -> dict[str, str]:
        """Draws the figures and executes the notebooks; the faults of those that failed."""
        work = (self._execute(name) if "/" in name else self._draw(name) for name in names)
        try:
            results = await asyncio.gather(*work, return_exceptions=True)
            await asyncio.gather(*self.measuring.values(), return_exceptions=True)
        finally:
            await self._end()
        faults: dict[str, str] = {}
        for name, result in zip(names, results, strict=True):
            if isinstance(result, FfnsiteError):
                faults[name] = str(result)
            elif isinstance(result, BaseException):
                raise result
        return faults

    async def _end(self) -> None:
        """Stops what is still measured, where the author broke off, and sends the workers home."""
        for task in self.measuring.values():
            task.cancel()
        await asyncio.gather(*self.measuring.values(), return_exceptions=True)
        await asyncio.gather(*(worker.end() for worker in self.idle))

    def _recipe(self, path: Path) -> Recipe:
        """Read anew for each: the author may save a file while others are drawn."""
        return _recipe(self.project, path, Importer(self.project.root, PLUMBING))

    async def _draw(self, name: str) -> None:
        recipe = self._recipe(self.project.figures / f"{name}.py")
        outcome = await self._ask(name)
        asked: set[Request] = set()
        while outcome.drawing is None:
            again = asked & set(outcome.requests)
            if again:
                raise ChildFailed(f"测量 {min(again).name} 刚算完又说没有；它的参数写不成 JSON？")
            asked |= set(outcome.requests)
            await asyncio.gather(*(self._measure(request) for request in outcome.requests))
            outcome = await self._ask(name)
        recipe.reads.update(outcome.reads)
        body = msgspec.Raw(msgspec.json.encode(outcome.drawing))
        self.store.keep(FIGURES, name, Entry(recipe, outcome.seconds, outcome.uses, body))

    async def _execute(self, name: str) -> None:
        path = _files(self.project)[name]
        recipe = self._recipe(path)
        started = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "executed.ipynb"
            await self._child(name, [*EXECUTE, str(path), str(out)], NOTEBOOKS)
            body = msgspec.Raw(out.read_bytes())
        seconds = time.perf_counter() - started
        self.store.keep(*_slot(name), Entry(recipe, seconds, [], body))

    async def _ask(self, name: str) -> Outcome:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "outcome.json"
            figures = self.project.figures.relative_to(self.project.root)
            await self._child(
                name, [*DRAW, "figure", ".".join(figures.parts), name, str(out)], FIGURES
            )
            return msgspec.json.decode(out.read_bytes(), type=Outcome)

    async def _measure(self, request: Request) -> None:
        if request.name not in self.measuring:
            self.measuring[request.name] = asyncio.create_task(self._run(request))
        try:
            await self.measuring[request.name]
        except ChildFailed as fault:
            raise ChildFailed(f"测量 {request.name} 没算成：{fault}") from fault

    async def _run(self, request: Request) -> None:
        """Measures in a worker that has nothing to do, or else in a new one."""
        async with self._place(request.name, MEASUREMENTS):
            asked = [*DRAW, "measure"], self.project.root, self.environment
            worker = self.idle.pop() if self.idle else await child.Worker.start(*asked)
            line = msgspec.json.encode(request).decode()
            try:
                await worker.ask(line, request.name, self.project.limit)
            except BaseException:
                await worker.end()
                raise
            self.idle.append(worker)

    async def _child(self, name: str, arguments: list[str], kind: str) -> None:
        async with self._place(name, kind):
            await child.run(arguments, self.project.root, self.environment, self.project.limit)

    @property
    def environment(self) -> dict[str, str]:
        """Where a child finds the project and its cache."""
        return {
            "FFNSITE_ROOT": str(self.project.root),
            "FFNSITE_CACHE_DIR": str(self.project.cache),
        }

    @asynccontextmanager
    async def _place(self, name: str, kind: str) -> AsyncIterator[None]:
        """Waits for a place to run, and tells the watcher when the thing starts and ends."""
        entry = self.store.load(kind, name.rpartition("/")[2])
        async with self.places:
            self.watcher.started(name, entry.seconds if isinstance(entry, Entry) else None)
            fault: str | None = None
            try:
                yield
            except ChildFailed as failed:
                fault = str(failed)
                raise
            finally:
                self.watcher.ended(name, fault)


def collect(project: Project, faults: dict[str, str], ran: dict[str, Stale]) -> Gathered:
    """What the cache holds of every figure that did not fail; no child is started."""
    drawings: dict[str, Drawing] = {}
    facts: dict[str, KnownFact] = {}
    faults = dict(faults)
    for name, path in sources.figure_files(project.figures).items():
        entry = None if name in faults else Cache(project.cache).load(FIGURES, name)
        if isinstance(entry, Entry):
            drawings[name] = msgspec.json.decode(entry.body, type=Drawing)
            facts |= _facts(project, path, drawings[name], entry.seconds)
        elif name not in faults:
            faults[name] = "还没有画过；运行 ffnsite draw"
    labs = _labs(project, faults)
    return Gathered(drawings, facts, faults, ran, labs)


def _labs(project: Project, faults: dict[str, str]) -> dict[str, Path]:
    """Each executed notebook as a file of its own, for the page and for download."""
    found: dict[str, Path] = {}
    for name in sources.lab_files(project.labs):
        entry = None if name in faults else Cache(project.cache).load(*_slot(name))
        if isinstance(entry, Entry):
            path = project.cache / "labs" / f"{name.rpartition('/')[2]}.ipynb"
            if not path.is_file() or path.read_bytes() != bytes(entry.body):
                cache.write_atomically(path, bytes(entry.body))
            found[name] = path
        elif name not in faults:
            faults[name] = "还没有执行过；运行 ffnsite draw"
    return found


def _facts(project: Project, path: Path, drawing: Drawing, seconds: float) -> dict[str, KnownFact]:
    lines = sources.fact_lines(path, list(drawing.facts))
    where = project.short(path)
    known = (
        KnownFact(f"{path.stem}.{key}", read_fact(written), f"{where}:{lines[key]}", seconds)
        for key, written in drawing.facts.items()
    )
    return {fact.name: fact for fact in known}


def _evict(project: Project) -> None:
    """Removes the entries of figures that have no file, and measurements that no figure used."""
    store = Cache(project.cache)
    figures = set(sources.figure_files(project.figures))
    store.evict(FIGURES, figures)
    store.evict(NOTEBOOKS, {name.rpartition("/")[2] for name in sources.lab_files(project.labs)})
    entries = [store.load(FIGURES, name) for name in figures]
    used = {use for entry in entries if isinstance(entry, Entry) for use in entry.uses}
    if all(isinstance(entry, Entry) for entry in entries):
        store.evict(MEASUREMENTS, used)
