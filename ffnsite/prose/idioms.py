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

# One line of the dictionary is "word frequency tag". The tags m and mq mark numbers with measure words:
# those are what the scanner is to find. A word seen less than three times is noise of the corpus.
_LINE = re.compile(
    rf"\n([^ \n{NUMERAL_CHARACTERS}]*[{NUMERAL_CHARACTERS}][^ \n]*) (?:[3-9]|[1-9][0-9]+) [a-ln-z]"
)


@cache
def dictionary_words() -> frozenset[str]:
    """Words of jieba's dictionary with a numeral character that are not tagged as numbers."""
    path = Path(str(distribution("jieba").locate_file("jieba/dict.txt")))
    return frozenset(_LINE.findall("\n" + path.read_text(encoding="utf-8")))


def inside_a_word(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]` is part of a longer dictionary word that stands there.

    The word must go beyond the numeral: 八成 alone is a number, whatever the dictionary says.
    """
    words = dictionary_words()
    furthest = min(len(text), start + LONGEST)
    for left in range(max(0, end - LONGEST), start + 1):
        for right in range(end, min(left + LONGEST, furthest) + 1):
            if (left, right) != (start, end) and text[left:right] in words:
                return True
    return False
