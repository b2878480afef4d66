"""Where does a hidden state carry a fact? Causal tracing of one prompt.

Three runs of the same prompt (Meng et al. 2022, arXiv 2202.05262, section 2.1):

    clean        the prompt as it is                                          → P
    corrupted    noise of k·s on the embeddings of the subject's tokens       → P*
    restored     corrupted, with the hidden state after block l at position i
                 put back to its clean value                                  → P*(l, i)

    total effect  P − P*            indirect effect of (l, i)  P*(l, i) − P*

Instead of the hidden state, the outputs of the attention or of the FFN can be put back at position i
in a window of layers around l. A window of w layers reaches from l − ⌊w/2⌋ to l + ⌈w/2⌉ − 1, cut off
at the ends, as in the authors' code; their 10 of GPT-2 XL's 48 layers are 6 of SmolLM2's 30.

P is the probability of the answer's first token after the prompt, s the standard deviation of all
numbers in the model's embedding. A causal model lets us leave most of the work out and keep the
result: up to l and before i a restored run is the corrupted run, so blocks start at l + 1 and
positions at i, on keys and values that the corrupted run left; only the last position needs logits.
With a window, blocks start behind its lowest layer.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import torch
from jaxtyping import Float
from tokenizers import Tokenizer
from torch import Tensor

from ffnsite.errors import BadExperiment
from ffnsite.measurement import measurement
from ffnsite.models import smollm2
from ffnsite.models.attention import KeysValues
from ffnsite.models.llama import Llama, LlamaBlock, SublayerEdit

Site: TypeAlias = Literal["hidden", "attention", "ffn"]
"""What is put back: the stream after a block, or the outputs of one kind of sublayer in a window."""

WINDOW = 6
"""Layers of a window: 10 of 48, as in the paper, scaled to 30."""

ROLES = ("first", "middle", "last_subject", "next", "further", "last")
"""What a token is to the fact: a part of the subject, the one behind it, further on, the last."""


@dataclass(frozen=True, slots=True)
class Peak:
    """The largest mean effect of some cells; layer and position count from 0."""

    effect: float
    layer: int
    position: int


@dataclass(frozen=True, slots=True)
class Trace:
    """The traced prompt.

    Attributes:
        tokens: the whole prompt; positions count in it.
        subject: first position of the subject and the first one behind it.
        deviation: s, the standard deviation of the embedding's numbers.
        clean: P, the answer's probability in the clean run.
        corrupted: P* of each noise sample.
        restored: P*(l, i) of each sample; its first position is the subject's first.
    """

    tokens: tuple[str, ...]
    subject: tuple[int, int]
    deviation: float
    clean: float
    corrupted: Float[np.ndarray, " samples"]
    restored: Float[np.ndarray, "samples layers positions"]

    @property
    def total_effect(self) -> float:
        """P − P*, averaged over samples."""
        return self.clean - float(self.corrupted.mean())

    @property
    def effects(self) -> Float[np.ndarray, "layers positions"]:
        """P*(l, i) − P*, averaged over samples."""
        mean: np.ndarray = self.restored.mean(axis=0) - self.corrupted.mean()
        return mean

    @property
    def roles(self) -> tuple[str, ...]:
        """The role of each traced position, one of `ROLES`."""
        return roles(self.subject, len(self.tokens))

    @property
    def handover(self) -> int:
        """The lowest layer where the last token has more effect than each token of the subject."""
        in_subject = self.effects[:, : self.subject[1] - self.subject[0]].max(axis=1)
        return int(np.argmax(self.effects[:, -1] > in_subject))

    def effect(self, layer: int, position: int) -> float:
        """The mean indirect effect of this layer at this position of the prompt."""
        return float(self.effects[layer, position - self.subject[0]])

    def layers_led_by(self, position: int) -> int:
        """In how many layers no position has more effect than this one."""
        return int(np.sum(self.effects.argmax(axis=1) == position - self.subject[0]))

    def samples_led_by(self, position: int) -> int:
        """In how many samples no cell of the subject restores more than one at this position."""
        in_subject = self.restored[:, :, : self.subject[1] - self.subject[0]].max(axis=1)
        return int(np.sum(in_subject.argmax(axis=1) == position - self.subject[0]))

    def peak(self, *among: str) -> Peak:
        """The largest effect at positions of these roles; of all positions when none is named.

        Raises:
            BadExperiment: no position has such a role.
        """
        columns = [at for at, role in enumerate(self.roles) if not among or role in among]
        if not columns:
            raise BadExperiment(
                f"提示 {''.join(self.tokens)!r} 里没有角色是 {'、'.join(among)} 的词"
            )
        part = self.effects[:, columns]
        layer, column = np.unravel_index(part.argmax(), part.shape)
        where = self.subject[0] + columns[int(column)]
        return Peak(float(part.max()), int(layer), where)


@measurement
def trace(
    prompt: str,
    subject: str,
    answer: str,
    samples: int = 10,
    sigmas: float = 3.0,
    seed: int = 0,
    site: Site = "hidden",
    window: int = WINDOW,
) -> Trace:
    """Traces SmolLM2-135M on a prompt whose `subject` is blurred by `samples` draws of noise.

    `window` counts where `site` is a sublayer.

    Raises:
        BadExperiment: the prompt does not contain the subject once, or the subject ends the prompt.
    """
    model, tokenizer = smollm2.model(), smollm2.tokenizer()
    encoded = tokenizer.encode(prompt)
    span = subject_span(tokenizer, prompt, subject)
    deviation = float(model.embedding.weight.std())
    drawn = draw_noise(samples, span[1] - span[0], model.config.d_model, seed)
    target = tokenizer.encode(answer).ids[0]
    noise = sigmas * deviation * drawn
    if site == "hidden":
        traced = trace_hidden(model, encoded.ids, span, target, noise)
    else:
        traced = trace_window(model, encoded.ids, span, target, noise, site, window)
    words = tuple(tokenizer.decode([token]) for token in encoded.ids)
    return Trace(words, span, deviation, *traced)


def block_steps(layers: int, tokens: int, first: int) -> tuple[int, int]:
    """Blocks times positions that one sample's map takes: by the plain loop, and by `trace`.

    The plain loop runs every block at every position for each cell. `trace` runs block l at the
    positions from i on, once for each restoration at i below l.
    """
    positions = tokens - first
    plain = layers * positions * layers * tokens
    later = positions * (positions + 1) // 2
    return plain, later * layers * (layers - 1) // 2


def draw_noise(
    samples: int, tokens: int, d_model: int, seed: int
) -> Float[Tensor, "samples tokens d_model"]:
    """Standard normal numbers; NumPy draws them because its stream is the same on every CPU."""
    drawn = np.random.default_rng(seed).standard_normal((samples, tokens, d_model))
    return torch.from_numpy(drawn.astype(np.float32))


def subject_span(tokenizer: Tokenizer, prompt: str, subject: str) -> tuple[int, int]:
    """The tokens that hold letters of the subject: the first, and the first one behind them.

    Raises:
        BadExperiment: the prompt does not contain the subject once, or the subject ends the prompt.
    """
    if not subject or prompt.count(subject) != 1:
        raise BadExperiment(f"主语 {subject!r} 应在提示 {prompt!r} 里恰好出现一次")
    start = prompt.index(subject)
    end = start + len(subject)
    offsets = tokenizer.encode(prompt).offsets
    inside = [at for at, (low, high) in enumerate(offsets) if low < end and high > start]
    if inside[-1] == len(offsets) - 1:
        raise BadExperiment(f"主语 {subject!r} 不能是提示 {prompt!r} 的结尾：后面要有词来问")
    return inside[0], inside[-1] + 1


def roles(subject: tuple[int, int], tokens: int) -> tuple[str, ...]:
    """The role of each position from the subject's first on; a one-token subject is its last."""
    first, behind = subject
    named = {first: "first", behind: "next"} | {behind - 1: "last_subject", tokens - 1: "last"}
    usual = {at: "middle" if at < behind else "further" for at in range(first, tokens)}
    return tuple((usual | named)[at] for at in range(first, tokens))


