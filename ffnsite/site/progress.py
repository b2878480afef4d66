"""Progress on the terminal: one bar a running child with its name, time spent and time left."""

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from ffnsite.gather import Watcher


class TerminalWatcher(Watcher):
    """Bars where standard error is a terminal, else one line a finished child."""

    def __init__(self) -> None:
        self.console = Console(stderr=True, highlight=False)
        self.bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=self.console,
            transient=True,
        )
        self.tasks: dict[str, TaskID] = {}
        self.begun: dict[str, float] = {}

    def __enter__(self) -> Self:
        self.bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.bars.stop()

    def started(self, name: str, seconds: float | None) -> None:
        """A bar that fills in the seconds it took last time; an endless one where that is unknown."""
        self.begun[name] = time.monotonic()
        left = f"上次 {seconds:.0f} 秒" if seconds else "第一次算"
        self.tasks[name] = self.bars.add_task(name, total=seconds, left=left)

    def ended(self, name: str, fault: str | None) -> None:
        """The bar goes, a line stays."""
        self.bars.remove_task(self.tasks.pop(name))
        spent = time.monotonic() - self.begun.pop(name)
        state = "没画成" if fault else "好了"
        self.console.print(f"ffnsite  {name}  {state}（{spent:.1f} 秒）")
        sys.stderr.flush()
