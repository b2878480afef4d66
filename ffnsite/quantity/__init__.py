"""Chinese and international number words → intervals."""

from ffnsite.quantity.bounds import Bound, decimal_string
from ffnsite.quantity.monomials import canonical
from ffnsite.quantity.patterns import find_numerals
from ffnsite.quantity.quantity import Quantity
from ffnsite.quantity.reading import read, to_json
from ffnsite.quantity.units import DIMENSIONS, Unit
from ffnsite.quantity.wording import offer

__all__ = [
    "DIMENSIONS", "Bound", "Quantity", "Unit", "canonical", "decimal_string", "find_numerals",
    "offer", "read", "to_json",
]  # fmt: skip
