"""Figure files and their imports, read from the syntax tree: nothing here runs a figure.

The closure of a file is every project file that it imports, directly or through others. It is what
a cache entry depends on, so an edited helper re-runs exactly its dependents.
"""

import ast
import hashlib
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ffnsite.errors import BadSource

PACKAGE_ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Imports:
    """What a file's closure holds: project files, and the names of libraries from outside."""

    files: frozenset[Path]
    libraries: frozenset[str]

    def __or__(self, other: "Imports") -> "Imports":
        """What either holds."""
        return Imports(self.files | other.files, self.libraries | other.libraries)


def figure_files(folder: Path) -> dict[str, Path]:
    """Name to file of every figure of a folder, sorted; `__init__.py` and `_private.py` are none."""
    return {
        path.stem: path for path in sorted(folder.glob("*.py")) if not path.stem.startswith("_")
    }


def lab_files(folder: Path) -> dict[str, Path]:
    """`lab/<name>` to file of every notebook of a folder, sorted."""
    return {f"lab/{name}": path for name, path in figure_files(folder).items()}


def file_hash(path: Path) -> str:
    """The SHA-256 of the file's bytes, in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def code_hash(path: Path) -> str:
    """The SHA-256 of what the file says to Python: comments, layout and docstrings do not count.

    Written by a walk of our own, because `ast.dump` differs between versions of Python.
    """
    return _code_hash(_text(path), path)


@lru_cache(maxsize=1024)
def _code_hash(text: str, path: Path) -> str:
    return hashlib.sha256(_spelled(_tree(text, path)).encode()).hexdigest()


def _spelled(part: Any) -> str:
    """A part of the syntax tree as text, without fields that are empty."""
    if isinstance(part, list):
        return f"[{','.join(_spelled(each) for each in part if not _is_docstring(each))}]"
    if not isinstance(part, ast.AST):
        return repr(part)
    fields = (
        f"{name}={_spelled(value)}"
        for name, value in ast.iter_fields(part)
        if value not in (None, [])
    )
    kept = [f"value={part.value!r}"] if isinstance(part, ast.Constant) else fields
    return f"{type(part).__name__}({','.join(kept)})"


def _is_docstring(part: Any) -> bool:
    """Whether it is a statement that is nothing but a text."""
    value = part.value if isinstance(part, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def module_file(name: str, root: Path) -> Path | None:
    """The file of a module by its dotted name, in the project or in this package."""
    found = list(_project_files(name, _places(root.resolve())))
    stem = name.rpartition(".")[2]
    last = found[-1] if found else None
    return last if last and stem in (last.stem, last.parent.name) else None


def closure(path: Path, root: Path, without: frozenset[str] = frozenset()) -> Imports:
    """Every project file that `path` needs, itself included, and every library.

    Project files lie below `root` or in this package, wherever it is installed. What the dotted
    names `without` stand for is left out, with all that only it needs.

    Raises:
        BadSource: a file of the closure is no Python.
    """
    return Importer(root, without).closure(path)


class Importer:
    """Reads closures of many files, each file's own imports once."""

    def __init__(self, root: Path, without: frozenset[str] = frozenset()) -> None:
        self._places = _places(root.resolve())
        self._without = without
        self._direct: dict[Path, Imports] = {}

    def closure(self, path: Path) -> Imports:
        """Every project file that `path` needs, itself included, and every library."""
        files: set[Path] = set()
        libraries: set[str] = set()
        waiting = [path.resolve()]
        while waiting:
            file = waiting.pop()
            if file not in files:
                files.add(file)
                direct = self._imports(file)
                waiting.extend(direct.files)
                libraries |= direct.libraries
        return Imports(frozenset(files), frozenset(libraries))

    def _imports(self, file: Path) -> Imports:
        """What the file itself imports."""
        if file not in self._direct:
            files: set[Path] = set()
            libraries: set[str] = set()
            for name in filter(self._counts, imported_names(file)):
                found = list(_project_files(name, self._places))
                files.update(found)
                top = name.partition(".")[0]
                if not found and top not in sys.stdlib_module_names:
                    libraries.add(top)
            self._direct[file] = Imports(frozenset(files), frozenset(libraries) - {"ffnsite"})
        return self._direct[file]

    def _counts(self, name: str) -> bool:
        return not any(name == left or name.startswith(f"{left}.") for left in self._without)


def imported_names(path: Path) -> frozenset[str]:
    """Every dotted name that the file imports, `from a import b` as both `a` and `a.b`."""
    return _imported_names(_text(path), path)


