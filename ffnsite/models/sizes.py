"""How many parameters a model has, by closed formulas in whole numbers.

This is one of two independent ways to count. It knows shapes only and multiplies them out; the
other builds the modules and counts their tensors (`ffnsite.experiments.counting`).
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal


@dataclass(frozen=True, slots=True)
class Architecture:
    """The shape of a published model, as far as its parameter count depends on it.

    Attributes:
        name: as its authors write it.
        d_model: width of the residual stream.
        d_ff: width inside the feed-forward layer.
        layers: blocks; in an encoder-decoder those of both stacks.
        heads: query heads.
        kv_heads: key and value heads; fewer than `heads` in grouped-query attention.
        head_width: numbers a head works on.
        vocabulary: rows of the token embedding.
        ffn: `two` matrices (up, down) or `gated`, with three (gate, up, down).
        norm: `layer` has a gain and a shift for each number, `rms` a gain only.
        bias: which projections have biases: `all` of attention and FFN, `qkv` (query, key and
            value) or `none`.
        tied: whether the output head is the token embedding again.
        positions: rows of a learned position embedding; 0 where positions cost no parameters.
        cross_layers: blocks of a decoder with a second attention, which reads the encoder.
        final_norm: whether a norm stands behind the last block.
        block_norms: norms in a block: one for each sublayer, or one that both read.
        experts: feed-forward layers to choose from in each block; 1 where there is no choice.
        active: how many of them a token runs.
        segments: rows of a learned segment embedding.
        embedding_norm: whether a norm stands behind the embeddings.
        pooler: whether a d x d layer with bias reads the first position at the end.
        source: where the shape is published.
    """

    name: str
    d_model: int
    d_ff: int
    layers: int
    heads: int
    kv_heads: int
    head_width: int
    vocabulary: int
    ffn: Literal["two", "gated"]
    norm: Literal["layer", "rms"]
    bias: Literal["all", "qkv", "none"]
    tied: bool
    source: str
    positions: int = 0
    cross_layers: int = 0
    final_norm: bool = True
    block_norms: int = 2
    experts: int = 1
    active: int = 1
    segments: int = 0
    embedding_norm: bool = False
    pooler: bool = False


@dataclass(frozen=True, slots=True)
class Parts:
    """Parameters by what they belong to; the parts do not overlap.

    `attention` and `ffn` are the weight matrices alone, of all experts where there are several;
    biases and routers stand by themselves. A tied head is nobody's parameters twice: it counts as
    embedding.
    """

    attention: int
    ffn: int
    attention_bias: int = 0
    ffn_bias: int = 0
    router: int = 0
    norm: int = 0
    embedding: int = 0
    positions: int = 0
    segments: int = 0
    pooler: int = 0
    head: int = 0

    @property
    def matrices(self) -> int:
        """The weight matrices of attention and FFN."""
        return self.attention + self.ffn

    @property
    def small(self) -> int:
        """Biases, norms and routers."""
        return self.attention_bias + self.ffn_bias + self.router + self.norm

    @property
    def outside(self) -> int:
        """What stands outside the blocks, norms apart."""
        return self.embedding + self.positions + self.segments + self.pooler + self.head

    @property
    def total(self) -> int:
        """All parameters."""
        return self.matrices + self.small + self.outside


def attention(shape: Architecture) -> int:
    """Weights of one attention: query and output over all heads, key and value over KV heads.

    With kv_heads = heads and heads x head_width = d this is 4 d^2.
    """
    query_and_output = 2 * shape.d_model * shape.heads * shape.head_width
    key_and_value = 2 * shape.d_model * shape.kv_heads * shape.head_width
    return query_and_output + key_and_value


def expert(shape: Architecture) -> int:
    """Weights of one FFN: two matrices of d x d_ff, or three where it is gated."""
    matrices = 3 if shape.ffn == "gated" else 2
    return matrices * shape.d_model * shape.d_ff


def feed_forward(shape: Architecture) -> int:
    """Weights of all FFNs of a block: one, or all of its experts."""
    return shape.experts * expert(shape)


def attention_bias(shape: Architecture) -> int:
    """Biases of one attention: one number for each output of the projections that have them."""
    query_key_value = (shape.heads + 2 * shape.kv_heads) * shape.head_width
    return {"all": query_key_value + shape.d_model, "qkv": query_key_value, "none": 0}[shape.bias]


def feed_forward_bias(shape: Architecture) -> int:
    """Biases of the FFNs of a block: one number for each output of their matrices."""
    if shape.bias != "all":
        return 0
    inner = 2 if shape.ffn == "gated" else 1
    return shape.experts * (inner * shape.d_ff + shape.d_model)


def router(shape: Architecture) -> int:
    """Weights of one router: a score for each expert, or nothing where there is no choice."""
    return shape.d_model * shape.experts if shape.experts > 1 else 0


def norm(shape: Architecture) -> int:
    """Parameters of one norm: a gain for each number, in LayerNorm a shift as well."""
    return shape.d_model * (2 if shape.norm == "layer" else 1)


def block(shape: Architecture) -> Parts:
    """One block with self-attention and FFN, and its norms."""
    return Parts(
        attention=attention(shape),
        ffn=feed_forward(shape),
        attention_bias=attention_bias(shape),
        ffn_bias=feed_forward_bias(shape),
        router=router(shape),
        norm=shape.block_norms * norm(shape),
    )


def model(shape: Architecture) -> Parts:
    """The whole model: all blocks, the embeddings, norms outside the blocks, an untied head."""
    attentions = shape.layers + shape.cross_layers
    norms = shape.block_norms * shape.layers + shape.cross_layers
    norms += shape.final_norm + shape.embedding_norm
    tokens = shape.vocabulary * shape.d_model
    return Parts(
        attention=attentions * attention(shape),
        ffn=shape.layers * feed_forward(shape),
        attention_bias=attentions * attention_bias(shape),
        ffn_bias=shape.layers * feed_forward_bias(shape),
        router=shape.layers * router(shape),
        norm=norms * norm(shape),
        embedding=tokens,
        positions=shape.positions * shape.d_model,
        segments=shape.segments * shape.d_model,
        pooler=shape.d_model**2 + shape.d_model if shape.pooler else 0,
        head=0 if shape.tied else tokens,
    )


def active(shape: Architecture) -> int:
    """The parameters that one token runs through: the model without the experts left aside."""
    idle = shape.layers * (shape.experts - shape.active)
    return model(shape).total - idle * expert(shape)


def rule_of_thumb(shape: Architecture) -> int:
    """The estimate 12 n d^2 + V d: standard blocks and one embedding, nothing else."""
    return 12 * shape.layers * shape.d_model**2 + shape.vocabulary * shape.d_model


def in_d_squared(weights: int, shape: Architecture) -> Fraction:
    """A number of weights as a coefficient of d^2."""
    return Fraction(weights, shape.d_model**2)


def gated_width(d_model: int, multiple_of: int, multiplier: Fraction = Fraction(1)) -> int:
    """LLaMA's rule for the width of a gated FFN, in the steps of its published code.

    Two thirds of 4 d, cut to a whole number, times the multiplier, cut again, then up to the next
    multiple (facebookresearch/llama, llama/model.py, class FeedForward).
    """
    width = int(multiplier * (2 * 4 * d_model // 3))
    return -(-width // multiple_of) * multiple_of
