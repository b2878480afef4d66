"""What a quotation that cannot be read is told: the part not understood, and what to write."""

import re
from typing import Final

from ffnsite.errors import Unreadable
from ffnsite.quantity.modifiers import BEHIND, INNOCENT_WORDS

_HAN_NUMERAL: Final = re.compile("[\u3007零一二两三四五六七八九十百千万亿半几]")


def no_number(text: str, spelled: str, start: int) -> Unreadable:
    """For words without a number; `start` is where one should begin."""
    innocent = next((word for word in INNOCENT_WORDS if spelled.startswith(word)), "")
    if innocent:
        return Unreadable(f"“{text}” 里的“{innocent}”不是数的修饰词；只引用数和紧挨着它的词")
    if spelled.startswith("第"):
        return Unreadable(f"“{text}” 是序号，不是数量；序号不用绑定")
    rest = spelled[start:]
    if not rest:
        return Unreadable(f"“{text}” 只有修饰词，没有数")
    if rest.lstrip("-+. ")[:1].isdigit():
        return Unreadable(
            f"“{rest}” 不是一个数：数字前不写多余的零、点和符号，"
            "一个数里只有一个小数点，千位用 65,536"
        )
    return Unreadable(f"“{text}” 里没有读到数：不认识“{rest}”；一处引用只写一个数和紧挨着它的词")


def refuse_innocent(text: str, spelled: str, rest: str) -> None:
    """一起 is a word, not 一 with a modifier.

    Raises:
        Unreadable: all of the text is such a word.
    """
    if rest and spelled in INNOCENT_WORDS:
        raise Unreadable(f"“{text}” 是一个词，里面的“{rest}”不是数的修饰词")


def leftover(text: str, spelled: str, end: int, body: str) -> Unreadable:
    """For words behind the number that do not belong to it; the number ends at `end`."""
    done = spelled[:end].strip()
    if body[0] in "+-":
        why = "和式、差式不读，请写算好的数"
    elif any(character.isdigit() for character in body) or _HAN_NUMERAL.search(body):
        why = "一处引用只能有一个数（千位用 65,536，范围写成 3–5）"
    elif any(word in body for word in BEHIND):
        why = "一个数只能有一个修饰词，修饰词紧跟在数或量词后面"
    elif _HAN_NUMERAL.match(spelled[end - 1]):
        why = "汉字数后面只认识常见的量词，别的名词前请用阿拉伯数字"
    else:
        why = "多出来的字请移到链接外面"
    return Unreadable(f"“{text}” 读到“{done}”之后还剩“{body}”：{why}")
