"""Processor seconds on one thread."""

import time

import pytest
import torch

from ffnsite.experiments.clock import now, one_thread, seconds


def test_waiting_is_no_work():
    begun = time.perf_counter()
    worked = seconds(lambda: time.sleep(0.2))
    assert worked < (time.perf_counter() - begun) / 2


def test_work_is_counted():
    def work():
        end = now() + 0.05
        while now() < end:
            pass

    assert seconds(work) >= 0.05


def test_torch_works_on_one_thread_inside_and_on_as_many_as_before_behind():
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        with one_thread():
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2
        with pytest.raises(ZeroDivisionError), one_thread():
            _ = 1 / 0
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
