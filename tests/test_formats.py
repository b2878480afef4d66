"""A report as machines read it."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
import tiny

from ffnsite.facts import Stock
from ffnsite.figure import Fact
from ffnsite.formats import FORMATS
from ffnsite.gather import Gathered
from ffnsite.prose.exempt import names_of
from ffnsite.prose.quote import Fault, Known, Place, Quote, Verdict
from ffnsite.prose.sheet import Sheet, Shelf
from ffnsite.report import Report

KNOWN = Known("a.b", Fact(3, "count", means="数"), "figures/a.py:3", "fact")


def quote(line, verdict, message=""):
    return Quote(
        Place("docs/甲,乙.md", line, 5), "三个", "fact", "a.b", verdict, message, known=KNOWN
    )


@pytest.fixture
def report(tmp_path):
    shelf = Shelf({"a.b": KNOWN}, {}, {}, names_of([]))
    project = tiny.write_tiny(tmp_path)
    gathered = Gathered({}, {}, {"x": "没画成"}, {}, {})
    stock = Stock(project, shelf, gathered, {}, {}, ())
    sheet = Sheet("docs/甲,乙.md", "")
    sheet.quotes = [quote(8, Verdict.AGREES), quote(12, Verdict.DISAGREES, "100%\n不对")]
    return Report(stock, (sheet,))


def test_annotations_stand_on_their_line_and_are_escaped(report):
    lines = FORMATS["github"](report).splitlines()
    assert lines[0] == "::error file=figures/x.py,line=1,title=figure::没画成"
    assert lines[1] == "::error file=docs/甲%2C乙.md,line=12,col=5,title=disagrees::100%25%0A不对"


def test_ten_annotations_at_most_and_the_summary_tells_of_all(report):
    sheet = Sheet("docs/a.md", "")
    sheet.quotes = [quote(line, Verdict.UNREADABLE, "读不懂") for line in range(1, 30)]
    lines = FORMATS["github"](replace(report, sheets=(sheet,))).splitlines()
    assert sum(line.startswith("::error ") for line in lines) == 10
    assert lines[-1].startswith("30 处不对")


def test_sarif_names_rule_file_and_region(report):
    run = json.loads(FORMATS["sarif"](report))["runs"][0]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["disagrees", "figure"]
    place = run["results"][1]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "docs/甲,乙.md"
    assert place["region"] == {"startLine": 12, "startColumn": 5}
    assert run["results"][0]["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}


def test_junit_has_a_case_a_quote_and_counts_every_failure(report):
    suite = ET.fromstring(FORMATS["junit"](report))
    assert (suite.get("tests"), suite.get("failures")) == ("3", "2")
    assert [case.get("name") for case in suite] == [
        "docs/甲,乙.md:8:5 三个",
        "docs/甲,乙.md:12:5 三个",
        "figures/x.py:1 figure",
    ]
    assert [case.find("failure") is not None for case in suite] == [False, True, True]


def test_json_holds_faults_as_data(report):
    faults = json.loads(FORMATS["json"](report))["faults"]
    assert faults[1] == {
        "path": "docs/甲,乙.md", "line": 12, "column": 5, "kind": "disagrees", "message": "100%\n不对",
    }  # fmt: skip


def test_junit_stays_xml_whatever_a_child_said_last(report):
    said = Fault("figures/x.py", 1, 0, "figure", "\x1b[31m死\x00 <b>&\ud800")
    suite = ET.fromstring(FORMATS["junit"](replace(report, built=(said,))))
    assert suite[-1].find("failure").get("message") == "\ufffd[31m死\ufffd <b>&\ufffd"
