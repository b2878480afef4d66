"""One test a quoted number: what the articles say agrees with what is computed or cited."""

from pathlib import Path

import pytest

from ffnsite.prose.quote import Verdict
from ffnsite.site.reading import check
from ffnsite.site.settings import load

ROOT = Path(__file__).parent.parent
REPORT = check(*load(ROOT / "mkdocs.yml"), ())
BOUND = [quote for quote in REPORT.quotes if quote.kind != "loose"]
FEWEST = 60  # an extension that found nothing would agree with everything


@pytest.mark.parametrize(
    "quote", BOUND, ids=[f"{q.place.path}:{q.place.line}:{q.place.column} {q.text}" for q in BOUND]
)
def test_a_quoted_number_agrees(quote):
    assert quote.verdict in {Verdict.AGREES, Verdict.EXEMPT}, quote.message


def test_there_is_no_other_fault_on_any_page_in_any_figure_or_in_the_ledger():
    assert REPORT.faults == []


def test_the_articles_quote_many_different_facts_and_cited_values():
    names = {(quote.kind, quote.name) for quote in BOUND}
    assert len(names) >= FEWEST
    assert {kind for kind, _ in names} >= {"fact", "cite"}


@pytest.mark.parametrize("sheet", REPORT.sheets, ids=[sheet.path for sheet in REPORT.sheets])
def test_every_binding_of_a_source_file_was_judged(sheet):
    """Counts the bindings in the raw text, apart from code, by other means than the parser."""
    fenced = False
    count = 0
    for line in sheet.source.splitlines():
        fenced ^= line.lstrip().startswith("```")
        count += (
            0 if fenced else line.count("](fact:") + line.count("](cite:") + line.count("](plain:")
        )
    assert sum(quote.kind != "loose" for quote in sheet.quotes) == count


def test_every_exempt_numeral_has_a_class_or_a_reason():
    exempt = [quote for quote in REPORT.quotes if quote.verdict is Verdict.EXEMPT]
    assert all(quote.name for quote in exempt)
