"""From which layer on is the prediction what it will be at the end?

    a depth's prediction    argmax of RMSNorm(x_l) Wᵀ     the model's own norm and unembedding
    fixed from depth l      the prediction at l and at every later depth is the final one

Depth l is the residual stream behind l blocks, 0 the embedding. Reading the stream before its end
this way is called the logit lens; it assumes that the stream speaks the language of the last layer
all along. Whether a depth merely agrees with the end counts also those that leave it again.
Source: Geva et al. 2021, arXiv 2012.14913, section 5.2 and figure 9 (which counts agreement).
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ffnsite.experiments import corpus
from ffnsite.experiments.corpus import Source
from ffnsite.measurement import measurement
from ffnsite.models import smollm2
from ffnsite.models.llama import Llama

ROWS, LENGTH, AT_ONCE = 16, 256, 4
EVERY = 16
"""Of so many words one is read at every depth, all others from the end down until they differ."""


@dataclass(frozen=True, slots=True)
class Lens:
    """Predictions by depth, at words that are not the first of a row.

    Attributes:
        words: how many words were read from the end down.
        fixed: how many of them are fixed from each depth.
        read: how many were read at every depth.
        passing: how many of these agree with the end at each depth and change again later.
    """

    words: int
    fixed: Int[np.ndarray, " depths"]
    read: int
    passing: Int[np.ndarray, " depths"]

    @property
    def staying_share(self) -> Float[np.ndarray, " depths"]:
        """The share of words whose prediction is fixed at each depth."""
        share: np.ndarray = self.fixed.cumsum() / self.words
        return share

    @property
    def agreeing_share(self) -> Float[np.ndarray, " depths"]:
        """The share of words that agree with the end at each depth, fixed or passing."""
        share: np.ndarray = self.staying_share + self.passing / self.read
        return share


@measurement
def lens(source: Source) -> Lens:
    """From where the predictions of SmolLM2-135M are fixed, on 4,080 words of this text."""
    return through(smollm2.model(), corpus.rows(source, ROWS, LENGTH))


@torch.inference_mode()
def through(model: Llama, rows: Int[Tensor, "rows length"]) -> Lens:
    """From where the predictions of this model are fixed on these rows of tokens."""
    fixed, every_depth = [], []
    for part in torch.split(rows, AT_ONCE):
        streams = model.streams(model.embedding(part))[:, :, 1:]
        fixed.append(fixed_from(model, streams.flatten(1, 2)))
        every_depth.append(agreement(model, streams[:, :, ::EVERY].flatten(1, 2)))
    depths, agree = np.concatenate(fixed), np.concatenate(every_depth, axis=1)
    counts = np.bincount(depths, minlength=len(model.blocks) + 1)
    # fixed at a depth: no disagreement there or later
    staying = np.logical_and.accumulate(agree[::-1])[::-1]
    return Lens(len(depths), counts, agree.shape[1], (agree & ~staying).sum(axis=1))


def fixed_from(
    model: Llama, streams: Float[Tensor, "depths words d_model"]
) -> Int[np.ndarray, " words"]:
    """The first depth from which each word's prediction stays; the last depth when it never does.

    Depths are read from the end down, each only for the words that have agreed so far.
    """
    depths = torch.full((streams.shape[1],), len(streams) - 1)
    still, final = torch.arange(streams.shape[1]), predictions(model, streams[-1])
    for depth in reversed(range(len(streams) - 1)):
        still = still[predictions(model, streams[depth, still]) == final[still]]
        depths[still] = depth
    return depths.numpy()


def agreement(
    model: Llama, streams: Float[Tensor, "depths words d_model"]
) -> Bool[np.ndarray, "depths words"]:
    """Whether each word's prediction at each depth is the final one."""
    each = torch.stack([predictions(model, stream) for stream in streams])
    return (each == each[-1]).numpy()


def predictions(model: Llama, stream: Float[Tensor, "words d_model"]) -> Int[Tensor, " words"]:
    """The most likely next token of each residual stream."""
    return model.logits(stream).argmax(dim=-1)
