"""The notebook on trees, run from its first cell to its last as a notebook runs it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.notebooks import assert_stored, code_cells, run_notebook


@pytest.mark.slow
def test_the_notebook_on_trees(tmp_path: Path) -> None:
    notebook = run_notebook("trees.ipynb", tmp_path)
    assert_stored("trees.ipynb", notebook)
    cells = code_cells(notebook)
    values = {
        cell.source.splitlines()[-1]: output.data["text/plain"]
        for cell in cells
        for output in cell.outputs
        if output.output_type == "execute_result"
    }
    shares = next(ast.literal_eval(text) for text in values.values() if text.startswith("{'6'"))
    assert list(shares) == ["6", "7", "8", "9"]
    assert all(float(share.rstrip("%")) > 60 for share in shares.values())  # the most frequent of seven: below 50
    assert ast.literal_eval(values['"#=<>|^v"[found], relation_of(one, two)']) == ("<", "<")
    assert any(text == "(['config.json', 'model.safetensors'], True)" for text in values.values())
