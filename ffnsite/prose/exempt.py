"""Numerals that claim nothing: the closed table of classes, each a named pattern with its reason.

A class excuses a numeral only when it covers the whole of it, with multiplier and ratio word.
The report counts what each class excused, so no exemption is silent. Rule book: section 5.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ffnsite.errors import BadSettings
from ffnsite.prose import labels, wordlike
from ffnsite.prose.numerals import ONES, TENS


@dataclass(frozen=True)
class Exemption:
    """One class of numerals that claim nothing.

    Attributes:
        name: How the class is called in `Loose.exemption` and in reports of machines.
        label: How the report calls it, Chinese.
        reason: One Chinese sentence that says why nothing is claimed.
        begins: What every match begins with, a character class: a search passes over the rest at once.
        written: Matches the numeral with as much around it as is needed to know it.
    """

    name: str
    label: str
    reason: str
    begins: str
    written: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when the first page is read: not every command reads pages."""
        return re.compile(f"(?={self.begins})(?:{self.written})")


EXEMPTIONS: tuple[Exemption, ...] = (
    Exemption(
        "identifier",
        "标识符",
        "编号、网址、文献号只用来找到东西。",
        "[A-Za-z0-9._+-]",
        labels.IDENTIFIER,
    ),
    Exemption(
        "date",
        "日期",
        "年份和日期说的是何时，不是多少。",
        f"[0-9A-Za{ONES}十公等（(上下晚凌中星礼周]",
        labels.DATE,
    ),
    Exemption("version", "版本", "版本号只分先后，不表示大小。", "[A-Za-z0-9版]", labels.VERSION),
    Exemption(
        "reference",
        "引用",
        "章节、图表、页码指向别处。",
        r"[0-9A-Za-z#§\s\[【第图表附公等方脚尾算定引命推例习练清代式见参详回上]",
        labels.REFERENCE,
    ),
    Exemption(
        "list",
        "列表序号",
        "列表和标题的序号只排次序。",
        rf"(?m:^)|[0-9（(\s{labels.TEN}①-⑳⑴-⒇]",
        labels.LIST,
    ),
    Exemption("shape", "形状", "张量的形状由代码和式子给出。", r"[0-9A-Za-z(\[（]", labels.SHAPE),
    Exemption(
        "index",
        "下标",
        "序数和下标说的是哪一个，不是多少个。",
        f"[0-9A-Za-z₀-₉{labels.TEN}第位下索编序步情方实问示样案路选神节通特种层头专块从]",
        labels.INDEX,
    ),
    Exemption("name", "名称", "模型、产品、格式的名字里带数字。", "[0-9A-Za-z]", labels.NAME),
    Exemption(
        "idiom",
        "词语",
        "数字是词的一部分，不表示数目。",
        f"[{ONES}{TENS}半几双多其之乱举接设置不初非]",
        wordlike.IDIOM,
    ),
    Exemption(
        "small_count",
        "小数目",
        "十以内的汉字数目加量词，读者一眼数得清。",
        "[一二两三四五六七八九十几]",
        wordlike.SMALL_COUNT,
    ),
)
"""Every class, in the order in which they are tried; the first that covers a numeral excuses it."""


@dataclass(frozen=True, slots=True)
class Names:
    """The project's own names; `pattern` finds the longest first, None where there are none."""

    pattern: re.Pattern[str] | None


def names_of(names: Iterable[object]) -> Names:
    """Names of models and products from the site's options, ready to be found in prose.

    A name stands alone: it does not begin or end inside a Latin word or a number.

    Raises:
        BadSettings: an entry is empty or not a text.
    """
    wanted = [_checked(name, position) for position, name in enumerate(names, start=1)]
    if not wanted:
        return Names(None)
    longest_first = sorted(set(wanted), key=lambda name: (-len(name), name))
    alternatives = "|".join(re.escape(name) for name in longest_first)
    return Names(re.compile(rf"(?<![A-Za-z0-9])(?:{alternatives})(?![A-Za-z0-9])(?![.,][0-9])"))


def _checked(name: object, position: int) -> str:
    if isinstance(name, str) and name.strip():
        return name.strip()
    raise BadSettings(
        f"选项 names 的第 {position} 项是 {name!r}，应当是非空的文字；"
        '请写成模型或产品的名字，如 "Llama-3-8B"（要加引号）。'
    )
