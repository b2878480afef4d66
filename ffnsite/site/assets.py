"""The files that pages load: our script and style, plotly from the installed package, figures' data."""

from collections.abc import Iterator
from importlib import util
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File

from ffnsite.figure import Drawing
from ffnsite.prose.picture import PLOTLY
from ffnsite.tabulate import csv_text

FOLDER = "assets/ffnsite"
OWN = Path(__file__).parent / "assets"
FILES = sorted(path for path in OWN.iterdir() if path.is_file())
STYLES = [f"{FOLDER}/{path.name}" for path in FILES if path.suffix == ".css"]
SCRIPTS = [f"{FOLDER}/{path.name}" for path in FILES if path.suffix == ".js"]


def generated(config: MkDocsConfig, drawings: dict[str, Drawing]) -> Iterator[File]:
    """Every file that the site gets besides its pages."""
    for path in FILES:
        yield File.generated(config, f"{FOLDER}/{path.name}", abs_src_path=str(path))
    yield File.generated(config, PLOTLY, abs_src_path=str(_plotly()))
    for name, drawing in drawings.items():
        content = "\r\n".join(csv_text(view.table) for view in drawing.views)
        yield File.generated(config, f"{FOLDER}/{name}.csv", content=content)


def _plotly() -> Path:
    """Plotly's library inside the installed Python package, found without importing it."""
    spec = util.find_spec("plotly")
    folder = Path(next(iter(spec.submodule_search_locations or []))) if spec else Path()
    return folder / "package_data" / "plotly.min.js"
