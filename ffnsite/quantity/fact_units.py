"""The unit that a fact or a cited value states: GB/s, %, 层, d^2."""

from ffnsite.errors import Unreadable
from ffnsite.quantity.monomials import DECLARED, canonical
from ffnsite.quantity.nouns import is_noun, known_noun_at
from ffnsite.quantity.units import BARE, UNITS, Unit


def unit_named(name: str, symbols: str = DECLARED) -> Unit:
    """The unit called `name`: of the table, "" for none, a product of variables, or a noun.

    A table's unit wins (s is a second), then variables (d, n d^2), then nouns.

    Raises:
        Unreadable: none of these.
    """
    if not name:
        return BARE
    if name in UNITS:
        return UNITS[name]
    if "^" in name or "²" in name or all(letter in symbols for letter in name.replace(" ", "")):
        return Unit(name, "symbolic", base=canonical(name, symbols))
    if known_noun_at(name, 0) or is_noun(name):
        return Unit(name, "count", base=name)
    raise Unreadable(f"不认识单位“{name}”；写规则里的单位、量词，或 d^2 这样的单项式")