def window_of(layer: int, width: int, layers: int) -> range:
    """The layers of the window around this one."""
    return range(max(0, layer - width // 2), min(layers, layer + (width + 1) // 2))


@torch.inference_mode()
def trace_hidden(
    model: Llama,
    tokens: list[int],
    subject: tuple[int, int],
    target: int,
    noise: Float[Tensor, "samples subject_tokens d_model"],
) -> tuple[float, Float[np.ndarray, " samples"], Float[np.ndarray, "samples layers positions"]]:
    """P, P* of each sample, and P*(l, i) of each sample, layer and position from the subject on."""
    embedded = model.embedding(torch.tensor([tokens]))
    clean = model.streams(embedded)[:, 0]
    blurred = embedded.repeat(len(noise), 1, 1)
    blurred[:, subject[0] : subject[1]] += noise
    corrupted = model.streams(blurred)
    columns = [
        _chance(model, _restored_last(model, clean, corrupted, position), target)
        for position in range(subject[0], len(tokens))
    ]
    restored = torch.stack(columns, dim=-1).transpose(0, 1)
    chance = _chance(model, corrupted[-1][:, -1], target)
    return float(_chance(model, clean[-1, -1], target)), chance.numpy(), restored.numpy()


def _restored_last(
    model: Llama,
    clean: Float[Tensor, "depths positions d_model"],
    corrupted: Float[Tensor, "depths samples positions d_model"],
    position: int,
) -> Float[Tensor, "layers samples d_model"]:
    """The last position's final stream when `position` is restored after each block in turn.

    One sweep up the blocks carries all restorations: after block l, the run that is restored there
    joins those restored below.
    """
    top = len(model.blocks) - 1
    running = corrupted[0, :0, position:]  # no run yet
    for layer, block in enumerate(model.blocks):
        if layer:
            before = block.keys_values(corrupted[layer, :, :position])
            running = block(running, _repeated(before, layer), queries=1 if layer == top else None)
        joining = corrupted[layer + 1, :, position:].clone()
        joining[:, 0] = clean[layer + 1, position]
        running = torch.cat((running, joining[:, -running.shape[1] :]))
    return running[:, -1].view(len(model.blocks), corrupted.shape[1], -1)


@torch.inference_mode()
def trace_window(
    model: Llama,
    tokens: list[int],
    subject: tuple[int, int],
    target: int,
    noise: Float[Tensor, "samples subject_tokens d_model"],
    site: Literal["attention", "ffn"],
    window: int,
) -> tuple[float, Float[np.ndarray, " samples"], Float[np.ndarray, "samples layers positions"]]:
    """As `trace_hidden`, with the outputs of one kind of sublayer put back around each layer."""
    embedded = model.embedding(torch.tensor([tokens]))
    clean = _passes(model, embedded)
    blurred = embedded.repeat(len(noise), 1, 1)
    blurred[:, subject[0] : subject[1]] += noise
    corrupted = _passes(model, blurred)
    columns = [
        _chance(model, _windowed_last(model, clean, corrupted, position, site, window), target)
        for position in range(subject[0], len(tokens))
    ]
    restored = torch.stack(columns, dim=-1).transpose(0, 1)
    chance = _chance(model, corrupted.streams[-1][:, -1], target)
    before = _chance(model, clean.streams[-1][0, -1], target)
    return float(before), chance.numpy(), restored.numpy()


@dataclass(frozen=True, slots=True)
class _Passes:
    """What every block read and wrote, and what its two sublayers added."""

    streams: list[Float[Tensor, "batch positions d_model"]]
    outputs: dict[str, list[Float[Tensor, "batch positions d_model"]]]


def _passes(model: Llama, embedded: Float[Tensor, "batch positions d_model"]) -> _Passes:
    outputs: dict[str, list[Tensor]] = {"attention": [], "ffn": []}

    def keep(name: str, output: Tensor) -> Tensor:
        outputs[name].append(output)
        return output

    streams = [embedded]
    for block in model.blocks:
        streams.append(block(streams[-1], edit=keep))
    return _Passes(streams, outputs)


def _windowed_last(
    model: Llama,
    clean: _Passes,
    corrupted: _Passes,
    position: int,
    site: Literal["attention", "ffn"],
    width: int,
) -> Float[Tensor, "layers samples d_model"]:
    """The last position's final stream when the windows around each layer are restored in turn.

    One sweep up the blocks: after the lowest block of its window a run joins those that are already
    running; while its window lasts, its first position gets the clean output of each block.
    """
    layers = len(model.blocks)
    samples = len(corrupted.streams[0])
    windows = [window_of(layer, width, layers) for layer in range(layers)]
    running = corrupted.streams[0][:0, position:]  # no run yet
    for layer, block in enumerate(model.blocks):
        begun = len(running) // samples
        if begun:
            before = block.keys_values(corrupted.streams[layer][:, :position])
            only = 1 if layer == layers - 1 else None
            inside = [run for run in range(begun) if layer in windows[run]]
            if only and running.shape[1] > 1:
                inside = []  # nobody above reads what the top block writes here
            restore = _putting(clean.outputs[site][layer][0, position], site, inside, samples)
            running = block(running, _repeated(before, begun), queries=only, edit=restore)
        joining = sum(window.start == layer for window in windows)
        first = _after_first_restoring(block, clean, corrupted, (layer, position), site)
        one = torch.cat((first[:, None], corrupted.streams[layer + 1][:, position + 1 :]), dim=1)
        one = one[:, -running.shape[1] :]
        running = torch.cat((running, one.repeat(joining, 1, 1)))
    return running[:, -1].view(layers, samples, -1)


def _after_first_restoring(
    block: LlamaBlock,
    clean: _Passes,
    corrupted: _Passes,
    cell: tuple[int, int],
    site: Literal["attention", "ffn"],
) -> Float[Tensor, "samples d_model"]:
    """What the block writes at this position when it alone is restored in the corrupted run."""
    layer, position = cell
    right = clean.outputs[site][layer][0, position]
    read = corrupted.streams[layer][:, position]
    if site == "ffn":
        return read + corrupted.outputs["attention"][layer][:, position] + right
    mixed = read + right
    fed: Tensor = block.ffn(block.ffn_norm(mixed))
    return mixed + fed


def _putting(
    right: Float[Tensor, " d_model"], site: str, runs: list[int], samples: int
) -> SublayerEdit:
    """An edit that gives these runs the right output of one sublayer at their first position."""

    def edit(name: str, output: Tensor) -> Tensor:
        if name == site and runs:
            by_run = output.view(-1, samples, *output.shape[1:])
            by_run[runs[0] : runs[-1] + 1, :, 0] = right
        return output

    return edit


def _repeated(before: KeysValues, times: int) -> KeysValues:
    return KeysValues(*(part.repeat(times, 1, 1, 1) for part in before))


def _chance(
    model: Llama, stream: Float[Tensor, "*batch d_model"], target: int
) -> Float[Tensor, "*batch"]:
    """The probability of the token after this final stream."""
    chances: Tensor = model.logits(stream).softmax(dim=-1)
    return chances[..., target]
