"""Chinese words that contain a numeral and are no number, read from the dictionary file of jieba.

The file is read as text; the segmenter itself, which takes a second to start, is never loaded.
"""

import re
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

NUMERAL_CHARACTERS = "〇零一二两三四五六七八九十百千万亿半几廿卅"
LONGEST = 8
"""Longer words are found through the shorter ones inside them, or not at all."""

# One line of the dictionary is "word frequency tag". The tags m and mq mark numbers, which the
# scanner is to find. A word seen less than three times is noise of the corpus.
_LINE = re.compile(
    rf"\n([^ \n{NUMERAL_CHARACTERS}]*+[{NUMERAL_CHARACTERS}][^ \n]*+)"
    " (?:[3-9]|[1-9][0-9]+) [a-ln-z]"
)

_FULL_NUMBER = re.compile("[十百千万亿倍成天秒米半]|小时|分钟")
_GOES_WITH_NUMBERS = re.compile(
    "[人大中小时家约近增加为超这来前后每另哪没过短以下上数计年月入钟是有]"
)


@cache
def dictionary_words() -> frozenset[str]:
    """Words of jieba's dictionary with a numeral character that are not tagged as numbers."""
    path = Path(str(distribution("jieba").locate_file("jieba/dict.txt")))
    return frozenset(_LINE.findall(path.read_bytes().decode()))


def inside_a_word(text: str, start: int, end: int) -> bool:
    """Whether the numeral `text[start:end]` is part of a longer dictionary word that stands there.

    A digit or two (七上八下, 三角) need any such word. A full number (十二, 三成) is believed to be
    part of a word only where that brings two more characters that do not go with numbers anyway:
    十二指肠 is one, but 十二大, 近三成 and 增加一倍 are numbers in a phrase of the dictionary.
    """
    words = dictionary_words()
    full = _FULL_NUMBER.search(text, start, end) is not None and end - start > 1
    for left in range(max(0, end - LONGEST), start + 1):
        for right in range(end, min(left + LONGEST, len(text)) + 1):
            rest = text[left:start] + text[end:right]
            if (
                rest
                and text[left:right] in words
                and (not full or len(_GOES_WITH_NUMBERS.sub("", rest)) > 1)
            ):
                return True
    return False
