"""Regular expressions of numerals: small named pieces with reasons, pasted into larger ones.

The idea is statcheck's regex.R: no pattern without a name and a reason. Spaces are bounded and
digit runs possessive, so every pattern runs in time linear in its text.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from ffnsite.quantity.modifiers import BEFORE
from ffnsite.quantity.nouns import KNOWN_NOUNS
from ffnsite.quantity.units import UNITS


def one_of(words: Iterable[str]) -> str:
    """Alternation of literal words, longest first, so that 不低于 is met before 低于."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


# A space between the parts of a quantity; more than two are two sentences, and the bound keeps
# time linear.
GAP: Final = r"[ \u00a0\u2009\u202f]{0,2}"

# --- Arabic digits
# ------------------------------------------------------------------------------------- Groups of
# three by commas (65,536) or by a thin or no-break space; an ordinary space separates two numbers.
COMMA_GROUPS: Final = r"[1-9]\d{0,2}(?:,\d{3})++(?![\d,])"
SPACE_GROUPS: Final = r"[1-9]\d{0,2}(?:[\u00a0\u2009\u202f]\d{3})++(?!\d)"
# No leading zeros: 007 is a name, 05 a month.
WHOLE: Final = r"(?:0|[1-9]\d*+)"
# What may stand before a multiplier, a unit or a measure word.
DECIMAL: Final = rf"(?:{COMMA_GROUPS}|{SPACE_GROUPS}|{WHOLE})(?:\.\d++)?(?![\d.]*\d)"
# 3.4e38; four digits of exponent are more than any float has, and bound the size of the integer.
E_EXPONENT: Final = r"[eE]([+-]?\d{1,4})(?!\d)"
# 3.4 × 10^38, the sign as the author's keyboard has it.
TIMES_TEN: Final = rf"{GAP}[×·*]{GAP}10{GAP}\^{GAP}([+-]?\d{{1,4}})(?!\d)"
# 2^12.
RAISED: Final = rf"(\d{{1,9}}){GAP}\^{GAP}([+-]?\d{{1,4}})(?!\d)"
# 8/3; not 16/32/64, which is a list.
SLASHED: Final = rf"({WHOLE}){GAP}/{GAP}([1-9]\d*+)(?![\d.]*\d|{GAP}/{GAP}\d)"
# √2, 3√2, 1/√2.
ROOT: Final = rf"(?:(\d{{1,9}}){GAP}(/?){GAP})?√{GAP}(\d{{1,9}})(?!\d)"
# 3:1, both sides below 100; larger ones are times of day or lists.
PROPORTION: Final = rf"(\d{{1,2}}(?:\.\d++)?){GAP}:{GAP}(\d{{1,2}}(?:\.\d++)?)(?![\d.]*\d|{GAP}:)"

# --- multipliers behind Arabic digits
# ------------------------------------------------------------------ 2.7 万, 16.4亿, 1.6 万亿, 3
# 百万; 百 in 百分点 and 千 in 千米 are no multipliers.
HAN_MULTIPLIER: Final = r"(万亿|[十百千]?[万亿]|百(?!分)|千(?![米克]))"
# 8K 124M 6.7B 1.6T 128Ki: capital, directly behind the digits, no Latin letter or digit after
# (8KB, 8Bx).
LATIN_MULTIPLIER: Final = r"(?<=\d)([KMGT]i|[KMBT])(?![A-Za-z0-9_^])"

