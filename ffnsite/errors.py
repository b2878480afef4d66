"""The exception tree. Every message says where, what is there against what was expected, and what to do.

FfnsiteError
├── Unreadable        the words of a quotation are not one quantity
├── BadFact           a fact is not what a fact must be (NaN, wrong unit, bad key …)
├── BadFigure         a figure cannot be published
├── BadLedger         a file of cited values is wrong
├── BadSource         a Python file cannot be read as figure or measurement
├── BadFormula        a formula is not LaTeX that can be shown
├── BadWeights        weights are missing, damaged or of the wrong hash
├── BadCount          two ways of counting the same thing disagree
├── BadExperiment     an experiment is asked about what its text or model does not have
├── BadStudy          a study is unknown, damaged or cannot be run
├── BadSettings       an option of the site or of a command is wrong
└── SiteIsWrong       all faults of a build, raised once
"""

from collections.abc import Iterable
from difflib import get_close_matches


class FfnsiteError(Exception):
    """Root of everything this package raises on purpose."""


class Unreadable(FfnsiteError):
    """The words of a quotation are not one quantity; the message (Chinese) says what was not understood."""


class BadFact(FfnsiteError):
    """A fact is not what a fact must be."""


class BadFigure(FfnsiteError):
    """A figure cannot be published."""


class BadLedger(FfnsiteError):
    """A file of cited values is wrong; `faults` holds (where, what) of each."""

    def __init__(self, message: str, faults: Iterable[tuple[str, str]] = ()) -> None:
        super().__init__(message)
        self.faults = list(faults)


class BadSource(FfnsiteError):
    """A Python file cannot be read as a figure or a measurement."""


class BadFormula(FfnsiteError):
    """A formula is not LaTeX that can be shown."""


class BadWeights(FfnsiteError):
    """Weights are missing, damaged or of the wrong hash."""


class BadCount(FfnsiteError):
    """Two ways of counting the same thing disagree, or the thing is unknown."""


class BadExperiment(FfnsiteError):
    """An experiment is asked about something that its text or its model does not have."""


class BadStudy(FfnsiteError):
    """A study is unknown, its files are damaged, or its rows cannot be what they are said to be."""


class BadSettings(FfnsiteError):
    """An option of the site or of a command is wrong."""


class SiteIsWrong(FfnsiteError):
    """All faults of a build, collected and raised once."""


def nearest(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """The known names most like `name`, best first; empty when none is close."""
    candidates = list(known)
    close = get_close_matches(name, candidates, n=count, cutoff=0.6)
    if close:
        return close
    tails = {candidate.rpartition(".")[2]: candidate for candidate in candidates}
    return [
        tails[tail]
        for tail in get_close_matches(name.rpartition(".")[2], tails, n=count, cutoff=0.6)
    ]
