"""Where a process keeps its measurements, and what it asks of other processes.

Apart from `measurement` because the reading half needs this much of it, and no arrays.
"""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from ffnsite.cache import Cache
from ffnsite.errors import FfnsiteError
from ffnsite.figure import Drawing

KIND = "measurements"
# How results are kept and how errors are worded changes no result.
PLUMBING = frozenset({"ffnsite.cache", "ffnsite.desk", "ffnsite.errors", "ffnsite.measurement"})


@dataclass(frozen=True, slots=True, order=True)
class Request:
    """A measurement with its arguments as JSON, enough for another process to run it."""

    function: str
    arguments: str

    @property
    def name(self) -> str:
        """The entry's name: readable function, then a hash of the arguments."""
        digest = hashlib.sha256(self.arguments.encode()).hexdigest()
        return f"{'.'.join(self.function.split('.')[-2:])}-{digest[:16]}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What drawing a figure came to: a drawing and what it used, or the requests it waits for."""

    drawing: Drawing | None
    requests: list[Request]
    uses: list[str]
    reads: dict[str, str]
    seconds: float


class Unmeasured(FfnsiteError):
    """A figure asks for results that nobody has computed yet."""

    def __init__(self, requests: list[Request]) -> None:
        super().__init__("、".join(request.name for request in requests))
        self.requests = requests


@dataclass(slots=True)
class Desk:
    """What this process knows of its measurements: where they are kept, which it has used."""

    root: Path
    cache: Cache
    figures: Path
    asking: bool = False
    used: dict[str, None] | None = None


def project_root(start: Path) -> Path:
    """The nearest folder upwards that holds an mkdocs.yml, else `start` itself."""
    for folder in (start, *start.parents):
        if (folder / "mkdocs.yml").is_file():
            return folder
    return start


def _default_desk() -> Desk:
    root = Path(os.environ.get("FFNSITE_ROOT") or project_root(Path.cwd())).resolve()
    folder = os.environ.get("FFNSITE_CACHE_DIR")
    return Desk(
        root, Cache(Path(folder) if folder else root / ".cache" / "ffnsite"), root / "figures"
    )


desk = _default_desk()
