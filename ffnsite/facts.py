"""Everything that a page may quote: the facts of the figures and the values of the ledger."""

import re
from dataclasses import dataclass
from functools import cached_property

from ffnsite import ledger, studies
from ffnsite.errors import BadLedger
from ffnsite.gather import Gathered, Watcher, gather
from ffnsite.ledger import Cited, Source
from ffnsite.project import Project
from ffnsite.prose.exempt import names_of
from ffnsite.prose.picture import drawn_faults
from ffnsite.prose.quote import Fault, Known
from ffnsite.prose.sheet import Shelf


@dataclass(frozen=True)
class Stock:
    """What a site has to quote from; `spoilt` is what is wrong with the ledger."""

    project: Project
    shelf: Shelf
    gathered: Gathered
    cited: dict[str, Cited]
    sources: dict[str, Source]
    spoilt: tuple[Fault, ...]

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """All that is wrong before any page is read: figures, ledger, studies."""
        told = [
            *self.gathered.faults.items(),
            *(
                (name, text)
                for name, drawing in self.gathered.drawings.items()
                for text in drawn_faults(drawing, self.shelf.names)
            ),
        ]
        stale = studies.faults(self.project).items()
        return (
            *(_figure_fault(self.project, name, text) for name, text in told),
            *self.spoilt,
            *(Fault(self.project.short(path), 1, 0, "study", text) for path, text in stale),
        )


def take_stock(
    project: Project,
    names: list[str],
    watcher: Watcher | None = None,
) -> Stock:
    """Draws what is stale, reads the ledger, and puts both on one shelf."""
    gathered = gather(project, watcher=watcher)
    cited: dict[str, Cited] = {}
    spoilt: tuple[Fault, ...] = ()
    try:
        cited = ledger.load(project.ledger, project.root)
    except BadLedger as fault:
        spoilt = tuple(_ledger_fault(where, what) for where, what in fault.faults)
    shelf = Shelf(_known(gathered, cited), gathered.drawings, gathered.faults, names_of(names))
    return Stock(project, shelf, gathered, cited, ledger.sources(project.ledger), spoilt)


def _figure_fault(project: Project, name: str, text: str) -> Fault:
    lab, _, short = name.rpartition("/")
    path = (project.labs if lab else project.figures) / f"{short}.py"
    kind = "notebook" if lab else "figure"
    return Fault(project.short(path), _line_told(text, path.name), 0, kind, text)


def _line_told(text: str, name: str) -> int:
    """The last line of the file that a traceback speaks of; 1 where it speaks of none."""
    lines = re.findall(rf'\b{re.escape(name)}(?:", line |:)([0-9]+)', text)
    return int(lines[-1]) if lines else 1


def _ledger_fault(where: str, what: str) -> Fault:
    path, _, line = where.rpartition(":")
    return Fault(path, int(line), 0, "ledger", what)


def _known(gathered: Gathered, cited: dict[str, Cited]) -> dict[str, Known]:
    computed = {
        name: Known(name, known.fact, known.where, "fact") for name, known in gathered.facts.items()
    }
    printed = {name: _printed(value) for name, value in cited.items()}
    return computed | printed


def _printed(value: Cited) -> Known:
    source = (
        f"{value.source.authors}（{value.source.year}）《{value.source.title}》，{value.locator}"
    )
    return Known(value.name, value.fact, value.where, "cite", source, value.source.url)
