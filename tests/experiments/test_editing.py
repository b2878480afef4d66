"""Rank-one edits: the equation on plain matrices, and a model that is afterwards what it was."""

import pytest
import torch

from ffnsite.errors import BadExperiment
from ffnsite.experiments import editing
from ffnsite.experiments.edit_value import Search
from ffnsite.experiments.editing import Answer, rank_one, rewritten
from ffnsite.models.llama import Llama, LlamaConfig

PROMPT, SUBJECT = "The Louvre is located in the city of", "Louvre"


@pytest.fixture
def plain():
    """A weight, a key, a value, and the second moment of many skewed keys."""
    torch.manual_seed(0)
    keys = torch.randn(400, 12) @ torch.randn(12, 12)
    moment = (keys.T @ keys).double() / 400
    return torch.randn(5, 12), torch.randn(12), torch.randn(5), moment


def test_the_changed_matrix_answers_the_key_with_the_value(plain):
    _, key, value, _ = plain
    torch.testing.assert_close(rank_one(*plain) @ key, value, atol=1e-4, rtol=0)


def test_the_change_has_rank_one_and_reaches_every_row(plain):
    change = rank_one(*plain) - plain[0]
    assert torch.linalg.matrix_rank(change, rtol=1e-4) == 1
    assert (change.abs().sum(dim=1) > 0).all()


def test_keys_that_the_inverse_second_moment_holds_orthogonal_keep_their_answers(plain):
    weight, key, _, moment = plain
    across = torch.linalg.inv(moment) @ key.double()
    other = torch.randn(12, dtype=torch.float64)
    other -= (other @ across) / (across @ across) * across
    changed = rank_one(*plain).double()
    torch.testing.assert_close(changed @ other, weight.double() @ other, atol=1e-5, rtol=0)


def test_with_no_second_moment_the_orthogonal_keys_keep_their_answers(plain):
    weight, key, value, _ = plain
    other = torch.randn(12)
    other -= (other @ key) / (key @ key) * key
    changed = rank_one(weight, key, value, torch.eye(12, dtype=torch.float64))
    torch.testing.assert_close(changed @ other, weight @ other, atol=1e-5, rtol=0)


def test_no_other_matrix_with_this_answer_changes_less_on_the_text(plain):
    weight, key, value, moment = plain

    def changed_on_text(matrix):
        step = (matrix - weight).double()
        return float((step @ moment @ step.T).trace())

    least = changed_on_text(rank_one(*plain))
    for direction in torch.randn(20, 12):
        other = weight + torch.outer(value - weight @ key, direction / (direction @ key))
        torch.testing.assert_close(other @ key, value, atol=1e-3, rtol=0)
        assert changed_on_text(other) > least


def test_too_few_tokens_for_the_second_moment_are_an_error(plain):
    weight, key, value, _ = plain
    with pytest.raises(BadExperiment, match="词元要多于 d_ff = 12 个"):
        rank_one(weight, key, value, torch.zeros(12, 12, dtype=torch.float64))


@pytest.fixture
def small():
    torch.manual_seed(3)
    model = Llama(LlamaConfig(16, 24, 4, 4, 2, 4, 12, tied=True, rope_base=1e4, norm_eps=1e-5))
    return model.eval().requires_grad_(False)


def bits(model):
    return {name: one.numpy().tobytes() for name, one in model.state_dict().items()}


def test_a_rewritten_model_answers_otherwise_and_is_bit_for_bit_the_same_afterwards(small):
    tokens, down = torch.tensor([[3, 1, 4]]), small.blocks[2].ffn.down
    own, before, logits = down.weight, bits(small), small(tokens)
    with rewritten(down, 2 * own):
        assert not torch.equal(small(tokens), logits)
    assert down.weight is own
    assert bits(small) == before
    assert torch.equal(small(tokens), logits)


def test_the_model_is_the_same_also_when_the_body_raises(small):
    tokens, down = torch.tensor([[3, 1, 4]]), small.blocks[2].ffn.down
    before, logits = bits(small), small(tokens)
    with pytest.raises(IndexError), rewritten(down, torch.zeros(16, 24)):
        small(torch.tensor([[12]]))  # a token that the model does not have
    assert bits(small) == before
    assert torch.equal(small(tokens), logits)


@pytest.fixture
def cheap(monkeypatch):
    monkeypatch.setattr(editing.edit_key, "second_moment", lambda layer: torch.eye(1536))
    monkeypatch.setattr(editing, "Search", lambda: Search(steps=2))


@pytest.mark.usefixtures("cheap")
def test_an_edit_of_smollm2_turns_the_answer_and_leaves_smollm2_as_it_was(differentiable):
    model = differentiable
    before = bits(model)
    found = editing.edit.fresh(
        PROMPT,
        SUBJECT,
        " Paris",
        " Rome",
        (),
        ("The capital of France is the city of",),
        25,
    )
    assert bits(model) == before
    assert found.asked.prompt == PROMPT
    assert found.asked.says[0] == " Paris"
    assert found.asked.new[1] > 2 * found.asked.new[0]
    assert found.paraphrases == ()
    assert [one.prompt for one in found.neighbours] == ["The capital of France is the city of"]
    assert 0 < found.size < 1
    assert 0 < found.moved <= Search().reach


@pytest.mark.usefixtures("cheap")
def test_what_the_model_does_not_know_is_not_edited():
    neighbour = ("The Sorbonne is located in the city of",)
    with pytest.raises(BadExperiment, match=r"Sorbonne.*概率只有 0.0\d，要到 0.2"):
        editing.edit.fresh(PROMPT, SUBJECT, " Paris", " Rome", (), neighbour, 25)


def test_scores_of_an_answer_by_hand():
    answer = Answer("p", old=(0.9, 0.2), new=(0.1, 0.55), says=(" a", " b"))
    assert answer.turned
    assert answer.rewrite_score == pytest.approx(0.45 / 0.9)
    assert not Answer("p", (0.9, 0.5), (0.1, 0.4), (" a", " a")).turned
