"""Every figure file keeps its contract, as far as that can be seen without its reader."""

import ast
from pathlib import Path

import msgspec
import pytest

from ffnsite.site.reading import check
from ffnsite.site.settings import load
from ffnsite.sources import figure_files

ROOT = Path(__file__).parent.parent
FILES = figure_files(ROOT / "figures")
STOCK = check(*load(ROOT / "mkdocs.yml"), ()).stock


@pytest.mark.parametrize("name", FILES)
def test_a_figure_is_drawn_and_every_fact_points_into_its_file(name):
    assert name in STOCK.gathered.drawings, STOCK.gathered.faults.get(name)
    own = [known for known in STOCK.gathered.facts.values() if known.name.startswith(f"{name}.")]
    lines = FILES[name].read_text(encoding="utf-8").count("\n")
    assert own
    for known in own:
        path, _, line = known.where.partition(":")
        assert (ROOT / path) == FILES[name]
        assert 1 < int(line) <= lines


@pytest.mark.parametrize("name", FILES)
def test_a_figure_has_one_public_function(name):
    tree = ast.parse(FILES[name].read_text(encoding="utf-8"))
    public = [n.name for n in tree.body if isinstance(n, ast.FunctionDef) and n.name[0] != "_"]
    assert public == ["draw"]


@pytest.mark.parametrize("name", FILES)
def test_only_colours_that_have_a_dark_twin_are_drawn(name):
    drawing = STOCK.gathered.drawings[name]
    text = msgspec.json.encode([view.plotly or view.svg for view in drawing.views]).decode()
    used = {f"#{part[:6]}" for part in text.split("#")[1:] if _hex(part[:6])}
    assert used <= drawing.dark.keys()


def _hex(part: str) -> bool:
    return len(part) == 6 and all(character in "0123456789abcdef" for character in part)


def test_each_dark_colour_belongs_to_one_light_colour_and_none_is_both():
    dark = next(iter(STOCK.gathered.drawings.values())).dark
    assert not dark.keys() & set(dark.values())
