"""Section 3 of the rule book: words around the number, row by row."""

from fractions import Fraction

import pytest
from row_of_rules import Row, cases, check_right, check_wrong, shape

from ffnsite.quantity import read

ROWS = {
    "约": Row(
        right="""
            约 27,000 → [26000, 28000] number
            大约 100 → [90, 110] number
            大概两千 → [1500, 2500] number
            差不多 30 层 → [25, 35] count
            大致 0.3 → [0.25, 0.35] number
            ≈ 81% → [0.8, 0.82] ratio
            ~2.7 万 → [26000, 28000] number
            ～8B → [7500000000, 8500000000] number
            30 左右 → [25, 35] number
            三成上下 → [0.25, 0.35] ratio
            16 GB 前后 → [15000000000, 17000000000] bytes
            约 30 层左右 → [25, 35] count
            约 0.1 → [0.05, 0.15] number
            约 3.0 → [2.9, 3.1] number
            约 0 → [-0.5, 0.5] number
            约 1.30 亿 → [129000000, 131000000] number
            约 100% → [0.9, 1.1] ratio
            约 65%–80% → [0.64, 0.85] ratio
            约三万五 → [34000, 36000] number
            $\\approx 81\\%$ → [0.8, 0.82] ratio
        """,
        wrong="""
            约 30 层以上 ✗
            约约 30 ✗
            约 20 多层 ✗
            节约 30% ✗
            制约 30% ✗
            约十几层 ✗
            约 27,000 ✗ 28001
        """,
    ),
    "近": Row(
        right="""
            近 81% → [0.8, 0.81] ratio
            将近三成 → [0.25, 0.3] ratio
            接近 27,000 → [26000, 27000] number
            快到 30 层 → [25, 30] count
            几乎 100% → [0.99, 1] ratio
            近百分之百 → [0.99, 1] ratio
            近一半 → [0.45, 0.5] ratio
            近三分之二 → [191/300, 2/3] ratio
            近百万 → [900000, 1000000] number
            近 -0.28 → [-0.29, -0.28] number
            近 0.1 → [0.05, 0.1] number
        """,
        wrong="""
            最近 30 ✗
            附近 30 ✗
            近 81% ✗ 0.811
            近三分之二 ✗ 0.67
            近 30 左右 ✗
            近三四倍 ✗
            几乎没有 ✗
        """,
    ),
    "超过": Row(
        right="""
            超过 5% → (0.05, inf) ratio
            多于 30 层 → (30, inf) count
            大于三分之二 → (2/3, inf) ratio
            高于 0.28 → (0.28, inf) number
            逾两千 → (2000, inf) number
            不止 3 倍 → (3, inf) ratio
            > 1.5 GB → (1500000000, inf) bytes
            ＞30 → (30, inf) number
            超百亿参数 → (10000000000, inf) count
        """,
        wrong="""
            超过 5% ✗ 0.05
            超过 30 层以上 ✗
            超过 65%–80% ✗
            超过几十 ✗
        """,
    ),
    "至少": Row(
        right="""
            至少 3 个 → [3, inf) count
            不少于两千 → [2000, inf) number
            不低于 5% → [0.05, inf) ratio
            不小于 0.28 → [0.28, inf) number
            最少 8 B → [8, inf) bytes
            起码八成 → [0.8, inf) ratio
            ≥ 3 → [3, inf) number
            三层以上 → [3, inf) count
            30 起 → [30, inf) number
            至少 3 个以上 → [3, inf) count
        """,
        wrong="""
            至少 3 个 ✗ 2.99
            一起 ✗
            至少两三百 ✗
            不少于 ✗
        """,
    ),
    "不到": Row(
        right="""
            不到 5% → [0, 0.05) ratio
            不足 30 层 → [0, 30) count
            低于 0.28 → (-inf, 0.28) number
            小于两倍 → [0, 2) ratio
            少于 300 ms → [0, 0.3) seconds
            未到三成 → [0, 0.3) ratio
            < 3 → (-inf, 3) number
            低于 -3% → (-inf, -0.03) ratio
            不到 2/3 → (-inf, 2/3) number
            不到 2 km → [0, 2000) length
            不足 8 KB → [0, 8000) bytes
        """,
        wrong="""
            不到 5% ✗ 0.05
            不到 5% ✗ -0.01
            不到 30 层左右 ✗
            不到不足 3 ✗
        """,
    ),
    "至多": Row(
        right="""
            至多 3 个 → [0, 3] count
            最多两千 → (-inf, 2000] number
            不超过 5% → [0, 0.05] ratio
            不多于八成 → [0, 0.8] ratio
            不大于 0.28 → (-inf, 0.28] number
            不高于 16 GB → [0, 16000000000] bytes
            ≤ 3 → (-inf, 3] number
            三层以下 → [0, 3] count
            5% 以内 → [0, 0.05] ratio
            300 ms 之内 → [0, 0.3] seconds
            不超过 5% 以内 → [0, 0.05] ratio
        """,
        wrong="""
            不超过 5% ✗ 0.0501
            最多 3 个以上 ✗
            5% 以内以内 ✗
        """,
    ),
    "过半": Row(
        right="""
            过半 → (0.5, 1] ratio
            超过一半 → (0.5, 1] ratio
            一半以上 → (0.5, 1] ratio
            半数以上 → (0.5, 1] ratio
            大半 → (0.5, 1] ratio
            一多半 → (0.5, 1] ratio
            逾半 → (0.5, 1] ratio
            不到一半 → [0, 0.5) ratio
            不足一半 → [0, 0.5) ratio
        """,
        wrong="""
            过半 ✗ 0.5
            大半 ✗ 1.01
            不到一半 ✗ 0.5
            超过一半以上 ✗
        """,
    ),
    "多": Row(
        right="""
            三倍多 → (3, 4] ratio
            两千多 → (2000, 3000] number
            20 多层 → (20, 30] count
            三成多 → (0.3, 0.4] ratio
            一百余 → (100, 200] number
            三十来个 → (30, 40] count
            30 出头 → (30, 40] number
            3 万多 token → (30000, 40000] count
            1.5 万多个 → (15000, 16000] count
            2.7 万余 GB → (27000000000000, 28000000000000] bytes
            8B 多参数 → (8000000000, 9000000000] count
            10 多 → (10, 20) number
            十多 → (10, 20) number
            十余层 → (10, 20) count
            十多万 → (100000, 200000) number
            两千多万 → (20000000, 30000000] number
            1.2 亿多 → (120000000, 130000000] number
            百分之八十多 → (0.8, 0.9] ratio
            两个多小时 → (7200, 10800] seconds
        """,
        wrong="""
            三倍多 ✗ 3
            三倍多多 ✗
            20 多层多 ✗
            -20 多 ✗
            三四倍多 ✗
            十多 ✗ 20
        """,
    ),
    "几 and 数": Row(
        right="""
            十几 → [11, 20) number
            几十 → [20, 100) number
            数百层 → [200, 1000) count
            几千 → [2000, 10000) number
            数万 → [20000, 100000) number
            几十万 → [200000, 1000000) number
            几百万次 → [2000000, 10000000) count
            几千万 → [20000000, 100000000) number
            数亿 → [200000000, 1000000000) number
            几十亿 → [2000000000, 10000000000) number
            几倍 → [2, 10) ratio
            数倍 → [2, 10) ratio
            十几万 → [110000, 200000) number
            几百 MB → [200000000, 1000000000) bytes
            二十几 → [21, 30) number
        """,
        wrong="""
            几 ✗
            十几 ✗ 10
            几十 ✗ 100
            约几十 ✗
            几十几 ✗
        """,
    ),
    "上 and bare powers": Row(
        right="""
            上百 → [100, inf) number
            上千次 → [1000, inf) count
            上万 → [10000, inf) number
            上百万 → [1000000, inf) number
            上亿 → [100000000, inf) number
            成千上万 → [1000, 100000) number
            百万级 → [1000000, 10000000) number
            千亿参数 → [100000000000, 1000000000000) count
            百亿 → [10000000000, 100000000000) number
            数以千计 → [1000, 10000) number
        """,
        wrong="""
            上百 ✗ 99
            百 ✗
            千层 ✗
            百万级 ✗ 10000000
            至少上百 ✗
        """,
    ),
    "two neighbouring digits": Row(
        right="""
            三四倍 → [2.5, 4.5] ratio
            两三百 → [150, 350] number
            十五六层 → [14.5, 16.5] count
            三五倍 → [2.5, 5.5] ratio
            二三十 → [15, 35] number
            一两个 → [0.5, 2.5] count
            百分之七八十 → [0.65, 0.85] ratio
            两三千万 → [15000000, 35000000] number
            约三四百 → [250, 450] number
        """,
        wrong="""
            五三倍 ✗
            四三倍 ✗
            三四五倍 ✗
            两三百 ✗ 351
        """,
    ),
    "ranges": Row(
        right="""
            65% 到 80% → [0.645, 0.805] ratio
            65%–80% → [0.645, 0.805] ratio
            65%~80% → [0.645, 0.805] ratio
            65％～80％ → [0.645, 0.805] ratio
            65 至 80 → [64.5, 80.5] number
            2-9 层 → [1.5, 9.5] count
            三到五 → [2.5, 5.5] number
            1–2 万 → [9500, 25000] number
            7–70B → [6500000000, 70500000000] number
            百分之三到五 → [0.025, 0.055] ratio
            三到四成 → [0.25, 0.45] ratio
            95%–100% → [0.945, 1] ratio
            0–5% → [0, 0.055] ratio
            -5% 到 5% → [-0.055, 0.055] ratio
            120%–150% → [1.195, 1.505] ratio
            300 ms–2 s → [0.2995, 2.5] seconds
            三到五万 → [25000, 50000.5] number
            五千到一万 → [4999.5, 10500] number
            3 到 5 之间 → [2.5, 5.5] number
            65% 到 80 → [0.645, 0.805] ratio
            1-9 层 → [0.95, 9.5] count
        """,
        wrong="""
            5%–3% ✗
            3–3 ✗
            5–3 万 ✗
            五到三万 ✗
            3 层到 5 步 ✗
            5%–3 层 ✗
            1–2–3 ✗
            几十到几百 ✗
            三到五百 ✗
            1 万到 12000 ✗
            30 至少 ✗
            65%–80% ✗ 0.81
        """,
    ),
    "±": Row(
        right="""
            0.081 ± 0.004 → [0.077, 0.085] number
            81 ± 2% → [0.79, 0.83] ratio
            81% ± 2 个百分点 → [0.79, 0.83] ratio
            0.53±0.01 nats → [0.52, 0.54] information
            $0.081\\pm0.004$ → [0.077, 0.085] number
        """,
        wrong="""
            ±3 ✗
            0.081 ± -0.004 ✗
            约 0.081 ± 0.004 ✗
            0.081 ± 0.004 ✗ 0.0851
        """,
    ),
    "数量级": Row(
        right="""
            两个数量级以上 → [100, inf) ratio
            四个多数量级 → (10000, 100000] ratio
            不到一个数量级 → [1, 10) ratio
            超过 3 个数量级 → (1000, inf) ratio
            几个数量级 → [100, 10000000000) ratio
            3.5 个数量级 → [1000, 10000] ratio
        """,
        wrong="""
            四个数量级 ✗ 3162
            四个数量级 ✗ 1
            近四个数量级 ✗ 10001
            四个多数量级 ✗ 10000
            数量级 ✗
        """,
    ),
}


