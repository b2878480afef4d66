"""What is read from a small GGUF file that the test itself wrote."""

import numpy as np
import pytest
import small_gguf
from gguf import GGUFReader

from ffnsite.models import conversion


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    return GGUFReader(small_gguf.write(tmp_path_factory.mktemp("gguf") / "small.gguf"))


def test_unpermuting_undoes_the_converter_and_is_no_identity():
    weight = np.arange(96, dtype=np.float32).reshape(24, 4)
    stored = small_gguf.permuted(weight, heads=3)
    assert not np.array_equal(stored, weight)
    assert np.array_equal(conversion.unpermuted(stored, heads=3), weight)


def test_every_weight_comes_back_under_our_name(reader):
    found, expected = conversion.arrays(reader), small_gguf.weights()
    assert found.keys() == expected.keys()
    for name, weight in expected.items():
        assert np.array_equal(found[name], weight), name


def test_the_sizes_are_those_of_the_file(reader):
    assert conversion.sizes(reader) == {
        "d_model": 32,
        "d_ff": 48,
        "layers": 2,
        "heads": 4,
        "kv_heads": 2,
        "head_width": 8,
        "vocabulary": 9,
        "tied": True,
        "rope_base": 10_000.0,
        "norm_eps": 1e-5,
    }


def test_the_tokenizer_merges_letters_keeps_digits_apart_and_adds_no_mark(reader):
    tokenizer = conversion.tokenizer(reader)
    assert tokenizer.encode("ab a12").tokens == ["ab", "Ġa", "1", "2"]
    assert tokenizer.encode("a<|end|>b").tokens == ["a", "<|end|>", "b"]
    assert tokenizer.decode(tokenizer.encode("ab a12").ids) == "ab a12"
