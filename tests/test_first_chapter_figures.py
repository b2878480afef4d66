"""The figures of chapters 1 and 2: what they show and state, against numbers worked by hand."""

import xml.etree.ElementTree as ET
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from ffnsite.experiments.collapse import DEPTH, WIRINGS, Collapse
from ffnsite.experiments.positionwise import Watched
from ffnsite.experiments.rectified import Zeros
from ffnsite.experiments.walkthrough import Real, walked
from figures import block, collapse, dataflow, positionwise, rectified


def texts_of(svg):
    return ["".join(e.itertext()) for e in ET.fromstring(svg).iter() if e.tag.endswith("text")]


@pytest.fixture
def watched():
    changes = {"norm": (0.0, 0.4, 0.0), "query": (0.0, 0.2, 0.0), "ffn": (0.0, 0.6, 0.0)}
    changes |= {"causal": (0.0, 0.3, 0.1), "full": (0.2, 0.3, 0.1)}
    return Watched(("The", " cat", " sat"), " dog", 1, changes)


def test_a_decoding_step_reads_all_of_llama_but_its_embedding_in_two_bytes():
    facts = block._reading()
    assert facts["llama_7b_read"].value == 2 * (6_738_415_616 - 131_072_000)
    assert facts["llama_7b_ffn_read"].value == 2 * 32 * 3 * 4096 * 11_008
    assert facts["llama_7b_ffn_read_share"].value == pytest.approx(0.65510, abs=5e-5)


def test_a_tied_embedding_is_read_whole_as_the_head():
    assert block._reading()["smollm2_read"].value == 2 * 134_515_008


@pytest.mark.parametrize("norm_first", [True, False])
def test_the_block_has_two_sublayers_two_norms_and_two_additions(norm_first):
    texts = texts_of(block._diagram(norm_first=norm_first))
    assert [texts.count(word) for word in ("归一化", "attention", "FFN", "＋")] == [2, 1, 1, 2]


def test_pre_norm_normalises_before_the_sublayer_and_post_norm_behind_the_addition():
    pre, post = (texts_of(block._diagram(norm_first=first)) for first in (True, False))
    assert pre.index("归一化") < pre.index("attention")
    assert post.index("＋") < post.index("归一化") < post.index("FFN")


def test_a_cell_without_any_change_stays_empty(watched):
    (heatmap,) = positionwise._map(watched).data
    assert [*heatmap.z[2]] == [None, 60.0, None]
    assert [*heatmap.z[4]] == [20.0, 30.0, 10.0]


def test_moved_positions_are_counted_by_part(watched):
    facts = positionwise._facts(watched)
    moved = [facts[f"{part}_moved"].value for part in positionwise.PARTS]
    assert moved == [1, 1, 1, 2, 3]
    assert (facts["elsewhere"].value, facts["others"].value, facts["later"].value) == (0, 2, 1)


def test_an_ffn_that_moved_another_position_is_not_published(watched):
    watched.changes["ffn"] = (0.0, 0.6, 1e-9)
    with pytest.raises(AssertionError, match="ffn 在别的位置也变了"):
        positionwise._facts(watched)


def falling(*powers):
    """Ten equal rows that end at the last power of ten."""
    row = [10.0**power for power in powers]
    return np.array([row + [row[-1]] * (DEPTH + 1 - len(row))] * collapse.SEEDS)


def test_the_layer_where_all_is_gone_is_read_off_the_distances():
    full = Collapse(dict.fromkeys(WIRINGS, falling(0, -1, -4, -13)))
    facts = collapse._fallen(full)
    assert facts["attention_gone_after"].value == facts["with_ffn_gone_after"].value == 3


def test_drops_are_compared_on_the_logarithmic_scale():
    full = Collapse({"attention": falling(0, -1, -4, -13)})  # drops of 1, 3 and 9
    assert collapse._steepening(full, 3).value == pytest.approx(3)


def test_a_wiring_that_survives_is_not_published_as_gone():
    full = Collapse(dict.fromkeys(WIRINGS, falling(0, -1)))
    with pytest.raises(AssertionError, match="没有塌到"):
        collapse._fallen(full)


def test_curves_show_the_median_within_the_band():
    rows = falling(0, -1)
    rows[0, 1], rows[1, 1] = 0.5, 0.01
    band, line = collapse._curves(Collapse(dict.fromkeys(WIRINGS, rows)), -3).data[:2]
    assert line.y[1] == pytest.approx(0.1)
    assert (max(band.y[1], band.y[-2]), min(band.y[1], band.y[-2])) == (0.5, 0.01)


def test_the_tiny_diagram_shows_every_number_of_the_walk():
    steps = walked()
    diagram = dataflow._tiny(steps)
    shown = [text for text in texts_of(diagram.svg) if text.lstrip("−").isdigit()]
    stages = ("x", "up", "hidden", "out", "stream")
    expected = [
        str(number).replace("-", "−")
        for stage in stages
        for word in ("a", "b")
        for number in getattr(steps[word], stage)
    ]
    assert shown == expected
    assert [row[1:] for row in diagram.table.rows[:2]] == [["2", "-1"], ["-1", "3"]]


def test_the_two_ways_meet_in_an_equals_sign_only_where_there_are_weights():
    assert texts_of(dataflow._tiny(walked()).svg).count("=") == 2


def test_the_real_diagram_shows_each_words_own_strongest_units():
    hidden = np.zeros((2, 8))
    hidden[0, [1, 3, 5, 7]], hidden[1, [0, 3, 4, 6]] = [4, -3, 2, 1], [1, 2, 3, -4]
    real = Real(("cat", "mat"), np.ones((2, 5)), np.ones((2, 5)), hidden, np.ones((2, 5)))
    assert (real.strongest(0, 2), real.strongest(1, 2), real.shared(4)) == ([1, 3], [6, 4], 1)
    rows = {row[0]: row[1:] for row in dataflow._real(real).table.rows}
    assert rows["门 ⊙ 内容，左 第 1 维、右 第 6 维"] == ["4.0000", "-4.0000"]
    assert rows["残差流，第 0 维"] == ["2.0000", "2.0000"]


def test_a_third_matrix_triples_the_ffn():
    facts = dataflow._deeper()
    assert [fact.value for fact in facts.values()] == [16, 24, 3]


def test_one_product_reads_the_weights_once_for_all_words():
    facts = dataflow._batching()
    assert facts["flops"].value == 100 * 4 * 64 * 256
    assert facts["loop_reads"].value == 100 * 2 * 64 * 256
    assert facts["reads_share"].value == Fraction(1, 100)


def test_the_names_of_the_quoted_widths_are_their_numbers():
    shares = np.linspace(0, 1, 41)[None].repeat(len(rectified.WIDTHS), axis=0)
    numbers = tuple(3 * 4 * width for width in rectified.WIDTHS)
    facts = rectified._spreads([Zeros(numbers, shares)] * 3)
    for name in rectified.QUOTED.values():
        assert facts[f"numbers_{name}"].value == int(name)
        assert facts[f"around_{name}"].value == pytest.approx(0.45)
    assert facts["within_48"].value == pytest.approx(13 / 41)


def test_units_used_together_come_from_the_growing_union(monkeypatch):
    shares = np.array([[0.5, 0.75, 0.8, 0.9, 0.95, 1.0], [0.4, 0.7, 0.8, 0.9, 0.9, 0.99]])
    monkeypatch.setattr(rectified, "used", lambda *_: SimpleNamespace(shares=shares))
    facts = rectified._together()
    assert (facts["used_2"].value, facts["used_2"].spread) == (0.75, (0.7, 0.75))
    assert facts["idle_layers"].value == 1
