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
    bias="all",
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
    bias="all",
    tied=True,
    source="Radford et al. 2019, table 2, and the published checkpoint openai-community/gpt2",
    positions=1024,
)

GPT2_XL: Final = Architecture(
    name="GPT-2 XL",
    d_model=1600,
    d_ff=6400,
    layers=48,
    heads=25,
    kv_heads=25,
    head_width=64,
    vocabulary=50_257,
    ffn="two",
    norm="layer",
    bias="all",
    tied=True,
    source="Radford et al. 2019, table 2, and the published checkpoint openai-community/gpt2-xl",
    positions=1024,
)

GPT3_175B: Final = Architecture(
    name="GPT-3 175B",
    d_model=12_288,
    d_ff=49_152,
    layers=96,
    heads=96,
    kv_heads=96,
    head_width=128,
    vocabulary=50_257,
    ffn="two",
    norm="layer",
    bias="all",
    tied=True,
    source="Brown et al. 2020, arXiv 2005.14165, section 2.1 and table 2.1; the rest as in GPT-2",
    positions=2048,
)

BERT_BASE: Final = Architecture(
    name="BERT-base",
    d_model=768,
    d_ff=3072,
    layers=12,
    heads=12,
    kv_heads=12,
    head_width=64,
    vocabulary=30_522,
    ffn="two",
    norm="layer",
    bias="all",
    tied=True,  # its head for masked words is counted apart from the 110M
    source="Devlin et al. 2019, arXiv 1810.04805, section 3; the rest of bert-base-uncased",
    positions=512,
    segments=2,
    final_norm=False,
    embedding_norm=True,
    pooler=True,
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
    bias="none",
    tied=False,
    source="Touvron et al. 2023, arXiv 2302.13971, table 2; d_ff by the rule in its code",
)

LLAMA_13B: Final = Architecture(
    name="LLaMA-13B",
    d_model=5120,
    d_ff=13_824,
    layers=40,
    heads=40,
    kv_heads=40,
    head_width=128,
    vocabulary=32_000,
    ffn="gated",
    norm="rms",
    bias="none",
    tied=False,
    source="Touvron et al. 2023, arXiv 2302.13971, table 2; d_ff by the rule in its code",
)

LLAMA_65B: Final = Architecture(
    name="LLaMA-65B",
    d_model=8192,
    d_ff=22_016,
    layers=80,
    heads=64,
    kv_heads=64,
    head_width=128,
    vocabulary=32_000,
    ffn="gated",
    norm="rms",
    bias="none",
    tied=False,
    source="Touvron et al. 2023, arXiv 2302.13971, table 2; d_ff by the rule in its code",
)

LLAMA_2_70B: Final = Architecture(
    name="Llama-2-70B",
    d_model=8192,
    d_ff=28_672,
    layers=80,
    heads=64,
    kv_heads=8,
    head_width=128,
    vocabulary=32_000,
    ffn="gated",
    norm="rms",
    bias="none",
    tied=False,
    source="Touvron et al. 2023, arXiv 2307.09288, and the published checkpoint",
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
    bias="none",
    tied=False,
    source="Grattafiori et al. 2024, arXiv 2407.21783, table 3; vocabulary of the checkpoint",
)

LLAMA_3_70B: Final = Architecture(
    name="Llama-3-70B",
    d_model=8192,
    d_ff=28_672,
    layers=80,
    heads=64,
    kv_heads=8,
    head_width=128,
    vocabulary=128_256,
    ffn="gated",
    norm="rms",
    bias="none",
    tied=False,
    source="Grattafiori et al. 2024, arXiv 2407.21783, table 3; vocabulary of the checkpoint",
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
    bias="none",
    tied=True,
    source="Chowdhery et al. 2022, arXiv 2204.02311, section 2 and table 1",
    block_norms=1,  # attention and FFN stand side by side
)

MISTRAL_7B: Final = Architecture(
    name="Mistral-7B",
    d_model=4096,
    d_ff=14_336,
    layers=32,
    heads=32,
    kv_heads=8,
    head_width=128,
    vocabulary=32_000,
    ffn="gated",
    norm="rms",
    bias="none",
    tied=False,
    source="Jiang et al. 2023, arXiv 2310.06825, table 1",
)

MIXTRAL_8X7B: Final = Architecture(
    name="Mixtral 8x7B",
    d_model=4096,
    d_ff=14_336,
    layers=32,
    heads=32,
    kv_heads=8,
    head_width=128,
    vocabulary=32_000,
    ffn="gated",
    norm="rms",
    bias="none",
    tied=False,
    source="Jiang et al. 2024, arXiv 2401.04088, table 1",
    experts=8,
    active=2,
)

QWEN25_05B: Final = Architecture(
    name="Qwen2.5-0.5B",
    d_model=896,
    d_ff=4864,
    layers=24,
    heads=14,
    kv_heads=2,
    head_width=64,
    vocabulary=151_936,
    ffn="gated",
    norm="rms",
    bias="qkv",
    tied=True,
    source="Qwen team 2024, arXiv 2412.15115, table 1; widths and vocabulary of the checkpoint",
)

QWEN25_7B: Final = Architecture(
    name="Qwen2.5-7B",
    d_model=3584,
    d_ff=18_944,
    layers=28,
    heads=28,
    kv_heads=4,
    head_width=128,
    vocabulary=152_064,
    ffn="gated",
    norm="rms",
    bias="qkv",
    tied=False,
    source="Qwen team 2024, arXiv 2412.15115, table 1; widths and vocabulary of the checkpoint",
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
    bias="none",
    tied=True,
    source="HuggingFaceTB/SmolLM2-135M-Instruct, metadata of the GGUF file",
)

MODELS: Final[dict[str, Architecture]] = {
    "transformer_base": TRANSFORMER_BASE,
    "gpt2_small": GPT2_SMALL,
    "gpt2_xl": GPT2_XL,
    "gpt3_175b": GPT3_175B,
    "bert_base": BERT_BASE,
    "llama_7b": LLAMA_7B,
    "llama_13b": LLAMA_13B,
    "llama_65b": LLAMA_65B,
    "llama2_70b": LLAMA_2_70B,
    "llama3_8b": LLAMA_3_8B,
    "llama3_70b": LLAMA_3_70B,
    "palm_540b": PALM_540B,
    "mistral_7b": MISTRAL_7B,
    "mixtral_8x7b": MIXTRAL_8X7B,
    "qwen25_05b": QWEN25_05B,
    "qwen25_7b": QWEN25_7B,
    "smollm2": SMOLLM2_135M,
}
"""Every model by its key, which begins the names of its facts."""
