"""What was found on a page: quotes with their verdict, figures, and faults with their place."""

from dataclasses import dataclass, fields
from enum import Enum
from typing import Any

from ffnsite.figure import Fact
from ffnsite.quantity import Quantity


class Verdict(Enum):
    """Every way a number on a page can turn out: a closed list, in the order of judging."""

    UNKNOWN = "unknown name"
    UNREADABLE = "unreadable"
    WRONG_UNIT = "wrong unit"
    TOO_PRECISE = "too precise"
    DISAGREES = "disagrees"
    TOO_LOOSE = "too loose"
    AGREES = "agrees"
    EXEMPT = "exempt"
    UNBOUND = "unbound"
    MISPLACED = "misplaced"

    @property
    def right(self) -> bool:
        """Whether a page with this verdict may be published."""
        return self in {Verdict.AGREES, Verdict.EXEMPT}


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a source file; line and column count from 1."""

    path: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"

    def __reduce__(self) -> tuple[Any, ...]:
        """Handed to another process by its fields: the way of dataclasses with slots is slow."""
        return Place, (self.path, self.line, self.column)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that keeps the site from being published; `kind` is a verdict or what else is wrong."""

    path: str
    line: int
    column: int
    kind: str
    message: str

    def __str__(self) -> str:
        column = f":{self.column}" if self.column else ""
        return f"{self.path}:{self.line}{column} {self.message}"


@dataclass(frozen=True, slots=True)
class Known:
    """A name that a page can quote: its fact, where it is made, and what kind of number it is."""

    name: str
    fact: Fact
    where: str
    kind: str  # "fact" (computed here) or "cite" (from the literature)
    source: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """One number on a page with its verdict.

    `kind` is fact, cite, plain (an author's exemption) or loose (bound to nothing); `name` is the
    fact's name, the reason of a `plain:` exemption, or the exempt class of a loose number; `anchor`
    is the id of the number in the page.
    """

    place: Place
    text: str
    kind: str
    name: str
    verdict: Verdict
    message: str = ""
    offers: tuple[str, ...] = ()
    known: Known | None = None
    quantity: Quantity | None = None
    anchor: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        """Handed to another process by its fields: the way of dataclasses with slots is slow."""
        return Quote, tuple(getattr(self, name) for name in FIELDS)

    @property
    def fault(self) -> Fault:
        """The quote as a fault, for one that is wrong."""
        place = self.place
        return Fault(place.path, place.line, place.column, self.verdict.value, self.message)


FIELDS = tuple(field.name for field in fields(Quote))
