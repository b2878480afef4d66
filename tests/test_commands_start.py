"""Commands start light: each one's import, in a fresh interpreter, loads only what it needs."""

import json
import subprocess
import sys

import pytest

from ffnsite.cli import COMMANDS

HEAVY = {"torch", "plotly", "transformers", "pandas", "nbconvert", "mkdocs_jupyter"}


def loaded(code):
    """The top-level modules that a fresh interpreter has after running the code."""
    tail = "\nimport json, sys\nsys.__stdout__.write(json.dumps(sorted({m.partition('.')[0] for m in sys.modules})))"
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code + tail],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_importing_a_command_loads_neither_torch_nor_plotly(name):
    modules = loaded(f"import ffnsite.commands.{name}")
    assert "click" in modules, "the command was not imported"
    assert not modules & HEAVY


def test_the_list_of_commands_imports_no_command():
    code = (
        "from click.testing import CliRunner\nfrom ffnsite.cli import main\n"
        "assert 'check' in CliRunner().invoke(main, ['--help']).output"
    )
    assert not loaded(code) & (HEAVY | {"mkdocs", "numpy", "markdown", "msgspec", "rich"})


def test_reading_words_needs_no_site_and_no_arrays():
    code = (
        "from click.testing import CliRunner\nfrom ffnsite.cli import main\n"
        "assert '0.75' in CliRunner().invoke(main, ['read', '约八成']).output"
    )
    assert not loaded(code) & (HEAVY | {"mkdocs", "numpy", "markdown", "material", "jieba"})


def test_every_command_has_its_file_and_every_file_its_line_of_help():
    code = (
        "import pkgutil, ffnsite.commands as c\nfrom ffnsite.cli import COMMANDS\n"
        "names = {m.name for m in pkgutil.iter_modules(c.__path__)} - {'options'}\n"
        "assert names == set(COMMANDS), names ^ set(COMMANDS)"
    )
    assert loaded(code)
