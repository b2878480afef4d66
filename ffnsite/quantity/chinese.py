"""Whole and decimal numbers written in Chinese characters: 三万五, 十万零一千, 零点二八, 一点二亿.

The grammar is strict: skipped places need 零, `两` stands only where speech allows it, and a digit
may trail the last unit (一百二 is 120). cn2an reads 两三个 as 23 and 百分之一点五七 as 1.5699999,
so this is our own.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from ffnsite.errors import Unreadable

DIGITS: Final = {
    "〇": 0, "零": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7,  # noqa: RUF001
    "八": 8, "九": 9,
}  # fmt: skip
_CIRCLE: Final = "〇"  # noqa: RUF001 - the zero of numbers written digit by digit
_ZEROS: Final = ("零", _CIRCLE)
SMALL_UNITS: Final = {"十": 1, "百": 2, "千": 3}
POWERS: Final = {"": 0, "十": 1, "百": 2, "千": 3, "万": 4, "十万": 5, "百万": 6,
                 "千万": 7, "亿": 8, "十亿": 9, "百亿": 10, "千亿": 11, "万亿": 12, "十万亿": 13,
                 "百万亿": 14, "千万亿": 15}  # fmt: skip

_TRAILING_SCALE: Final = re.compile(r"(?:万亿|[百千]?[万亿])$")
_LARGE_TAIL: Final = re.compile(r"(万亿|万|亿)$")
_LONE: Final = re.compile(r"一|一?[十百千]?(?:万亿|[万亿])|一?[十百千]")


@dataclass(frozen=True, slots=True)
class Spoken:
    """A Chinese number as decimal digits times a scale.

    `lone` marks a number whose only written digit is one (一, 十, 一亿); `tail` is the 万 or 亿 it
    ends in, which a range may share between its ends.
    """

    digits: str
    scale: Fraction
    lone: bool
    tail: Fraction


def spoken(text: str) -> Spoken:
    """The number that `text`, made of Chinese numerals and at most one 点, writes.

    Raises:
        Unreadable: the characters are not in the order of a Chinese number.
    """
    tail_match = _LARGE_TAIL.search(text)
    tail = Fraction(10 ** POWERS[tail_match[1]]) if tail_match else Fraction(1)
    if "点" in text:
        whole, _, decimals = text.partition("点")
        return _decimal(text, whole, decimals, tail)
    lone = _LONE.fullmatch(text) is not None
    return Spoken(str(integer(text)), Fraction(1), lone, tail)


def _decimal(text: str, whole: str, decimals: str, tail: Fraction) -> Spoken:
    scale = _TRAILING_SCALE.search(decimals)
    power = POWERS[scale[0]] if scale else 0
    digits = decimals[: scale.start()] if scale else decimals
    if not digits or any(character not in DIGITS or character == "两" for character in digits):
        raise Unreadable(f"“{text}” 的 “点” 后面要逐位写数字，例如 三点一四")
    written = "".join(str(DIGITS[character]) for character in digits)
    return Spoken(f"{integer(whole)}.{written}", Fraction(10**power), lone=False, tail=tail)


def integer(text: str) -> int:
    """The whole number that `text` writes: 两百零三 is 203, 三万五 is 35000, 二〇四八 is 2048.

    Raises:
        Unreadable: the characters are not in the order of a Chinese number.
    """
    if text in _ZEROS:
        return 0
    if len(text) > 1 and _CIRCLE in text and all(character in DIGITS for character in text):
        return _positional(text)
    return _below_hundred_million_squared(text, text)


def _positional(text: str) -> int:
    if text[0] in "零〇" or "两" in text:
        raise _odd(text, "逐位写的数不能以零开头，也不用“两”")
    return int("".join(str(DIGITS[character]) for character in text))


def _below_hundred_million_squared(text: str, whole: str) -> int:
    """Numbers with at most one 亿, whose left side may itself carry 万 (三万亿)."""
    left, unit, right = text.rpartition("亿")
    if not unit:
        return _below_hundred_million(text, whole)
    high = _below_hundred_million(left, whole, ends=False)
    return high * 10**8 + _rest(right, left, 8, whole)


def _below_hundred_million(text: str, whole: str, *, ends: bool = True) -> int:
    left, unit, right = text.partition("万")
    if not unit:
        return _section(text, whole, ends=ends)
    high = _section(left, whole, ends=False)
    return high * 10**4 + _rest(right, left, 4, whole, ends=ends)


def _rest(right: str, left: str, power: int, whole: str, *, ends: bool = True) -> int:
    """What stands behind 万 or 亿: nothing, one digit (三万五), or a number below the unit."""
    if not right:
        return 0
    if len(right) == 1 and right in DIGITS and right not in "零〇两" and ends:
        return int(DIGITS[right] * 10 ** (power - 1))
    zero = right[0] in "零〇"
    body = right[1:] if zero else right
    if zero and body == "两":
        raise _odd(whole, "末位用“二”，不用“两”")
    value = (
        _section(body, whole, ends=ends) if power == SMALL_UNITS["千"] + 1
        else _below_hundred_million(body, whole, ends=ends)
    )  # fmt: skip
    skipped = value < 10 ** (power - 1)
    if skipped and not zero:
        raise _odd(whole, "跳过的数位要写“零”，例如 一万零三十")
    if zero and not skipped and left[-1:] not in SMALL_UNITS:
        raise _odd(whole, "没有跳过数位，不写“零”")
    return value


def _section(text: str, whole: str, *, ends: bool) -> int:
    """A number below ten thousand: digits with 千 百 十 in falling order.

    `ends` tells whether the numeral ends here, so that a trailing digit may be colloquial (两千三).
    """
    if text == "两":
        return 2
    total, previous, zero, at = 0, 4, False, 0
    while at < len(text):
        if text[at] in "零〇":
            if zero or at == 0:
                raise _odd(whole, "“零”写多了或写在最前")
            zero, at = True, at + 1
            continue
        digit, unit, step = _place(text, at, whole)
        if unit == 0 and previous in (2, 3) and not zero and ends:
            unit = previous - 1
        _check_order(unit, previous, whole, zero=zero)
        total += digit * 10**unit
        previous, zero, at = unit, False, at + step
    if zero or total == 0:
        raise _odd(whole, "数没有写完")
    return total


def _place(text: str, at: int, whole: str) -> tuple[int, int, int]:
    """Digit, power of ten and length of the place written at `at`."""
    if text[at] == "十":
        return 1, 1, 1
    if text[at] not in DIGITS:
        raise _odd(whole, f"“{text[at]}” 前面缺一个数字")
    digit = DIGITS[text[at]]
    unit = SMALL_UNITS.get(text[at + 1 : at + 2], 0)
    if text[at] == "两" and unit in (0, 1):
        raise _odd(whole, "十位和个位用“二”，不用“两”")
    if unit == 0 and at + 1 < len(text):
        raise _odd(whole, "里有两个数")
    return digit, unit, 2 if unit else 1


def _check_order(unit: int, previous: int, whole: str, *, zero: bool) -> None:
    first = previous == len(SMALL_UNITS) + 1
    if unit >= previous:
        raise _odd(whole, "数位要从大到小写")
    if not first and zero != (previous - unit > 1):
        raise _odd(
            whole, "没有跳过数位，不写“零”" if zero else "跳过的数位要写“零”，例如 一千零三十"
        )


def _odd(text: str, why: str) -> Unreadable:
    return Unreadable(f"“{text}” 不是一个中文数：{why}")
