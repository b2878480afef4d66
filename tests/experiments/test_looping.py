"""The timed loop and the timed product do the same work."""

import pytest

from ffnsite.errors import BadExperiment
from ffnsite.experiments.looping import looping, same


def test_both_do_four_d_dff_operations_a_word():
    found = looping.fresh(words=9, d_model=6, d_ff=24, rounds=1)
    assert found.flops == 9 * 4 * 6 * 24
    assert found.weights == 2 * 6 * 24 * 4
    assert found.loop > 0
    assert found.product > 0


def test_work_that_is_not_the_same_is_refused():
    with pytest.raises(BadExperiment, match="循环做了 1,000 次运算，一次乘完做了 999 次"):
        same(1000, 999)


@pytest.mark.parametrize(("words", "rounds"), [(0, 1), (1, 0)])
def test_nothing_to_time_is_refused_by_name(words, rounds):
    with pytest.raises(BadExperiment, match="至少是 1"):
        looping.fresh(words, 6, 24, rounds)
