"""One product against the loop over words."""

import numpy as np

from ffnsite.experiments.batching import drawn, loop_and_batch, one_by_one


def test_with_whole_numbers_loop_and_product_agree_to_the_bit():
    assert loop_and_batch.fresh(words=9, d_model=6, d_ff=24).unequal == 0


def test_with_drawn_numbers_only_rounding_differs():
    assert loop_and_batch.fresh(words=9, d_model=6, d_ff=24).difference < 1e-13


def test_both_take_four_d_dff_operations_a_word():
    run = loop_and_batch.fresh(words=9, d_model=6, d_ff=24)
    assert run.loop_flops == run.batch_flops == 9 * 4 * 6 * 24
    assert run.weights == 2 * 6 * 24


def test_the_loop_is_the_equation_word_by_word():
    ffn, x = drawn(np.random.default_rng(2), 3, 5, 4, whole=False)
    up, down = ffn.up.weight.detach().numpy(), ffn.down.weight.detach().numpy()
    expected = [down @ np.maximum(up @ word, 0) for word in x.numpy()]
    assert np.allclose(one_by_one(ffn, x).detach().numpy(), expected, rtol=0, atol=1e-13)
