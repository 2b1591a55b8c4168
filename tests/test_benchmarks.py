"""The benchmarks run and say what they promise; how fast it was is not asserted."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import numpy as np
import pytest

from dgl_mathtree import load
from dgl_mathtree.cli import main
from dgl_mathtree.language import parse_equation

from .markdown import ROOT


@pytest.fixture(autouse=True)
def _benchmarks_import_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """As they do when run as programs, whose folder is on the path."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))


@pytest.mark.slow
def test_the_quick_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["benchmark", "--quick", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert set(result["cells"]) == {"tree-lstm", "m-tree-lstm+stack", "second-order-tree-rnn"}
    for rows in result["cells"].values():
        assert set(rows) - {"native+share"} == {"levels+share", "levels", "dgl", "recursion"}
        for row in rows.values():
            assert set(row) == {"train", "train_ratio", "inference", "inference_ratio"}
            assert all(value > 0 for value in row.values())
        assert rows["dgl"]["train_ratio"] == rows["dgl"]["inference_ratio"] == 1.0
    for row in result["epochs"].values():
        assert {"dgl", "levels", "levels_ratio"} <= set(row) and all(value > 0 for value in row.values())
    assert result["peers"]["pytorch-tree-lstm"]["train"] > 0
    assert result["completion"]["tree-lstm"]["candidates"] == 1470
    assert result["completion"]["tree-lstm"]["ratio"] > 0
    assert [row["equations"] for row in result["growth"]] == [50, 500, 5000]
    assert set(result["building_ms"]) >= {"plan+graph, shared", "dgl.batch of ready graphs"}
    assert set(result["larger"]) == {"batches of 500", "hidden size 100"}
    assert result["settings"]["fresh_batches"] is True
    for name in result["cells"]:
        for row in result["limit"][name].values():
            assert row["allowed"] > 0 and {"levels"} <= set(row["matrix_share"]) <= {"native", "levels"}


@pytest.mark.slow
def test_cells_may_be_chosen(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "measured.json"
    assert main(["benchmark", "--quick", "--cells", "tree-rnn", "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "fresh batches of 50" in shown and "tree-rnn" in shown and "tree-lstm" not in shown
    result = json.loads(out.read_text())
    for part in ("cells", "epochs", "completion"):
        assert list(result[part]) == ["tree-rnn"]
    assert list(result["larger"]["batches of 500"]) == ["tree-rnn"]


@pytest.mark.parametrize("more", [[], ["--quick"]])
@pytest.mark.parametrize("name", ["tree-lst", "lstm", ""])
def test_a_cell_that_there_is_not(capsys: pytest.CaptureFixture[str], more: list[str], name: str) -> None:
    assert main(["benchmark", *more, "--cells", "tree-rnn", name]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and f"unknown cell {name!r}; expected one of" in said and "m-tree-lstm+stack" in said


def test_a_folder_that_there_is_not(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["benchmark", "--quick", "--out", str(tmp_path / "none" / "x.json")]) == 2
    assert "there is no folder" in capsys.readouterr().err


def test_distinct_equations() -> None:
    equations = runpy.run_path(str(ROOT / "benchmarks" / "growth.py"))["distinct_equations"](42_500)
    assert len(set(equations)) == 42_500


def test_the_benchmark_of_the_oracle() -> None:
    measure = runpy.run_path(str(ROOT / "benchmarks" / "oracle.py"))["measure"]
    rows = measure([parse_equation(text) for text in ("x + y = y + x", "sin(x) = cos(x)", "sqrt(x^2) = x")] * 20, 1)
    assert {"first stage", "both stages", "certify"} < set(rows)
    assert all(row["equations_per_second"] > 0 and row["times_forests"] > 0 for row in rows.values())


def test_the_benchmark_of_the_sequences() -> None:
    measure = runpy.run_path(str(ROOT / "benchmarks" / "sequences.py"))["measure"]
    equations = [parse_equation(text) for text in ("x + y = y + x", "sin(x) = cos(x)", "sqrt(x^2) = x")]
    result = measure(equations, ["x", "y", "2", "1/2"], 2)
    assert list(result) == ["rnn", "lstm", "stack-rnn"]
    for tasks in result.values():
        assert set(tasks) == {"training", "training, dropout 0.1", "inference"}
        assert all(value > 0 for row in tasks.values() for value in row.values())


def test_the_benchmark_of_the_scores() -> None:
    program = runpy.run_path(str(ROOT / "benchmarks" / "scoring.py"))
    texts = ("b + a = a + b", "sin(t) = cos(x)", "a^2 - b^2 = (a - b)*(a + b)", "x*y + z = z + y*x")
    equations = [parse_equation(text) for text in texts]
    trained = load()
    one, *others = (way() for way in program["ways"](trained, equations).values())
    assert len(others) == 3
    for logits in others:
        np.testing.assert_allclose(logits, one, rtol=1e-5)
    rows = program["measure"](trained, equations, 1)
    assert rows["one after the other"]["ratio"] == 1.0
    assert all(row["equations_per_second"] > 0 for row in rows.values())


def test_the_parts_of_completion() -> None:
    program = runpy.run_path(str(ROOT / "benchmarks" / "completion.py"))
    found = program["parts"](load(), program["textbook_blanks"](2))
    assert list(found) == ["complete", "expressions", "candidates", "oracle", "network", "choice"]
    assert all(milliseconds > 0 for milliseconds in found.values())


def test_the_benchmark_of_reading() -> None:
    found = runpy.run_path(str(ROOT / "benchmarks" / "reading.py"))["measure"](1)
    assert list(found) == ["textbook", "paper", "textbook, LaTeX", "paper, LaTeX", "rows of paper"]
    assert all(microseconds > 0 for microseconds in found.values())
