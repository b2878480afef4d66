"""Section 2 of the rule book: plain numbers, exactness, fractions and parts."""

from fractions import Fraction

import pytest
from row_of_rules import Row, cases, check_right, check_wrong, shape

from ffnsite.quantity import read

ROWS = {
    "the unit of the last digit": Row(
        right="""
            80.77% → [0.80765, 0.80775] ratio
            81% → [0.805, 0.815] ratio
            3.0% → [0.0295, 0.0305] ratio
            27,000 → [26999.5, 27000.5] number
            二十层 → [19.5, 20.5] count
            四倍 → [3.5, 4.5] ratio
            三万五千 → [34999.5, 35000.5] number
            100 → [99.5, 100.5] number
            0.30 → [0.295, 0.305] number
        """,
        wrong="""
            66.6% ✗ 2/3
            81% ✗ 0.8151
            两千 ✗ 2001
            3.0% ✗ 0.031
        """,
    ),
    "a lone one": Row(
        right="""
            1 → [0.95, 1.05] number
            一 → [0.95, 1.05] number
            1 万 → [9500, 10500] number
            1e-3 → [0.00095, 0.00105] number
            一亿 → [95000000, 105000000] number
            一倍 → [0.95, 1.05] ratio
            1B → [950000000, 1050000000] number
            1 个 → [0.95, 1.05] count
            一百层 → [95, 105] count
        """,
        wrong="""
            1 ✗ 1.06
            一亿 ✗ 106000000
            1 万 ✗ 10501
            十一 ✗ 11.6
            10 ✗ 10.6
        """,
    ),
    "words of exactness": Row(
        right="""
            恰好 32 层 → [31.999999968, 32.000000032] count
            正好 81% → [0.80999999919, 0.81000000081] ratio
            刚好八成 → [0.7999999992, 0.8000000008] ratio
            整整 1000 → [999.999999, 1000.000001] number
            精确地 2 倍 → [1.999999998, 2.000000002] ratio
            严格一半 → [0.4999999995, 0.5000000005] ratio
            32 层整 → [31.999999968, 32.000000032] count
            三十整 → [29.99999997, 30.00000003] number
            恰好 16 层整 → [15.999999984, 16.000000016] count
            正好 10000000000 → [9999999999.5, 10000000000.5] number
        """,
        wrong="""
            恰好三分之二 ✗ 0.6667
            正好 6,738,415,616 ✗ 6738415617
            恰好 65%–80% ✗
            恰好约 30 ✗
        """,
    ),
    "decimals written as parts": Row(
        right="""
            百分之八十一 → [0.805, 0.815] ratio
            百分之 81.5 → [0.8145, 0.8155] ratio
            千分之三 → [0.0025, 0.0035] ratio
            万分之四 → [0.00035, 0.00045] ratio
            百分之零点三 → [0.0025, 0.0035] ratio
            千分之三点五 → [0.00345, 0.00355] ratio
            近百分之八十 → [0.75, 0.8] ratio
            约百分之八十一 → [0.8, 0.82] ratio
            不足百分之五 → [0, 0.05) ratio
            百分之百 → [0.995, 1.005] ratio
            百分之一 → [0.0095, 0.0105] ratio
        """,
        wrong="""
            百分之八十一 ✗ 0.8151
            百分之 ✗
            百分之三倍 ✗
            百分之八十% ✗
        """,
    ),
    "fractions": Row(
        right="""
            三分之二 → [197/300, 203/300] ratio
            四分之一 → [0.24, 0.26] ratio
            8/3 → [797/300, 803/300] number
            2 / 3 → [197/300, 203/300] number
            十分之一 → [0.096, 0.104] ratio
            约三分之二 → [191/300, 209/300] ratio
            恰好四分之一 → [0.24999999975, 0.25000000025] ratio
            3 分之 2 → [197/300, 203/300] ratio
            六十四分之一 → [0.015, 0.01625] ratio
            ⅔ → [197/300, 203/300] number
            一又四分之一 → [1.24, 1.26] ratio
        """,
        wrong="""
            三分之二 ✗ 0.68
            8/3 ✗ 2.68
            8/0 ✗
            零分之三 ✗
            1½ ✗
            1/2/3 ✗
            几分之一 ✗
        """,
    ),
    "tenths": Row(
        right="""
            八成 → [0.75, 0.85] ratio
            七成五 → [0.745, 0.755] ratio
            七八成 → [0.65, 0.85] ratio
            3 成 → [0.25, 0.35] ratio
            三成半 → [0.345, 0.355] ratio
            一成 → [0.095, 0.105] ratio
        """,
        wrong="""
            八成 ✗ 0.86
            七成五 ✗ 0.76
            八成成 ✗
            八七成 ✗
        """,
    ),
    "halves": Row(
        right="""
            一半 → [0.48, 0.52] ratio
            半数 → [0.48, 0.52] ratio
            二分之一 → [0.48, 0.52] ratio
            约一半 → [0.45, 0.55] ratio
            近半数 → [0.45, 0.5] ratio
            一倍半 → [1.45, 1.55] ratio
            2 倍半 → [2.45, 2.55] ratio
            半倍 → [0.48, 0.52] ratio
            半小时 → [1728, 1872] seconds
            两个半小时 → [8820, 9180] seconds
        """,
        wrong="""
            一半 ✗ 0.53
            两倍半 ✗ 2.56
            两半 ✗
            1.5 倍半 ✗
        """,
    ),
    "doublings": Row(
        right="""
            翻倍 → [1.9, 2.1] ratio
            翻一番 → [1.9, 2.1] ratio
            翻了两番 → [3.8, 4.2] ratio
            减半 → [0.475, 0.525] ratio
        """,
        wrong="""
            翻倍 ✗ 2.2
            翻两番 ✗ 3
            翻 3 倍 ✗
            减半 ✗ 0.53
        """,
    ),
}


