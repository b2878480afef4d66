"""How much does each channel of an FFN push an answer? Activation times gradient.

    A(l, i, j) = k_j · ∂ log P(answer) / ∂ k_j          k what the down matrix of layer l reads at token i

To first order A is what log P gains when k_j grows by its own size, and −A what log P gains when the
channel is set to zero. Integrated gradients (Dai et al. 2022, arXiv 2104.08696, section 3.1) average
this gradient over a path from zero to k; one point of the path is enough for comparing prompts.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ffnsite.models.llama import Llama


def attributions(
    model: Llama, tokens: Int[Tensor, "1 positions"], target: int
) -> Float[Tensor, "layers positions d_ff"]:
    """A of every channel of every layer at every token, in nats."""
    keys: list[Tensor] = []
    stream = model.embedding(tokens).requires_grad_()
    for block in model.blocks:
        mixed = stream + block.attention(block.attention_norm(stream))
        keys.append(block.ffn.hidden(block.ffn_norm(mixed)))
        stream = mixed + block.ffn.down(keys[-1])
    gained = model.logits(stream[0, -1]).log_softmax(dim=-1)[target]
    pairs = zip(keys, torch.autograd.grad(gained, keys), strict=True)
    return torch.stack([(key * gradient)[0].detach() for key, gradient in pairs])
