"""Where does a hidden state carry a fact? Causal tracing of one prompt.

Three runs of the same prompt (Meng et al. 2022, arXiv 2202.05262, section 2.1):

    clean        the prompt as it is                                          → P
    corrupted    noise of k·s on the embeddings of the subject's tokens       → P*
    restored     corrupted, with the hidden state after block l at position i
                 put back to its clean value                                  → P*(l, i)

    total effect  P − P*            indirect effect of (l, i)  P*(l, i) − P*

Instead of the hidden state, the outputs of the attention or of the FFN can be put back at position i
in a window of layers around l. A window of w layers reaches from l − ⌊w/2⌋ to l + ⌈w/2⌉ − 1, cut off
at the ends, as in the authors' code; their 10 of GPT-2 XL's 48 layers are 6 of SmolLM2's 30. A window
may leave out the lowest layers: the first FFN still sees little but the token itself, so a window
that holds it may give back the name and not the fact.

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
from ffnsite.models.llama import Llama, LlamaBlock, SublayerEdit, as_it_is

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
    lowest: int = 0,
) -> Trace:
    """Traces SmolLM2-135M on a prompt whose `subject` is blurred by `samples` draws of noise.

    `window` and `lowest` count where `site` is a sublayer: no window reaches below layer `lowest`.

    Raises:
        BadExperiment: the prompt does not contain the subject once, the subject ends the prompt, or
            some window is empty.
    """
    model, tokenizer = smollm2.model(), smollm2.tokenizer()
    encoded = tokenizer.encode(prompt)
    span = subject_span(tokenizer, prompt, subject)
    deviation = float(model.embedding.weight.std())
    drawn = draw_noise(samples, span[1] - span[0], model.config.d_model, seed)
    target = tokenizer.encode(answer).ids[0]
    noise = sigmas * deviation * drawn
    traced = trace_site(model, encoded.ids, span, target, noise, site, window, lowest)
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


def window_of(layer: int, width: int, layers: int, lowest: int = 0) -> range:
    """The layers of the window around this one, none of them below `lowest`.

    Raises:
        BadExperiment: no layer is left.
    """
    window = range(max(lowest, layer - width // 2), min(layers, layer + (width + 1) // 2))
    if not window:
        raise BadExperiment(f"第 {layer} 层周围 {width} 层的窗口里，没有不低于第 {lowest} 层的层")
    return window


@torch.inference_mode()
def trace_site(
    model: Llama,
    tokens: list[int],
    subject: tuple[int, int],
    target: int,
    noise: Float[Tensor, "samples subject_tokens d_model"],
    site: Site = "hidden",
    window: int = WINDOW,
    lowest: int = 0,
) -> tuple[float, Float[np.ndarray, " samples"], Float[np.ndarray, "samples layers positions"]]:
    """P, P* of each sample, and P*(l, i) of each sample, layer and position from the subject on."""
    embedded = model.embedding(torch.tensor([tokens]))
    blurred = embedded.repeat(len(noise), 1, 1)
    blurred[:, subject[0] : subject[1]] += noise
    clean, corrupted = _run(model, embedded), _run(model, blurred)
    reach = (1, 0) if site == "hidden" else (window, lowest)
    restoring = _restoring(model, clean, corrupted, site, *reach)
    columns = [
        _chance(model, _restored_last(model, corrupted, restoring, position), target)
        for position in range(subject[0], len(tokens))
    ]
    restored = torch.stack(columns, dim=-1).transpose(0, 1)
    chance = _chance(model, corrupted.streams[-1][:, -1], target)
    before = _chance(model, clean.streams[-1][0, -1], target)
    return float(before), chance.numpy(), restored.numpy()


@dataclass(frozen=True, slots=True)
class _Run:
    """The stream at every depth, and what each block's sublayers added to it."""

    streams: list[Float[Tensor, "batch positions d_model"]]
    outputs: dict[str, list[Float[Tensor, "batch positions d_model"]]]