@pytest.mark.parametrize(("row", "text", "expected"), cases(ROWS, "right"))
def test_plain_numbers_read_as_the_interval_worked_by_hand(row, text, expected):
    check_right(text, expected)


@pytest.mark.parametrize(("row", "text", "value"), cases(ROWS, "wrong"))
def test_plain_numbers_that_are_wrong_or_unreadable_do_not_pass(row, text, value):
    check_wrong(text, value)


@pytest.mark.parametrize("row", ROWS)
def test_cases_of_a_plain_row_differ_in_more_than_digits(row):
    texts = [text for _, text, _ in cases({row: ROWS[row]}, "right")]
    assert len(set(map(shape, texts))) >= 3


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("80.77%", 4),
        ("27,000", 2),
        ("3.0%", 2),
        ("100", 2),
        ("1", 2),
        ("0.1", 2),
        ("0.030", 2),
        ("100.0", 4),
        ("两千", 1),
        ("三万五", 2),
        ("6,738,415,616", 10),
        ("2.7 万", 2),
        ("1.0", 2),
        ("0", 1),
        ("105 层", 3),
        ("七成五", 2),
        ("三分之二", 1),
        ("几十", 1),
        ("81 ± 2%", 2),
        ("3–12 层", 2),
        ("约 √2", 1),
        ("$8d^2$", 1),
    ],
)
def test_significant_digits_run_from_the_first_to_the_last_that_counts(text, digits):
    assert read(text).digits == digits


def test_multiplying_by_a_scale_is_exact_where_binary_floats_are_not():
    assert read("16.4 亿").value == 1640000000
    assert read("百分之一点五七").value == Fraction(157, 10000)
    assert read("0.1").value + read("0.2").value == read("0.3").value


def test_an_exact_integer_claim_is_false_of_every_other_integer():
    quantity = read("恰好 6,738,415,616")
    assert quantity.holds(6738415616)
    assert not quantity.holds(6738415615)
    assert quantity.exact