@pytest.mark.parametrize(("row", "text", "expected"), cases(ROWS, "right"))
def test_modified_numbers_read_as_the_interval_worked_by_hand(row, text, expected):
    check_right(text, expected)


@pytest.mark.parametrize(("row", "text", "value"), cases(ROWS, "wrong"))
def test_modified_numbers_that_are_wrong_or_unreadable_do_not_pass(row, text, value):
    check_wrong(text, value)


@pytest.mark.parametrize("row", ROWS)
def test_cases_of_a_modifier_row_differ_in_more_than_digits(row):
    texts = [text for _, text, _ in cases({row: ROWS[row]}, "right")]
    assert len(set(map(shape, texts))) >= 3


# 10^3.5 squared is 10^7: the root is compared by its square, not by digits.
@pytest.mark.parametrize(
    ("text", "low_squared", "high_squared"),
    [
        ("四个数量级", 7, 9),
        ("近四个数量级", 7, 8),
        ("两到三个数量级", 3, 7),
        ("两三个数量级", 3, 7),
        ("约 4 个数量级", 7, 9),
        ("一个数量级", 1, 3),
    ],
)
def test_orders_of_magnitude_are_powers_of_ten(text, low_squared, high_squared):
    quantity = read(text)
    assert abs(quantity.low**2 / Fraction(10) ** low_squared - 1) < Fraction(1, 10**40)
    assert abs(quantity.high**2 / Fraction(10) ** high_squared - 1) < Fraction(1, 10**40)


def test_an_order_of_magnitude_holds_for_a_ratio_and_its_reciprocal():
    quantity = read("四个数量级")
    assert quantity.magnitude
    assert quantity.holds(10**4)
    assert quantity.holds(Fraction(1, 10**4))
    assert not quantity.holds(0)


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("超过 5%", "above"),
        ("上百", "above"),
        ("三层以上", "above"),
        ("不到 5%", "below"),
        ("至多 3 个", "below"),
        ("过半", ""),
        ("约 30", ""),
        ("20 多层", ""),
        ("65%–80%", ""),
    ],
)
def test_bounds_to_one_side_say_so(text, side):
    assert read(text).side == side


@pytest.mark.parametrize(
    "text", ["30 上下文", "8 多头", "30 余弦", "30 整数", "30 参数", "30 层数", "5 次数", "7 函数"]
)
def test_a_noun_that_begins_like_a_modifier_is_counted_and_modifies_nothing(text):
    quantity = read(text)
    number = Fraction(text.split()[0])
    half = Fraction(1, 2)
    assert (quantity.low, quantity.high) == (number - half, number + half)
    assert (quantity.dimension, quantity.unit) == ("count", text.split()[1])
