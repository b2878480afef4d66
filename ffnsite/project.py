"""Where a project keeps its things, and how long a figure may take."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Project:
    """The folders of one site, and the limits of its figures.

    Attributes:
        root: the folder of mkdocs.yml.
        docs: the articles.
        figures: the folder of figure files, below `root`.
        ledger: the folder of cited values.
        labs: the folder of notebooks written as py:percent; there may be none.
        cache: kept results.
        limit: seconds after which a child process is stopped.
        jobs: child processes at once.
    """

    root: Path
    docs: Path
    figures: Path
    ledger: Path
    labs: Path
    cache: Path
    limit: float = 600.0
    jobs: int = os.cpu_count() or 1

    def short(self, path: Path) -> str:
        """The path as messages write it: relative to the project where it lies in it."""
        return (
            path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)
        )