def _run(model: Llama, embedded: Float[Tensor, "batch positions d_model"]) -> _Run:
    outputs: dict[str, list[Tensor]] = {"attention": [], "ffn": []}

    def keep(name: str, output: Tensor) -> Tensor:
        outputs[name].append(output)
        return output

    streams = [embedded]
    for block in model.blocks:
        streams.append(block(streams[-1], edit=keep))
    return _Run(streams, outputs)


@dataclass(frozen=True, slots=True)
class _Restoring:
    """How cells are restored.

    Attributes:
        site: what is put back.
        windows: the blocks that are restored for each layer of the map.
        after: what each block writes at a position that was restored there and nowhere below.
        right: the clean outputs that the further blocks of a window get; for hidden states none do.
    """

    site: Site
    windows: list[range]
    after: list[Float[Tensor, "samples positions d_model"]]
    right: list[Float[Tensor, "1 positions d_model"]]


def _restoring(
    model: Llama, clean: _Run, corrupted: _Run, site: Site, width: int, lowest: int
) -> _Restoring:
    layers = len(model.blocks)
    windows = [window_of(layer, width, layers, lowest) for layer in range(layers)]
    if site == "hidden":
        after = [stream.expand_as(corrupted.streams[0]) for stream in clean.streams[1:]]
        return _Restoring(site, windows, after, clean.streams[1:])
    right = clean.outputs[site]
    after = [
        _after(
            block,
            corrupted.streams[layer],
            corrupted.outputs["attention"][layer],
            right[layer],
            site,
        )
        for layer, block in enumerate(model.blocks)
    ]
    return _Restoring(site, windows, after, right)


def _after(
    block: LlamaBlock,
    read: Float[Tensor, "samples positions d_model"],
    gathered: Float[Tensor, "samples positions d_model"],
    right: Float[Tensor, "1 positions d_model"],
    site: Site,
) -> Float[Tensor, "samples positions d_model"]:
    """What a block of the corrupted run writes with the right output of one of its sublayers."""
    if site == "ffn":
        return read + gathered + right
    mixed = read + right
    fed: Tensor = block.ffn(block.ffn_norm(mixed))
    return mixed + fed


def _restored_last(
    model: Llama, corrupted: _Run, restoring: _Restoring, position: int
) -> Float[Tensor, "layers samples d_model"]:
    """The last position's final stream when `position` is restored for each layer in turn.

    One sweep up the blocks carries all restorations: after the lowest block of its window a run
    joins those that are already running.
    """
    layers, samples = len(model.blocks), len(corrupted.streams[0])
    running = corrupted.streams[0][:0, position:]  # no run yet
    for layer, block in enumerate(model.blocks):
        if len(running):
            before = block.keys_values(corrupted.streams[layer][:, :position])
            past = _repeated(before, len(running) // samples)
            last = 1 if layer == layers - 1 else None
            # What the top block writes at an earlier position is read by nobody.
            reached = last is None or running.shape[1] == 1
            edit = _edit(restoring, layer, position, samples) if reached else as_it_is
            running = block(running, past, queries=last, edit=edit)
        joining = corrupted.streams[layer + 1][:, position:].clone()
        joining[:, 0] = restoring.after[layer][:, position]
        times = sum(window.start == layer for window in restoring.windows)
        running = torch.cat((running, joining[:, -running.shape[1] :].repeat(times, 1, 1)))
    return running[:, -1].view(layers, samples, -1)


def _edit(restoring: _Restoring, layer: int, position: int, samples: int) -> SublayerEdit:
    """Puts the right output into the first position of the runs whose window goes on in this block."""
    windows = [window for window in restoring.windows if window.start < layer]
    inside = [at for at, window in enumerate(windows) if layer in window]

    def edit(name: str, output: Tensor) -> Tensor:
        if name == restoring.site and inside:
            by_run = output.view(len(windows), samples, *output.shape[1:])
            by_run[inside[0] : inside[-1] + 1, :, 0] = restoring.right[layer][0, position]
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
