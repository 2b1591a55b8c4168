from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dgl_mathtree.cli import main
from dgl_mathtree.training import Config, RunError, train
from dgl_mathtree.training.run_lock import LOCK, RunLock

HOLD = """
import sys
from pathlib import Path
from dgl_mathtree.training.run_lock import RunLock
RunLock(Path(sys.argv[1])).take()
print("taken", flush=True)
sys.stdin.read()
"""


def holder(folder: Path) -> subprocess.Popen[str]:
    """A process that has a folder's lock until it is killed."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", HOLD, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "taken\n"
    return process


def test_it_is_given_back(tmp_path: Path) -> None:
    for _ in range(2):
        with RunLock(tmp_path) as lock:
            lock.take()
            with pytest.raises(RunError, match=r"in use: process \d+ trains in it"), RunLock(tmp_path) as second:
                second.take()
            assert (tmp_path / LOCK).is_file()
    assert not any(tmp_path.iterdir())


def test_who_has_not_taken_it_does_not_give_it_back(tmp_path: Path) -> None:
    with RunLock(tmp_path) as lock:
        lock.take()
        with RunLock(tmp_path):
            pass
        assert (tmp_path / LOCK).is_file()


def test_a_second_run_is_refused_until_the_first_is_killed(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    process = holder(run)
    command = ["train", str(data), "--model", "tree-rnn", "--epochs", "1", "--hidden", "4", "--out", str(run)]
    try:
        assert main(command) == 2
        captured = capsys.readouterr()
        assert captured.err.startswith(f"mathtree: {run} is in use: process {process.pid} trains in it")
        assert (captured.out, captured.err.count("\n")) == ("", 1)
        assert [file.name for file in run.iterdir()] == [LOCK]
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert (run / LOCK).is_file()  # a killed process cannot clear up
    assert main(command) == 0
    assert not (run / LOCK).exists()


def test_a_finished_run_needs_no_lock(data: Path, tmp_path: Path) -> None:
    config = Config(data=str(data), model="majority")
    metrics = train(config, tmp_path / "run")
    with RunLock(tmp_path / "run") as lock:
        lock.take()
        assert train(config, tmp_path / "run") == metrics


@pytest.mark.slow
def test_two_commands_at_once(data: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-m", "dgl_mathtree", "train", str(data), "--model", "tree-lstm"]
    command += ["--epochs", "30", "--early-stopping", "30", "--hidden", "8", "--out", str(tmp_path / "run"), "--seed"]
    processes = [
        subprocess.Popen([*command, str(seed)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for seed in (0, 1)
    ]
    outputs = [process.communicate(timeout=300) for process in processes]
    codes = sorted(process.returncode for process in processes)
    assert codes == [0, 2], outputs
    (error,) = [errors for (_, errors), process in zip(outputs, processes, strict=True) if process.returncode]
    assert error.startswith(f"mathtree: {tmp_path / 'run'} is ") and error.count("\n") == 1
