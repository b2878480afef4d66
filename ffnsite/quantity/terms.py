"""A number with what belongs to it: sign, 百分之, 多, multiplier, unit or measure word, 半."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from ffnsite.errors import Unreadable
from ffnsite.quantity import arabic, parts, patterns, powers, vague
from ffnsite.quantity.amounts import Amount, Claim, Ends, Reader
from ffnsite.quantity.chinese import DIGITS, POWERS
from ffnsite.quantity.modifiers import innocent_at
from ffnsite.quantity.monomials import Monomial, monomial_at
from ffnsite.quantity.nouns import known_noun_at
from ffnsite.quantity.numerals import Numeral, expression, written
from ffnsite.quantity.spelling import Spelled
from ffnsite.quantity.units import BARE, Unit, unit_at

# Most specific first: what one reader takes, none behind it sees.
READERS: Final[tuple[Reader, ...]] = (
    vague.fixed, parts.doublings, parts.halves, vague.teens, vague.some, vague.upwards, vague.level,
    parts.fraction, powers.spoken, vague.bare_power, parts.chinese,
    arabic.root, powers.raised, arabic.scientific, arabic.slashed, arabic.proportion,
    arabic.decimal,
)  # fmt: skip

_SPACES: Final = re.compile(patterns.GAP)
_SIGN: Final = re.compile(rf"负{patterns.GAP}|[-+](?=[\d√a-zA-Z])")
_PARTS_OF: Final = re.compile(patterns.PARTS_OF)
_OVER: Final = re.compile(rf"{patterns.GAP}[多余来]")
_HAN_MULTIPLIER: Final = re.compile(patterns.GAP + patterns.HAN_MULTIPLIER)
_LATIN_MULTIPLIER: Final = re.compile(patterns.LATIN_MULTIPLIER)
_COUNTED_UNIT: Final = re.compile(rf"{patterns.GAP}个{patterns.GAP}([多余来半]){patterns.GAP}")
_LATIN_POWERS: Final = {
    "K": Fraction(10**3), "M": Fraction(10**6), "B": Fraction(10**9), "T": Fraction(10**12),
    "Ki": Fraction(2**10), "Mi": Fraction(2**20), "Gi": Fraction(2**30), "Ti": Fraction(2**40),
}  # fmt: skip
_FIFTHS: Final = "一二三四五六七八九半"
# Units behind which 半 adds a half: 两倍半, 两小时半, 三个半.
_HALVED: Final = frozenset({"倍", "秒", "秒钟", "分钟", "小时", "天", "个"})


@dataclass(frozen=True, slots=True)
class Term:
    """One number with its unit, still unscaled, so that a range can share what is written once.

    `parts` is 1/100 for 百分之; `multiplier` is 万 or K behind digits; `over` tells of a 多
    between number and unit (20 多层); `noun` is the measure word or noun counted.
    """

    amount: Amount
    end: int
    parts: Fraction | None = None
    multiplier: Fraction | None = None
    unit: Unit = BARE
    monomial: Monomial | None = None
    noun: str = ""
    over: bool = False

    @property
    def bare(self) -> bool:
        """Whether no unit of any kind is written."""
        return self.unit is BARE and self.parts is None and self.monomial is None and not self.noun

    @property
    def claim(self) -> Claim:
        """The claim in the base unit."""
        scale = self.unit.scale
        for factor in (self.multiplier, self.parts):
            scale = scale if factor is None else scale * factor
        if self.monomial is not None and self.monomial.divisor != 1:
            scale /= self.monomial.divisor
        claim = self.amount.claim.times(scale)
        whole = self.parts == Fraction(1, 100) or self.unit.name == "%"
        return _nearly_all(claim) if whole else claim


def _nearly_all(claim: Claim) -> Claim:
    """近 100 % is 0.99…1, though the digits of 100 alone would allow 0.9."""
    if isinstance(claim, Numeral) and claim.value == 1:
        return replace(claim, near=Fraction(1, 100))
    return claim


def term_at(spelled: Spelled, at: int, symbols: str) -> Term | None:
    """The number that starts at `at` with all that belongs to it; None when there is none."""
    text = spelled.text
    sign = _SIGN.match(text, at)
    start = sign.end() if sign else at
    term = _unsigned(spelled, start, symbols)
    if term is not None and sign and sign[0] != "+":
        return replace(term, amount=_negated(term.amount, text[at : term.end]))
    return term


def _negated(amount: Amount, words: str) -> Amount:
    if not isinstance(amount.claim, Numeral):
        raise Unreadable(f"“{words}”：范围不能带负号；两端各写负号，用“到”连接")
    return replace(amount, claim=amount.claim.negative())


def _unsigned(spelled: Spelled, at: int, symbols: str) -> Term | None:
    parts_of = _PARTS_OF.match(spelled.text, at)
    amount = _amount(spelled.text, parts_of.end() if parts_of else at, percent=bool(parts_of))
    if amount is None:
        return None if parts_of else _lonely_monomial(spelled, at, symbols)
    term = Term(amount, amount.end, parts=_parts(parts_of))
    return _with_unit(spelled, _with_multiplier(spelled.text, term), symbols)


def _parts(match: re.Match[str] | None) -> Fraction | None:
    if match is None:
        return None
    return Fraction(1, int(match[3]) if match[3] else 10 ** POWERS[match[1] or match[2]])


def _amount(text: str, at: int, *, percent: bool) -> Amount | None:
    if percent and text.startswith("百", at):
        return Amount(written("100"), at + 1)
    for reader in READERS:
        amount = reader(text, at)
        if amount is not None:
            return amount
    return None


def _lonely_monomial(spelled: Spelled, at: int, symbols: str) -> Term | None:
    """d² without a coefficient is 1 d²."""
    monomial = monomial_at(spelled.text, spelled.formula, at, symbols)
    if monomial is None:
        return None
    one = replace(expression(Fraction(1)), digits=1)
    return Term(Amount(one, at), monomial.end, monomial=monomial)


def _with_multiplier(text: str, term: Term) -> Term:
    """Reads the multiplier and a 多 on either side of it: 2.7 万, 124M, 两千多万, 3 万多."""
    if not isinstance(term.amount.claim, Numeral):
        return replace(term, multiplier=None)
    term = _with_over(text, term)
    multiplier, end = _multiplier(text, term.end, arabic=term.amount.arabic, over=term.over)
    term = replace(term, end=end, multiplier=multiplier)
    return term if term.over or multiplier is None else _with_over(text, term)


def _with_over(text: str, term: Term) -> Term:
    over = _over_at(text, term.end)
    return replace(term, end=over.end(), over=True) if over else term


def _over_at(text: str, at: int) -> re.Match[str] | None:
    match = _OVER.match(text, at)
    return match if match and not innocent_at(text, match.end() - 1) else None


def _multiplier(text: str, at: int, *, arabic: bool, over: bool) -> tuple[Fraction | None, int]:
    latin = _LATIN_MULTIPLIER.match(text, at) if arabic and not over else None
    if latin:
        return _LATIN_POWERS[latin[1]], latin.end()
    han = _HAN_MULTIPLIER.match(text, at) if arabic or over else None
    if han:
        return Fraction(10 ** POWERS[han[1]]), han.end()
    return None, at


def _with_unit(spelled: Spelled, term: Term, symbols: str) -> Term:
    """Reads the unit, the variables or the measure word that the number is written in."""
    term = _with_counted_half(spelled.text, term)
    space = _SPACES.match(spelled.text, term.end)
    at = space.end() if space else term.end
    found = _unit_outside_formula(spelled, at) if term.parts is None else None
    monomial = (
        monomial_at(spelled.text, spelled.formula, at, symbols) if term.parts is None else None
    )
    if monomial is not None and (found is None or monomial.end > found[1]):
        return _symbolic(term, monomial)
    if found is not None:
        return _trailing(spelled.text, replace(term, unit=found[0], end=found[1]))
    noun = known_noun_at(spelled.text, at) if term.parts is None else ""
    if noun:
        return _trailing(spelled.text, replace(term, noun=noun, end=at + len(noun)))
    return term


def _unit_outside_formula(spelled: Spelled, at: int) -> tuple[Unit, int] | None:
    """Letters of a formula are variables: $6s$ is six s, not six seconds.

    A one-letter unit stands behind a space or, unless it is the byte, behind a digit: 八B is none.
    """
    found = unit_at(spelled.text, at)
    if found is None or not (found[0].name.isascii() and found[0].name[0].isalpha()):
        return found
    before = spelled.text[at - 1]
    digit = before.isascii() and before.isdigit() and found[0].name != "B"
    if spelled.formula[at] or not (len(found[0].name) > 1 or digit or before.isspace()):
        return None
    return found


def _symbolic(term: Term, monomial: Monomial) -> Term:
    """The coefficient of a product of variables is exact."""
    claim = term.amount.claim
    if isinstance(claim, Numeral):
        claim = replace(claim, plain=Fraction(0), exact=True, loose_digits=0)
    return replace(
        term, amount=replace(term.amount, claim=claim), monomial=monomial, end=monomial.end
    )


def _with_counted_half(text: str, term: Term) -> Term:
    """两个半小时, 四个多数量级: 半 or 多 between 个 and the unit it belongs to."""
    match = _COUNTED_UNIT.match(text, term.end)
    if match is None or unit_at(text, match.end()) is None:
        return term
    if match[1] == "半":
        return replace(_plus(term, "5"), end=match.end())
    if term.over:
        raise Unreadable(f"“{text}” 里有两个“多”")
    return replace(term, over=True, end=match.end())


def _trailing(text: str, term: Term) -> Term:
    """七成五 is 0.75, 三成半 0.35, 两倍半 2.5."""
    following = text[term.end : term.end + 1]
    if not following or term.over or term.multiplier is not None:
        return term
    if term.unit.name == "成" and following in _FIFTHS:
        digit = "5" if following == "半" else str(DIGITS[following])
    elif following == "半" and (term.unit.name in _HALVED or term.noun in _HALVED):
        digit = "5"
    else:
        return term
    return replace(_plus(term, digit), end=term.end + 1)


def _plus(term: Term, digit: str) -> Term:
    """The whole number of `term` with `digit` behind its point."""
    claim = term.amount.claim
    if not isinstance(claim, Numeral) or claim.value.denominator != 1 or claim.value < 0:
        raise Unreadable("只有整数后面能跟“半”或再写一位，例如 两倍半、七成五")
    numeral = written(f"{claim.value.numerator}.{digit}")
    return replace(term, amount=replace(term.amount, claim=numeral))


def ends_of(first: Term, second: Term) -> Ends | None:
    """The two numbers of a range of terms; None when one of them is no single number."""
    left, right = first.claim, second.claim
    if isinstance(left, Numeral) and isinstance(right, Numeral):
        return Ends(left, right)
    return None
