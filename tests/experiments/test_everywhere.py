"""All sites at once are what each is alone, on the same noise."""

import numpy as np
import pytest

from ffnsite.experiments.everywhere import trace_everywhere
from ffnsite.experiments.tracing import trace

GOLD = ("The chemical symbol for gold is", "gold", " Au")


@pytest.mark.xdist_group("smollm2")
def test_every_site_is_traced_as_it_is_alone_and_on_the_same_noise():
    found = trace_everywhere.fresh(*GOLD, samples=1, seed=3)
    assert list(found) == ["hidden", "attention", "ffn"]
    for site, one in found.items():
        alone = trace.fresh(*GOLD, samples=1, seed=3, site=site)
        assert one.tokens == alone.tokens
        np.testing.assert_array_equal(one.restored, alone.restored)
        np.testing.assert_array_equal(one.corrupted, found["hidden"].corrupted)
    assert not np.array_equal(found["ffn"].restored, found["attention"].restored)


@pytest.mark.xdist_group("smollm2")
def test_another_seed_draws_other_noise():
    first, second = (trace_everywhere.fresh(*GOLD, samples=1, seed=seed) for seed in (0, 1))
    assert not np.array_equal(first["hidden"].corrupted, second["hidden"].corrupted)
