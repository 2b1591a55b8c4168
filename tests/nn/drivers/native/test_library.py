"""The C code: its builds, how exact its functions are, and what sanitizers say."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import dgl
import numpy as np
import pytest
import torch

from dgl_mathtree.nn import TreeRNN, make_cell
from dgl_mathtree.nn.drivers.native import library

from . import NEEDS_LIBRARY
from .test_passes import NAMES, results, shared_forest

SOURCES = Path(library.__file__).parents[4]
HAS_COMPILER = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


def build(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = ["setup.py", "build_ext", "--build-lib", str(folder / "lib"), "--build-temp", str(folder / "temp")]
    return subprocess.run(
        [sys.executable, *command], cwd=SOURCES, env=os.environ | environment, capture_output=True, text=True
    )


def test_without_a_compiler_the_c_code_is_left_out(tmp_path: Path) -> None:
    found = build(tmp_path, CC=str(tmp_path / "no-compiler"))
    assert found.returncode == 0, found.stderr
    assert not list(tmp_path.rglob("*.so"))


def test_without_the_c_code_cells_run_on_levels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "FILE", tmp_path / "missing.so")
    monkeypatch.setattr(library, "load_library", library.load_library.__wrapped__)
    monkeypatch.setattr(library, "_file", library._file.__wrapped__)
    cell = make_cell("tree-lstm", 4, 2)
    graph = shared_forest(12, 2, 2, random.Random(0))
    assert torch.isfinite(cell(graph, torch.randn(12, 4))).all()
    cell.driver = "native"
    with pytest.raises(ValueError, match="the C code was not built: install a C compiler"):
        cell(graph, torch.randn(12, 4))


def test_a_file_of_other_sources_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "FILE", tmp_path / "_kernels.so")
    (tmp_path / "_kernels.so").write_bytes(b"no library")
    with pytest.raises(library.LibraryError, match="cannot be loaded"):
        library._file.__wrapped__()
    if (Path(library.__file__).parent / "_kernels.so").is_file():
        shutil.copy(Path(library.__file__).parent / "_kernels.so", tmp_path)
        monkeypatch.setattr(library, "INTERFACE", -1)
        with pytest.raises(library.LibraryError, match="built from other sources"):
            library._file.__wrapped__()


@NEEDS_LIBRARY
def test_every_build_computes_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = shared_forest(60, 3, 3, random.Random(1))
    load = library.load_library
    with pytest.raises(library.LibraryError, match="cannot run the variant v9"):
        load("v9")
    for name in NAMES:
        for dtype, tolerance in ((torch.float64, 1e-10), (torch.float32, 1e-5)):
            torch.manual_seed(0)
            cell = make_cell(name, 21, 3, children=3).to(dtype)
            feat = (0.3 * torch.randn(60, 21, dtype=dtype)).requires_grad_()
            mix = torch.randn(60, cell.state_size, dtype=dtype)
            expected = results(cell, "levels", graph, feat, None, mix)
            for variant in load().variants:
                monkeypatch.setattr(library, "load_library", lambda variant=variant: load(variant))
                for ours, theirs in zip(results(cell, "native", graph, feat, None, mix), expected, strict=True):
                    allowed = tolerance * max(float(theirs.abs().max()), 1e-3)
                    torch.testing.assert_close(ours, theirs, rtol=0, atol=allowed)
                monkeypatch.undo()


def values_of(activation: str, x: torch.Tensor) -> torch.Tensor:
    """A function of numbers as the C code computes it: of single children that a map leaves as they are."""
    size = x.shape[1]
    cell = TreeRNN(size, 1, children=1, activation=activation).to(x.dtype)
    with torch.no_grad():
        cell.layer.weight[0] = torch.eye(size)
    cell.driver = "native"
    count = len(x)
    graph = dgl.graph((torch.arange(count), torch.arange(count) + count))
    graph.ndata["op"], graph.edata["pos"] = torch.zeros(2 * count).long(), torch.zeros(count).long()
    with torch.no_grad():
        return cell(graph, torch.cat([x, torch.zeros_like(x)]))[count:]


@NEEDS_LIBRARY
@pytest.mark.parametrize("activation", ["tanh", "sigmoid"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_functions_are_exact_to_two_units_in_the_last_place(activation: str, dtype: torch.dtype) -> None:
    grid = np.concatenate([np.linspace(-20, 20, 40_000), np.linspace(-80, 80, 10_000), np.geomspace(1e-30, 1, 10_000)])
    x = torch.from_numpy(np.resize(grid, (1600, 37))).to(dtype)
    ours = values_of(activation, x).numpy()
    wide = x.numpy().astype(np.longdouble)
    exact: Any = np.tanh(wide) if activation == "tanh" else 1 / (1 + np.exp(-wide))
    units = np.abs(ours - exact) / np.spacing(np.abs(exact).astype(ours.dtype))
    assert units.max() <= 2


@NEEDS_LIBRARY
def test_what_is_not_finite_stays_so() -> None:
    x = torch.tensor([[float("nan"), float("inf"), -float("inf"), 1000.0, -1000.0, 0.0, 0.0, 0.0, 0.0]])
    torch.testing.assert_close(values_of("tanh", x[:, 3:]), torch.tanh(x[:, 3:]))
    assert torch.isnan(values_of("tanh", x)).any() and torch.isnan(values_of("sigmoid", x)).any()


@pytest.mark.slow
@HAS_COMPILER
def test_sanitizers_find_nothing(tmp_path: Path) -> None:
    flags = "-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1"
    made = build(tmp_path, CFLAGS=flags, LDFLAGS="-fsanitize=address,undefined")
    assert made.returncode == 0, made.stderr
    (file,) = tmp_path.rglob("_kernels.so")
    runtime = subprocess.run(["cc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    script = tmp_path / "all.py"
    script.write_text(PROGRAM)
    environment = {"LD_PRELOAD": runtime.stdout.strip(), "ASAN_OPTIONS": "detect_leaks=0", "PYTHONPATH": str(SOURCES)}
    found = subprocess.run(
        [sys.executable, str(script), str(file)], env=os.environ | environment, capture_output=True, text=True
    )
    assert found.returncode == 0, found.stderr[-3000:]
    assert "runtime error" not in found.stderr and "AddressSanitizer" not in found.stderr
    assert found.stdout == "done\n"


PROGRAM = """
import pathlib, random, sys
import numpy
import torch
from dgl_mathtree.nn import make_cell
from dgl_mathtree.nn.drivers.native import library
library.FILE = pathlib.Path(sys.argv[1])
load, variants = library.load_library, library.load_library().variants
from dgl_mathtree.nn.drivers.native.adam import NativeAdam
from dgl_mathtree.errors import InputError
from dgl_mathtree.nn.drivers import run
from dgl_mathtree.nn.drivers.native import cutting as native_cutting
from tests.nn.drivers import test_misuse as wrong
from tests.nn.drivers.native import test_cutting as cutting
from tests.nn.drivers.native.test_passes import VARIANTS, results, shared_forest

