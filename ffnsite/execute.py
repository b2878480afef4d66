"""The child process that executes a laboratory notebook, written as py:percent, from top to bottom.

    python -m ffnsite.execute SOURCE OUT

OUT holds the executed notebook as JSON. A cell that raises ends the run: standard error says which
cell, its line in SOURCE, and why.
"""

import re
import sys
from pathlib import Path

import jupytext
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from ffnsite.cache import write_atomically
from ffnsite.errors import BadFigure, FfnsiteError

CELL_LIMIT = 600
LAST_LINES = 8
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
IN_CELL = re.compile(r"^Cell In\[\d+\], line (\d+)", re.MULTILINE)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def main(arguments: list[str]) -> int:
    """Executes the notebook; the exit status."""
    source, out = map(Path, arguments)
    try:
        notebook = execute(source)
    except FfnsiteError as fault:
        sys.stderr.write(f"{fault}\n")
        return 1
    write_atomically(out, jupytext.writes(notebook, fmt="ipynb").encode("utf-8"))
    return 0


def execute(source: Path) -> NotebookNode:
    """The notebook with its outputs.

    Raises:
        BadFigure: a cell failed.
    """
    notebook: NotebookNode = jupytext.read(source)
    number_cells(notebook)
    # A head that says less, or none, is no fault of the author: there is only this kernel.
    notebook.metadata["kernelspec"] = KERNEL
    client = NotebookClient(
        notebook,
        timeout=CELL_LIMIT,
        kernel_name=KERNEL["name"],
        extra_arguments=["--log-level=40"],  # its warnings would stand before the fault
        resources={"metadata": {"path": str(Path.cwd())}},
    )
    try:
        client.execute()
    except CellExecutionError as fault:
        raise BadFigure(_told(fault, notebook, source)) from fault
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times of day would change every page
    return notebook


def number_cells(notebook: NotebookNode) -> None:
    """Cell ids that depend on nothing but their order: two runs give the same file."""
    for index, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{index}"


def _told(fault: CellExecutionError, notebook: NotebookNode, source: Path) -> str:
    """Which cell failed, at which line of the source, and the last lines of its traceback."""
    failed = next(
        cell for cell in notebook.cells if any(_is_error(o) for o in cell.get("outputs", []))
    )
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    text = source.read_text(encoding="utf-8")
    line = text.count("\n", 0, max(0, text.find(failed.source))) + 1
    inside = IN_CELL.findall(COLOUR.sub("", str(fault)))
    line += int(inside[-1]) - 1 if inside else 0
    last = COLOUR.sub("", str(fault)).strip().splitlines()[-LAST_LINES:]
    return "\n".join([f"{source.name}:{line}：第 {code.index(failed) + 1} 个代码格失败", *last])


def _is_error(output: NotebookNode) -> bool:
    return bool(output.get("output_type") == "error")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
