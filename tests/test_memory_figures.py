"""The figures of the chapter on memories, on results made by hand."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from ffnsite.draw import publish
from ffnsite.errors import BadFigure
from ffnsite.experiments.browsing import Browsed, Trigger
from ffnsite.experiments.composition import Composition
from ffnsite.experiments.keyvalue import Difference, Used, Word
from ffnsite.experiments.lens import Lens
from ffnsite.experiments.memories import Memories
from figures import aggregation, agreement, key_value, keys

THIRTY = np.arange(30)


class Asked:
    """Answers instead of a measurement."""

    def __init__(self, *answers):
        self.answers = answers

    def together(self, calls):
        assert list(calls) == [("networkx",), ("sympy",)]
        return list(self.answers)

    def __call__(self, *call):
        return self.answers[0]


def browsed(layer, drawn, *triggers):
    return Browsed(layer, 40 + layer, drawn, " as", "posium", triggers)


def memories_of(agree, dealt, layer=22):
    """`agree` memories in one layer and one in every layer below; chance `dealt` in all layers."""
    counts = np.where(layer > THIRTY, 1, 0)
    counts[layer] = agree
    chance = np.full((20, 30), dealt)
    chance[0] += 1
    return Memories(
        negative=np.full(30, 768),
        first=np.where(THIRTY == 29, 30, 0),
        agree=counts,
        agree_dealt=chance,
        agree_any=2 * counts,
        agree_any_dealt=2 * chance,
        same_word=np.linspace(0.4, 0.2, 30),
        same_word_dealt=np.full(30, 0.1),
        sharpest=np.array([29] * 97 + [3] * 3),
        sharpest_agree=46,
        browsed=(
            browsed(
                5,
                False,
                Trigger("in 1999,\nas", " well", " as", -14.25, True),
                Trigger("a" * 30 + " many words before it, such", " such", " that", 3.5, False),
            ),
            browsed(5, True, Trigger("the", " 7", " ", 0.25, False)),
        ),
    )


@pytest.fixture
def agreement_figure(monkeypatch):
    monkeypatch.setattr(agreement, "memories", Asked(memories_of(50, 1), memories_of(30, 0)))
    return agreement.draw()


def test_agreement_is_counted_by_thirds_with_a_spread_over_both_texts(agreement_figure):
    facts = agreement_figure.facts
    assert facts["agree_bottom"].spread == (10, 10)
    assert (facts["agree_top"].value, facts["agree_top"].spread) == (42, (32, 52))
    assert facts["agree_top_share"].value == pytest.approx(42 / 15_360)
    assert facts["agree_all"].spread == (52, 72)
    assert facts["agree_all_share"].value + facts["disagree_all_share"].value == pytest.approx(1)
    assert facts["agree_any_top"].value == 84
    assert (facts["peak_layer"].value, facts["agree_last"].value) == (22, 0)
    assert facts["peak_share"].spread == (pytest.approx(30 / 1536), pytest.approx(50 / 1536))


def test_chance_spreads_over_all_deals_and_times_go_text_by_text(agreement_figure):
    chance = agreement_figure.facts["agree_top_chance"]
    # ten layers: 20 in the first deal and 10 in the other nineteen; then 10 and 0
    assert chance.spread == (0, 20)
    assert chance.value == pytest.approx((20 + 19 * 10 + 10) / 40)
    times = agreement_figure.facts["agree_top_times"]
    assert times.spread == (pytest.approx(52 / 10.5), pytest.approx(32 / 0.5))


def test_the_lines_of_agreement_are_shares_of_a_layer(agreement_figure):
    one, other, chance = agreement_figure.chart.data
    assert one.y[22] == pytest.approx(100 * 50 / 1536, abs=1e-3)
    assert other.y[22] == pytest.approx(100 * 30 / 1536, abs=1e-3)
    assert chance.y == pytest.approx([100 * (2 + 19 + 1) / 40 / 1536] * 30, abs=1e-3)
    assert [*agreement_figure.charts] == ["最强的触发", "前 50 处触发", "触发词有多一致"]


def test_two_texts_that_peak_in_other_layers_are_no_figure(monkeypatch):
    found = Asked(memories_of(50, 1), memories_of(50, 1, layer=21))
    monkeypatch.setattr(agreement, "memories", found)
    with pytest.raises(AssertionError, match="两种文档上一致率最高的层不同"):
        agreement.draw()


def composition_of(half):
    layers = np.full(30, half)
    first = layers.copy()
    first[[11, 27]] = 1.0
    return Composition(
        words=1000,
        positive=np.linspace(0.49, 0.51, 30),
        zero=np.where(THIRTY == 3, 2, 0),
        half=layers + THIRTY,
        most=3 * layers,
        half_first=first,
        most_first=first,
        asked=200,
        composed=np.full(30, 80),
        composed_dealt=np.full(30, 90),
        led=np.where(THIRTY == 28, 60, 0),
    )


def lens_of(last):
    """Of 1,000 words 30 fixed in the bottom, 100 in the middle, all others at the top."""
    fixed = np.zeros(31, dtype=int)
    fixed[[10, 20, 25, 30]] = 30, 100, 870 - last, last
    passing = np.zeros(31, dtype=int)
    passing[[10, 29]] = 30, 9
    return Lens(1000, fixed, 100, passing)


@pytest.fixture
def aggregation_figure(monkeypatch):
    monkeypatch.setattr(
        aggregation, "composition", Asked(composition_of(100.0), composition_of(120.0))
    )
    monkeypatch.setattr(aggregation, "lens", Asked(lens_of(400), lens_of(500)))
    return aggregation.draw()


def test_used_memories_range_over_layers_and_texts(aggregation_figure):
    assert aggregation_figure.facts["half"].value == (100, 149)
    assert aggregation_figure.facts["half_top"].spread == (124.5, 144.5)
    assert aggregation_figure.facts["half_share"].value[0] == pytest.approx(100 / 1536)
    assert aggregation_figure.facts["zero"].value == 4
    assert aggregation_figure.facts["coefficients"].value == 2 * 1000 * 30 * 1536


def test_the_layers_with_one_memory_at_the_first_word_are_named(aggregation_figure):
    facts = aggregation_figure.facts
    assert facts["first_alone"].value == 2
    assert (facts["first_alone_1"].value, facts["first_alone_2"].value) == (11, 27)


def test_what_layers_say_is_a_share_of_the_words_that_were_asked(aggregation_figure):
    facts = aggregation_figure.facts
    assert facts["composed_mean"].value == pytest.approx(0.4)
    assert facts["composed_dealt"].value == pytest.approx(0.45)
    assert facts["led"].value == (0, 0.3)
    assert facts["led_mean"].value == pytest.approx(0.01)


def test_depth_one_is_behind_layer_0_and_a_third_ends_behind_its_last_layer(aggregation_figure):
    facts = aggregation_figure.facts
    assert facts["fixed_bottom"].value == pytest.approx(0.03)
    assert facts["fixed_middle"].value == pytest.approx(0.1)
    assert facts["fixed_top"].value == pytest.approx(0.87)
    assert facts["fixed_last"].spread == (0.4, 0.5)
    assert facts["agree_bottom"].value == pytest.approx(0.33)
    assert facts["agree_last"].spread == (pytest.approx(0.59), pytest.approx(0.69))
    agree, fixed = aggregation_figure.charts["从哪层定下"].data
    assert (agree.y[9], agree.y[29]) == (33, 100)
    assert (fixed.y[8], fixed.y[9], fixed.y[19], fixed.y[29]) == (0, 3, 13, 100)


@pytest.fixture
def keys_figure(monkeypatch):
    monkeypatch.setattr(keys, "memories", Asked(memories_of(50, 1)))
    return keys.draw()


def test_a_card_shows_its_triggers_with_digits_hidden_and_hits_ticked(keys_figure):
    assert [*keys_figure.charts] == ["第 5 层 · 最准", "第 5 层 · 抽签"]
    texts = [
        element.text for element in ET.fromstring(keys_figure.chart.svg).iter() if element.text
    ]
    assert "in ####, as" in texts
    assert "→ as  ✓" in texts
    assert "→ that" in texts
    assert "… many words before it, such" in texts
    assert "系数为负时，value 说 “posium”" in texts
    drawn = keys_figure.charts["第 5 层 · 抽签"].table.rows
    assert drawn == [["the", " #", " ", "0.25", ""]]


def test_hits_are_counted_by_card(keys_figure):
    facts = keys_figure.facts
    assert (facts["says_best_5"].value, facts["says_drawn_5"].value) == (1, 0)
    assert (facts["says_drawn"].value, facts["triggers_drawn"].value) == (0, 1)


def test_every_coefficient_drawn_is_in_the_table_of_its_card(keys_figure):
    for view in publish(keys_figure).views:
        cells = [e for e in ET.fromstring(view.svg).iter() if e.get("class") == "ffn-value"]
        assert len(cells) == len(view.table.rows)


WORD = Word(
    ("One", " such"),
    (Used(7, 22.5, 0.0625, "."), Used(3, -20.25, 0.0375, " as")),
    " as",
    " as",
)


@pytest.fixture
def key_value_figure(monkeypatch):
    monkeypatch.setattr(key_value, "last_word", lambda *call: WORD)
    pairs = {763: ((0.9, 0.1), (0.6, 0.5)), 764: ((0.9, 0.9), (0.6, 0.61))}
    monkeypatch.setattr(key_value, "silenced", lambda *call: pairs[call[-1]])
    monkeypatch.setattr(key_value, "difference", lambda *call: Difference(600, 1e-15, 2e-12))
    return key_value.draw()


def test_both_readings_are_drawn_with_every_number_of_the_small_layer(key_value_figure):
    view = publish(key_value_figure).views[0]
    cells = [e.text for e in ET.fromstring(view.svg).iter() if e.get("class") == "ffn-value"]
    product = ["2", "1", "2", "−1", "1", "1", "2", "0", "1", "1", "4", "3"]
    assert cells[:12] == product
    assert cells[12:20] == ["1", "0", "2", "2", "2", "0", "4", "0"]
    assert cells[-2:] == ["4", "3"]


def test_shares_of_the_shown_memories_and_the_rest_make_one(key_value_figure):
    facts = key_value_figure.facts
    assert facts["shown_share"].value == pytest.approx(0.1)
    assert facts["rest_share"].value == pytest.approx(0.9)
    assert facts["second_coefficient"].value == -20.25
    assert facts["beyond_tolerance"].value == 1


def test_a_silenced_memory_is_told_over_all_sentences(key_value_figure):
    facts = key_value_figure.facts
    assert (facts["clean"].value, facts["silenced"].value) == ((0.6, 0.9), (0.1, 0.5))
    assert facts["least_lost"].value == pytest.approx(0.1)
    assert facts["most_lost"].value == pytest.approx(0.8)
    assert facts["neighbour_moved"].value == pytest.approx(0.01)


def test_the_word_s_view_says_what_memories_and_the_layer_say(key_value_figure):
    view = publish(key_value_figure).views[1]
    texts = [element.text for element in ET.fromstring(view.svg).iter() if element.text]
    assert texts[0] == "第 23 层，读到 such"
    assert "“as”" in texts
    assert "全部相加，这一层说 “as”" in texts


def test_a_value_that_is_in_no_table_is_noticed(key_value_figure):
    chart = key_value_figure.chart
    chart.table.rows.clear()
    with pytest.raises(BadFigure, match="没有舍入后等于它的数"):
        publish(key_value_figure)
