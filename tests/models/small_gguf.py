"""A Llama of two blocks written as GGUF the way llama.cpp does, for tests without network."""

from pathlib import Path

import numpy as np
from gguf import GGUFWriter

D, FF, HEADS, KV_HEADS, LAYERS = 32, 48, 4, 2, 2
TOKENS = ["<|end|>", "a", "b", "ab", "1", "2", "12", "Ġ", "Ġa"]
MERGES = ["a b", "1 2", "Ġ a"]


def permuted(weight: np.ndarray, heads: int) -> np.ndarray:
    """llama.cpp's `permute`: rows (head, half, pair) become (head, pair, half)."""
    rows, columns = weight.shape
    return (
        weight.reshape(heads, 2, rows // heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)
    )


def weights(seed: int = 0) -> dict[str, np.ndarray]:
    """Random float32 weights under the project's names."""
    draw = np.random.default_rng(seed)
    shapes = {"embedding.weight": (len(TOKENS), D), "norm.weight": (D,)}
    for block in range(LAYERS):
        shapes |= {
            f"blocks.{block}.attention_norm.weight": (D,),
            f"blocks.{block}.attention.query.weight": (D, D),
            f"blocks.{block}.attention.key.weight": (D // 2, D),
            f"blocks.{block}.attention.value.weight": (D // 2, D),
            f"blocks.{block}.attention.output.weight": (D, D),
            f"blocks.{block}.ffn_norm.weight": (D,),
            f"blocks.{block}.ffn.gate.weight": (FF, D),
            f"blocks.{block}.ffn.up.weight": (FF, D),
            f"blocks.{block}.ffn.down.weight": (D, FF),
        }
    return {name: draw.standard_normal(shape, dtype=np.float32) for name, shape in shapes.items()}


def write(path: Path, seed: int = 0) -> Path:
    """The file, its query and key weights permuted."""
    writer = GGUFWriter(path, "llama")
    _write_metadata(writer)
    for name, weight in weights(seed).items():
        heads = HEADS if "query" in name else KV_HEADS
        stored = permuted(weight, heads) if "query" in name or "key" in name else weight
        writer.add_tensor(_their_name(name), np.ascontiguousarray(stored))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _their_name(name: str) -> str:
    if not name.startswith("blocks."):
        return {"embedding.weight": "token_embd.weight", "norm.weight": "output_norm.weight"}[name]
    _, block, rest = name.removesuffix(".weight").split(".", 2)
    short = {"attention.output": "attn_output", "attention_norm": "attn_norm"}.get(rest)
    letters = {"attention.query": "attn_q", "attention.key": "attn_k", "attention.value": "attn_v"}
    return f"blk.{block}.{short or letters.get(rest) or rest.replace('.', '_')}.weight"


def _write_metadata(writer: GGUFWriter) -> None:
    writer.add_block_count(LAYERS)
    writer.add_embedding_length(D)
    writer.add_feed_forward_length(FF)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_rope_freq_base(10_000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(TOKENS))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(TOKENS)
    writer.add_token_types([3, *[1] * (len(TOKENS) - 1)])
    writer.add_token_merges(MERGES)
