"""Which memories a word uses, against sorting by hand and a loop over words and memories."""

import numpy as np
import pytest
import torch

from ffnsite.experiments.composition import EVERY, composed, holding
from ffnsite.experiments.listening import listen
from ffnsite.experiments.values import said_by
from ffnsite.models.llama import Llama, LlamaConfig

D_FF = 24


@pytest.fixture(scope="module")
def small():
    torch.manual_seed(9)
    model = Llama(LlamaConfig(16, D_FF, 3, 4, 2, 4, 30, tied=True, rope_base=1e4, norm_eps=1e-5))
    return model.eval().requires_grad_(False)


@pytest.fixture(scope="module")
def rows():
    return torch.randint(30, (7, 40), generator=torch.Generator().manual_seed(1))


@pytest.fixture(scope="module")
def heard(small, rows):
    found = {}
    listen(small, rows, lambda layer, c: found.update({layer: c.double().numpy()}))
    return np.stack([found[layer] for layer in range(3)])


def fewest(shares, part):
    total, so_far = sum(shares), 0.0
    for count, share in enumerate(sorted(shares, reverse=True), start=1):
        so_far += share
        if so_far >= part * total:
            return count
    raise AssertionError


@pytest.mark.parametrize(
    ("shares", "part", "count"),
    [
        ([5, 1, 1, 1], 0.5, 1),
        ([1, 3, 2, 2], 0.5, 2),
        ([1, 1, 1, 1], 0.5, 2),
        ([4, 3, 2, 1], 0.9, 3),
        ([10, 0, 0, 0], 0.9, 1),
    ],
)
def test_the_fewest_that_hold_a_part_counted_by_hand(shares, part, count):
    assert holding(np.array([shares], dtype=np.float32), part).tolist() == [count]


def test_memories_of_a_word_are_weighed_by_coefficient_and_length(small, rows, heard):
    found = composed(small, said_by(small), rows)
    assert found.words == 7 * 39
    for layer, block in enumerate(small.blocks):
        lengths = np.linalg.norm(block.ffn.down.weight.double().numpy(), axis=0)
        shares = np.abs(heard[layer]) * lengths
        for name, part in (("half", 0.5), ("most", 0.9)):
            counts = np.array([[fewest(word, part) for word in row] for row in shares])
            assert getattr(found, name)[layer] == pytest.approx(counts[:, 1:].mean())
            assert getattr(found, f"{name}_first")[layer] == pytest.approx(counts[:, 0].mean())
        assert found.positive[layer] == pytest.approx((heard[layer][:, 1:] > 0).mean())
    assert found.zero.tolist() == [0, 0, 0]


def test_a_layer_is_composed_where_no_memory_says_what_the_sum_says(small, rows, heard):
    found = composed(small, said_by(small), rows)
    unembedding = small.embedding.weight.double().numpy()
    for layer, block in enumerate(small.blocks):
        down = block.ffn.down.weight.double().numpy()
        none = led = asked = 0
        for c in heard[layer][:, 1::EVERY].reshape(-1, D_FF):
            whole = (unembedding @ (down @ c)).argmax()
            memories = [(unembedding @ (down[:, i] * c[i])).argmax() for i in range(D_FF)]
            strongest = max(range(D_FF), key=lambda i, c=c: np.linalg.norm(down[:, i] * c[i]))
            none += whole not in memories
            led += whole == memories[strongest]
            asked += 1
        assert (found.composed[layer], found.led[layer], found.asked) == (none, led, asked)


def test_one_memory_alone_says_what_its_layer_says(rows):
    torch.manual_seed(9)
    model = Llama(LlamaConfig(16, 1, 2, 4, 2, 4, 30, tied=True, rope_base=1e4, norm_eps=1e-5))
    model.eval().requires_grad_(False)
    found = composed(model, said_by(model), rows)
    assert found.composed.tolist() == [0, 0]
    assert found.led.tolist() == [found.asked] * 2
    assert found.half.tolist() == [1, 1]


def test_with_what_is_said_elsewhere_the_memories_agree_less(rows):
    torch.manual_seed(9)
    model = Llama(LlamaConfig(16, 1, 2, 4, 2, 4, 30, tied=True, rope_base=1e4, norm_eps=1e-5))
    found = composed(model.eval().requires_grad_(False), said_by(model), rows)
    assert (found.composed_dealt > 0).all()
