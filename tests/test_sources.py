"""Names, lines and imports of a figure, read without running it."""

from pathlib import Path

import pytest

from ffnsite.errors import BadSource
from ffnsite.sources import closure, fact_lines, figure_files, literal_keys

FIGURE = """\
from fractions import Fraction
from lab.widths import WIDTHS
from ffnsite.figure import Fact, Figure


def draw():
    facts = {"share": Fact(Fraction(2, 3), "share", means="份额")}
    facts["total"] = Fact(12, "d^2", means="总数")
    for name, width in WIDTHS.items():
        facts[f"{name}_width"] = Fact(width, "count", means="宽")
    facts |= {
        f"{name}_half": half(width)
        for name, width in WIDTHS.items()
    }
    return Figure("<svg/>", facts, "图")


def half(width):
    return Fact(Fraction(width, 2), "count", means="半宽")
"""


@pytest.fixture
def project(tmp_path):
    write(tmp_path / "figures/a.py", FIGURE)
    write(tmp_path / "lab/__init__.py", "")
    write(
        tmp_path / "lab/widths.py", "import numpy as np\nfrom lab import deep\nWIDTHS = {'s': 1}\n"
    )
    write(tmp_path / "lab/deep.py", "import json\n")
    write(tmp_path / "lab/unrelated.py", "")
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_the_closure_holds_imports_of_imports_and_nothing_else(project):
    imports = closure(project / "figures/a.py", project)
    own = {
        path.relative_to(project).as_posix() for path in imports.files if project in path.parents
    }
    assert own == {"figures/a.py", "lab/__init__.py", "lab/widths.py", "lab/deep.py"}
    assert {path.name for path in imports.files - set(project.rglob("*"))} >= {
        "figure.py",
        "errors.py",
    }


def test_libraries_from_outside_are_named_and_the_standard_library_is_not(project):
    assert closure(project / "figures/a.py", project).libraries == {"numpy"}


def test_a_name_in_from_import_can_be_a_module(project):
    write(project / "figures/b.py", "from lab import deep\n")
    files = {path.name for path in closure(project / "figures/b.py", project).files}
    assert files == {"b.py", "__init__.py", "deep.py"}


@pytest.mark.parametrize(
    ("key", "line"),
    [("share", 7), ("total", 8), ("gpt2_width", 9), ("gpt2_half", 11), ("never_made", 6)],
)
def test_a_fact_points_at_the_line_that_makes_it(project, key, line):
    assert fact_lines(project / "figures/a.py", [key])[key] == line


def test_literal_keys_are_read_without_running(project):
    assert literal_keys(project / "figures/a.py") == ["share", "total"]


def test_a_relative_import_is_refused_with_file_and_line(project):
    write(project / "figures/c.py", "import json\nfrom . import a\n")
    with pytest.raises(BadSource, match=r"c\.py:2"):
        closure(project / "figures/c.py", project)


def test_a_syntax_error_names_file_and_line(project):
    write(project / "figures/d.py", "x = 1\ndef (:\n")
    with pytest.raises(BadSource, match=r"d\.py:2"):
        closure(project / "figures/d.py", project)


def test_private_files_are_no_figures(project):
    write(project / "figures/__init__.py", "")
    write(project / "figures/_palette.py", "")
    assert list(figure_files(project / "figures")) == ["a"]


def test_a_file_that_is_not_utf_8_says_so(project):
    (project / "figures/gbk.py").write_bytes('x = "层"\n'.encode("gbk"))
    with pytest.raises(BadSource, match=r"gbk\.py：不是 UTF-8"):
        closure(project / "figures/gbk.py", project)
