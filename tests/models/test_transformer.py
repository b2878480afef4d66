"""GPT-2 against transformers' own; the 2017 model by its parts."""

import math

import pytest
import torch
from transformers import GPT2Config as TheirConfig
from transformers import GPT2LMHeadModel

from ffnsite.models.transformer import GPT2, EncoderDecoder, EncoderDecoderConfig, GPT2Config


def theirs() -> GPT2LMHeadModel:
    """A tiny GPT-2 of the transformers library, in float64."""
    torch.manual_seed(0)
    config = TheirConfig(
        n_embd=24, n_layer=2, n_head=3, vocab_size=50, n_positions=16, attn_implementation="eager"
    )
    return GPT2LMHeadModel(config).double().eval()


def ours(their: GPT2LMHeadModel) -> GPT2:
    """Our module with their weights; they keep query, key, value in one transposed matrix."""
    model = GPT2(GPT2Config(24, 96, 2, 3, 50, 16)).double()
    given = {name.removeprefix("transformer."): w for name, w in their.state_dict().items()}
    state = {
        "embedding.weight": given["wte.weight"],
        "positions.weight": given["wpe.weight"],
        "norm.weight": given["ln_f.weight"],
        "norm.bias": given["ln_f.bias"],
    }
    names = {
        "attention_norm": "ln_1",
        "ffn_norm": "ln_2",
        "attention.output": "attn.c_proj",
        "ffn.up": "mlp.c_fc",
        "ffn.down": "mlp.c_proj",
    }
    for layer in range(2):
        for our, their_name in names.items():
            weight = given[f"h.{layer}.{their_name}.weight"]
            state[f"blocks.{layer}.{our}.weight"] = weight if weight.ndim == 1 else weight.T
            state[f"blocks.{layer}.{our}.bias"] = given[f"h.{layer}.{their_name}.bias"]
        for part in ("weight", "bias"):
            joint = given[f"h.{layer}.attn.c_attn.{part}"]
            thirds = (joint.T if joint.ndim == 2 else joint).chunk(3)
            for our, third in zip(("query", "key", "value"), thirds, strict=True):
                state[f"blocks.{layer}.attention.{our}.{part}"] = third
    model.load_state_dict(state)
    return model


def test_gpt2_gives_the_logits_of_the_transformers_library_in_float64():
    their = theirs()
    tokens = torch.randint(0, 50, (2, 11))
    torch.testing.assert_close(ours(their)(tokens), their(tokens).logits, rtol=1e-9, atol=1e-9)


@pytest.fixture
def encoder_decoder():
    torch.manual_seed(0)
    return EncoderDecoder(EncoderDecoderConfig(16, 64, 2, 4, 30)).eval()


def test_a_later_target_token_leaves_earlier_logits_alone(encoder_decoder):
    source, target = torch.randint(0, 30, (1, 5)), torch.randint(0, 29, (1, 6))
    changed = target.clone()
    changed[0, 4] += 1
    before, after = encoder_decoder(source, target), encoder_decoder(source, changed)
    torch.testing.assert_close(before[:, :4], after[:, :4])
    assert not torch.allclose(before[:, 4:], after[:, 4:])


def test_every_source_token_reaches_every_target_position(encoder_decoder):
    source, target = torch.randint(0, 29, (1, 5)), torch.randint(0, 30, (1, 6))
    changed = source.clone()
    changed[0, 4] += 1
    moved = (encoder_decoder(source, target) - encoder_decoder(changed, target)).abs().amax(-1)
    assert (moved > 1e-6).all()


def test_positions_are_the_sinusoids_of_the_paper(encoder_decoder):
    torch.nn.init.zeros_(encoder_decoder.embedding.weight)
    rows = encoder_decoder._embedded(torch.zeros(1, 4, dtype=torch.int64))[0]
    expected = [math.sin(3), math.cos(3), math.sin(3 / 10_000 ** (2 / 16))]
    assert rows[3, :3].tolist() == pytest.approx(expected, rel=1e-5)
