"""Measure words and nouns that make a number a count, and what an unknown noun may look like."""

import re
from typing import Final

from ffnsite.quantity.modifiers import BEFORE, BEHIND, INNOCENT_NOUNS

_HAN_NOUNS: Final = (
    "层 个 条 步 维 篇 行 列 次 种 位 名 人 家 款 项 组 轮 类 块 张 台 颗 段 句 字 门 道 只 对 份 "
    "例 批 点 处 件 本 场 页 章 节 幅 套 把 根 片 代 遍 趟 支 路 枚 卷 回 则 首 座 间 所 队 排 圈 "
    "串 年 个月 参数 词 词元 头 专家 神经元 样本 特征 通道 模型 维度 矩阵 向量 前缀 事实 论文 "
    "种子 权重 数据 单词 汉字 字符 句子 注意力头 键 值 函数 乘加 配置 机器 读者 章节 段落"
)
_LATIN_NOUNS: Final = (
    "token tokens key keys value values query queries head heads expert experts layer layers "
    "neuron neurons "
    "parameter parameters param params step steps seed seeds epoch epochs batch batches "
    "block blocks feature "
    "features sample samples prompt prompts model models"
)
KNOWN_NOUNS: Final = tuple(
    sorted({*_HAN_NOUNS.split(), *_LATIN_NOUNS.split(), *INNOCENT_NOUNS}, key=len, reverse=True)
)

_KNOWN: Final = re.compile(
    "|".join(
        re.escape(noun) + (r"(?![A-Za-z0-9_^/])" if noun.isascii() else "") for noun in KNOWN_NOUNS
    )
)
# A noun of the sentence: up to four words of Han characters or Latin letters.
_WORD: Final = r"(?:[\u4e00-\u9fff]{1,10}|[A-Za-z][A-Za-z-]{1,20})"
_NOUN: Final = re.compile(rf"{_WORD}(?: {{0,2}}{_WORD}){{0,3}}")
# Characters of numerals, and particles that end a noun: 30 层的, 三成和.
_NO_NOUN: Final = re.compile(
    "[〇零一二两三四五六七八九十百千万亿几半的了和与或是到至于但而也就都吗呢吧啊]|少了|降低"
)
_MODIFIER: Final = re.compile(
    "|".join(map(re.escape, sorted({*BEFORE, *BEHIND}, key=len, reverse=True)))
)
_INNOCENT: Final = re.compile("|".join(INNOCENT_NOUNS))


def known_noun_at(text: str, at: int) -> str:
    """The longest known measure word or noun that starts at `at`, or an empty text."""
    match = _KNOWN.match(text, at)
    return match[0] if match else ""


def is_noun(words: str) -> bool:
    """Whether `words` can be what a count counts: no numeral, particle or modifier among them."""
    if not _NOUN.fullmatch(words) or _NO_NOUN.search(words):
        return False
    return not _MODIFIER.search(_INNOCENT.sub("", words))
