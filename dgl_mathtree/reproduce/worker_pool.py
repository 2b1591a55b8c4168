"""Where many runs are made: in processes here, or on a Ray cluster; a run whose worker dies is taken up again."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dgl_mathtree.ray_cluster import TRIES, PoolError, connected, import_ray
from dgl_mathtree.reproduce.jobs import Job, write_job

PAUSE = 0.2
"""Seconds between looks at the processes."""

MODULE = "dgl_mathtree.reproduce.jobs"
"""The module that makes a run, unless another is named."""
COMMAND = ["-W", "ignore", "-m"]
"""What Python is to do for a run; the module, the folder of all runs and a file of the job follow."""

Done = tuple[Any, str | None]
"""A run that ended, and why it failed if it did."""
Pool = Callable[[Path, Iterable[Any]], Iterator[Done]]
"""What makes the runs of some jobs: of `Job`, or of another dataclass for another module."""


def local_pool(workers: int, module: str = MODULE) -> Pool:
    """Runs in this many processes of this machine, made by a module that is given a folder and a file of the job."""
    if workers < 1:
        raise PoolError(f"the number of workers must be at least 1, not {workers}")

    def run(out: Path, jobs: Iterable[Job]) -> Iterator[Done]:
        waiting = list(jobs)
        tries = dict.fromkeys(waiting, 0)
        running: dict[Job, subprocess.Popen[str]] = {}
        with tempfile.TemporaryDirectory() as spare:
            try:
                while waiting or running:
                    while waiting and len(running) < workers:
                        job = waiting.pop(0)
                        tries[job] += 1
                        running[job] = _start(out, job, Path(spare), module)
                    ended = [job for job, process in running.items() if process.poll() is not None]
                    if not ended:
                        time.sleep(PAUSE)
                    for job in ended:
                        process = running.pop(job)
                        _, errors = process.communicate()
                        if process.returncode < 0 and tries[job] < TRIES:
                            waiting.insert(0, job)  # it was killed: take it up again
                        else:
                            yield job, None if process.returncode == 0 else _reason(process.returncode, errors)
            finally:
                for process in running.values():
                    process.kill()
                    process.communicate()

    return run


def _start(out: Path, job: Any, spare: Path, module: str) -> subprocess.Popen[str]:
    file = spare / f"{abs(hash(job))}.json"
    write_job(file, job)
    return subprocess.Popen(
        [sys.executable, *COMMAND, module, str(out), str(file)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        preexec_fn=_end_with_parent,
    )


def _end_with_parent() -> None:
    """Let a process end when the one that started it does, where the system can (Linux)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def _reason(code: int, errors: str) -> str:
    lines = errors.strip().splitlines()
    return lines[-1] if lines else f"it ended with exit code {code}"


def ray_pool(address: str, workers: int | None = None) -> Pool:
    """Runs on a Ray cluster, or with `local` on one that is started here.

    The folder of the experiments must be the same for all machines of the cluster: a run that was begun on a machine
    that died is taken up on another.
    """
    import_ray()

    def run(out: Path, jobs: Iterable[Job]) -> Iterator[Done]:
        with connected(address, workers) as ray:
            remote = ray.remote(num_cpus=1, max_retries=TRIES)(_runner())
            command = [*COMMAND, MODULE, str(out.absolute()), "-"]
            waiting = {remote.remote(command, json.dumps(asdict(job))): job for job in jobs}
            while waiting:
                ready, _ = ray.wait(list(waiting))
                for reference in ready:
                    yield waiting.pop(reference), _outcome(ray, reference)

    return run


def _runner() -> Callable[[list[str], str], None]:
    """What a worker of Ray does: a run in a process of its own, as here, which ends with the worker.

    It is a function of a function, and uses nothing of this package, so that Ray sends it as it is.
    """

    def run_there(command: list[str], job: str) -> None:
        import ctypes
        import os
        import subprocess
        import sys

        def end_with_parent() -> None:
            ctypes.CDLL(None).prctl(1, 9)

        process = subprocess.run(
            [sys.executable, *command],
            input=job,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            preexec_fn=end_with_parent if sys.platform == "linux" else None,
        )
        if process.returncode:
            lines = process.stderr.strip().splitlines()
            raise RuntimeError(lines[-1] if lines else f"it ended with exit code {process.returncode}")

    return run_there


def _outcome(ray: Any, reference: Any) -> str | None:
    try:
        ray.get(reference)
    except Exception as error:  # whatever the run, or Ray, raised
        return str(error).strip().splitlines()[-1]
    return None
