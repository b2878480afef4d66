"""Section 6 of the rule book: hand-written quotes against hand-written facts, verdict by verdict.

The words stand in docs/ffn (sentences of the articles) or try one rule; the facts are written here,
so that no figure decides what is right.
"""

from fractions import Fraction

import pytest

from ffnsite.figure import UNITS, Fact
from ffnsite.prose.judge import DIMENSIONS, judge
from ffnsite.prose.quote import Verdict


def fact(value, unit="number", digits=None, spread=None):
    return Fact(value, unit, digits=digits, spread=spread, means="手写的事实。")


# One layer of Llama-3-8B: 176,160,768 weights of the FFN beside 41,943,040 of attention.
SHARE = Fraction(176_160_768, 176_160_768 + 41_943_040)  # 0.80769…
BLOCK = fact(SHARE, "share")
# A mean over seeds, and a range over heads or layers.
NOISE = fact(0.407, digits=3, spread=(0.402, 0.413))
MEASURED = fact(0.31, "share", digits=2, spread=(0.28, 0.34))
DROP = fact(0.3, "change", digits=2)
LOSS = fact(3.312, "nat", digits=3)

ROWS = {
    Verdict.AGREES: [
        # shares
        ("约 81%", BLOCK),
        ("81%", BLOCK),
        ("80.77%", BLOCK),
        ("约八成", BLOCK),
        ("超过四分之三", BLOCK),
        ("四分之三", fact(Fraction(3, 4), "share")),
        ("过半", BLOCK),
        ("几乎 100%", fact(0.994, "share", digits=3)),
        ("近一半", fact(0.47, "share", digits=2)),
        ("不到 5%", fact(0.012, "share", digits=2)),
        ("九成多", fact(0.96, "share", digits=2)),
        # counts, in full and rounded; a bare number fits a count
        ("6,738,415,616", fact(6_738_415_616, "count")),
        ("67 亿", fact(6_738_415_616, "count")),
        ("1.762 亿", fact(176_160_768, "count")),
        ("3782 万", fact(37_822_464, "count")),
        ("124M 参数", fact(124_439_808, "count")),
        ("不到十万", fact(82_000, "count")),
        ("约 200 万", fact(2_056_192, "count")),
        ("恰好 4096", fact(4096, "count")),
        ("整整 30 层", fact(30, "count")),
        ("2^12", fact(4096, "count")),
        ("几千", fact(4096, "count")),
        # ratios, and a bare number for one
        ("四倍", fact(4, "ratio")),
        ("3.5 倍", fact(Fraction(7, 2), "ratio")),
        ("8/3", fact(Fraction(8, 3), "ratio")),
        ("30 倍以上", fact(59, "ratio", digits=2)),
        ("1.0125 倍", fact(Fraction(81, 80), "ratio")),
        ("约一半", fact(0.46, "ratio", digits=2)),
        # the whole spread inside
        ("约 0.41", NOISE),
        ("三成左右", MEASURED),
        ("25% 到 35%", MEASURED),
        ("0.41 ± 0.02", NOISE),
        ("不到四成", MEASURED),
        # ranges: both ends of a range, or one value inside
        ("39.9% 到 96.6%", fact((0.3987, 0.9664), "share", digits=3)),
        ("1.4 到 2.1 倍", fact((1.43, 2.07), "ratio", digits=3)),
        ("95% 到 100%", fact((0.953, 0.9971), "share", digits=3)),
        ("几十", fact((23, 88), "count")),
        ("65%–80%", fact(0.72, "share", digits=2)),
        # changes and percentage points; both ways to sign a decrease
        ("少了三成", DROP),
        ("30%", DROP),
        ("降低约三成", fact(-0.3, "change", digits=2)),
        ("下降 20% 到 30%", fact((-0.3, -0.2), "change", digits=2)),
        ("约 1.5 个百分点", fact(0.015, "pp", digits=2)),
        ("不到 0.4 个百分点", fact(0.0035, "pp", digits=2)),
        ("下降 3 个百分点", fact(-0.03, "pp", digits=2)),
        # symbolic, in any order of letters
        ("$10.5d^2$", fact(Fraction(21, 2), "d^2")),
        ("$24 n d^2$", fact(24, "d^2 n")),
        ("约 $8d^2$", fact(Fraction(129, 16), "d^2")),
        # physical units
        ("8.66 GB", fact(8_657_043_456, "byte")),
        ("3.35 TB/s", fact(3_350_000_000_000, "byte/s")),
        ("20 token/s", fact(19.7, "token/s", digits=3)),
        ("0.5 字节/参数", fact(Fraction(1, 2), "byte/param")),
        ("3.31 nats", LOSS),
        ("1.58 比特", fact(1.585, "bit", digits=3)),
        ("约 15 毫秒", fact(0.0152, "s", digits=2)),
        ("990 TFLOPS", fact(990 * 10**12, "FLOP/s")),
        # orders of magnitude hold for a ratio and its reciprocal; the claim is about the logarithm
        ("四个数量级", fact(8300.0, "ratio", digits=2)),
        ("四个数量级", fact(1 / 8300, "ratio", digits=2)),
        ("两个数量级以上", fact(5000.0, "ratio", digits=2)),
        # not too loose: at ten times the bound, or at zero
        ("超过 5%", fact(Fraction(1, 2), "share")),
        ("不到 1%", fact(0, "share")),
        ("超过 0", fact(1234, "count")),
        ("超过 -3", fact(-2, "number")),
    ],
    Verdict.UNREADABLE: [
        ("小 4 倍", fact(Fraction(1, 4), "ratio")),
        ("16 层、d=1024", fact(16, "count")),
        ("约 20 多层", fact(24, "count")),
        ("80% 到 65%", fact((0.65, 0.8), "share", digits=2)),
        ("五分之", fact(Fraction(1, 5), "share")),
    ],
    Verdict.WRONG_UNIT: [
        ("2.5%", fact(0.025, "pp", digits=2)),
        ("2.5 个百分点", fact(0.025, "share", digits=2)),
        ("3.35 TB", fact(3_350_000_000_000, "byte/s")),
        ("3.35 TB/s", fact(3_350_000_000_000, "byte")),
        ("3.31 bit", LOSS),
        ("3.31", LOSS),
        ("20 token/s", fact(20, "byte/s")),
        ("2 FLOP/byte", fact(2, "byte/param")),
        ("990 TFLOP", fact(990 * 10**12, "FLOP/s")),
        ("$8d$", fact(8, "d^2")),
        ("8", fact(8, "d^2")),
        ("$8d^2$", fact(8, "count")),
        ("30 层", fact(30, "ratio")),
        ("30 倍", fact(30, "count")),
        ("少了三成", fact(0.3, "share", digits=2)),
        ("高出 5%", fact(0.05, "ratio", digits=2)),
        ("16 B", fact(16_000_000_000, "count")),
        # judged before what is also wrong: digits, the value
        ("2.512%", fact(0.9, "pp", digits=2)),
    ],
    Verdict.TOO_PRECISE: [
        ("0.4071", NOISE),
        ("30.0%", DROP),
        ("约 0.407", fact(0.407, digits=2)),
        ("超过 0.401", fact(0.41, digits=2)),
        ("31%", MEASURED),
        ("0.407", NOISE),
        ("恰好三成", MEASURED),
        # judged before what is also wrong: the value
        ("0.9123", NOISE),
        ("12.345 ms", fact(0.0152, "s", digits=2)),
    ],
    Verdict.DISAGREES: [
        ("八成五", BLOCK),
        ("80%", BLOCK),
        ("80.76%", BLOCK),
        ("66.6%", fact(Fraction(2, 3), "share")),
        ("近三分之二", fact(0.67, "share", digits=2)),
        ("恰好 4096", fact(4097, "count")),
        ("恰好 4096", fact(Fraction(409_600_001, 100_000), "number")),
        ("65,536", fact(65_537, "count")),
        ("两千", fact(2001, "count")),
        ("$8d^2$", fact(Fraction(129, 16), "d^2")),
        ("80 GiB", fact(80 * 10**9, "byte")),
        ("67 亿", fact(6_607_000_000, "count")),
        # the middle fits, the spread does not
        ("超过 0.405", fact(0.407, digits=3, spread=(0.402, 0.413))),
        ("近三成", fact(0.29, "share", digits=2, spread=(0.27, 0.31))),
        # a range that only covers the fact's range, at one end or at both
        ("30% 到 97%", fact((0.3987, 0.9664), "share", digits=3)),
        ("1–2 万", fact((14_000, 20_000), "count")),
        ("90% 到 100%", fact((0.953, 0.9971), "share", digits=3)),
        ("65%–80%", fact(0.81, "share", digits=2)),
        ("约 70%", fact((0.5, 0.9), "share", digits=2)),
        # directions
        ("多了三成", fact(-0.3, "change", digits=2)),
        ("上升 3 个百分点", fact(-0.03, "pp", digits=2)),
        ("近四个数量级", fact(12_000.0, "ratio", digits=2)),
        ("四个数量级", fact(0, "ratio")),
        # judged before the bound's emptiness: 0.5 is not above 0.6
        ("超过六成", fact(Fraction(1, 2), "share")),
    ],
    Verdict.TOO_LOOSE: [
        ("超过 5%", BLOCK),
        ("上百", fact(4096, "count")),
        ("至少 3 层", fact(32, "count")),
        ("不到一半", fact(0.012, "share", digits=2)),
        ("不到 100 GB", fact(8_657_043_456, "byte")),
        ("超过 0.01", fact((0.2, 0.3), digits=2)),
        ("超过 -100", fact(-2, "number")),
        ("低于 -1", fact(-50, "number")),
        ("超过 -1", fact(50, "number")),
        ("不到四个数量级", fact(2.0, "ratio", digits=2)),
    ],
}


