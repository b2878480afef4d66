"""Keys of an edit against hooks on the model, loops, and the texts they are read in."""

import pytest
import torch

from ffnsite.errors import BadExperiment
from ffnsite.experiments import edit_key
from ffnsite.experiments.edit_key import PREFIXES, Contexts, contexts, moment, subject_key
from ffnsite.models import smollm2
from ffnsite.models.llama import Llama, LlamaConfig

LAYER = 2


@pytest.fixture
def small():
    torch.manual_seed(3)
    model = Llama(LlamaConfig(16, 24, 4, 4, 2, 4, 12, tied=True, rope_base=1e4, norm_eps=1e-5))
    return model.eval().requires_grad_(False).double()


def heard(model, tokens):
    """What the down matrix of the layer reads in the model's own forward, by a hook."""
    keys = []
    down = model.blocks[LAYER].ffn.down
    hook = down.register_forward_pre_hook(lambda _, given: keys.append(given[0]))
    model(tokens)
    hook.remove()
    return keys[0]


def test_the_subject_s_last_token_is_at_the_same_place_from_the_end_of_every_text():
    tokenizer = smollm2.tokenizer()
    found = contexts(tokenizer, "The Louvre is located in the city of", "Louvre")
    texts = [text.tolist() for batch in found.batches for text in batch]
    assert {tokenizer.decode(text) for text in texts} == {
        prefix + "The Louvre is located in the city of" for prefix in PREFIXES
    }
    assert all(tokenizer.decode(text[: len(text) - found.behind]).endswith("vre") for text in texts)
    assert all(tokenizer.decode([text[-found.behind]]) == " is" for text in texts)


def test_a_subject_that_is_not_in_the_prompt_is_named():
    with pytest.raises(BadExperiment, match="恰好出现一次"):
        contexts(smollm2.tokenizer(), "The Louvre is in", "Colosseum")


def test_a_subject_without_a_word_before_its_last_token_is_refused():
    with pytest.raises(BadExperiment, match="只是第一个词元"):
        contexts(smollm2.tokenizer(), "France is a", "France")


def test_the_key_is_the_mean_of_what_the_down_matrix_reads_at_the_subject(small):
    short, long = torch.tensor([[3, 1, 4, 1]]), torch.tensor([[5, 9, 2, 6, 5], [3, 5, 8, 9, 7]])
    found = subject_key(small, LAYER, Contexts((short, long), behind=1))
    by_hand = torch.stack([heard(small, short)[0, 2], *heard(small, long)[:, 3]]).mean(dim=0)
    torch.testing.assert_close(found, by_hand)


def test_the_second_moment_is_the_mean_of_outer_products_over_all_tokens(small, monkeypatch):
    monkeypatch.setattr(edit_key, "BATCH", 2)
    tokens = torch.randint(0, 12, (5, 4))
    keys = heard(small, tokens).reshape(-1, 24)
    by_hand = sum(torch.outer(key, key) for key in keys) / 20
    torch.testing.assert_close(moment(small, LAYER, tokens), by_hand)


def test_the_text_has_more_tokens_than_a_key_has_numbers():
    tokens = edit_key.ROWS * edit_key.LENGTH
    assert tokens >= 5000
    assert tokens > 3 * smollm2.SMOLLM2_135M.d_ff
