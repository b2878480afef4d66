"""A report in the forms that people and machines read: text, JSON, annotations, SARIF, JUnit."""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable

from ffnsite.prose.quote import Fault
from ffnsite.report import Report, as_json

MOST_ANNOTATIONS = 10  # a step of GitHub shows no more
# A child's last words may hold control characters, which XML cannot hold in any writing.
NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


def github(report: Report) -> str:
    """Workflow commands that put each fault on its line, ten at most, then the whole text."""
    notes = [_annotation(fault) for fault in report.faults[:MOST_ANNOTATIONS]]
    return "\n".join([*notes, report.text()])


def _annotation(fault: Fault) -> str:
    place = f"file={_property(fault.path)},line={fault.line}"
    place += f",col={fault.column}" if fault.column else ""
    return f"::error {place},title={_property(fault.kind)}::{_data(fault.message)}"


def _data(text: str) -> str:
    """A message as GitHub wants it escaped."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def sarif(report: Report) -> str:
    """SARIF 2.1.0: one result a fault, one rule a kind of fault."""
    rules = [{"id": kind} for kind in sorted({fault.kind for fault in report.faults})]
    driver = {"name": "ffnsite", "rules": rules}
    runs = [{"tool": {"driver": driver}, "results": [_result(fault) for fault in report.faults]}]
    return _json({"$schema": SARIF, "version": "2.1.0", "runs": runs})


def _result(fault: Fault) -> dict[str, object]:
    region = {"startLine": fault.line} | ({"startColumn": fault.column} if fault.column else {})
    place = {"artifactLocation": {"uri": fault.path}, "region": region}
    message = {"text": fault.message}
    return {
        "ruleId": fault.kind,
        "level": "error",
        "message": message,
        "locations": [{"physicalLocation": place}],
    }


def junit(report: Report) -> str:
    """JUnit XML: one case a quoted number, one more for each fault that is no quoted number."""
    quoted = [quote for quote in report.quotes if quote.kind != "loose"]
    own = [quote.fault for quote in quoted if not quote.verdict.right]
    others = [fault for fault in report.faults if fault not in own]
    suite = ET.Element("testsuite", name="ffnsite", tests=str(len(quoted) + len(others)))
    suite.set("failures", str(len(own) + len(others)))
    for quote in quoted:
        case = ET.SubElement(suite, "testcase", classname=quote.place.path)
        case.set("name", f"{quote.place} {quote.text}")
        if not quote.verdict.right:
            _failure(case, quote.fault)
    for fault in others:
        case = ET.SubElement(suite, "testcase", classname=fault.path)
        case.set("name", f"{fault.path}:{fault.line} {fault.kind}")
        _failure(case, fault)
    return NOT_XML.sub("\ufffd", ET.tostring(suite, encoding="unicode", xml_declaration=False))


def _failure(case: ET.Element, fault: Fault) -> None:
    ET.SubElement(case, "failure", type=fault.kind, message=fault.message).text = str(fault)


def _json(thing: object) -> str:
    return json.dumps(thing, ensure_ascii=False, indent=1)


FORMATS: dict[str, Callable[[Report], str]] = {
    "text": Report.text,
    "json": lambda report: _json(as_json(report)),
    "github": github,
    "sarif": sarif,
    "junit": junit,
}
