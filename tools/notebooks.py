"""Run the notebooks of examples/ and store their outputs in them: python tools/notebooks.py [NOTEBOOK ...]

What differs from run to run and says nothing is left out: progress bars, times, and names of objects in memory.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat

from dgl_mathtree.files import write_atomically

ROOT = Path(__file__).parent.parent
NOTEBOOKS = tuple(sorted((ROOT / "examples").glob("*.ipynb")))
LARGEST = 300_000
"""Characters of one output that is stored; above it only its text is."""


def executed(notebook: Any, folder: str) -> Any:
    """A notebook with the outputs that its cells have when it is run in a folder."""
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient

    kernel = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=str(Path(folder) / "kernel"))
    resources = {"metadata": {"path": folder}}
    NotebookClient(notebook, km=kernel, timeout=1800, resources=resources).execute()
    return notebook


def stored(notebook: Any) -> Any:
    """A notebook that was run, as it is kept: without times of cells, and without outputs that are too large."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [_kept(output) for output in cell.outputs]
    return notebook


def _kept(output: Any) -> Any:
    """An output; of a progress bar what it showed last."""
    if output.output_type == "stream":
        output.text = "\n".join(line.rpartition("\r")[2] for line in output.text.split("\n"))
    elif "data" in output:
        output.data = {kind: data for kind, data in output.data.items() if len(str(data)) <= LARGEST}
    return output


def main(arguments: list[str]) -> None:
    for file in [Path(name) for name in arguments] or NOTEBOOKS:
        notebook = nbformat.read(file, as_version=4)
        with tempfile.TemporaryDirectory() as folder:
            executed(notebook, folder)
        write_atomically(file, nbformat.writes(stored(notebook)) + "\n")
        print(file)


if __name__ == "__main__":
    main(sys.argv[1:])
