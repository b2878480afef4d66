"""The model run part by part is the model; its operations and bytes are those of its tensors."""

import pytest
import torch

from ffnsite.errors import BadExperiment
from ffnsite.experiments import clock, timing
from ffnsite.experiments.operations import operations
from ffnsite.experiments.timing import Clock, explicit, fused, prefill, split, step, timed
from ffnsite.models import smollm2
from ffnsite.models.attention import KeysValues
from ffnsite.models.llama import Llama, LlamaConfig


@pytest.fixture
def small():
    torch.manual_seed(3)
    model = Llama(LlamaConfig(16, 24, 3, 6, 2, 4, 12, tied=True, rope_base=1e4, norm_eps=1e-5))
    return model.eval().requires_grad_(False).double()


@pytest.fixture
def tokens():
    return torch.tensor([[3, 1, 4, 1, 5, 9, 2]])


@pytest.mark.parametrize("mix", [fused, explicit])
def test_a_prefill_part_by_part_is_the_model_s_own_forward(small, tokens, mix):
    found = prefill(small, small.embedding(tokens), mix, Clock())
    torch.testing.assert_close(found[0, 0], small(tokens)[0, -1])


def test_a_decode_step_behind_a_cache_is_the_model_s_own_forward(small, tokens):
    caches, stream = [], small.embedding(tokens[:, :-1])
    for block in small.blocks:
        keys, values = block.keys_values(stream)
        room = torch.full((1, 2, 1, 4), torch.nan, dtype=torch.float64)
        caches.append(KeysValues(torch.cat((keys, room), 2), torch.cat((values, room), 2)))
        stream = block(stream)
    found = step(small, small.embedding(tokens[:, -1:]), caches, Clock())
    torch.testing.assert_close(found[0, 0], small(tokens)[0, -1])


@pytest.mark.parametrize(("phase", "rows"), [("decode", 1), ("prefill_explicit", 7)])
def test_operations_are_what_the_counter_sees_of_the_whole_run(small, tokens, phase, rows):
    small = small.float()
    counted = timing.flops(small, phase, 7)
    decode = phase == "decode"
    run = timing.decoding(small, 7) if decode else timing.prefilling(small, phase, 7)
    assert sum(counted.values()) == operations(lambda: run(Clock()))
    assert counted["ffn"] == rows * 3 * 2 * 3 * 16 * 24


def test_the_parts_take_all_the_time_and_the_rest_is_what_no_part_took():
    found = timed(lambda given: work_in(given, "ffn"))
    assert found.seconds["ffn"] >= 0.02
    assert found.seconds["rest"] >= 0.01
    assert found.seconds["mixing"] == 0


def work_in(given, part):
    """Two units of work inside the part and one outside."""
    with given.part(part):
        work(0.02)
    work(0.01)


def work(seconds):
    end = clock.now() + seconds
    while clock.now() < end:
        pass


def test_a_row_of_smollm2_has_its_exact_counts(monkeypatch):
    monkeypatch.setattr(timing, "machine", lambda: (1.0, 2.0))
    found = split.fresh("decode", 100, 1)
    assert found.weights == {
        "projections": 4 * 30 * 884_736,
        "ffn": 4 * 30 * 3 * 576 * 1536,
        "head": 4 * 49_152 * 576,
    }
    assert found.cache == 100 * 30 * 2 * 3 * 64 * 4
    assert found.flops["mixing"] == 30 * 4 * 101 * 576
    assert found.flops["head"] == 2 * 49_152 * 576
    assert all(found.seconds[part] > 0 for part in ("projections", "mixing", "ffn", "head"))


def test_a_machine_reads_and_multiplies(monkeypatch):
    monkeypatch.setattr(timing, "STREAMED", 2**20)
    monkeypatch.setattr(timing, "SIDE", 64)
    took = iter([2.0, 1.0, 0.5, 0.25])
    monkeypatch.setattr(timing, "seconds", lambda run: next(took))
    assert timing.machine(rounds=2) == (4 * 2**20 / 1.0, 2 * 64**3 / 0.25)


@pytest.mark.parametrize("arguments", [("decode", 0, 1), ("prefill", 5, 0)])
def test_nothing_to_time_is_refused(arguments):
    with pytest.raises(BadExperiment, match="至少是 1"):
        split.fresh(*arguments)


def test_a_prefill_ends_with_one_row_of_logits():
    assert timing.prefilling(smollm2.model(), "prefill", 3)(Clock()).shape == (1, 1, 49_152)
