"""What the README shows can be done as it says."""

import re
from pathlib import Path

import pytest

from ffnsite.cli import COMMANDS
from ffnsite.prose.binding import judge_quote
from ffnsite.prose.quote import Place
from ffnsite.site.reading import check
from ffnsite.site.settings import load

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BINDINGS = re.findall(r"(?<!!)\[([^\]\n]+)\]\((fact|cite):([a-z0-9_]+\.[a-z0-9_]+)\)", README)
SHELF = check(*load(ROOT / "mkdocs.yml"), (ROOT / "docs/index.md",)).stock.shelf


@pytest.mark.parametrize(("words", "scheme", "name"), BINDINGS)
def test_a_binding_of_the_readme_is_true(words, scheme, name):
    quote = judge_quote(Place("README.md", 1, 1), words, scheme, name, SHELF)
    assert quote.verdict.right, quote.message


def test_the_readme_shows_bindings():
    assert {scheme for _, scheme, _ in BINDINGS} == {"fact", "cite"}


@pytest.mark.parametrize("target", re.findall(r"`make ([a-z]+)`", README))
def test_a_make_target_of_the_readme_exists(target):
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("command", sorted(set(re.findall(r"python -m ffnsite ([a-z]+)", README))))
def test_a_command_of_the_readme_exists(command):
    assert command in COMMANDS


@pytest.mark.parametrize("path", re.findall(r"\]\(((?:docs|ffnsite)/[^)]+)\)", README))
def test_a_file_of_the_readme_exists(path):
    assert (ROOT / path).is_file()
