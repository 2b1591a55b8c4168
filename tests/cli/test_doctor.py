from __future__ import annotations

import json
from pathlib import Path

import pytest

from dgl_mathtree.cli import main
from dgl_mathtree.nn import MODELS, agreement
from dgl_mathtree.nn.drivers.native import library
from tests.nn.drivers.native import NEEDS_LIBRARY

Captured = pytest.CaptureFixture[str]


@NEEDS_LIBRARY
def test_what_runs_here(capsys: Captured) -> None:
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["drivers"]) == {"dgl", "levels", "native"} and not any(found["drivers"].values())
    assert found["native"]["variant"] in found["native"]["variants"]
    assert {"python", "torch", "dgl"} <= set(found["versions"])
    assert all(0 <= d < 1e-10 for row in found["agreement"]["differences"].values() for d in row.values())
    assert set(found["agreement"]["differences"]["native"]) == {name for name, m in MODELS.items() if m.is_cell}


def test_without_the_c_code_it_says_so_and_how_to_get_it(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(library, "FILE", tmp_path / "_kernels.so")
    library._file.cache_clear()
    library.load_library.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))  # where there is no compiler
    try:
        assert main(["doctor"]) == 0
    finally:
        monkeypatch.undo()
        library._file.cache_clear()
        library.load_library.cache_clear()
    text = capsys.readouterr().out
    assert "driver levels: available" in text
    assert "driver native: not available: the C code was not built: install a C compiler" in text
    assert "C compiler: none found" in text and "self-test: passed" in text


def test_drivers_that_disagree_are_noticed(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "TOLERANCE", 0.0)
    assert main(["doctor"]) == 1
    assert "self-test: FAILED" in capsys.readouterr().out
