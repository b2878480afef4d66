"""One page while it is read: where it lies, what it may quote, and what was found on it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from ffnsite.figure import Drawing
from ffnsite.prose.exempt import Names
from ffnsite.prose.locate import Verbatim
from ffnsite.prose.marks import Mark
from ffnsite.prose.quote import Fault, Known, Place, Quote, Verdict


@dataclass(frozen=True, slots=True)
class Shelf:
    """What the pages of a site may quote.

    Attributes:
        known: full name to fact or cited value.
        drawings: figure name to drawing.
        broken: figure name to why it could not be drawn.
        names: the project's own names (models, products) whose digits claim nothing.
    """

    known: dict[str, Known]
    drawings: dict[str, Drawing]
    broken: dict[str, str]
    names: Names


@dataclass(slots=True)
class Sheet:
    """One page while it is read.

    Attributes:
        path: as messages write it, `docs/ffn/03-params.md`.
        source: the whole file, front matter included.
        offset: lines of front matter before the text.
        bound: whether all links are judged; what is rendered before is only a part, for the contents.
        verbatim: finds in the source what stands there letter by letter.
        link: row or file of the built site to an address that works from this page.
        shown: whether somebody will see the HTML; a check only wants the quotes.
    """

    path: str
    source: str
    offset: int = 0
    link: Callable[[str], str] = str
    shown: bool = True
    marks: list[Mark] = field(default_factory=list)
    met: set[int] = field(default_factory=set)
    quotes: list[Quote] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)
    formulas: int = 0
    bound: bool = False
    verbatim: Verbatim = field(init=False)

    def __post_init__(self) -> None:
        self.verbatim = Verbatim(self.source, self.path)

    def fault(self, place: Place, text: str, verdict: Verdict, message: str) -> None:
        """Notes something on the page that is no number with a name, and is wrong."""
        self.quotes.append(Quote(place, text, "loose", "", verdict, message))

    @property
    def faults(self) -> list[Fault]:
        """What keeps the page from being published, in the order of the source."""
        wrong = [quote.fault for quote in self.quotes if not quote.verdict.right]
        return sorted(wrong, key=lambda fault: (fault.line, fault.column))
