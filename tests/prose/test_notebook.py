"""What a notebook's rendered HTML is judged to say, cell texts through the real converter."""

import re

import jupytext
import nbformat
import pytest
from mkdocs_jupyter import convert
from one_page import SHELF

from ffnsite.prose.notebook import judge_page
from ffnsite.prose.sheet import Sheet


@pytest.fixture
def read(tmp_path):
    """Cells of Markdown to the judged HTML and the sheet; text stands from line 2, column 3."""

    def read(*cells):
        lines = [
            "# %% [markdown]\n" + re.sub("^", "# ", cell, flags=re.MULTILINE) for cell in cells
        ]
        source = "\n\n".join(lines) + "\n"
        path = tmp_path / "cells.ipynb"
        nbformat.write(jupytext.reads(source, fmt="py:percent"), path)
        sheet = Sheet("docs/lab/cells.py", source)
        return judge_page(convert.nb2html(str(path)), sheet, SHELF), sheet

    return read


@pytest.mark.parametrize(
    ("cell", "place", "kind"),
    [
        ('[八成](fact:block.share "题")', "2:3", "disagrees"),
        ("**粗 [八成](fact:block.share)**", "2:7", "disagrees"),
        ("`[八成](fact:block.share)`\n\n[八成](fact:block.share)", "4:3", "disagrees"),
        ("|a|b|\n|-|-|\n|c|[八成](fact:block.share)|", "4:6", "disagrees"),
        ("- 甲\n    - 乙 [八成](fact:block.share)", "3:11", "disagrees"),
        ("[10<sup>3</sup>](fact:block.width)", "2:3", "unreadable"),
        ("共 *37* 个", "2:6", "unbound"),
        ("![37 个点](a.png)", "2:5", "unbound"),
        ("[多](facts:block.share)", "2:3", "misplaced"),
        ("[多][r]\n\n[r]: fact:block.share", "4:8", "misplaced"),
        ('<a href="fact:block.share">多</a>', "2:12", "misplaced"),
        ("[多](plain:有 空格)", "2:3", "misplaced"),
        ("文 ![条形图：FFN 的那一条最长](figure:block) 字", "2:6", "misplaced"),
        ("## 宽 $d$ {#w}", "2:8", "misplaced"),
        ("**很多 的", "2:3", "misplaced"),
        ("$x$ 与 $\\frob$", "2:9", "unreadable"),
    ],
)
def test_a_fault_is_found_where_it_stands(read, cell, place, kind):
    _, sheet = read(cell)
    found = [(f"{fault.line}:{fault.column}", fault.kind) for fault in sheet.faults]
    assert found == [(place, kind)]


@pytest.mark.parametrize(
    "cell",
    [
        "[三分之二](fact:block.share)，[$8d^2$](fact:block.ffn)，[2048&nbsp;个](fact:block.width)",
        "[三分\n之二](fact:block.share)",
        "[42](plain:银河系漫游指南)，[42](<plain:银河系 漫游>)",
        "`37` 和\n\n```\n[八成](fact:no.name) 37\n```",
        "<!-- [八成](fact:block.share) 37 个 -->\n\n文",
        "![条形图：FFN 的那一条最长](figure:block)",
        "$a<b$，$x_1 * y_1$",
    ],
)
def test_what_is_right_has_no_fault(read, cell):
    assert read(cell)[1].faults == []


def test_dollars_around_spaces_are_no_formula(read):
    _, sheet = read("价 $5 与 $6")
    assert {quote.text for quote in sheet.quotes} >= {"5", "6"}


def test_a_chinese_reason_is_kept_as_it_was_written(read):
    assert read("[42](plain:银河系漫游指南)")[1].quotes[0].name == "银河系漫游指南"


def test_headings_have_their_slug_or_no_id_at_all(read):
    html, _ = read("# 标题 {#a}", "## 无名", "## named")
    assert re.findall(r"<h[12][^>]*>", html) == ['<h1 id="a">', "<h2>", '<h2 id="named">']


def test_the_converter_s_scripts_and_styles_are_gone(read):
    html, _ = read("文", "<script>alert(1)</script>\n\n<style>p {}</style>")
    assert not re.search("<script|<style", html)
