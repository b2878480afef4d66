"""What a quotation claims: an interval in base units, its dimension, and how precise it is."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from ffnsite.quantity.bounds import Bound


@dataclass(frozen=True, slots=True)
class Quantity:
    """The reading of one quotation.

    `low` and `high` are exact (or infinite) in the base unit of `dimension`: byte, second, metre,
    FLOP, FLOP/s, FLOP/byte, byte/s; ratios and percentage points are plain (3 % and 3 个百分点 are
    0.03). `unit` names that base unit: "" for numbers and ratios, the measure word for counts,
    "byte", "s", "m", "FLOP", "FLOP/s", "FLOP/byte" or "byte/param", "byte/s" or "token/s", "nat"
    or "bit", "pp", and for symbolic ones the monomial ("n d^2").
    """

    text: str
    low: Bound
    high: Bound
    low_open: bool
    high_open: bool
    dimension: str
    unit: str
    digits: int
    value: Fraction | None = None  # the number itself; None for ranges and words like 几十
    ends: tuple[Fraction, Fraction] | None = None  # the two numbers of a range, as written
    slack: tuple[Fraction, Fraction] | None = None  # how far a truth may lie from each of them
    side: str = ""  # "above" or "below" for a bound to one side, which may be too loose
    exact: bool = False  # an integer fact must be equal
    share: bool = False  # written as a part of a whole: % ‰ 成 分之 一半
    magnitude: bool = False  # 数量级: a ratio and its reciprocal make the same claim
    comparison: str = ""  # "more" or "less": the size of a change (少了三成)
    noun_known: bool = True  # False for a count of a noun that no table lists

    def contains(self, value: int | Fraction | Decimal | float) -> bool:
        """Whether `value`, in the base unit, lies in the interval; a float is taken exactly."""
        exact = value if isinstance(value, int | Fraction) else Fraction(value)
        above = self.low < exact if self.low_open else self.low <= exact
        return above and (exact < self.high if self.high_open else exact <= self.high)

    def holds(self, value: int | Fraction | Decimal | float) -> bool:
        """Whether the claim is true of `value`: exactness and orders of magnitude included."""
        exact = value if isinstance(value, Fraction) else Fraction(value)
        if self.magnitude:
            return bool(exact) and self.contains(max(abs(exact), 1 / abs(exact)))
        if self.exact and exact.denominator == 1 and self.value is not None:
            return exact == self.value
        return self.contains(exact)
