"""Phrases made from the rule book cell by cell, their intervals worked by hand before any reading."""

from itertools import groupby
from pathlib import Path

import pytest
from row_of_rules import check_right, check_wrong

LINES = Path(__file__).with_name("phrases_by_hand.txt").read_text(encoding="utf-8").splitlines()
SPACES = {r"\u2009": "\u2009", r"\u00a0": "\u00a0", r"\u202f": "\u202f", r"\u3000": "\u3000"}


def sections():
    """Heading and lines of every section of the file."""
    heading = ""
    for is_heading, lines in groupby(LINES, lambda line: line.startswith("# ")):
        if is_heading:
            heading = next(lines).removeprefix("# ")
        else:
            yield pytest.param(list(lines), id=heading)


def fault(line):
    """What is wrong with the reading of a line `text → interval` or `text ✗`, or an empty text."""
    for written, space in SPACES.items():
        line = line.replace(written, space)
    try:
        if line.endswith(" ✗"):
            check_wrong(line.removesuffix(" ✗"), "")
        else:
            check_right(*line.split(" → "))
    except AssertionError as error:
        return f"{line}: {error}"
    return ""


@pytest.mark.parametrize("lines", list(sections()))
def test_phrases_of_a_rule_read_as_worked_by_hand(lines):
    assert not list(filter(None, map(fault, lines)))
