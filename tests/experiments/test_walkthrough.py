"""The small input against the same steps done by hand."""

from ffnsite.experiments.walkthrough import walked


def test_word_a_by_hand():
    # up: 2·1, −1 − 1, −2 − 1, 2 + 2 + 1;  out: 2·(1, 1) + 5·(−1, 1) + (1, 0)
    word = walked()["a"]
    assert word.up == (2, -2, -3, 5)
    assert word.hidden == (2, 0, 0, 5)
    assert word.out == (2 - 5 + 1, 2 + 5)
    assert word.stream == (2 + -2, -1 + 7)


def test_word_b_by_hand():
    # up: −1, 3 − 1, 1 + 3, −1 − 6 + 1;  out: 2·(0, −1) + 4·(1, 0) + (1, 0)
    word = walked()["b"]
    assert word.up == (-1, 2, 4, -6)
    assert word.hidden == (0, 2, 4, 0)
    assert word.out == (4 + 1, -2)
    assert word.stream == (-1 + 5, 3 - 2)
