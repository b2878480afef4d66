"""Published models as shapes, each with the place where the shape is published."""

from typing import Final

from ffnsite.models.sizes import Architecture

TRANSFORMER_BASE: Final = Architecture(
    name="Transformer base",
    d_model=512,
    d_ff=2048,
    layers=12,  # 6 encoder blocks and 6 decoder blocks
    heads=8,
    kv_heads=8,
    head_width=64,
    vocabulary=37_000,  # "about 37000 tokens", so the embedding is an estimate
    ffn="two",
    norm="layer",
    bias=True,
    tied=True,  # both embeddings and the head are one matrix, section 3.4
    source="Vaswani et al. 2017, arXiv 1706.03762, section 5.1 and table 3, row base",
    cross_layers=6,
    final_norm=False,
)

GPT2_SMALL: Final = Architecture(
    name="GPT-2 small",
    d_model=768,
    d_ff=3072,
    layers=12,
    heads=12,
    kv_heads=12,
    head_width=64,
    vocabulary=50_257,
    ffn="two",
    norm="layer",
    bias=True,
    tied=True,
    source="Radford et al. 2019, table 2, and the published checkpoint openai-community/gpt2",
    positions=1024,
)

LLAMA_7B: Final = Architecture(
    name="LLaMA-7B",
    d_model=4096,
    d_ff=11_008,
    layers=32,
    heads=32,
    kv_heads=32,
    head_width=128,
    vocabulary=32_000,
    ffn="gated",
    norm="rms",
    bias=False,
    tied=False,
    source="Touvron et al. 2023, arXiv 2302.13971, table 2; d_ff by the rule in its code",
)

LLAMA_3_8B: Final = Architecture(
    name="Llama-3-8B",
    d_model=4096,
    d_ff=14_336,
    layers=32,
    heads=32,
    kv_heads=8,
    head_width=128,
    vocabulary=128_256,
    ffn="gated",
    norm="rms",
    bias=False,
    tied=False,
    source="Grattafiori et al. 2024, arXiv 2407.21783, table 3; vocabulary of the checkpoint",
)

SMOLLM2_135M: Final = Architecture(
    name="SmolLM2-135M",
    d_model=576,
    d_ff=1536,
    layers=30,
    heads=9,
    kv_heads=3,
    head_width=64,
    vocabulary=49_152,
    ffn="gated",
    norm="rms",
    bias=False,
    tied=True,
    source="HuggingFaceTB/SmolLM2-135M-Instruct, metadata of the GGUF file",
)

PALM_540B: Final = Architecture(
    name="PaLM 540B",
    d_model=18_432,
    d_ff=73_728,  # "always 4 x d_model"
    layers=118,
    heads=48,
    kv_heads=1,
    head_width=256,
    vocabulary=256_000,
    ffn="gated",
    norm="rms",  # its LayerNorm has no shift, so it counts like this
    bias=False,
    tied=True,
    source="Chowdhery et al. 2022, arXiv 2204.02311, section 2 and table 1",
)
"""By formula only: attention and FFN stand side by side in its blocks and share one norm, where
the formula has two; its norms are 0.0004 % of its parameters."""

MODELS: Final[dict[str, Architecture]] = {
    "transformer_base": TRANSFORMER_BASE,
    "gpt2_small": GPT2_SMALL,
    "llama_7b": LLAMA_7B,
    "llama3_8b": LLAMA_3_8B,
    "smollm2": SMOLLM2_135M,
}
"""The models that are built and counted, by key."""
