"""The search of a value against full forward passes of a small random Llama."""

import pytest
import torch

from ffnsite.experiments.edit_key import Contexts
from ffnsite.experiments.edit_value import Search, divergence, finished, halfway, search, surprise
from ffnsite.models.llama import Llama, LlamaConfig

LAYER, BEHIND, TARGET = 1, 2, 7
SHORT, LONG = torch.tensor([[3, 1, 4, 1]]), torch.tensor([[5, 9, 2, 6, 5], [3, 5, 8, 9, 7]])
TEXTS, ESSENCE = Contexts((SHORT, LONG), BEHIND), Contexts((torch.tensor([[2, 7, 1, 8]]),), BEHIND)


@pytest.fixture
def small():
    torch.manual_seed(3)
    model = Llama(LlamaConfig(16, 24, 4, 4, 2, 4, 12, tied=True, rope_base=1e4, norm_eps=1e-5))
    return model.eval().requires_grad_(False).double()


def replaced(model, tokens, z):
    """The last logits of a whole forward pass in which the FFN's output at one token is z."""

    def edit(name, output):
        if name == "ffn":
            output[:, -1 - BEHIND] = z
        return output

    stream = model.embedding(tokens)
    for layer, block in enumerate(model.blocks):
        stream = block(stream, edit=edit) if layer == LAYER else block(stream)
    return model.logits(stream[:, -1])


def test_without_a_change_the_finished_texts_have_the_model_s_own_logits(small):
    for tokens, text in zip(TEXTS.batches, halfway(small, LAYER, TEXTS), strict=True):
        torch.testing.assert_close(finished(small, text, text.said), small(tokens)[:, -1])


def test_a_replaced_output_gives_what_the_whole_forward_pass_gives(small):
    z = torch.randn(16, dtype=torch.float64)
    for tokens, text in zip(TEXTS.batches, halfway(small, LAYER, TEXTS), strict=True):
        torch.testing.assert_close(finished(small, text, z), replaced(small, tokens, z))


def test_the_surprise_is_the_mean_over_all_texts_of_all_batches(small):
    z = torch.randn(16, dtype=torch.float64)
    logits = torch.cat([replaced(small, tokens, z) for tokens in TEXTS.batches])
    by_hand = -sum(float(row.softmax(dim=-1)[TARGET].log()) for row in logits) / 3
    assert float(surprise(small, halfway(small, LAYER, TEXTS), TARGET, z)) == pytest.approx(by_hand)


def test_the_divergence_weighs_by_the_changed_distribution():
    now, before = torch.tensor([[0.5, 0.5]]), torch.tensor([[0.25, 0.75]])
    by_hand = 0.5 * torch.tensor(2.0).log() + 0.5 * torch.tensor(2 / 3).log()
    torch.testing.assert_close(divergence(now.log(), before.log()), by_hand)


@pytest.fixture
def value(small):
    return halfway(small, LAYER, TEXTS)[0].said[0]


def test_the_searched_value_makes_the_new_answer_more_probable(small, value):
    texts = halfway(small, LAYER, TEXTS)
    found = search(small, LAYER, TEXTS, ESSENCE, TARGET, value, Search())
    assert surprise(small, texts, TARGET, found) < surprise(small, texts, TARGET, value) - 0.1


def test_the_value_stays_within_reach(small, value):
    found = search(small, LAYER, TEXTS, ESSENCE, TARGET, value, Search(reach=0.2, decay=0.0))
    assert float((found - value).norm() / value.norm()) == pytest.approx(0.2)


def test_holding_on_to_what_the_subject_is_keeps_that_answer_closer(small, value):
    told = halfway(small, LAYER, ESSENCE)
    before = finished(small, told[0], told[0].said).log_softmax(dim=-1)

    def strayed(holding):
        how = Search(enough=-1.0, holding=holding)
        found = search(small, LAYER, TEXTS, ESSENCE, TARGET, value, how)
        return divergence(finished(small, told[0], found).log_softmax(dim=-1), before)

    assert strayed(10.0) < strayed(0.0)


def test_a_value_that_is_good_enough_is_not_changed(small, value):
    found = search(small, LAYER, TEXTS, ESSENCE, TARGET, value, Search(enough=100.0))
    assert torch.equal(found, value)
