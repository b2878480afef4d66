"""Which value makes the model say something else? The second half of an edit by ROME.

The FFN's output at the subject's last token is replaced by z, and z is searched by gradient descent
on the loss

    L(z) = mean over contexts of −log P(new answer | context, output := z)
           + holding · KL( P(· | "{subject} is a", output := z)  ‖  P(· | "{subject} is a") )
           + decay · ‖z − v‖² / ‖v‖²                 v = W k*, what the FFN says now

and kept within ‖z − v‖ ≤ reach · ‖v‖. The second term holds on to what the subject is, the third and
the bound keep the value near the old one. Nothing below the layer and before the token depends on z,
so only the blocks above run, on the positions from the subject's last token on.
Source: Meng et al. 2022, arXiv 2202.05262, section 3.1, step 2 and equation 4; the weight of each term
and the bound are our own choice for a small model.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from ffnsite.experiments.edit_key import Contexts
from ffnsite.models.attention import KeysValues
from ffnsite.models.llama import Llama


@dataclass(frozen=True, slots=True)
class Search:
    """How z is searched.

    Attributes:
        steps: at most so many steps of Adam.
        rate: Adam's rate, in parts of ‖v‖.
        enough: the search ends when the first term of the loss is below this, in nats.
        holding: the weight of the second term.
        decay: the weight of the third.
        reach: how far z may go, in parts of ‖v‖.
    """

    steps: int = 20
    rate: float = 0.04
    enough: float = 0.05
    holding: float = 0.0625
    decay: float = 0.05
    reach: float = 4.0


@dataclass(frozen=True, slots=True)
class Halfway:
    """A batch of texts, run up to one layer.

    Attributes:
        layer: the layer whose FFN output will be replaced.
        said: the FFN's output at the subject's last token.
        after: what its block writes, from the subject's last token on, there without that output.
        past: of each block above, the keys and values of the positions before.
    """

    layer: int
    said: Float[Tensor, "texts d_model"]
    after: Float[Tensor, "texts positions d_model"]
    past: tuple[KeysValues, ...]


def search(
    model: Llama,
    layer: int,
    asked: Contexts,
    essence: Contexts,
    target: int,
    value: Float[Tensor, " d_model"],
    how: Search,
) -> Float[Tensor, " d_model"]:
    """v*: the first value that is good enough, or the last one; searched from v = `value` on.

    Args:
        model: the model.
        layer: the layer whose FFN output is replaced.
        asked: the prompt, behind its prefixes.
        essence: the text that tells what the subject is.
        target: the token of the new answer.
        value: v.
        how: the search.
    """
    texts, told = halfway(model, layer, asked), halfway(model, layer, essence)
    with torch.no_grad():
        before = _log_chances(model, told)
    size = value.norm()
    # An offset in units of ‖v‖, so that one rate fits layers with small and with large outputs.
    moved = torch.zeros_like(value, requires_grad=True)
    adam = torch.optim.Adam([moved], lr=how.rate)
    for _ in range(how.steps):
        adam.zero_grad()
        z = value + size * moved
        surprised = surprise(model, texts, target, z)
        if surprised < how.enough:
            break
        held = divergence(_log_chances(model, told, z), before)
        lost = surprised + how.holding * held + how.decay * moved.square().sum()
        lost.backward()  # type: ignore[no-untyped-call]
        adam.step()
        with torch.no_grad():
            moved *= (how.reach / moved.norm()).clamp(max=1)
    found: Tensor = value + size * moved.detach()
    return found


def surprise(
    model: Llama, texts: list[Halfway], target: int, z: Float[Tensor, " d_model"]
) -> Float[Tensor, ""]:
    """The mean of −log P(target) over the texts, with z as the FFN's output."""
    mean: Tensor = _log_chances(model, texts, z)[:, target].mean()
    return -mean


def divergence(
    now: Float[Tensor, "texts vocabulary"], before: Float[Tensor, "texts vocabulary"]
) -> Float[Tensor, ""]:
    """KL(now ‖ before) in nats, of log-probabilities; the mean over texts."""
    held: Tensor = functional.kl_div(before, now, reduction="batchmean", log_target=True)
    return held


@torch.no_grad()
def halfway(model: Llama, layer: int, texts: Contexts) -> list[Halfway]:
    """Each batch, run as far as it does not depend on the FFN's output at the subject's last token."""
    return [_halfway(model, layer, batch, texts.behind) for batch in texts.batches]


def _halfway(
    model: Llama, layer: int, tokens: Int[Tensor, "texts positions"], behind: int
) -> Halfway:
    said: list[Tensor] = []

    def listen(name: str, output: Tensor) -> Tensor:
        if name == "ffn":
            said.append(output)
        return output

    stream = model.embedding(tokens)
    for block in model.blocks[: layer + 1]:
        stream = block(stream, edit=listen)
    at = tokens.shape[1] - 1 - behind
    said_there, after = said[-1][:, at], stream[:, at:].clone()
    after[:, 0] -= said_there
    past, before = [], stream[:, :at]
    for block in model.blocks[layer + 1 :]:
        past.append(block.keys_values(before))
        before = block(before)
    return Halfway(layer, said_there, after, tuple(past))


def _log_chances(
    model: Llama, texts: list[Halfway], z: Float[Tensor, " d_model"] | None = None
) -> Float[Tensor, "texts vocabulary"]:
    """The log-probabilities of what follows, with z, or with what the FFN says itself."""
    logits = [finished(model, batch, batch.said if z is None else z) for batch in texts]
    return torch.cat(logits).log_softmax(dim=-1)


def finished(
    model: Llama, texts: Halfway, output: Float[Tensor, "*texts d_model"]
) -> Float[Tensor, "texts vocabulary"]:
    """The logits after each text, with this output of the FFN at the subject's last token."""
    first = texts.after[:, :1] + output.unsqueeze(-2)
    stream = torch.cat((first, texts.after[:, 1:]), dim=1)
    above = model.blocks[texts.layer + 1 :]
    for block, past in zip(above, texts.past, strict=True):
        stream = block(stream, past)
    return model.logits(stream[:, -1])
