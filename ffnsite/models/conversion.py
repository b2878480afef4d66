"""A GGUF file read into float32 arrays under this project's names.

GGUF keeps W_q and W_k of a Llama permuted for rotary positions in neighbouring pairs; ours turn the
two halves of a head (`rotary.py`), so both are put back: row (head, pair, half) of the file is row
(head, half, pair) here.
Source: the GGUF format and llama.cpp's converter for Llama models.
"""

from typing import Any

import numpy as np
from gguf import GGUFReader, dequantize
from jaxtyping import Float
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

_OUTSIDE = {
    "token_embd.weight": "embedding.weight",
    "output_norm.weight": "norm.weight",
    "output.weight": "head.weight",
}
_IN_A_BLOCK = {
    "attn_norm.weight": "attention_norm.weight",
    "attn_q.weight": "attention.query.weight",
    "attn_k.weight": "attention.key.weight",
    "attn_v.weight": "attention.value.weight",
    "attn_output.weight": "attention.output.weight",
    "ffn_norm.weight": "ffn_norm.weight",
    "ffn_gate.weight": "ffn.gate.weight",
    "ffn_up.weight": "ffn.up.weight",
    "ffn_down.weight": "ffn.down.weight",
}
_CONTROL = 3  # the token type of marks such as <|endoftext|>


def arrays(reader: GGUFReader) -> dict[str, np.ndarray]:
    """Every weight as float32, named as in `ffnsite.models.llama.Llama.state_dict()`."""
    heads = {
        "attn_q.weight": _field(reader, "llama.attention.head_count"),
        "attn_k.weight": _field(reader, "llama.attention.head_count_kv"),
    }
    found = {}
    for tensor in reader.tensors:
        weight = np.ascontiguousarray(dequantize(tensor.data, tensor.tensor_type), dtype=np.float32)
        permuted = heads.get(tensor.name.split(".", 2)[-1])
        found[_renamed(tensor.name)] = weight if permuted is None else unpermuted(weight, permuted)
    return found


def unpermuted(
    weight: Float[np.ndarray, "rows columns"], heads: int
) -> Float[np.ndarray, "rows columns"]:
    """Rows of neighbouring pairs, (head, pair, half), put back into halves, (head, half, pair)."""
    rows, columns = weight.shape
    paired = weight.reshape(heads, rows // heads // 2, 2, columns)
    return np.ascontiguousarray(paired.swapaxes(1, 2).reshape(rows, columns))


def sizes(reader: GGUFReader) -> dict[str, int | float | bool]:
    """The arguments of `ffnsite.models.llama.LlamaConfig` that the file states."""
    d_model = _field(reader, "llama.embedding_length")
    heads = _field(reader, "llama.attention.head_count")
    epsilon = np.float32(_field(reader, "llama.attention.layer_norm_rms_epsilon"))
    return {
        "d_model": d_model,
        "d_ff": _field(reader, "llama.feed_forward_length"),
        "layers": _field(reader, "llama.block_count"),
        "heads": heads,
        "kv_heads": _field(reader, "llama.attention.head_count_kv"),
        "head_width": d_model // heads,
        "vocabulary": _field(reader, "llama.vocab_size"),
        "tied": all(tensor.name != "output.weight" for tensor in reader.tensors),
        "rope_base": float(_field(reader, "llama.rope.freq_base")),
        # stored as float32: 9.999999747378752e-06 stands for 1e-5
        "norm_eps": float(str(epsilon)),
    }


def tokenizer(reader: GGUFReader) -> Tokenizer:
    """Byte-level BPE of the file's tokens and merges; digits stand alone, no mark goes first."""
    tokens: list[str] = _field(reader, "tokenizer.ggml.tokens")
    kinds: list[int] = _field(reader, "tokenizer.ggml.token_type")
    merges = [tuple(merge.split(" ")) for merge in _field(reader, "tokenizer.ggml.merges")]
    built = Tokenizer(models.BPE({token: place for place, token in enumerate(tokens)}, merges))
    built.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    built.decoder = decoders.ByteLevel()
    marks = (token for token, kind in zip(tokens, kinds, strict=True) if kind == _CONTROL)
    built.add_special_tokens([AddedToken(mark, special=True, normalized=False) for mark in marks])
    return built


def _renamed(name: str) -> str:
    if name in _OUTSIDE:
        return _OUTSIDE[name]
    _, block, rest = name.split(".", 2)
    return f"blocks.{block}.{_IN_A_BLOCK[rest]}"


def _field(reader: GGUFReader, key: str) -> Any:
    return reader.fields[key].contents()
