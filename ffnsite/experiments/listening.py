"""Running a Llama while someone listens to its memories: every coefficient of every FFN.

    FFN(x) = Σ_i c_i v_i      c_i = SiLU(g_i · x) (u_i · x)      v_i: column i of the down matrix

g_i and u_i are row i of the gate and of the up matrix: together they are the key of memory i.
"""

from collections.abc import Callable
from typing import TypeAlias

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ffnsite.models.llama import Llama

Coefficients = Float[Tensor, "rows positions d_ff"]
Hear: TypeAlias = Callable[[int, Tensor], None]
"""Is told each layer from 0 and its coefficients, of shape (rows, positions, d_ff)."""


@torch.inference_mode()
def listen(
    model: Llama, tokens: Int[Tensor, "rows positions"], hear: Hear
) -> Float[Tensor, "rows positions d_model"]:
    """The residual stream that the last block writes; every layer is heard on the way."""
    stream: Tensor = model.embedding(tokens)
    for layer, block in enumerate(model.blocks):
        stream = stream + block.attention(block.attention_norm(stream))
        coefficients = block.ffn.hidden(block.ffn_norm(stream))
        hear(layer, coefficients)
        stream = stream + block.ffn.down(coefficients)
    return stream
