"""Words round a number that make it a bound or an approximation: one table, longest first."""

import re
from enum import Enum
from typing import Final


class Row(Enum):
    """What a modifier says: one member for each row of the rule book."""

    PLAIN = "没有修饰"
    EXACT = "恰好"
    ABOUT = "约"
    NEAR = "近"
    ABOVE = "超过"
    AT_LEAST = "至少"
    BELOW = "不到"
    AT_MOST = "至多"
    OVER = "多"


APPROXIMATE: Final = frozenset({Row.ABOUT, Row.NEAR})

_BEFORE_ROWS: Final = {
    Row.EXACT: "恰好 正好 刚好 整整 精确地 严格",
    Row.ABOUT: "约 大约 大概 差不多 大致 约莫 ≈ ~",
    Row.NEAR: "近 将近 接近 快到 几乎",
    Row.ABOVE: "超过 多于 大于 高于 逾 不止 超 >",
    Row.AT_LEAST: "至少 不少于 不低于 不小于 最少 起码 大于等于 ≥ >=",
    Row.BELOW: "不到 不足 低于 小于 少于 未到 不及 <",
    Row.AT_MOST: "至多 最多 不超过 不多于 不大于 不高于 小于等于 ≤ <=",
}
_BEHIND_ROWS: Final = {
    Row.EXACT: "整",
    Row.ABOUT: "左右 上下 前后",
    Row.AT_LEAST: "以上 及以上 起",
    Row.AT_MOST: "以下 及以下 以内 之内",
    Row.OVER: "多 余 来 出头 有余",
}

# Words as they are written in front of a number, each with its row.
BEFORE: Final = {word: row for row, words in _BEFORE_ROWS.items() for word in words.split()}
# Words as they are written behind a number, its unit or its measure word.
BEHIND: Final = {word: row for row, words in _BEHIND_ROWS.items() for word in words.split()}

# Words that merely contain a modifier: 多头 is no 多, 一起 no 起.
# Those of the first group are nouns and may follow a count; the others never belong to a quantity.
INNOCENT_NOUNS: Final = ("上下文", "多头", "余弦", "整数", "参数", "层数", "次数", "函数")
INNOCENT_WORDS: Final = ("余下", "整个", "一起", "最近", "附近", "节约", "制约", "来自")
INNOCENT: Final = INNOCENT_NOUNS + INNOCENT_WORDS

_INNOCENT: Final = re.compile("|".join(INNOCENT))


def longest_first(words: dict[str, Row]) -> list[str]:
    """The words, longest first, so that 不低于 is tried before 低于."""
    return sorted(words, key=len, reverse=True)


_BEFORE: Final = re.compile("|".join(re.escape(word) for word in longest_first(BEFORE)))
_BEHIND_LONG_FIRST: Final = longest_first(BEHIND)


def before_at(text: str, at: int) -> str:
    """The modifier that starts at `at`, or an empty text."""
    match = _BEFORE.match(text, at)
    return match[0] if match else ""


def behind_end(rest: str) -> str:
    """The longest modifier that `rest` ends with, or an empty text."""
    return next((word for word in _BEHIND_LONG_FIRST if rest.endswith(word)), "")


def innocent_at(text: str, at: int) -> bool:
    """Whether a word that only looks like a modifier or a measure word starts at `at`."""
    return _INNOCENT.match(text, at) is not None