# --- Chinese characters
# --------------------------------------------------------------------------------
HAN_DIGIT: Final = "[〇零一二两三四五六七八九]"
# The characters of a whole Chinese number.
HAN_CHARACTERS: Final = "〇零一二两三四五六七八九十百千万亿"
HAN_WHOLE: Final = f"[{HAN_CHARACTERS}]"
# 2 的 12 次方, 二的十二次方, 10 的负六次方.
SPOKEN_POWER: Final = (
    rf"(\d{{1,9}}|{HAN_WHOLE}{{1,9}}){GAP}的{GAP}"
    rf"(?:(负|-){GAP})?(\d{{1,4}}|{HAN_WHOLE}{{1,9}}){GAP}次方"
)
# 三点五, 一点二亿; 点 counts only between digits (三点 is a time).
HAN_NUMBER: Final = rf"{HAN_WHOLE}++(?:点{HAN_DIGIT}++(?:万亿|[百千]?[万亿])?)?"
# 十几, 几十, 数百: 几 and 数 stand for a digit. 数 is a digit only before a unit and not as the
# end of another word (参数, 函数, 层数).
SOME: Final = "(?:好?几|(?<![参函层次行倍指维总个词系常])数)"
HAN_POWER: Final = "(?:[十百千]?(?:万亿|[万亿])|[十百千])"
# 百分之, 千分之: the parts that decimals write exactly.
PARTS_OF: Final = rf"(?:一?(百|千|万)|(十万|百万|千万|亿)|(100|1000)){GAP}分之{GAP}"
# 三分之二, 3 分之 2.
FRACTION_WORDS: Final = (
    rf"(?:({HAN_WHOLE}+?)又)?({HAN_WHOLE}++|\d{{1,9}}){GAP}分之{GAP}({HAN_WHOLE}++|\d{{1,9}})"
)
HALVES: Final = "(?:一半|半数|半)"
DOUBLINGS: Final = rf"(?:翻了?(?:(一?倍)|({HAN_DIGIT}|十|\d{{1,2}}){GAP}番)|(减半))"
# 到, 至 and dashes between two numbers; 至少 and 至多 are modifiers, and a hyphen with a space on
# one side only is the sign of the second number.
RANGE_DASH: Final = rf"(?:{GAP}(?:到|至(?![少多])|–|~){GAP}|(?<! )-(?! )| - )"

