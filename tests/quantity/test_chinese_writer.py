"""Numbers written in Chinese by rules of their own and read back; no code is shared."""

from contextlib import suppress
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from ffnsite.errors import Unreadable
from ffnsite.quantity import read

ONES = "零一二三四五六七八九"


def write_section(number):
    """1…9999 place by place, one 零 for each gap."""
    words, gap = "", False
    for place, unit in zip((1000, 100, 10, 1), ("千", "百", "十", ""), strict=True):
        digit = number // place % 10
        if not digit:
            gap = bool(words)
            continue
        words += ("零" if gap else "") + ONES[digit] + unit
        gap = False
    return words


def write_whole(number):
    """0…10^12 − 1 in sections of four digits."""
    if number == 0:
        return "零"
    words, passed_gap = "", False
    for power, unit in ((8, "亿"), (4, "万"), (0, "")):
        section = number // 10**power % 10**4
        if not section:
            passed_gap = bool(words)
            continue
        needs_zero = bool(words) and (passed_gap or section < 1000)
        words += ("零" if needs_zero else "") + write_section(section) + unit
        passed_gap = False
    return words


def spoken_forms(words):
    """The same number as people say it: 十五 for 一十五, 两 for 二 before 百 千 万 亿."""
    yield words
    if words.startswith("一十"):
        yield words[1:]
    yield words.replace("二千", "两千").replace("二百", "两百")
    if words.startswith(("二万", "二亿")):
        yield "两" + words[1:]


@given(st.integers(0, 10**12 - 1))
def test_whole_numbers_written_in_chinese_read_back(number):
    for words in spoken_forms(write_whole(number)):
        assert read(words).value == number


@given(
    st.integers(0, 9999),
    st.text("0123456789", min_size=1, max_size=6),
    st.sampled_from(["", "万", "亿"]),
)
def test_decimals_written_in_chinese_read_back_exactly(whole, decimals, unit):
    words = write_whole(whole) + "点" + "".join(ONES[int(digit)] for digit in decimals) + unit
    scale = {"": 1, "万": 10**4, "亿": 10**8}[unit]
    quantity = read(words)
    assert quantity.value == Fraction(f"{whole}.{decimals}") * scale
    assert quantity.high - quantity.low == Fraction(scale, 10 ** len(decimals))


@given(st.integers(1, 99), st.integers(2, 99))
def test_fractions_written_in_chinese_read_back(numerator, denominator):
    words = f"{write_whole(denominator)}分之{write_whole(numerator)}"
    assert read(words).value == Fraction(numerator, denominator)


@given(st.integers(1, 9), st.integers(1, 9), st.sampled_from("十百千"))
def test_a_trailing_digit_is_one_place_below_its_unit(first, second, unit):
    place = {"十": 10, "百": 100, "千": 1000}[unit]
    below = 1 if unit == "十" else place // 10
    assert read(f"{ONES[first]}{unit}{ONES[second]}").value == first * place + second * below


@given(st.decimals(min_value="0.0001", max_value="99999", places=4))
def test_chinese_and_arabic_percents_make_the_same_claim(number):
    whole, _, decimals = f"{number:f}".partition(".")
    spoken = "".join(ONES[int(digit)] for digit in decimals)
    words = f"百分之{write_whole(int(whole))}点{spoken}"
    chinese, arabic = read(words), read(f"{number:f}%")
    assert (chinese.low, chinese.high, chinese.digits) == (arabic.low, arabic.high, arabic.digits)


@given(st.integers(0, 10**15))
def test_grouped_and_full_width_digits_are_the_number_itself(number):
    full_width = str(number).translate({ord("0") + digit: 0xFF10 + digit for digit in range(10)})
    assert read(f"{number:,}").value == read(full_width).value == read(str(number)).value == number


@given(st.integers(3, 10**9), st.integers(-1, 1))
def test_any_correct_rounding_agrees_and_no_other(kept, off):
    """A value is inside the plain interval of its rounding, and outside of the neighbours'."""
    value = Fraction(kept) + Fraction(2, 5)
    assert read(str(kept + off)).contains(value) == (off == 0)


@given(st.integers(1, 10**6))
def test_an_approximated_interval_is_never_narrower_than_the_plain_one(number):
    plain, about = read(str(number)), read(f"约 {number}")
    assert about.low <= plain.low
    assert about.high >= plain.high


@given(st.text("约近超过不到多几十百千万亿点分之二两三半成倍%0123456789.,-–~ 层个d^$", max_size=12))
def test_any_words_read_as_an_interval_or_are_refused_in_words(text):
    with suppress(Unreadable):
        quantity = read(text)
        assert quantity.low <= quantity.high
        assert quantity.digits >= 1
