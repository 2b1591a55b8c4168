"""The examples, run as their users run them."""

from __future__ import annotations

import runpy
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from dgl_mathtree.data.data_files import read_rows
from dgl_mathtree.data.data_writer import write_rows

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "ignore", str(EXAMPLES / name), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def test_one_cell() -> None:
    result = run("one_cell.py")
    assert result.returncode == 0, result.stderr
    assert len(result.stdout.splitlines()) == 4
    assert "largest difference from dgl_mathtree.nn.TreeLSTM" in result.stdout


@pytest.mark.slow
def test_verify(tmp_path: Path) -> None:
    rows = [row for part in ("train", "validation", "test") for row in islice(read_rows("paper", part), 150)]
    write_rows(tmp_path / "data", rows, {"name": "little"})
    options = [
        "--data",
        str(tmp_path / "data"),
        "--epochs",
        "1",
        "--model",
        "tree-lstm",
        "--out",
        str(tmp_path / "run"),
    ]
    result = run("verify.py", *options)
    assert result.returncode == 0, result.stderr
    assert "epoch 1: loss" in result.stdout
    table, judged = result.stdout.split("\n\n")[1:]
    assert [name in table for name in ("tree-lstm", "majority", "bag of operators", "oracle")] == [True] * 4
    assert table.splitlines()[-1].endswith("100.0 100.0 100.0")  # the oracle made the labels
    assert judged.splitlines()[0].split() == ["answer", "fresh", "shipped", "equation"]
    assert len(judged.splitlines()) == 15
    assert (tmp_path / "run" / "metrics.json").is_file()
    one = run("verify.py", *options, "x = x")
    assert one.returncode == 0
    assert "is finished" in one.stdout
    assert one.stdout.splitlines()[-1].startswith("proved ") and one.stdout.endswith("  x = x\n")
    for wrong in (["x ="], ["--data", "nowhere"], ["--model", "gru"]):
        bad = run("verify.py", *wrong)
        assert bad.returncode == 2
        assert "Traceback" not in bad.stderr


def test_exported_graphs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(islice(read_rows("paper", "test"), 40))
    write_rows(tmp_path / "data", rows, {"name": "little"})
    result = run("exported_graphs.py", "--data", str(tmp_path / "data"), "--count", "30")
    assert result.returncode == 0, result.stderr
    first, second, *_ = result.stdout.splitlines()
    assert first.startswith("30 graphs of ") and first.endswith("% classified correctly")
    assert float(second.rpartition(" ")[2]) < 1e-3
    monkeypatch.setattr(sys, "argv", ["exported_graphs.py", "--data", str(tmp_path / "nowhere")])
    assert runpy.run_path(str(EXAMPLES / "exported_graphs.py"))["main"]() == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.slow
def test_other_trees_are_learnt() -> None:
    result = run("other_trees.py", "--epochs", "3")
    assert result.returncode == 0, result.stderr
    shares = [float(line.split(": ")[1].rstrip("% right")) for line in result.stdout.splitlines()[-2:]]
    assert min(shares) > 98


@pytest.mark.slow
def test_logic_and_listops(tmp_path: Path) -> None:
    result = run("logic.py", "--pairs", "200", "--epochs", "1", "--cell", "tree-lstm")
    assert result.returncode == 0, result.stderr
    assert [line.split(" operators")[0].strip() for line in result.stdout.splitlines()[-6:]] == [
        *"789",
        "10",
        "11",
        "12",
    ]
    options = ["--lists", "500", "--epochs", "1", "--out", str(tmp_path / "run")]
    result = run("listops.py", *options)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1].endswith("and 4 would be right")
    assert "is finished" in run("listops.py", *options).stdout