# --- numerals in running text
# -------------------------------------------------------------------------- Digits with whatever
# separators touch them: maximal on purpose, so that 1.2.3 and 2024-05-01 are one find.
_RAISED_CHARACTERS: Final = "[⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹]"
_LOOSE_ROOT: Final = rf"(?:(?:\d++{GAP}/?{GAP})?√ ?)?"
# The 2 of d^2 is no number of its own.
_LOOSE_DIGITS: Final = (
    rf"(?<![A-Za-z}}]\^)(?<![A-Za-z}}]\^\{{){_LOOSE_ROOT}\d++(?:[.,:/^][-+]?\d++|[\u00a0\u2009\u202f]\d{{3}}(?!\d)"
    rf"|[eE][-+]?\d++(?![A-Za-z])|{_RAISED_CHARACTERS}++)*+"
)
_LOOSE_POWER: Final = (
    rf"(?:{GAP}(?:×|\\times|·|\\cdot){GAP}10(?:\^\{{?[-+−]?\d++\}}?|[⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹]++))?"
)
_LOOSE_HAN: Final = (
    rf"(?:[十百千万亿]?{SOME}(?=[十百千万亿成倍个层次条步维种位项组轮类年天秒分小])[十百千万亿]*+"
    rf"|{HAN_WHOLE}++几?(?:点{HAN_DIGIT}++[百千万亿]*+)?)"
)
_WHOLE_WORDS: Final = (
    "一多半|一大半|一半|大半(?![天夜])|半数|过半|逾半|翻了?(?:一?倍|[一两二三四五\\d]番)|减半|成千上万|成百上千"
    "|数以[百千万亿]+计|半(?=[倍个天秒成]|小时|分钟)"
)
_MULTIPLIED: Final = (
    rf"(?:{GAP}[多余来几]?{GAP}(?:[十百千]?[万亿]+|[百千](?![分米克])))?"
    r"(?:(?<=\d)(?:[KMGT]i|[KMBT])(?![A-Za-z0-9]))?"
)
_CORE: Final = (
    rf"(?:(?:{_LOOSE_DIGITS}{_LOOSE_POWER}|{_LOOSE_HAN})(?:{GAP}的{GAP}[负-]?{GAP}[\d{HAN_CHARACTERS}]{{1,4}}{GAP}次方)?{_MULTIPLIED}"
    rf"(?:{GAP}分之{GAP}(?:{_LOOSE_DIGITS}|{_LOOSE_HAN}|百))?)"
)
# Modifiers that touch the number, but not as a part of another word (节约, 最近, 余弦, 多头, 来自
# …).
_BEFORE: Final = (
    rf"(?:(?:(?<![节制])约|(?<![最附])近|{one_of(set(BEFORE) - {'约', '近'})}"
    rf"|过(?=[半百千万亿])|上(?=[百千万亿])){GAP})"
)
# One character behind a space belongs to the next word (三成 多数), unless digits stand before it.
_BEHIND: Final = (
    rf"(?:{GAP}(?:左右|上下(?!文)|前后|以上|及以上|以下|及以下|以内|之内|出头|有余)"
    r"|(?:(?<=\d) )?(?:(?<!一)起(?=$|[，。；：、）)\s])|整(?![个数])"
    r"|多(?!头)|余(?![弦下])|来(?!自)))"
)
_LOOSE_UNIT: Final = "|".join(
    re.escape(name)
    + (r"(?![A-Za-z0-9_])" if name[-1].isascii() and name[-1].isalpha() else "")
    + (r"(?! ?\d)" if name == "×" else "")
    for name in sorted({*UNITS, *KNOWN_NOUNS}, key=len, reverse=True)
)
# 8d^2, 12 n d²: letters up to one with an exponent are the unit of the number before them.
_RAISED_LETTERS: Final = rf"(?: ?[A-Za-z]){{1,4}}(?:\^\{{?-?\d++\}}?|{_RAISED_CHARACTERS}++)"
_TAIL: Final = (
    r"(?:(?:(?<=\d) )?(?:多(?!头)|余(?![弦下])|来(?!自)))?"
    rf"(?:{GAP}个[多半]?(?={GAP}(?:数量级|小时|百分点|字节|比特)))?"
    rf"(?:{_RAISED_LETTERS}|{GAP}(?:{_LOOSE_UNIT}))?"
    rf"(?:(?<=成)[一二三四五六七八九半](?![\u4e00-\u9fff])|(?<=[倍个])半)?"
    rf"{_BEHIND}?"
)
_SIGN: Final = (
    r"(?:(?<![A-Za-z0-9\u4e00-\u9fff])[-−－+](?=[\d√])|负(?=[\d〇零一二两三四五六七八九十百千]))?"
)
_JOINT: Final = (
    rf"(?:{GAP}(?:到|至(?![少多])|–|—|~|～|±|\\pm(?![a-z])){GAP}|(?<! )[-−](?! )| [-−] )"
)
_TERM: Final = rf"(?:{_SIGN}(?:{_WHOLE_WORDS}|{_CORE}))"
# What a run begins with; most characters of a text are passed over at once.
_BEGINS: Final = (
    f"[{''.join(sorted({re.escape(word[0]) for word in BEFORE}))}"
    rf"\d√+−－\-负{HAN_CHARACTERS}好几数上过逾翻减成半大]"
)
_RUN: Final = (
    rf"(?={_BEGINS})"
    rf"{_BEFORE}?(?:上(?=[百千万亿]))?{_TERM}{_TAIL}(?:{_JOINT}{_TERM}{_TAIL})*+"
)
# Full-width digits and signs are one character each, so positions stay.
_HALF_WIDTH: Final = str.maketrans("０１２３４５６７８９．％", "0123456789.%")


def find_numerals(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each numeral of running text, as long as it goes, from left to right.

    A find covers the modifier words, multipliers, units, measure words and range partners that
    touch it, and names nothing: idioms (统一), labels (GPT-2) and dates are found like any number,
    and are the caller's to exempt. Time is linear in the length of `text`.
    """
    for match in _run().finditer(text.translate(_HALF_WIDTH)):
        yield match.span()


@cache
def _run() -> re.Pattern[str]:
    """Compiled when the first loose number is widened: most texts have none."""
    return re.compile(_RUN)
