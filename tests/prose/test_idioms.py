"""Every word of jieba's dictionary with a numeral character, judged alone."""

import re
import subprocess
import sys
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

from ffnsite.prose.exempt import names_of
from ffnsite.prose.idioms import dictionary_words, inside_a_word
from ffnsite.prose.loose import find_loose

NOTHING = names_of([])
NUMERALS = "〇零一二两三四五六七八九十百千万亿半几廿卅"
OFTEN = 3
# A full number with at most one character on either side reads as a number whatever it means.
N = "[零〇一二两三四五六七八九十百千万亿几]"
A_NUMBER_WITH_LITTLE_ELSE = re.compile(
    rf".?(?:{N}+[十百千万亿]{N}*|十{N}+|[上数]?{N}*[百千万亿]|{N}+(?:倍|成|天|秒|小时)|{N}+分之{N}+).?"
)
SIZES = {
    "天",
    "秒",
    "分钟",
    "小时",
    "米",
    "厘米",
    "公里",
    "尺",
    "亩",
    "平方米",
    "平方",
    "立方",
    "公克",
    "公尺",
    "铢",
}
LARGE_UNITS_OF_THEIR_OWN = {
    "万家",
    "亿万个",
    "百米",
    "万千米",
    "万一集",
}  # 万家灯火, 亿万, a race, 万千, 万一


@cache
def dictionary() -> list[tuple[str, int, str]]:
    path = Path(str(distribution("jieba").locate_file("jieba/dict.txt")))
    lines = [line.split(" ") for line in path.read_text(encoding="utf-8").splitlines()]
    return [(word, int(frequency), tag) for word, frequency, tag in lines]


def words_with_numerals(*, tagged_as_numbers: bool) -> list[str]:
    return [
        word
        for word, frequency, tag in dictionary()
        if frequency >= OFTEN
        and set(word) & set(NUMERALS)
        and (tag in {"m", "mq"}) == tagged_as_numbers
    ]


def must_be_bound(text: str) -> bool:
    return any(loose.exemption is None for loose in find_loose(text, NOTHING))


def reviewed() -> list[str]:
    lines = (
        Path(__file__)
        .with_name("idioms_that_are_numbers.txt")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    return " ".join(line for line in lines if not line.startswith("#")).split()


def test_no_word_of_the_dictionary_is_taken_for_a_number() -> None:
    words = words_with_numerals(tagged_as_numbers=False)
    assert len(words) > 10_000
    taken = [
        word
        for word in words
        if must_be_bound(word) and not A_NUMBER_WITH_LITTLE_ELSE.fullmatch(word)
    ]
    assert sorted(set(taken) - set(reviewed())) == []


def test_every_reviewed_word_still_needs_its_review() -> None:
    known = set(words_with_numerals(tagged_as_numbers=False))
    for word in reviewed():
        assert word in known, word
        assert must_be_bound(word), word
        assert not A_NUMBER_WITH_LITTLE_ELSE.fullmatch(word), word
    assert len(reviewed()) == len(set(reviewed())) <= 60


def value(numeral: str) -> int:
    """The number a Chinese numeral writes, by place value, knowing nothing of the package."""
    ones = {character: index for index, character in enumerate("零一二三四五六七八九")} | {
        "两": 2,
        "\u3007": 0,
    }
    powers = {"十": 10, "百": 100, "千": 1000}
    total = section = digit = 0
    for character in numeral:
        if character in ones:
            digit = ones[character]
        elif character in powers:
            section, digit = section + (digit or 1) * powers[character], 0
        else:
            total = (total + section + digit or 1) * (10**4 if character == "万" else 10**8)
            section = digit = 0
    return total + section + digit


def counted_words() -> list[tuple[str, int, str]]:
    """Number words of the dictionary that are a numeral and one of its own measure words."""
    measures = {word for word, _, tag in dictionary() if tag == "q"}
    whole = re.compile(
        r"([一二两三四五六七八九]?[十百千万亿][零〇一二两三四五六七八九十百千万亿]*|[一二两三四五六七八九])(.+)"
    )
    found = [whole.fullmatch(word) for word in words_with_numerals(tagged_as_numbers=True)]
    return [
        (match[0], value(match[1]), match[2]) for match in found if match and match[2] in measures
    ]


def test_every_counted_number_above_ten_must_be_bound() -> None:
    large = [word for word, number, _ in counted_words() if number > 10]
    assert len(large) > 500
    assert {word for word in large if not must_be_bound(word)} <= LARGE_UNITS_OF_THEIR_OWN


def test_every_count_up_to_ten_is_excused_unless_it_is_a_size() -> None:
    small = [(word, measure) for word, number, measure in counted_words() if number <= 10]
    assert len(small) > 400
    assert [word for word, measure in small if must_be_bound(word) and measure not in SIZES] == []


def test_the_words_come_without_the_segmenter() -> None:
    program = (
        "import sys; from ffnsite.prose.idioms import dictionary_words;"
        "print(len(dictionary_words()) > 10_000, 'jieba' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "False"]


def test_the_words_are_those_that_the_dictionary_does_not_tag_as_numbers() -> None:
    assert "乱七八糟" in dictionary_words()
    assert "三百五十斤" not in dictionary_words()
    assert "三分之一" not in dictionary_words()


def test_a_full_number_needs_more_around_it_than_a_digit_does() -> None:
    assert inside_a_word("丢三落四", 1, 2)
    assert inside_a_word("十二指肠", 0, 2)
    assert not inside_a_word("十二大类", 0, 2)
    assert not inside_a_word("近三成", 1, 3)
    assert not inside_a_word("八成", 0, 2)
