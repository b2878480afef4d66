# ruff: noqa: RUF001 - full-width digits are the subject here
"""Section 1 of the rule book: how numerals are written, row by row."""

import pytest
from row_of_rules import Row, cases, check_right, check_wrong, shape

ROWS = {
    "digits, full width and groups": Row(
        right=r"""
            81 → [80.5, 81.5] number
            ８１％ → [0.805, 0.815] ratio
            65,536 → [65535.5, 65536.5] number
            65\u2009536 → [65535.5, 65536.5] number
            26\u00a0624\u00a0000 → [26623999.5, 26624000.5] number
            6,738,415,616 → [6738415615.5, 6738415616.5] number
            1,234.5 → [1234.45, 1234.55] number
            ０．２８ → [0.275, 0.285] number
        """,
        wrong="""
            32，128 ✗
            32、128 ✗
            1,23 ✗
            12,34,567 ✗
            6,5536 ✗
            1,234,56 ✗
            65 536 ✗
            1.2.3 ✗
            007 ✗
            .5 ✗
            65,536 ✗ 65535
        """,
    ),
    "signs": Row(
        right="""
            -0.28 → [-0.285, -0.275] number
            −3% → [-0.035, -0.025] ratio
            －12 层 → [-12.5, -11.5] count
            负 0.281 → [-0.2815, -0.2805] number
            负三分之一 → [-103/300, -97/300] ratio
            负零点二八 → [-0.285, -0.275] number
            负二十三 → [-23.5, -22.5] number
        """,
        wrong="""
            --5 ✗
            负-5 ✗
            - 5 ✗
            5- ✗
            负几十 ✗
            -0.28 ✗ 0.28
        """,
    ),
    "scientific": Row(
        right=r"""
            3.4×10^38 → [3.35e38, 3.45e38] number
            3.4 × 10³ → [3350, 3450] number
            $3.4\times10^{3}$ → [3350, 3450] number
            3.4e3 → [3350, 3450] number
            2.5E3 层 → [2450, 2550] count
            1e-6 → [0.00000095, 0.00000105] number
            10⁻⁶ → [0.00000095, 0.00000105] number
            3·10^2 → [250, 350] number
            10 的 9 次方 → [950000000, 1050000000] number
            10 的负六次方 → [0.00000095, 0.00000105] number
        """,
        wrong="""
            3.4×10 ✗
            3.4×10^ ✗
            10^401 ✗
            1e9999 ✗
            3.4 x 10^3 ✗
            3.4×10^3 ✗ 3300
        """,
    ),
    "exact powers and roots": Row(
        right=r"""
            2^12 → [4096, 4096] number
            2¹² → [4096, 4096] number
            2 的 12 次方 → [4096, 4096] number
            二的十二次方 → [4096, 4096] number
            2 的十二次方 → [4096, 4096] number
            2的负三次方 → [0.125, 0.125] number
            $2^{20}$ → [1048576, 1048576] number
            2^-3 → [1/8, 1/8] number
            √4 → [2, 2] number
            1/√4 → [1/2, 1/2] number
        """,
        wrong="""
            2^12 ✗ 4097
            √2 ✗ 1.4142
            1/√2 ✗ 0.7071
            2^5000 ✗
            2^0.5 ✗
            1/√0 ✗
            0^-1 ✗
        """,
    ),
    "Chinese characters": Row(
        right="""
            二十三 → [22.5, 23.5] number
            一百零五 → [104.5, 105.5] number
            两千 → [1999.5, 2000.5] number
            一万二千 → [11999.5, 12000.5] number
            三点五 → [3.45, 3.55] number
            零点二八 → [0.275, 0.285] number
            十万零一千 → [100999.5, 101000.5] number
            两百亿 → [19999999999.5, 20000000000.5] number
            〇 → [-0.5, 0.5] number
            一〇二四 → [1023.5, 1024.5] number
            三万五 → [34999.5, 35000.5] number
            两千三 → [2299.5, 2300.5] number
            一百二 → [119.5, 120.5] number
            一亿三 → [129999999.5, 130000000.5] number
            两百零三层 → [202.5, 203.5] count
            一万零三十 → [10029.5, 10030.5] number
            三万亿 → [2999999999999.5, 3000000000000.5] number
            两千三百万 → [22999999.5, 23000000.5] number
            一点二亿 → [115000000, 125000000] number
            三点五万个 → [34500, 35500] count
            十五 → [14.5, 15.5] number
            一百一十 → [109.5, 110.5] number
        """,
        wrong="""
            二十两 ✗
            两十 ✗
            一千三十 ✗
            一万三百 ✗
            一百零二十 ✗
            三万两 ✗
            百二十三千 ✗
            一二三 ✗
            四八 ✗
            三点半 ✗
            一点两 ✗
            零零五 ✗
            〇五 ✗
            一亿亿 ✗
            一万万 ✗
            一千万零 ✗
            三万五 ✗ 30005
            两千三 ✗ 2003
        """,
    ),
    "万 and 亿 behind digits": Row(
        right="""
            2.7 万 → [26500, 27500] number
            16.4亿 → [1635000000, 1645000000] number
            3000 万 → [29995000, 30005000] number
            1.6 万亿 → [1550000000000, 1650000000000] number
            3 百万 → [2500000, 3500000] number
            1.24 亿个参数 → [123500000, 124500000] count
        """,
        wrong="""
            13万2 ✗
            1 亿 2000 万 ✗
            3 万 5 千 ✗
            16.4 亿 ✗ 1634999999
            2.7 万万 ✗
        """,
    ),
    "K M B T Ki": Row(
        right="""
            8K → [7500, 8500] number
            124M → [123500000, 124500000] number
            6.7B → [6650000000, 6750000000] number
            1.6T → [1550000000000, 1650000000000] number
            128Ki → [130560, 131584] number
            124M参数 → [123500000, 124500000] count
            20K token → [19500, 20500] count
            2Mi 个 → [1572864, 2621440] count
        """,
        wrong="""
            8k ✗
            8 M ✗
            8Kx ✗
            8K2 ✗
            6.7B ✗ 6640000000
            三K ✗
        """,
    ),
    "monomials": Row(
        right=r"""
            $8d^2$ → [8, 8] symbolic
            10.5d² → [10.5, 10.5] symbolic
            $6.5d$ → [6.5, 6.5] symbolic
            12 n d^2 → [12, 12] symbolic
            d² → [1, 1] symbolic
            16d → [16, 16] symbolic
            $\frac{8}{3}d^2$ → [8/3, 8/3] symbolic
            8d/3 → [8/3, 8/3] symbolic
            $4 \times d$ → [4, 4] symbolic
            $12\,n\,d^2$ → [12, 12] symbolic
            $x$ → [1, 1] symbolic
            3x^2 → [3, 3] symbolic
            $4d_{\text{ff}}$ → [4, 4] symbolic
            约 6.5d → [6.4, 6.6] symbolic
        """,
        wrong=r"""
            3d+2 ✗
            $4d^2+8d^2$ ✗
            3x ✗
            8d^2d^2= ✗
            10.5d² ✗ 10.49
            8d/3 ✗ 2.6667
        """,
    ),
    "proportions": Row(
        right="""
            3:1 → [2.99, 3.01] ratio
            1：4 → [0.24, 0.26] ratio
            1.5 : 1 → [1.49, 1.51] ratio
        """,
        wrong="""
            100:1 ✗
            3:0 ✗
            3:1:1 ✗
            3:1 ✗ 1/3
        """,
    ),
}


@pytest.mark.parametrize(("row", "text", "expected"), cases(ROWS, "right"))
def test_numerals_read_as_the_interval_worked_by_hand(row, text, expected):
    check_right(text, expected)


@pytest.mark.parametrize(("row", "text", "value"), cases(ROWS, "wrong"))
def test_numerals_that_are_wrong_or_unreadable_do_not_pass(row, text, value):
    check_wrong(text, value)


@pytest.mark.parametrize("row", ROWS)
def test_no_two_cases_of_a_numeral_row_differ_only_in_digits(row):
    texts = [text for name, text, _ in cases({row: ROWS[row]}, "right")]
    assert len({text.translate({0x2009: ",", 0xA0: "_"}) for text in map(shape, texts)}) >= 3
