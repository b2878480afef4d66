"""The size of the residual stream, with the norm in front and behind."""

import pytest
import torch

from ffnsite.experiments.stream import root_mean_square, stream_sizes


@pytest.fixture(scope="module")
def sizes():
    return stream_sizes.fresh(seeds=3).sizes


def test_root_mean_square_by_hand():
    assert root_mean_square(torch.tensor([[3.0, 4.0], [0.0, 5.0]])) == pytest.approx(12.5**0.5)


def test_behind_a_post_norm_block_the_stream_has_size_one(sizes):
    assert sizes["post_norm"][:, 1:] == pytest.approx(1, abs=1e-4)  # the norm's epsilon


def test_in_a_pre_norm_stack_the_stream_grows_with_every_layer(sizes):
    steps = sizes["pre_norm"][:, 1:] - sizes["pre_norm"][:, :-1]
    assert (steps > 0).all()


def test_a_pre_norm_layer_adds_about_what_two_sublayers_of_size_one_write(sizes):
    # independent writings add in squares: attention writes < 1 (it averages), the FFN about 1
    squares = sizes["pre_norm"][:, -1] ** 2
    assert ((squares > 0.5 * 12) & (squares < 2.5 * 12)).all()
