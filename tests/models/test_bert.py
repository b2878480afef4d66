"""BERT against the transformers library, in float64."""

import torch
from transformers import BertConfig as TheirConfig
from transformers import BertModel

from ffnsite.models.bert import Bert, BertConfig

OUTSIDE = {
    "embedding": "embeddings.word_embeddings",
    "positions": "embeddings.position_embeddings",
    "segments": "embeddings.token_type_embeddings",
    "norm": "embeddings.LayerNorm",
    "pooler": "pooler.dense",
}
IN_A_BLOCK = {
    "attention.query": "attention.self.query",
    "attention.key": "attention.self.key",
    "attention.value": "attention.self.value",
    "attention.output": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "ffn.up": "intermediate.dense",
    "ffn.down": "output.dense",
    "ffn_norm": "output.LayerNorm",
}


def pair() -> tuple[Bert, BertModel]:
    """Ours and theirs with the same random weights."""
    torch.manual_seed(0)
    config = TheirConfig(
        vocab_size=40,
        hidden_size=24,
        num_hidden_layers=2,
        num_attention_heads=3,
        intermediate_size=96,
        max_position_embeddings=16,
        attn_implementation="eager",
    )
    their = BertModel(config).double().eval()
    ours = Bert(BertConfig(24, 96, 2, 3, 40, 16, 2)).double()
    names = OUTSIDE | {
        f"blocks.{layer}.{our}": f"encoder.layer.{layer}.{name}"
        for layer in range(2)
        for our, name in IN_A_BLOCK.items()
    }
    given = their.state_dict()
    ours.load_state_dict({name: given[_theirs(name, names)] for name in ours.state_dict()})
    return ours, their


def _theirs(name: str, names: dict[str, str]) -> str:
    module, _, kind = name.rpartition(".")
    return f"{names[module]}.{kind}"


def test_encoder_and_pooler_give_what_the_transformers_library_gives():
    ours, their = pair()
    tokens, segments = torch.randint(0, 40, (2, 11)), torch.randint(0, 2, (2, 11))
    expected = their(tokens, token_type_ids=segments)
    stream = ours(tokens, segments)
    torch.testing.assert_close(stream, expected.last_hidden_state, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(ours.pooled(stream), expected.pooler_output, rtol=1e-9, atol=1e-9)
