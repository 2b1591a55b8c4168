"""DGL 2 beside a torch that its graphbolt was not built for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from dgl_mathtree.dgl_graphbolt import NAME, GraphboltFinder, loadable

TORCH = torch.__version__.partition("+")[0]
TORCHDATA = {"__init__.py": "", "datapipes/__init__.py": ""}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def test_a_graphbolt_that_cannot_be_loaded_is_replaced(tmp_path: Path) -> None:
    dgl = write(tmp_path, {"graphbolt/__init__.py": "", "graphbolt/libgraphbolt_pytorch_2.0.0.so": ""})
    assert not loadable(str(dgl))
    spec = GraphboltFinder().find_spec(NAME, [str(dgl)])
    assert spec is not None and spec.name == NAME


def test_other_modules_are_left_alone(tmp_path: Path) -> None:
    assert GraphboltFinder().find_spec("dgl", [str(tmp_path)]) is None
    assert GraphboltFinder().find_spec("dgl.data", [str(tmp_path)]) is None


def test_a_graphbolt_that_can_be_loaded_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dgl = write(tmp_path / "dgl", {f"graphbolt/libgraphbolt_pytorch_{TORCH}.so": ""})
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchdata"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(write(tmp_path / "path" / "torchdata", TORCHDATA).parent))
    assert loadable(str(dgl))
    assert GraphboltFinder().find_spec(NAME, [str(dgl)]) is None


def test_the_empty_module_says_why_its_names_are_missing(tmp_path: Path) -> None:
    package = {"__init__.py": "from . import graphbolt", "graphbolt/__init__.py": "raise ImportError('torchdata')"}
    write(tmp_path / "dgl", package)
    program = "import dgl_mathtree, dgl; print(dgl.graphbolt.__name__); dgl.graphbolt.ItemSet"
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {program}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "dgl.graphbolt\n"
    assert f"dgl.graphbolt.ItemSet is not available: dgl.graphbolt of this DGL cannot be loaded with torch {TORCH}" in (
        done.stderr
    )


def test_dgl_is_importable_after_the_package() -> None:
    program = "import dgl_mathtree, dgl; print(dgl.graph(([1, 2], [0, 0])).in_degrees(0))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "2"), done.stderr
