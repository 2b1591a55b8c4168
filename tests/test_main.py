"""The command and the process it runs in: signals, environment, streams and the home of whoever starts it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from dgl_mathtree.cli import main
from dgl_mathtree.data.data_files import read_rows
from dgl_mathtree.data.data_writer import write_rows

COMMAND = [sys.executable, "-m", "dgl_mathtree"]


def bare(home: Path) -> dict[str, str]:
    """An environment that says nothing of DGL or caches, with a home of one's own."""
    told = ("DGLBACKEND", "DGL_DOWNLOAD_DIR", "XDG_CACHE_HOME")
    return {name: value for name, value in os.environ.items() if name not in told} | {"HOME": str(home)}


def test_a_home_that_cannot_be_written(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("not a folder: not even root can write into it")
    result = subprocess.run([*COMMAND, "verify", "x = x", "--json"], env=bare(home), capture_output=True, text=True)
    assert result.returncode == 0
    assert result.stderr == ""
    assert json.loads(result.stdout)["oracle"] == "true"


def test_a_home_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    rows = [row for part in ("train", "validation", "test") for row in islice(read_rows("paper", part), 20)]
    write_rows(tmp_path / "data", rows, {"name": "little"})
    options = ["--model", "majority", "--out", str(tmp_path / "run")]
    command = [*COMMAND, "train", str(tmp_path / "data"), *options]
    result = subprocess.run(command, env=bare(tmp_path / "home"), capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "backend" not in result.stdout + result.stderr
    assert not list((tmp_path / "home").iterdir())
    assert {file.stem for file in (tmp_path / "data" / ".cache").rglob("*.safetensors")} == {
        "train",
        "validation",
        "test",
    }


@pytest.mark.parametrize("module", ["numpy", "torch"])
def test_an_interrupt_while_the_program_is_loaded(module: str) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "dgl_mathtree", "verify", "x = x"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        for line in process.stderr:  # a line for each module that has been imported
            if line.split("|")[-1].strip().startswith(f"{module}."):
                break
        process.send_signal(signal.SIGINT)
        # Not communicate(), which reads past what the loop above has buffered and may so begin inside a line.
        errors, output = process.stderr.read(), process.stdout.read()
        assert process.wait(timeout=60) == 130
    assert output == ""
    assert [line for line in errors.splitlines() if not line.startswith("import time:")] == ["mathtree: interrupted"]


def test_a_call_leaves_the_process_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("TORCH_CPP_LOG_LEVEL", "INFO")
    environment = dict(os.environ)
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        assert main(["parse", "x = 1"]) == 0
        assert main(["parse", "x ="]) == 2
        with pytest.raises(SystemExit):
            main(["parse"])
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)
    assert dict(os.environ) == environment


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "paper", "--model", "tree-rnn", "--out", "runs/\udcff"], r"argument 6 is not UTF-8 text: runs/\xff"),
        (["models", "--hidden", "1000000000"], "hidden must be at least 1 and at most 5000, not 1000000000"),
        (["models", "--hidden", "many"], "argument --hidden: invalid int value: 'many'; see mathtree models --help"),
        (["models", "--hidden", "0"], "hidden must be at least 1 and at most 5000, not 0"),
        (["train", "--set"], "argument --set: expected one argument; see mathtree train --help"),
    ],
)
def test_bad_arguments_take_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(arguments)
    except SystemExit as left:
        code = int(left.code or 0)
    assert code == 2
    assert capsys.readouterr().err == f"mathtree: {message}\n"


def test_what_no_command_foresaw_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["report", str(tmp_path / ("a" * 300))]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    ("closed", "arguments", "code"),
    [(">&-", "x=x", 0), ("2>&-", "x=", 2), ("<&-", "--file -", 0), (">&- 2>&-", "x=", 2)],
)
def test_closed_streams(closed: str, arguments: str, code: int) -> None:
    command = f"{sys.executable} -m dgl_mathtree oracle {arguments} {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")
