"""One child process: one torch thread, a time limit, and a fault that tells how it ended."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

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
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-X", "utf8", *arguments,
        cwd=folder,
        env={**os.environ, **ONE_THREAD, **environment},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    try:
        out, err = await asyncio.wait_for(process.communicate(), limit)
    except TimeoutError:
        raise ChildFailed(f"超过 {limit:g} 秒还没完，已停掉；可在 mkdocs.yml 里调 limit") from None
    finally:
        await _end(process)
    _judge(process.returncode or 0, out, err)


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
