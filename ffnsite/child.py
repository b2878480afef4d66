"""Child processes: one torch thread, a time limit, and a fault that tells how one ended.

A plain child does one thing. A worker does one thing after another, so that its libraries and its
model are loaded once; whatever goes wrong ends it.
"""

import asyncio
import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any, Self, TypeVar

from ffnsite.errors import FfnsiteError

T = TypeVar("T")
LAST_LINES = 12
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class ChildFailed(FfnsiteError):
    """A child process raised, printed, hung or died; the message is what the author reads."""


def complete(work: Coroutine[Any, Any, T]) -> T:
    """Runs the coroutine to its end, also where an event loop is running already (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def run(
    arguments: list[str], folder: Path, environment: dict[str, str], limit: float
) -> None:
    """Runs Python with these arguments in the folder.

    Raises:
        ChildFailed: it raised, wrote to standard output, outlived the limit, or was killed.
    """
    nothing, pipe = asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE
    process = await _start(arguments, folder, environment, stdin=nothing, stderr=pipe)
    try:
        out, err = await asyncio.wait_for(process.communicate(), limit)
    except TimeoutError:
        raise _late(limit) from None
    finally:
        await _end(process)
    _judge(process.returncode or 0, out, err)


async def _start(
    arguments: list[str],
    folder: Path,
    environment: dict[str, str],
    *,
    stdin: int,
    stderr: int | IO[bytes],
) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-X", "utf8", *arguments,
        cwd=folder,
        env={**os.environ, **ONE_THREAD, **environment},
        stdin=stdin,
        stdout=asyncio.subprocess.PIPE,
        stderr=stderr,
        start_new_session=True,
    )  # fmt: skip


class Worker:
    """A child that reads a line, does what it says, and answers with a line."""

    def __init__(self, process: asyncio.subprocess.Process, errors: IO[bytes]) -> None:
        self.process = process
        self.errors = errors  # a file: nobody reads it while the worker works

    @classmethod
    async def start(cls, arguments: list[str], folder: Path, environment: dict[str, str]) -> Self:
        """Starts Python with these arguments in the folder."""
        errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `end`
        pipe = asyncio.subprocess.PIPE
        try:
            process = await _start(arguments, folder, environment, stdin=pipe, stderr=errors)
        except BaseException:
            errors.close()
            raise
        return cls(process, errors)

    async def ask(self, line: str, answer: str, limit: float) -> None:
        """Has it do what the line says.

        Raises:
            ChildFailed: the worker raised, wrote anything but the answer, outlived the limit, or
                was killed. It is of no use then; `end` it.
        """
        try:
            said = await asyncio.wait_for(self._said(line), limit)
        except TimeoutError:
            raise _late(limit) from None
        if said.decode("utf-8", "replace") == f"{answer}\n":
            return
        if said:
            _judge(0, said, b"")
        status = await self.process.wait()
        self.errors.seek(0)
        err = self.errors.read()
        _judge(status, b"", err)
        raise ChildFailed(f"没算完就自己退出了{_tail(err)}")

    async def _said(self, line: str) -> bytes:
        stdin, stdout = self.process.stdin, self.process.stdout
        if stdin is None or stdout is None:
            return b""
        with contextlib.suppress(ConnectionError):  # it is dead; reading its end tells how it died
            stdin.write(f"{line}\n".encode())
            await stdin.drain()
        try:
            return await stdout.readline()
        except ValueError:  # a line without end
            return b"..."

    async def end(self) -> None:
        """Stops it, whatever it does."""
        try:
            await _end(self.process)
        finally:
            self.errors.close()


def _late(limit: float) -> ChildFailed:
    return ChildFailed(f"超过 {limit:g} 秒还没完，已停掉；可在 mkdocs.yml 里调 limit")


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kills the child and everything that it started, if it still runs."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.communicate()


def _judge(status: int, out: bytes, err: bytes) -> None:
    if status < 0:
        raise ChildFailed(f"被信号 {signal.Signals(-status).name} 杀死{_tail(err or out)}")
    if status > 0:
        raise ChildFailed(f"退出码 {status}{_tail(err or out)}")
    if out.strip():
        raise ChildFailed(f"往标准输出打印了东西；图只该返回 Figure，请去掉 print{_tail(out)}")


def _tail(output: bytes) -> str:
    lines = output.decode("utf-8", "replace").strip().splitlines()[-LAST_LINES:]
    return "".join(f"\n      {line}" for line in lines)
