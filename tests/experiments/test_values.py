"""What values say, against float64 and on embeddings where it can be told by hand."""

import numpy as np
import pytest
import torch

from ffnsite.experiments.values import Said, read, said_by, top, vectors
from ffnsite.models.llama import Llama, LlamaConfig


def model_of(layers, vocabulary, tied=True):
    torch.manual_seed(4)
    config = LlamaConfig(16, 24, layers, 4, 2, 4, vocabulary, tied, 1e4, 1e-5)
    model = Llama(config).eval().requires_grad_(False)
    model.norm.weight.copy_(torch.rand(16) + 0.5)
    return model


@pytest.mark.parametrize("tied", [True, False])
def test_a_value_says_the_token_of_its_highest_and_of_its_lowest_logit(tied):
    model = model_of(2, 700, tied)
    found = said_by(model)
    unembedding = (model.embedding if tied else model.head).weight.double().numpy()
    gain = model.norm.weight.double().numpy()
    for layer, block in enumerate(model.blocks):
        down = block.ffn.down.weight.double().numpy()
        for channel in range(24):
            logits = unembedding @ (gain * down[:, channel])
            assert found.added[layer, channel] == logits.argmax()
            assert found.subtracted[layer, channel] == logits.argmin()
            above = (logits.max() - logits.mean()) / logits.std()
            assert found.added_peak[layer, channel] == pytest.approx(above, abs=0.006)
            below = (logits.mean() - logits.min()) / logits.std()
            assert found.subtracted_peak[layer, channel] == pytest.approx(below, abs=0.006)


def test_the_norm_s_length_moves_no_token_past_another_but_its_gain_does():
    model = model_of(1, 500)
    vector = vectors(model.blocks[0].ffn)
    assert top(model, vector).tolist() == model.logits(vector).argmax(dim=-1).tolist()
    without_gain = (vector @ model.embedding.weight.T).argmax(dim=-1)
    assert top(model, vector).tolist() != without_gain.tolist()


def test_many_vectors_are_read_part_by_part_as_one_by_one():
    model = model_of(1, 50)
    vector = torch.randn(1300, 16)
    each = [int(read(model, one).argmax()) for one in vector]
    assert top(model, vector).tolist() == each


def test_a_negative_coefficient_takes_the_subtracted_token():
    layers = (np.array([[1, 2]]), np.array([[7, 8]]), np.ones((1, 2)), np.ones((1, 2)))
    values = Said(*layers)
    coefficients = np.array([[[0.5, -0.1], [-3.0, 2.0]]])
    assert values.by(coefficients).tolist() == [[[1, 7], [8, 2]]]
    assert values.of_layer(0, np.array([[0.5, -3.0], [-0.1, 2.0]])).tolist() == [[1, 8], [7, 2]]
