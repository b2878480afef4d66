"""The cache: what is kept of a run, and why a kept thing is stale.

One entry a thing (a figure, or a measurement with its arguments). An entry records the recipe it
was made by: the content hashes of every project file that it needs, the versions of the libraries,
the hashes of what it read. Content hashes only, never times. Writes are atomic, every entry carries
a checksum, a damaged one counts as missing. JSON only: nothing kept is ever executed.
"""

import hashlib
import os
import platform
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from importlib import metadata
from pathlib import Path

import msgspec

from ffnsite.sources import Imports, file_hash

_reads: ContextVar[dict[str, str] | None] = ContextVar("reads", default=None)


class Reason(Enum):
    """Why a thing must run: a closed list."""

    FIRST = "从未算过"
    SOURCE = "源码变了"
    LIBRARY = "库的版本变了"
    DATA = "读入的数据变了"
    MEASUREMENT = "它用到的测量要重算"
    DAMAGED = "缓存条目损坏"
    FORCED = "要求重算"


@dataclass(frozen=True, slots=True)
class Stale:
    """A reason, and the file, library or entry that it concerns."""

    reason: Reason
    what: str = ""

    def __str__(self) -> str:
        return f"{self.reason.value}：{self.what}" if self.what else self.reason.value


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a result depends on: file to hash, library to version, file read to hash."""

    files: dict[str, str]
    versions: dict[str, str]
    reads: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entry:
    """A kept result: its recipe, the seconds it took, the entries that it used, and the body."""

    recipe: Recipe
    seconds: float
    uses: list[str]
    body: msgspec.Raw


class Damaged(Enum):
    """Stands for an entry whose file is there but cannot be trusted."""

    DAMAGED = "damaged"


def recipe_of(imports: Imports, root: Path) -> Recipe:
    """The recipe of a file with this closure, before it has read anything."""
    files = {short(path, root): file_hash(path) for path in sorted(imports.files)}
    versions = {name: library_version(name) for name in sorted(imports.libraries)}
    return Recipe(files, {"python": platform.python_version(), **versions})


@lru_cache(maxsize=256)
def library_version(name: str) -> str:
    """The installed version of the library that `import name` loads; `missing` when there is none."""
    for candidate in (name, name.replace("_", "-")):
        try:
            return metadata.version(candidate)
        except metadata.PackageNotFoundError:
            continue
    owners = metadata.packages_distributions().get(name, ())
    return (
        ",".join(f"{owner} {metadata.version(owner)}" for owner in sorted(set(owners))) or "missing"
    )


def short(path: Path, root: Path) -> str:
    """The path as the recipe writes it: relative to the project, or from the package's own folder."""
    if path.is_relative_to(root.resolve()):
        return path.relative_to(root.resolve()).as_posix()
    return (
        "/".join(path.parts[path.parts.index("ffnsite") :])
        if "ffnsite" in path.parts
        else str(path)
    )


def read_bytes(path: Path) -> bytes:
    """The file's bytes; the running figure or measurement is recorded to depend on them."""
    content = path.read_bytes()
    record_reads({str(path.resolve()): hashlib.sha256(content).hexdigest()})
    return content


def record_reads(reads: dict[str, str]) -> None:
    """Adds files and their hashes to what the running figure or measurement depends on."""
    recorded = _reads.get()
    if recorded is not None:
        recorded.update(reads)


@contextmanager
def recording() -> Iterator[dict[str, str]]:
    """Collects the files read inside; they count for an outer recording too."""
    inner: dict[str, str] = {}
    token = _reads.set(inner)
    try:
        yield inner
    finally:
        _reads.reset(token)
        record_reads(inner)


def why_stale(entry: Entry | Damaged | None, recipe: Recipe) -> Stale | None:
    """Why the entry may not be used for this recipe; None when it may."""
    if entry is None:
        return Stale(Reason.FIRST)
    if isinstance(entry, Damaged):
        return Stale(Reason.DAMAGED)
    for reason, old, new in (
        (Reason.SOURCE, entry.recipe.files, recipe.files),
        (Reason.LIBRARY, entry.recipe.versions, recipe.versions),
        (Reason.DATA, entry.recipe.reads, {path: _now(path) for path in entry.recipe.reads}),
    ):
        changed = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
        if changed:
            return Stale(reason, "、".join(changed))
    return None


def _now(path: str) -> str:
    return file_hash(Path(path)) if Path(path).is_file() else "missing"


@dataclass(frozen=True, slots=True)
class Cache:
    """The folder of entries: `<folder>/<kind>/<name>.json`."""

    folder: Path

    def load(self, kind: str, name: str) -> Entry | Damaged | None:
        """The entry, `Damaged.DAMAGED` when its checksum does not fit, None when there is none."""
        try:
            checksum, _, body = self._path(kind, name).read_bytes().partition(b"\n")
        except FileNotFoundError:
            return None
        if hashlib.sha256(body).hexdigest().encode() != checksum:
            return Damaged.DAMAGED
        try:
            return msgspec.json.decode(body, type=Entry)
        except msgspec.MsgspecError:
            return Damaged.DAMAGED

    def keep(self, kind: str, name: str, entry: Entry) -> None:
        """Writes the entry whole or not at all."""
        body = msgspec.json.encode(entry)
        write_atomically(
            self._path(kind, name), hashlib.sha256(body).hexdigest().encode() + b"\n" + body
        )

    def remove(self, kind: str, name: str) -> None:
        """Removes the entry, if there is one."""
        self._path(kind, name).unlink(missing_ok=True)

    def evict(self, kind: str, claimed: set[str]) -> list[str]:
        """Removes the entries of a kind that nothing claims; returns their names."""
        gone = [
            path for path in sorted((self.folder / kind).glob("*.json")) if path.stem not in claimed
        ]
        for path in gone:
            path.unlink(missing_ok=True)
        return [path.stem for path in gone]

    def _path(self, kind: str, name: str) -> Path:
        return self.folder / kind / f"{name}.json"


def write_atomically(path: Path, content: bytes) -> None:
    """Writes under a temporary name, flushes to the disk, renames: readers see all or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
