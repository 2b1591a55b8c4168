from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dgl_mathtree.data.process_map import ordered_map


def test_results_come_in_order() -> None:
    for workers in (1, 2):
        with ordered_map(workers) as mapped:
            assert list(mapped(abs, range(-5, 5))) == [5, 4, 3, 2, 1, 0, 1, 2, 3, 4]


def test_processes_are_killed_when_the_work_is_given_up() -> None:
    def give_up() -> None:
        with ordered_map(2) as mapped:
            mapped(time.sleep, [1000, 1000])
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):  # and not after a thousand seconds
        give_up()


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_generation_with_workers_stops_when_told(number: signal.Signals, code: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dgl_mathtree", "generate", str(tmp_path / "data"), "--workers", "2"]
    process = subprocess.Popen(
        [*command, "--scale", "50"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    workers: list[int] = []
    deadline = time.monotonic() + 200
    while len(workers) < 3 and time.monotonic() < deadline:  # two, and a process of Python's own
        workers = [int(child) for child in children.read_text(encoding="utf-8").split()]
        time.sleep(0.05)
    assert len(workers) == 3
    os.killpg(process.pid, number)  # as a terminal does
    _, errors = process.communicate(timeout=100)
    assert process.returncode == code
    assert "Traceback" not in errors
    while any(map(is_running, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_running, workers))
    assert {file.name for file in tmp_path.iterdir()} <= {"data.blocks"}  # from which the same command resumes