def attempt(call, refused):
    cell = wrong.cell()
    cell.driver = "native"
    try:
        found = call(cell)
        (found.sum() + 0 * cell.gate.weight.sum()).backward()
    except InputError:
        assert refused
    else:
        assert not refused

def misuse():
    for mask in wrong.MASKS.values():
        attempt(lambda c: run(c, dropout_mask=mask, **wrong.inputs()), False)
    for mask, _ in wrong.BAD_MASKS.values():
        attempt(lambda c: run(c, dropout_mask=mask, **wrong.inputs()), True)
    for name, cases in {"rows": wrong.ROWS, "leaves": wrong.LEAF_STATES}.items():
        for given, _ in cases.values():
            attempt(lambda c: run(c, **wrong.inputs(**{name: given})), True)
    for make, _ in wrong.PLANS.values():
        attempt(lambda c: run(c, **wrong.inputs(plan=make(), rows=torch.tensor([1]))), True)
    for rows in wrong.GOOD_ROWS.values():
        attempt(lambda c: run(c, **wrong.inputs(rows=torch.tensor(rows, dtype=torch.int64))), False)
    for view in wrong.VIEWS.values():
        attempt(lambda c: run(c, **wrong.inputs(leaves=view(wrong.inputs()["leaves"]))), False)

def batches():
    forests = [cutting.FOREST, *cutting.FORESTS.values()]
    found = [native_cutting._cut(f, numpy.arange(n), cutting.OPERATOR_NAMES) for f in forests for n in range(1, 6)]
    assert [each is not None for each in found[:5]] == [True] * 5
    assert native_cutting._cut(cutting.FOREST, numpy.array([-1]), cutting.OPERATOR_NAMES) is None
    assert native_cutting._cut(cutting.FOREST, numpy.array([5]), cutting.OPERATOR_NAMES) is None

batches()
for variant in variants:
    library.load_library = lambda variant=variant: load(variant)
    for k, (name, options) in enumerate(VARIANTS):
        for size, dtype in ((3, torch.float32), (17, torch.float32), (5, torch.float64)):
            graph = shared_forest(45, 2, 3, random.Random(k))
            cell = make_cell(name, size, 2, children=3, dropout=0.3, **options).to(dtype)
            feat = torch.randn(45, size, dtype=dtype).requires_grad_()
            mask = cell.draw_dropout(45, feat)
            results(cell, "native", graph, feat, mask, torch.randn(45, cell.state_size, dtype=dtype))
            adam = NativeAdam(cell.parameters(), lr=0.1)
            cell.states(graph, feat).sum().backward()
            adam.clip(1.0)
            adam.step()
    wide = make_cell("second-order-tree-rnn", 33, 2)
    for nodes in (3, 900):
        graph = shared_forest(nodes, 2, 2, random.Random(0))
        wide.driver = "native"
        with torch.no_grad():
            wide.states(graph, torch.randn(nodes, 33))
    misuse()
print("done")
"""