@pytest.mark.parametrize(
    ("verdict", "words", "known"),
    [(verdict, *row) for verdict, rows in ROWS.items() for row in rows],
    ids=lambda part: part if isinstance(part, str) else getattr(part, "name", "fact"),
)
def test_words_get_the_verdict_worked_out_by_hand(verdict, words, known):
    assert judge(words, known).verdict is verdict


@pytest.mark.parametrize(
    ("words", "known", "reason"),
    [
        ("2.5 个百分点", fact(0.025, "share", digits=2), "写的是 pp，事实的单位是 share"),
        ("3 层", fact(3, "ratio"), "写的是 层，事实的单位是 ratio"),
        ("3", LOSS, "写的是“不带单位的数”，事实的单位是 nat"),
        ("3.31 bit", LOSS, "写的是 bit，事实是 nat"),
        ("少了三成", MEASURED, "写的是变化的幅度，事实不是（单位不是 change 或 pp）"),
        ("0.4071", NOISE, "写了 4 位有效数字，只有 3 位站得住"),
        ("0.407", NOISE, "写得比换种子的波动还窄"),
        ("30% 到 97%", fact((0.3987, 0.9664), "share", digits=3), "范围的两端没有都对上"),
        ("八成五", BLOCK, "值不在写出的范围里"),
        ("超过 5%", BLOCK, "值离这个界十倍以上，等于没说"),
    ],
)
def test_a_wrong_verdict_says_why(words, known, reason):
    assert judge(words, known).reason == reason


def test_words_that_cannot_be_read_keep_the_reason_of_the_reader_and_no_quantity():
    judgement = judge("小 4 倍", DROP)
    assert judgement.quantity is None
    assert "说不清" in judgement.reason


def test_every_unit_that_a_fact_may_have_belongs_to_a_dimension():
    assert DIMENSIONS.keys() == UNITS.keys()