@lru_cache(maxsize=4096)
def _imported_names(text: str, path: Path) -> frozenset[str]:
    names: set[str] = set()
    for node in ast.walk(_tree(text, path)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level or node.module is None:
                raise BadSource(f"{path}:{node.lineno}：相对 import 看不出依赖，请写完整的模块名")
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(names)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as fault:
        raise BadSource(
            f"{path}：不是 UTF-8 文字（第 {fault.start} 个字节）；请另存为 UTF-8"
        ) from fault


def _tree(text: str, path: Path) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as fault:
        raise BadSource(f"{path}:{fault.lineno}：不是合法的 Python：{fault.msg}") from fault


def _places(root: Path) -> list[tuple[Path, set[str]]]:
    """Where project files lie: each folder with the names that can be imported from it."""
    places = [(root, {path.stem for path in root.iterdir()})]
    return places if root == PACKAGE_ROOT else [*places, (PACKAGE_ROOT, {"ffnsite"})]


def _project_files(name: str, places: list[tuple[Path, set[str]]]) -> Iterator[Path]:
    """The files that importing the dotted name runs: each package's __init__, then the module."""
    parts = name.split(".")
    for base, tops in places:
        for depth in range(1, len(parts) + 1 if parts[0] in tops else 0):
            stem = base.joinpath(*parts[:depth])
            for candidate in (stem.with_suffix(".py"), stem / "__init__.py"):
                if candidate.is_file():
                    yield candidate.resolve()


@dataclass(frozen=True, slots=True)
class _FactSite:
    """Where a file makes a fact: a pattern for its key, and the line to point at."""

    pattern: re.Pattern[str]
    line: int
    literal: bool


def fact_lines(path: Path, keys: list[str]) -> dict[str, int]:
    """For each key the line that makes the fact; keys built in a loop point at the loop.

    Keys that no place of the file can have made point at `draw`.
    """
    text = _text(path)
    sites = _fact_sites(text, path)
    return {key: _line_of(key, sites) for key in keys}


def literal_keys(path: Path) -> list[str]:
    """The keys that the file writes out literally, in order, without running it."""
    sites = _fact_sites(_text(path), path)
    return [site.pattern.pattern for site in sites if site.literal]


def _line_of(key: str, sites: tuple[_FactSite, ...]) -> int:
    fitting = [site for site in sites if site.pattern.fullmatch(key)]
    best = sorted(fitting, key=lambda site: (not site.literal, -len(site.pattern.pattern)))
    return best[0].line if best else 1


@lru_cache(maxsize=1024)
def _fact_sites(text: str, path: Path) -> tuple[_FactSite, ...]:
    tree = _tree(text, path)
    sites: list[_FactSite] = []
    _collect_sites(tree, None, sites)
    draw = [n.lineno for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "draw"]
    return (*sites, *(_FactSite(re.compile(".*"), line, literal=False) for line in draw))


LOOPS = (ast.For, ast.DictComp, ast.ListComp, ast.GeneratorExp)


def _collect_sites(node: ast.AST, loop: int | None, sites: list[_FactSite]) -> None:
    """Walk down, remembering the innermost loop, and note each key that a fact is given."""
    inner = node.lineno if isinstance(node, LOOPS) else loop
    for key, value in _keyed(node):
        if _makes_fact(value) or (
            isinstance(node, ast.DictComp) and not isinstance(key, ast.Constant)
        ):
            sites.append(_site(key, value, inner))
    for child in ast.iter_child_nodes(node):
        _collect_sites(child, inner, sites)


def _keyed(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The (key, value) pairs of a dict display, a dict comprehension or `facts[key] = value`."""
    if isinstance(node, ast.Dict):
        yield from ((key, value) for key, value in zip(node.keys, node.values, strict=True) if key)
    elif isinstance(node, ast.DictComp):
        yield node.key, node.value
    elif isinstance(node, ast.Assign):
        targets = [target for target in node.targets if isinstance(target, ast.Subscript)]
        yield from ((target.slice, node.value) for target in targets)


def _makes_fact(value: ast.expr) -> bool:
    """Whether the expression is a call that can make a fact: `Fact(…)` or a function of the file."""
    return isinstance(value, ast.Call)


def _site(key: ast.expr, value: ast.expr, loop: int | None) -> _FactSite:
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        return _FactSite(re.compile(re.escape(key.value)), key.lineno, literal=True)
    line = loop if loop is not None else value.lineno
    return _FactSite(re.compile(_pattern(key)), line, literal=False)


def _pattern(key: ast.expr) -> str:
    """A regular expression for the keys that an f-string can make; anything for other expressions."""
    if not isinstance(key, ast.JoinedStr):
        return ".*"
    parts = [
        re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".*"
        for part in key.values
    ]
    return "".join(parts)
