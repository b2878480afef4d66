"""Which parts of a block read other positions: on SmolLM2, and on parts made by hand."""

import pytest
import torch

from ffnsite.errors import BadExperiment
from ffnsite.experiments.positionwise import changed, differing, one_word_changed, parts_of
from ffnsite.models import smollm2

CAT = "The cat sat on the mat because it was tired"
DOG = CAT.replace("cat", "dog")


@pytest.fixture(scope="module")
def watched():
    return one_word_changed.fresh(CAT, DOG, 10)


@pytest.mark.parametrize("part", ["norm", "query", "ffn"])
def test_norm_projection_and_ffn_change_nowhere_else(watched, part):
    assert watched.moved(part) == (1,)


def test_causal_attention_changes_that_position_and_all_later_ones(watched):
    assert watched.moved("causal") == (1, 2, 3, 4, 5, 6, 7, 8, 9)


def test_attention_without_a_mask_changes_everywhere(watched):
    assert watched.moved("full") == tuple(range(10))
    assert (watched.words[1], watched.other) == (" cat", " dog")


def test_the_last_position_sees_all_with_and_without_a_mask(watched):
    assert watched.changes["full"][-1] == pytest.approx(watched.changes["causal"][-1], rel=1e-4)


def test_a_change_is_relative_to_the_old_output():
    before = torch.tensor([[[3.0, 4.0], [1.0, 0.0]]])
    after = torch.tensor([[[3.0, 4.0], [1.0, 2.0]]])
    assert changed(lambda x: x, before, after) == (0.0, 2.0)


def test_taking_the_mask_away_leaves_the_model_its_mask():
    block = smollm2.model().blocks[0]
    parts_of(block)
    assert block.attention.causal


def test_sentences_of_unlike_length_are_refused():
    with pytest.raises(BadExperiment, match=r"切成 2 个词元.*切成 3 个"):
        differing("The cat", "The cat sat")


def test_two_changed_words_are_refused():
    with pytest.raises(BadExperiment, match="有 2 个词元不同"):
        differing("The cat sat", "The dog ran")
