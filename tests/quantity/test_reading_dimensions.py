"""Section 4 of the rule book: dimensions, units and directions."""

from fractions import Fraction

import pytest
from row_of_rules import check_wrong

from ffnsite.quantity import read


@pytest.mark.parametrize(
    ("text", "dimension", "unit", "value"),
    [
        ("2.67", "number", "", "2.67"),
        ("81%", "ratio", "", "0.81"),
        ("3‰", "ratio", "", "0.003"),
        ("三成", "ratio", "", "0.3"),
        ("2.7 倍", "ratio", "", "2.7"),
        ("2.7×", "ratio", "", "2.7"),
        (r"$3\times$", "ratio", "", "3"),
        ("2.5 个百分点", "pp", "pp", "0.025"),
        ("4 pp", "pp", "pp", "0.04"),
        ("两个百分点", "pp", "pp", "0.02"),
        ("16 层", "count", "层", "16"),
        ("3 个 key", "count", "个", "3"),
        ("12 heads", "count", "heads", "12"),
        ("1.2 亿个参数", "count", "个", "120000000"),
        ("8 KB", "bytes", "byte", "8000"),
        ("16GB", "bytes", "byte", "16000000000"),
        ("4 KiB", "bytes", "byte", "4096"),
        ("2 TiB", "bytes", "byte", "2199023255552"),
        ("8 字节", "bytes", "byte", "8"),
        ("8 个字节", "bytes", "byte", "8"),
        ("8 B", "bytes", "byte", "8"),
        ("8B", "number", "", "8000000000"),
        ("8B 参数", "count", "参数", "8000000000"),
        ("3 秒", "seconds", "s", "3"),
        ("6s", "seconds", "s", "6"),
        ("300 ms", "seconds", "s", "0.3"),
        ("5 微秒", "seconds", "s", "0.000005"),
        ("5 us", "seconds", "s", "0.000005"),
        ("5 μs", "seconds", "s", "0.000005"),
        ("7 ns", "seconds", "s", "0.000000007"),
        ("20 min", "seconds", "s", "1200"),
        ("2 h", "seconds", "s", "7200"),
        ("3 天", "seconds", "s", "259200"),
        ("3 m", "length", "m", "3"),
        ("5 公里", "length", "m", "5000"),
        ("12 cm", "length", "m", "0.12"),
        ("16 FLOP", "work", "FLOP", "16"),
        ("3 EFLOPs", "work", "FLOP", "3000000000000000000"),
        ("990 TFLOPS", "work_rate", "FLOP/s", "990000000000000"),
        ("2 GFLOP/s", "work_rate", "FLOP/s", "2000000000"),
        ("295 FLOP/byte", "intensity", "FLOP/byte", "295"),
        ("2 FLOP/字节", "intensity", "FLOP/byte", "2"),
        ("2 字节/参数", "intensity", "byte/param", "2"),
        ("3.35 TB/s", "bandwidth", "byte/s", "3350000000000"),
        ("20 token/s", "bandwidth", "token/s", "20"),
        ("0.041 nats", "information", "nat", "0.041"),
        ("3 比特", "information", "bit", "3"),
        ("8 bits", "information", "bit", "8"),
        ("$8d^2$", "symbolic", "d^2", "8"),
        ("12 n d^2", "symbolic", "n d^2", "12"),
        ("$6.5d$", "symbolic", "d", "6.5"),
        ("$6s$", "symbolic", "s", "6"),
        ("$3m$", "symbolic", "m", "3"),
        ("16 d", "symbolic", "d", "16"),
        (r"$3.35\,\text{TB/s}$", "bandwidth", "byte/s", "3350000000000"),
    ],
)
def test_units_give_the_dimension_and_the_value_in_base_units(text, dimension, unit, value):
    quantity = read(text)
    assert (quantity.dimension, quantity.unit) == (dimension, unit)
    assert quantity.value == Fraction(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3×4", ""),
        ("4096×14336", ""),
        ("2.7x", ""),
        ("30 gb", ""),
        ("30 Gb", ""),
        ("5 kg", ""),
        ("3 ghz", ""),
        ("81% 参数", ""),
        ("5%%", ""),
        ("5 %倍", ""),
        ("两倍参数", ""),
        ("三扇门", ""),
        ("30widgets", ""),
        ("八B", ""),
        ("2 万B", ""),
        ("8.00 KB", "8192"),
        ("4.00 KiB", "4000"),
        ("2 h", "3600"),
        ("3 天", "3"),
        ("2.5 个百分点", "2.5"),
    ],
)
def test_other_units_and_other_sizes_do_not_pass(text, value):
    check_wrong(text, value)


@pytest.mark.parametrize(
    ("text", "noun", "known"),
    [
        ("12 扇门", "扇门", False),
        ("30 widgets", "widgets", False),
        ("16 层", "层", True),
        ("5 种", "种", True),
    ],
)
def test_an_unknown_noun_behind_digits_is_a_count_and_is_marked(text, noun, known):
    quantity = read(text)
    assert (quantity.dimension, quantity.unit, quantity.noun_known) == ("count", noun, known)


@pytest.mark.parametrize("text", ["$d^2 n$", "n d^2", "$n d d$", r"$n \cdot d^2$"])
def test_one_product_of_variables_has_one_name(text):
    assert read(text).unit == "n d^2"


def test_letters_are_variables_only_where_the_project_declares_them():
    assert read("3q", symbols="q").unit == "q"
    check_wrong("3q", "")


@pytest.mark.parametrize(
    ("text", "direction", "value"),
    [
        ("少了三成", "less", "0.3"),
        ("降低 20%", "less", "0.2"),
        ("高出 5%", "more", "0.05"),
        ("低 2.5 个百分点", "less", "0.025"),
        ("增加了 12 层", "more", "12"),
        ("约降低 20%", "less", "0.2"),
        ("快 20%", "more", "0.2"),
        ("三成", "", "0.3"),
        ("少于三成", "", "0.3"),
        ("少了一半", "less", "0.5"),
        ("多于 20%", "", "0.2"),
    ],
)
def test_words_of_comparison_mark_the_size_of_a_change(text, direction, value):
    quantity = read(text)
    assert (quantity.comparison, quantity.value) == (direction, Fraction(value))


@pytest.mark.parametrize("text", ["小 4 倍", "慢 3 倍", "快 3 倍", "降低到 20%", "增加 2×"])
def test_comparisons_that_say_nothing_certain_are_unreadable(text):
    check_wrong(text, "")


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("81%", True),
        ("三成", True),
        ("三分之二", True),
        ("一半", True),
        ("百分之三", True),
        ("2.7 倍", False),
        ("0.81", False),
        ("3:1", False),
        ("半小时", False),
    ],
)
def test_units_of_a_whole_are_marked_as_shares(text, share):
    assert read(text).share is share


def test_orders_of_magnitude_have_no_direction():
    assert read("小两个数量级").comparison == ""
    assert read("小两个数量级").low == read("两个数量级").low
