"""From where a prediction is fixed, against reading every depth of every word."""

import numpy as np
import pytest
import torch

from ffnsite.experiments.lens import EVERY, Lens, agreement, fixed_from, predictions, through
from ffnsite.models.llama import Llama, LlamaConfig


@pytest.fixture(scope="module")
def small():
    torch.manual_seed(7)
    model = Llama(LlamaConfig(16, 24, 5, 4, 2, 4, 9, tied=True, rope_base=1e4, norm_eps=1e-5))
    return model.eval().requires_grad_(False)


@pytest.fixture(scope="module")
def rows():
    return torch.randint(9, (6, 40), generator=torch.Generator().manual_seed(8))


def by_hand(model, rows):
    """Predictions (depths, rows, positions), then the first depth from which each one stays."""
    streams = model.streams(model.embedding(rows)).double().numpy()
    scale = np.sqrt((streams**2).mean(axis=-1, keepdims=True) + 1e-5)
    unembedding = model.embedding.weight.double().numpy()
    each = (streams / scale * model.norm.weight.double().numpy() @ unembedding.T).argmax(axis=-1)
    fixed = np.zeros(rows.shape, dtype=int)
    for place in np.ndindex(*rows.shape):
        words = each[(slice(None), *place)]
        fixed[place] = min(depth for depth in range(len(words)) if all(words[depth:] == words[-1]))
    return each, fixed


def test_fixed_is_the_first_depth_from_which_the_prediction_stays(small, rows):
    _, fixed = by_hand(small, rows)
    found = through(small, rows)
    later = fixed[:, 1:].ravel()
    assert found.words == later.size == 6 * 39
    assert found.fixed.tolist() == np.bincount(later, minlength=6).tolist()
    assert (found.fixed > 0).sum() >= 3  # the drawn model leaves something to find


def test_a_passing_agreement_is_one_that_changes_again(small, rows):
    each, fixed = by_hand(small, rows)
    asked, fixed = each[:, :, 1::EVERY], fixed[:, 1::EVERY]
    found = through(small, rows)
    assert found.read == fixed.size
    expected = [
        ((asked[depth] == asked[-1]) & (fixed > depth)).sum() for depth in range(len(asked))
    ]
    assert found.passing.tolist() == expected
    assert sum(expected) > 0


def test_what_agrees_is_what_stays_and_what_passes():
    found = Lens(10, np.array([1, 2, 7]), 4, np.array([2, 1, 0]))
    assert found.staying_share.tolist() == pytest.approx([0.1, 0.3, 1])
    assert found.agreeing_share.tolist() == pytest.approx([0.6, 0.55, 1])


def test_a_prediction_that_leaves_and_comes_back_is_fixed_only_after_its_return(small):
    unembedding = small.embedding.weight
    right, wrong = unembedding[predictions(small, unembedding)[0]], unembedding[1]
    assert predictions(small, right[None]) != predictions(small, wrong[None])
    streams = torch.stack([right, wrong, right, right])[:, None]
    assert fixed_from(small, streams).tolist() == [2]
    assert agreement(small, streams)[:, 0].tolist() == [True, False, True, True]


def test_a_prediction_that_never_moves_is_fixed_at_the_embedding(small):
    streams = small.embedding.weight[3].expand(4, 1, 16)
    assert fixed_from(small, streams).tolist() == [0]
