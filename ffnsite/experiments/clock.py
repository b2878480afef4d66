"""Seconds that can be compared: of the processor, on one thread."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch

now = time.process_time
"""Seconds this process has worked; another program's turn on a shared machine does not count."""


@contextmanager
def one_thread() -> Iterator[None]:
    """Torch works on one thread inside, so that seconds of the process are those of the work.

    More threads that wait for one another would count their waiting as work.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def seconds(run: Callable[[], object]) -> float:
    """How long the processor works on it."""
    started = now()
    run()
    return now() - started
