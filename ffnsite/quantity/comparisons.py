"""Words that make a number the size of a change: 少了三成, 降低 20%, 高出 5%."""

import re
from typing import Final

from ffnsite.errors import Unreadable

_LESS: Final = (
    "少了 少 减少了 减少 降低了 降低 下降了 下降 降了 低了 低 缩小了 缩小 缩短了 缩短 "
    "节省了 节省 省了 减了 慢了 慢 小了 小 "
    "短了 短 弱"
)
_MORE: Final = (
    "高出 高了 高 增加了 增加 增长了 增长 提高了 提高 提升了 提升 上升了 上升 多了 多出 多 "
    "涨了 快了 快 大了 大 超出 长了 强"
)
_DIRECTIONS: Final = dict.fromkeys(_LESS.split(), "less") | dict.fromkeys(_MORE.split(), "more")
_WORDS: Final = re.compile(
    "|".join(sorted(_DIRECTIONS, key=len, reverse=True)).join(("(?:", r")(?![于到至半])"))
)


def comparison_at(text: str, at: int) -> str:
    """The word of comparison that starts at `at`, or an empty text."""
    match = _WORDS.match(text, at)
    return match[0] if match else ""


def direction(word: str) -> str:
    """Whether the word says more or less; empty for no word of comparison."""
    return _DIRECTIONS.get(word, "")


def refuse_multiples(text: str, word: str, unit: str) -> None:
    """小 4 倍 and 快 3 倍 say nothing certain.

    Raises:
        Unreadable: a word of comparison stands before a number of 倍.
    """
    if not word or unit not in ("倍", "×"):
        return
    way_out = "写成几分之一，例如“四分之一”" if direction(word) == "less" else "写成“是原来的几倍”"
    raise Unreadable(f"“{text}” 说不清：“{word}”后面不能跟“倍”；{way_out}")
