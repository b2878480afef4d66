"""What a fact and a figure must be."""

import math
from fractions import Fraction

import pytest

from ffnsite.errors import BadFact, BadFigure
from ffnsite.figure import Fact, Figure, exact, read_fact, write_fact


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (lambda: Fact(math.nan, "ratio", 2, means="比"), "NaN"),
        (lambda: Fact(math.inf, "ratio", 2, means="比"), "无穷"),
        (lambda: Fact(0.5, "ratio", means="比"), "digits"),
        (lambda: Fact(0.5, "ratio", 0, means="比"), "至少是 1"),
        (lambda: Fact("3", "count", means="数"), "int、float 或 Fraction"),
        (lambda: Fact(True, "count", means="数"), "int、float 或 Fraction"),
        (lambda: Fact(3, "apples", means="数"), "不认识的单位 'apples'"),
        (lambda: Fact(3, "count"), "缺 means"),
        (lambda: Fact(1.2, "share", 2, means="份额"), "不在 0 到 1"),
        (lambda: Fact((3, 2), "count", means="数"), "颠倒"),
        (lambda: Fact(5, "count", spread=(1, 2), means="数"), "不在 spread"),
        (lambda: Fact(1.0, "ratio", 2, spread=(0.9, math.nan), means="比"), "NaN"),
    ],
)
def test_a_bad_fact_says_what_is_wrong(fact, said):
    with pytest.raises(BadFact, match=said):
        fact()


def test_all_faults_of_a_fact_are_told_at_once():
    with pytest.raises(BadFact) as caught:
        Fact(0.5, "apples")
    assert all(word in str(caught.value) for word in ("digits", "apples", "means"))


@pytest.mark.parametrize(
    "fact",
    [
        Fact(6738415616, "count", means="数"),
        Fact(Fraction(2, 3), "share", means="份额"),
        Fact(0.1 + 0.2, "ratio", 3, means="比"),
        Fact((0.4, 0.6), "ratio", 1, spread=(0.3, 0.7), means="比"),
        Fact(8, "n d^2", means="系数"),
    ],
)
def test_a_fact_comes_back_from_its_record_without_loss(fact):
    back = read_fact(write_fact(fact))
    assert back.ends == fact.ends
    assert (back.unit, back.digits, back.means) == (fact.unit, fact.digits, fact.means)


def test_a_damaged_record_is_an_error():
    written = write_fact(Fact(3, "count", means="数"))
    with pytest.raises(BadFact, match="读不出数"):
        read_fact(type(written)(["3/0"], "count", None, None, "数"))


def test_a_float_is_taken_at_its_shortest_writing():
    assert exact(0.1) == Fraction(1, 10)


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        (lambda: Figure("<svg/>", {"a.b": Fact(1, "count", means="数")}, "图"), "a-z0-9_"),
        (lambda: Figure("<svg/>", {}, " "), "caption"),
        (lambda: Figure("<svg/>", {}, "图", variants={"整模型": "<svg/>"}), "label"),
    ],
)
def test_a_bad_figure_says_what_is_wrong(figure, said):
    with pytest.raises(BadFigure, match=said):
        figure()


def test_the_first_chart_comes_first():
    figure = Figure("<a/>", {}, "图", variants={"整模型": "<b/>"}, label="一层")
    assert list(figure.charts) == ["一层", "整模型"]


def test_a_fact_over_several_texts_is_their_mean_with_the_lowest_and_the_highest():
    fact = Fact.over([0.25, 0.5, 0.75], "share", "三段文字的平均。")
    assert (fact.value, fact.spread, fact.digits) == (0.5, (0.25, 0.75), 2)


def test_a_mean_of_equal_floats_lies_in_their_spread():
    tenth = [0.1] * 3
    assert sum(tenth) / 3 != 0.1  # the plain mean misses by a bit
    assert Fact.over(tenth, "share", "三个一样的数。", digits=1).value == 0.1
