"""Brings the many spellings of one character to one: full width, minus signs, superscripts, LaTeX.

Everything behind this module sees half-width digits, `-` for every minus, `^38` for a superscript
and no `$`.
"""

import re
from dataclasses import dataclass
from typing import Final

from ffnsite.errors import Unreadable

LONGEST = 400  # characters; no quotation of a quantity is longer, and it bounds all later work

# The full-width forms of printable ASCII lie at a fixed distance. `，` `；` `！` `？` `（` `）`
# stay: they are Chinese punctuation, and `32，128` must not become a grouped 32,128.
_KEPT_WIDE: Final = "，；！？（）"
_HALF_WIDTH: Final = {
    code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) not in _KEPT_WIDE
}

_SAME_CHARACTER: Final = {
    "\u2212": "-",  # minus sign
    "\ufe63": "-",  # small hyphen-minus
    "\u2010": "-",  # hyphen
    "\u2011": "-",  # non-breaking hyphen
    "\u2012": "–",  # figure dash
    "\u2014": "–",  # em dash, the dash of ranges in GB/T 15834
    "\u301c": "~",  # wave dash
    "\u223c": "~",  # tilde operator
    "\u3000": " ",  # ideographic space
    "\t": " ",
    "\n": " ",
    "\u22c5": "·",  # dot operator
    "\u2715": "×",
    "\u2a7e": "≥",
    "\u2267": "≥",
    "\u2a7d": "≤",
    "\u2266": "≤",
    "\u2243": "≈",
    "\u2245": "≈",
    "\u03bc": "µ",  # Greek mu for the micro sign
}
_ONE_SPELLING: Final = _HALF_WIDTH | {ord(odd): usual for odd, usual in _SAME_CHARACTER.items()}

_VULGAR: Final = {
    "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5",
    "⅗": "3/5", "⅘": "4/5", "⅙": "1/6", "⅚": "5/6", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8",
}  # fmt: skip

_SUPERSCRIPT: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_RAISED: Final = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+")
_RAISED_BRACES: Final = re.compile(r"\^\s*\{\s*([+-]?\d+)\s*\}")

# LaTeX that authors write round a number, in the order in which it is rewritten: roots before
# fractions, so that the braces of a fraction hold no others.
_LATEX: Final = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\{,\}", ","),  # 65{,}536
        (r"\\,|\\thinspace", "\u2009"),  # 65\,536 groups like a thin space
        (r"~|\\[ ;:!]|\\q?quad(?![a-zA-Z])", " "),
        (r"\\(?:times)(?![a-zA-Z])", "×"),
        (r"\\cdot(?![a-zA-Z])", "·"),
        (r"\\(?:approx|simeq)(?![a-zA-Z])", "≈"),
        (r"\\sim(?![a-zA-Z])", "~"),
        (r"\\pm(?![a-zA-Z])", "±"),
        (r"\\(?:geqslant|geq|ge)(?![a-zA-Z])", "≥"),
        (r"\\(?:leqslant|leq|le)(?![a-zA-Z])", "≤"),
        (r"\\gt(?![a-zA-Z])", ">"),
        (r"\\lt(?![a-zA-Z])", "<"),
        (r"\\%", "%"),
        (r"\\sqrt\s*\{\s*(\d+)\s*\}|\\sqrt\s*(\d)", r"√\1\2"),
        (r"\\[dt]?frac\s*\{([^{}\\]*)\}\s*\{([^{}\\]*)\}", r"\1/\2"),
        (r"\\[dt]?frac\s*(\d)\s*(\d)", r"\1/\2"),
        (r"_\s*\{\s*([A-Za-z0-9]+)\s*\}", r"_\1"),
    )
)
# \text{GB} in a formula is a word of the sentence, not a product of variables.
_UPRIGHT_INDEX: Final = re.compile(r"_\s*\{?\s*\\(?:text|mathrm)\s*\{([A-Za-z0-9]+)\}\s*\}?")
_UPRIGHT: Final = re.compile(r"\\(?:text|mathrm|textrm|operatorname)\s*\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Spelled:
    """Text in one spelling, and for each character whether it stood as a letter of a formula."""

    text: str
    formula: tuple[bool, ...]


def spell(text: str) -> Spelled:
    """`text` in one spelling.

    Raises:
        Unreadable: empty, longer than 400 characters, with digits of another script, or with a `$`
            that has no partner.
    """
    if len(text) > LONGEST:
        raise Unreadable(f"引文有 {len(text)} 个字符，太长（上限 {LONGEST}）；一处引用只写一个数")
    stripped = text.replace("\\(", "$").replace("\\)", "$").translate(_ONE_SPELLING).strip()
    if not stripped:
        raise Unreadable("引文是空的，没有数；请写一个数")
    _refuse_foreign_digits(stripped)
    parts = stripped.split("$")
    if len(parts) % 2 == 0:
        raise Unreadable(f"“{text}” 里的 “$” 不成对；公式两边各写一个 “$”")
    pieces: list[tuple[str, bool]] = []
    for index, part in enumerate(parts):
        pieces.extend(_formula(part) if index % 2 else [(part, False)])
    return _joined(pieces)


def _refuse_foreign_digits(text: str) -> None:
    """Digits of other scripts, circled and lowered ones write no quantity here: ٣, ①, ₁."""
    raised = "⁰¹²³⁴⁵⁶⁷⁸⁹"
    foreign = [character for character in text if character.isdigit() and not character.isascii()]
    odd = next((character for character in foreign if character not in raised), "")
    if odd:
        raise Unreadable(f"“{text}” 里的“{odd}”不是能读的数字；写 0–9 或汉字")


def _formula(part: str) -> list[tuple[str, bool]]:
    """A formula's pieces: letters of the formula, and upright words between them."""
    alternating = _UPRIGHT.split(_UPRIGHT_INDEX.sub(r"_\1", part))
    return [
        (_plain_latex(piece), True) if index % 2 == 0 else (piece, False)
        for index, piece in enumerate(alternating)
    ]


def _plain_latex(part: str) -> str:
    for pattern, replacement in _LATEX:
        part = pattern.sub(replacement, part)
    return part


def _joined(pieces: list[tuple[str, bool]]) -> Spelled:
    text, formula = "", []
    for piece, inside in pieces:
        flat = _flat(piece)
        text += flat
        formula.extend([inside] * len(flat))
    start = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    return Spelled(text[start:end], tuple(formula[start:end]))


def _flat(piece: str) -> str:
    """Superscripts as `^…`, vulgar fractions as p/q; a space keeps digits behind them apart."""
    piece = _RAISED_BRACES.sub(lambda match: _apart(match, "^" + match[1]), piece)
    piece = _RAISED.sub(lambda match: _apart(match, "^" + match[0].translate(_SUPERSCRIPT)), piece)
    for vulgar, fraction in _VULGAR.items():
        if vulgar in piece:
            piece = re.sub(rf"(?<=\d){vulgar}", f" {fraction}", piece).replace(vulgar, fraction)
    return piece


def _apart(match: re.Match[str], written: str) -> str:
    following = match.string[match.end() : match.end() + 1]
    return f"{written} " if following.isdigit() else written
