"""Where numerals stand in Chinese prose: one run each, with multiplier and ratio word.

A run reaches as far as the number itself does (三分之二, 八成, 3.4×10^8, 2.7 万, 四个数量级),
so that a label pattern which covers only part of it does not excuse it: 四分之一 is never excused
by 之一.
"""

import re
from collections.abc import Iterator
from functools import cache

DIGITS = "0-9\uff10-\uff19"
ONES = "〇零一二两三四五六七八九"
TENS = "十百千万亿"
HAN = "\u3400-\u9fff"

_SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹"

# What makes a Chinese numeral a ratio, a share, an order of magnitude or a physical size.
_RATIO_WORDS = (
    r"倍(?![体增频率])半?"
    r"|成(?![功为立本分员果就绩熟长语像了对型千见交效倍])半?"
    r"|个半(?![角边轴径精衰球正负])"
    r"|个?(?:百分点|数量级|量级)"
    r"|个(?=多|半)"
    r"|(?:毫|微|纳|皮)?秒|分钟|个?(?:小时|钟头)|天(?![然生才空气下花真性体文])"
    r"|(?:公|千|厘|毫|微|纳)米|公里|(?:千|兆|吉)?字节|比特|度(?=[角电]|[，。；、])"
)
# A word like 统一, 唯一 or 归一 ends in 一: what follows it is a verb (统一成), not tenths.
_AFTER_ONE_OF_A_WORD = r"(?<![统唯归合划万专单同]一)"

# 数 may end a noun (参数百…) and 上 an adverb (以上百分之…): no "several" and no "up to" then.
_NO_NOUN = (
    "(?<![参函次层倍整系指维度个总头词步常对多少无小分点秩项位组计代奇偶实虚负正基底乘除余均众])"
)
_NO_ADVERB = "(?<![以之加晚早马理实事际本表身线层])"
_SEVERAL = rf"(?:{_NO_NOUN}数|{_NO_ADVERB}上|几)(?=[{TENS}])"

_CHINESE = (
    rf"(?:{_NO_NOUN}数(?=倍)"
    rf"|(?:{_SEVERAL})?[{ONES}{TENS}几廿卅](?:[{ONES}{TENS}几]|[多余来](?=[万亿]))*+"
    rf"(?:点[{ONES}]++(?![点滴线{TENS}]))?)"
)
_ARABIC = (
    rf"(?:(?<![\w)）\]%])[-−－])?"  # a sign only at the start; between digits it is a range
    rf"(?:[0-9]{{1,3}}+(?:[,\u2009\u202f\u00a0][0-9]{{3}}(?![0-9]))++|[{DIGITS}]++)"
    rf"(?:[.\uff0e/:][{DIGITS}]++)*+"
    r"(?:[eE][-+−]?[0-9]++(?![A-Za-z0-9]))?"
    rf"(?:\s?[×xX·]\s?10(?:\^\{{?[-−+]?[0-9]++\}}?|[⁻⁺]?[{_SUPERSCRIPT}]++))?"
    rf"(?:\^\{{?[-−+]?[0-9]++\}}?|[⁻⁺]?[{_SUPERSCRIPT}]++)?"
)
_MULTIPLIER = (
    r"(?:[KMBTG]i?(?![A-Za-z0-9])"
    r"|\s?[十百千]?(?:万亿|[万亿])(?![一能分物岁有])"
    r"|[百千](?![分科米克瓦兆字赫里卡万亿]))?"
    r"(?:\s?[%％‰]|\s?个?百分点)?"
)
_PART_OF = rf"(?:\s?分之\s?(?:{_CHINESE}|{_ARABIC}))"

_WORDS = (
    "成千上[万百]|成百上千|数以[十百千万亿]+计|百分百|翻了?[一两二三四五六七八九几数]?番|翻倍|减半|半数|一半|一多半|半倍"
    "|(?<![超经通])过半数?(?![夜生百个天小年月圈导])|大半(?![夜天年日午辈生截径])"
    "|半个?(?:百分点|数量级|小时|秒)"
)

# Every numeral begins with one of these: most characters of a text are passed over at once.
_BEGINS = f"[{DIGITS}{ONES}{TENS}几廿卅数上负成翻减过大半½⅓⅔¼¾⅕⅛₀-₉①-⑳⑴-⒇−－-]"

_NUMERAL = (
    rf"(?={_BEGINS})(?:"
    r"(?P<ending>(?<=[统唯归])一)"  # 统一百分之三 is no 一百分之三
    rf"|(?P<word>{_WORDS})"
    rf"|(?P<arabic>{_ARABIC})(?:{_PART_OF}|{_MULTIPLIER})"
    rf"|(?P<chinese>负?{_CHINESE})(?:{_PART_OF}|{_AFTER_ONE_OF_A_WORD}(?:{_RATIO_WORDS}))?"
    r"|(?P<mark>[½⅓⅔¼¾⅕⅛₀-₉]+|[①-⑳⑴-⒇])"
    r"|(?P<half>半))"
)


def find_numerals(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of every numeral in `text`, left to right, without overlap.

    Small raised digits behind a letter (`d²`, a footnote mark) are no numeral: they are notation.
    """
    return (match.span() for match in _numeral().finditer(text))


@cache
def _numeral() -> re.Pattern[str]:
    """Compiled when the first page is read: not every command reads pages."""
    return re.compile(_NUMERAL)
