"""Run the notebooks of examples/ and store their outputs in them: python tools/notebooks.py [NOTEBOOK ...]

What differs from run to run and says nothing is left out: progress bars, times, and names of objects in memory.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat

from dgl_mathtree.files import write_atomically

ROOT = Path(__file__).parent.parent
NOTEBOOKS = tuple(sorted((ROOT / "examples").glob("*.ipynb")))
FOLDER = re.compile(re.escape(tempfile.gettempdir()) + r"/\w+/")
"""Temporary folders, whose names are drawn."""
LARGEST_TEXT = 3000
"""Characters of a plain text that is stored beside a page of the same."""


def executed(notebook: Any, folder: str) -> Any:
    """A notebook with the outputs that its cells have when it is run in a folder."""
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient

    kernel = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=str(Path(folder) / "kernel"))
    resources = {"metadata": {"path": folder}}
    NotebookClient(notebook, km=kernel, timeout=1800, resources=resources).execute()
    return notebook


def stored(notebook: Any) -> Any:
    """A notebook that was run, as it is kept: of progress bars the last state, and no times of cells."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            outputs: list[Any] = []
            for output in cell.outputs:
                same = outputs and output.get("name") and output.get("name") == outputs[-1].get("name")
                if same:
                    outputs[-1].text += output.text
                else:
                    outputs.append(output)
            cell.outputs = [_kept(output) for output in outputs]
    return notebook


def _kept(output: Any) -> Any:
    """An output without what differs from run to run and says nothing."""
    if output.output_type == "stream":
        lines = (line.rpartition("\r")[2].rstrip() for line in output.text.split("\n"))
        output.text = FOLDER.sub("", "".join(f"{line}\n" for line in lines if line))
        return output
    data = output.get("data", {})
    if "text/html" in data and len(data.get("text/plain", "")) > LARGEST_TEXT:
        del data["text/plain"]
    for kind in data:
        data[kind] = FOLDER.sub("", data[kind])
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
