"""Formulas: LaTeX to MathML at build, and the numerals that a formula shows."""

import re
from functools import lru_cache
from html import escape

from math_core import LatexError, LatexToMathML

from ffnsite.errors import BadFormula

_INLINE = re.compile(r"^\\\((.*)\\\)$", re.DOTALL)
_DISPLAY = re.compile(r"^\\\[(.*)\\\]$", re.DOTALL)
IN_HEADING = "标题里的公式会原样进目录和搜索；请加 data-toc-label 或改写成文字"
QUOTED = re.compile(r"\$([^$]+)\$")
_NUMERAL = re.compile(r"\d+(?:[.,]\d+)*")


@lru_cache(maxsize=1)
def _converter() -> LatexToMathML:
    return LatexToMathML(fancy_error=False)


def latex(wrapped: str) -> tuple[str, bool]:
    r"""The LaTeX inside `\(…\)` or `\[…\]`, and whether it is displayed."""
    display = _DISPLAY.match(wrapped)
    inline = _INLINE.match(wrapped)
    found = display or inline
    return (found[1].strip() if found else wrapped.strip()), display is not None


@lru_cache(maxsize=4096)
def mathml(source: str, *, display: bool) -> str:
    """The formula as MathML Core.

    Raises:
        BadFormula: the LaTeX is wrong.
    """
    try:
        return _converter().convert_with_local_state(source, displaystyle=display)
    except LatexError as fault:
        raise BadFormula(str(fault).strip().splitlines()[0]) from fault


def words_html(words: str) -> str:
    """Words as an author wrote them in HTML: each `$…$` as MathML, a wrong one as it is written."""
    parts = QUOTED.split(words)
    return "".join(_set(part) if index % 2 else escape(part) for index, part in enumerate(parts))


def _set(source: str) -> str:
    try:
        return mathml(source, display=False)
    except BadFormula:
        return escape(f"${source}$")


def numerals(source: str) -> list[str]:
    """The numerals that the formula shows, indices and exponents included."""
    return _NUMERAL.findall(source)
