"""The real model against transformers' own GGUF reader, tokenizer and Llama."""

from dataclasses import replace

import pytest
import torch
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM
from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint

from ffnsite.errors import BadWeights
from ffnsite.models import smollm2, weights

pytestmark = pytest.mark.xdist_group("smollm2")

EIFFEL = "The Eiffel Tower is located in the city of"
PROMPTS = [
    EIFFEL,
    "The capital of France is",
    "The chemical symbol for gold is",
    "def fibonacci(n):\n    if n < 2:\n        return",
    "In 1969, 3 astronauts flew 384400 km to the",
    "Pride and Prejudice was written by Jane",
    "Ünïcödé — “quotes”, 中文, and emoji 🙂 are all",
    "The",
    "  two spaces first,\n\n\ttabs and newlines after",
    "It's what they'd've said: we're done, I'll go. " * 8,
]


@pytest.fixture(scope="module")
def gguf():
    weights.fetch()
    return weights.verified_gguf()


@pytest.fixture(scope="module")
def reference(gguf):
    with torch.device("meta"):
        empty = LlamaForCausalLM(LlamaConfig(**load_gguf_checkpoint(str(gguf))["config"]))
    read = load_gguf_checkpoint(str(gguf), return_tensors=True, model_to_load=empty)
    model = LlamaForCausalLM(LlamaConfig(**read["config"])).eval()
    missing = model.load_state_dict(read["tensors"], strict=False).missing_keys
    assert missing == ["lm_head.weight"]
    model.tie_weights()
    return model


@torch.inference_mode()
@pytest.mark.parametrize("prompt", PROMPTS)
def test_logits_equal_those_of_transformers(reference, prompt):
    tokens = torch.tensor([smollm2.tokenizer().encode(prompt).ids])
    expected = reference(tokens).logits
    torch.testing.assert_close(smollm2.model()(tokens), expected, atol=1e-3, rtol=0)


def test_tokens_equal_those_of_transformers(gguf):
    theirs = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    for prompt in PROMPTS:
        expected = theirs(prompt, add_special_tokens=False).input_ids
        assert smollm2.tokenizer().encode(prompt).ids == expected


@torch.inference_mode()
def test_paris_has_the_probability_of_weights_read_right():
    """0.673 would mean that W_q and W_k were used as stored."""
    tokenizer = smollm2.tokenizer()
    tokens = tokenizer.encode(EIFFEL).ids
    (paris,) = tokenizer.encode(" Paris").ids
    shares = smollm2.model()(torch.tensor([tokens]))[0, -1].softmax(dim=-1)
    assert shares[paris].item() == pytest.approx(0.7016, abs=0.0005)


def test_a_file_of_other_sizes_is_refused(monkeypatch):
    monkeypatch.setattr(smollm2, "SMOLLM2_135M", replace(smollm2.SMOLLM2_135M, layers=12))
    with pytest.raises(BadWeights, match=r"layers=30.*应为.*layers=12.*请运行 make setup"):
        smollm2.model.__wrapped__()
