"""Products of variables as units: 8d², 12 n d^2, 8d/3."""

import re
from dataclasses import dataclass
from typing import Final

from ffnsite.errors import Unreadable
from ffnsite.quantity.spelling import spell

DECLARED: Final = "dnLNVsh"

_FACTOR: Final = r"([A-Za-z](?:_[A-Za-z0-9]+)?)(?:\^(-?\d{1,3}))?"
_FACTORS: Final = re.compile(_FACTOR)
_SPACE: Final = r"[ \u00a0\u2009\u202f]?"
_MONOMIAL: Final = re.compile(rf"{_FACTOR}(?:{_SPACE}·?{_SPACE}{_FACTOR}){{0,7}}(?![A-Za-z0-9_^])")
# The sign of multiplication between a coefficient and its variables: $4 \times d$.
_TIMES: Final = re.compile(rf"(?<=[0-9 ])[×·]{_SPACE}(?=[A-Za-z])")
_DIVISOR: Final = re.compile(r" ?/ ?([1-9]\d{0,8})(?![\d.,A-Za-z_^])")


@dataclass(frozen=True, slots=True)
class Monomial:
    """Powers of variables in one order, with the number that divides them (3 in 8d/3)."""

    name: str
    divisor: int
    end: int


def monomial_at(text: str, formula: tuple[bool, ...], at: int, symbols: str) -> Monomial | None:
    """The product of variables that starts at `at`.

    Inside a formula every letter is a variable; outside, one with an exponent or one of `symbols`.
    """
    sign = _TIMES.match(text, at)
    at = sign.end() if sign else at
    match = _MONOMIAL.match(text, at)
    if match is None:
        return None
    inside = all(formula[at : match.end()])
    factors = list(_FACTORS.finditer(match[0]))
    if not inside and not all(factor[2] or factor[1][0] in symbols for factor in factors):
        return None
    divisor = _DIVISOR.match(text, match.end())
    end = divisor.end() if divisor else match.end()
    name = _in_order(factors, symbols)
    return Monomial(name, int(divisor[1]) if divisor else 1, end)


def _in_order(factors: list[re.Match[str]], symbols: str) -> str:
    """`d^2 n` and `n d^2` are one unit; symbols stand in reverse order of declaration."""
    powers: dict[str, int] = {}
    for factor in factors:
        powers[factor[1]] = powers.get(factor[1], 0) + int(factor[2] or 1)

    def rank(variable: str) -> tuple[int, str]:
        return (-symbols.find(variable) if variable in symbols else -len(symbols), variable)

    return " ".join(
        variable if power == 1 else f"{variable}^{power}"
        for variable, power in sorted(powers.items(), key=lambda item: rank(item[0]))
        if power
    )


def canonical(monomial: str, symbols: str = DECLARED) -> str:
    """A fact's symbolic unit in the order that `read` uses: "d^2n" gives "n d^2".

    Raises:
        Unreadable: `monomial` is not one product of variables.
    """
    spelled = spell(monomial)
    found = monomial_at(spelled.text, (True,) * len(spelled.text), 0, symbols)
    if found is None or found.end != len(spelled.text) or found.divisor != 1:
        raise Unreadable(f"“{monomial}” 不是一个单项式；写成 d^2、n d^2 这样")
    return found.name
