"""Every laboratory notebook runs as a script, and its asserts hold."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "docs" / "lab").glob("*.py"))


def run(path):
    """A process of its own: a notebook sets torch's default type."""
    return subprocess.run(
        [sys.executable, str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=path.parent,
        capture_output=True,
        text=True,
        check=False,
    )


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_as_a_script_and_its_asserts_hold(notebook):
    done = run(notebook)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_explains_before_it_computes_and_asserts(notebook):
    text = notebook.read_text(encoding="utf-8")
    assert text.index("# %% [markdown]") < text.index("# %%\n")
    assert "\nassert " in text


def test_a_notebook_that_is_wrong_is_noticed(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("# %%\nassert 1 + 1 == 3\n")
    assert run(wrong).returncode == 1
