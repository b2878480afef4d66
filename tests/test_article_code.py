"""The Python code of every chapter runs and its asserts hold; a page's blocks run in order."""

import re
from pathlib import Path

import pytest
import torch

PAGES = sorted((Path(__file__).resolve().parent.parent / "docs" / "ffn").glob("*.md"))
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def code_of(page):
    """The page's blocks with empty lines between them, so that a traceback has the page's lines."""
    text = page.read_text(encoding="utf-8")
    kept = ["\n"] * (text.count("\n") + 1)
    for block in BLOCK.finditer(text):
        first = text.count("\n", 0, block.start(1))
        lines = block[1].splitlines(keepends=True)
        kept[first : first + len(lines)] = lines
    return "".join(kept)


WITH_CODE = [page for page in PAGES if code_of(page).strip()]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.stem)
def test_code_of_the_chapter_runs_and_its_asserts_hold(page):
    code = compile(code_of(page), str(page), "exec")
    with torch.random.fork_rng():
        exec(code, {"__name__": "article"})


def test_the_anatomy_chapter_has_code_with_asserts():
    (page,) = [page for page in WITH_CODE if page.stem == "02-anatomy"]
    assert code_of(page).count("assert ") >= 8


def test_lines_of_the_code_are_lines_of_the_page(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# 题\n\n```python\na = 1\n```\n文\n```python\nassert a == 2\n```\n")
    with pytest.raises(AssertionError) as caught:
        exec(compile(code_of(page), str(page), "exec"), {})
    assert caught.tb.tb_next.tb_lineno == 8


def test_code_that_is_wrong_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nassert 1 + 1 == 3\n```\n")
    with pytest.raises(AssertionError):
        test_code_of_the_chapter_runs_and_its_asserts_hold(page)
