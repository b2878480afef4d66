"""A language model of any blocks: what Qwen2.5, Mixtral and PaLM share with Llama.

    x_0 = E[tokens];  x_(l+1) = block l of x_l;  logits = Norm(x_L) W^T

W is E where the head is tied. Qwen2.5 puts biases on query, key and value (arXiv 2412.15115,
section 2.1), Mixtral a mixture of experts in the place of the FFN (arXiv 2401.04088, section 2),
PaLM attention and FFN side by side (arXiv 2204.02311, section 2); all of that is in the blocks.
"""

from collections.abc import Sequence

from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from ffnsite.models.embedding import table


class Decoder(nn.Module):
    """A decoder; build it under `torch.device("meta")` to count without memory.

    Args:
        vocabulary: rows of the token embedding.
        d_model: width of the residual stream.
        blocks: what stands between embedding and head, in order.
        norm: the norm behind the last block.
        tied: whether the head is the token embedding.
    """

    def __init__(
        self,
        vocabulary: int,
        d_model: int,
        blocks: Sequence[nn.Module],
        norm: nn.Module,
        tied: bool,
    ) -> None:
        super().__init__()
        self.embedding = table(vocabulary, d_model)
        self.blocks = nn.ModuleList(blocks)
        self.norm = norm
        self.head = None if tied else nn.Linear(d_model, vocabulary, bias=False)

    def forward(
        self, tokens: Int[Tensor, "batch positions"]
    ) -> Float[Tensor, "batch positions vocabulary"]:
        """The logits of the next token at every position."""
        stream: Tensor = self.embedding(tokens)
        for block in self.blocks:
            stream = block(stream)
        unembedding = self.embedding if self.head is None else self.head
        return functional.linear(self.norm(stream), unembedding.weight)
