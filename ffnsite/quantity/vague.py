"""Words that are ranges by themselves: 十几, 几百, 数千万, 上亿, 成千上万, 百万级, 大半."""

import re
from fractions import Fraction
from typing import Final

from ffnsite.quantity import patterns
from ffnsite.quantity.amounts import Amount, Vague
from ffnsite.quantity.bounds import ENDLESS
from ffnsite.quantity.chinese import POWERS, integer
from ffnsite.quantity.numerals import HALF, written

# 十几, 二十几, 20 几, each with 万 or 亿 behind.
_TEENS: Final = re.compile(
    rf"(?:([二三四五六七八九]?十)|([1-9]0)){patterns.GAP}几{patterns.GAP}(万亿|万|亿)?"
)
# 几十, 数百万, 几; the lonely 几 or 数 needs something to count.
_SOME: Final = re.compile(rf"{patterns.SOME}({patterns.HAN_POWER})?")
_UPWARDS: Final = re.compile(rf"上({patterns.HAN_POWER})(?![一二两三四五六七八九])")
_COUNTED_IN: Final = re.compile(rf"数以({patterns.HAN_POWER})计")
_LEVEL: Final = re.compile(rf"({patterns.HAN_POWER})(?:级别?|量级|规模)")
_BARE_POWER: Final = re.compile(
    r"((?:[百千](?:万亿|[万亿])?|万亿|[万亿]))(?![〇零一二两三四五六七八九十百千万亿分])"
)

_FIXED: Final = {
    "成千上万": Vague(Fraction(10**3), Fraction(10**5)),
    "成百上千": Vague(Fraction(10**2), Fraction(10**4)),
}
_MAJORITIES: Final = ("一多半", "一大半", "大半")


def fixed(text: str, at: int) -> Amount | None:
    """成千上万, 数以千计, 大半."""
    for words, claim in _FIXED.items():
        if text.startswith(words, at):
            return Amount(claim, at + len(words))
    for words in _MAJORITIES:
        if text.startswith(words, at):
            majority = Vague(HALF, Fraction(1), low_open=True, high_open=False)
            return Amount(majority, at + len(words), ratio=True, share=True)
    match = _COUNTED_IN.match(text, at)
    return Amount(_decade(match[1]), match.end()) if match else None


def teens(text: str, at: int) -> Amount | None:
    """十几 is [11, 20), 二十几 [21, 30), 十几万 [110000, 200000)."""
    match = _TEENS.match(text, at)
    if match is None:
        return None
    tens = Fraction(integer(match[1]) if match[1] else int(match[2]))
    claim = Vague(tens + 1, tens + 10).times(_power(match[3] or ""))
    return Amount(claim, match.end())


def some(text: str, at: int) -> Amount | None:
    """几十 is [20, 100), 数百万 [2000000, 10000000), 几 倍 [2, 10)."""
    match = _SOME.match(text, at)
    if match is None:
        return None
    counts = match[1] or match.end() < len(text) or text.startswith("之", at - 1)
    if not counts:
        return None
    return Amount(Vague(Fraction(2), Fraction(10)).times(_power(match[1] or "")), match.end())


def upwards(text: str, at: int) -> Amount | None:
    """上百 is [100, ∞)."""
    match = _UPWARDS.match(text, at)
    return Amount(Vague(_power(match[1]), ENDLESS), match.end()) if match else None


def level(text: str, at: int) -> Amount | None:
    """百万级 is [10^6, 10^7)."""
    match = _LEVEL.match(text, at)
    return Amount(_decade(match[1]), match.end()) if match else None


def bare_power(text: str, at: int) -> Amount | None:
    """百万 alone: [v, 10 v) unless a modifier makes it the number v (近百万)."""
    match = _BARE_POWER.match(text, at)
    if match is None:
        return None
    return Amount(written("1").times(_power(match[1])), match.end(), power=True)


def decade(value: Fraction) -> Vague:
    """[v, 10 v)."""
    return Vague(value, 10 * value)


def _decade(power: str) -> Vague:
    return decade(_power(power))


def _power(words: str) -> Fraction:
    return Fraction(10 ** POWERS[words])
