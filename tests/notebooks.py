"""Running the notebooks of examples/ as their readers do, for the tests of each."""

from __future__ import annotations

import copy
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat

from tools.notebooks import stored

EXAMPLES = Path(__file__).parent.parent / "examples"
# In a process of its own, as the libraries leave sockets open.
PROGRAM = """
import sys
import nbformat
from tools.notebooks import executed
notebook = nbformat.read(sys.argv[1], as_version=4)
nbformat.write(executed(notebook, sys.argv[2]), sys.argv[3])
"""


def run_notebook(name: str, folder: Path) -> Any:
    """A notebook of the examples, run from its first cell to its last in a folder."""
    out = folder / "executed.ipynb"
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, str(EXAMPLES / name), str(folder), str(out)]
    result = subprocess.run(command, cwd=EXAMPLES.parent, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return nbformat.read(out, as_version=4)


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def kinds(cell: Any) -> list[tuple[str, ...]]:
    """What a cell shows: the kinds of its outputs, each with the types of its data."""
    return [(output.output_type, output.get("name", ""), *sorted(output.get("data", ()))) for output in cell.outputs]


def assert_stored(name: str, again: Any) -> None:
    """The committed notebook has the outputs that running it has."""
    notebook = nbformat.read(EXAMPLES / name, as_version=4)
    nbformat.validate(notebook)
    for cell, new in zip(code_cells(notebook), code_cells(stored(copy.deepcopy(again))), strict=True):
        assert cell.source == new.source
        assert kinds(cell) == kinds(new), "make notebooks stores the outputs"
        assert all(kind[0] != "error" for kind in kinds(cell))
    assert any(cell.outputs for cell in code_cells(notebook))
