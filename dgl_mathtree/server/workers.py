"""The server's side of its workers: who is free, who waits, and what to say of one that is gone."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, NamedTuple

from dgl_mathtree.errors import InputError
from dgl_mathtree.server.limits import Limits
from dgl_mathtree.server.protocol import Refusal, busy

LONG = ("complete", "explain")
"""Questions that may take seconds; one worker is kept for the others."""
LINE = 64_000_000
"""Bytes that an answer may have."""


class ServerError(InputError):
    """Why a server cannot start."""


class Worker(NamedTuple):
    """The two ends of a worker's socket that are ours."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


@contextmanager
def nursery(run: str, limits: Limits) -> Iterator[tuple[socket.socket, dict[str, str]]]:
    """A process with a run's model, until the context ends: the socket that it takes orders on, and files for the page.

    It has a session of its own: a Ctrl-C in the terminal is for the server alone.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    given = [str(theirs.fileno()), run, json.dumps(asdict(limits))]
    with ours:
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-c", "from dgl_mathtree.server.nursery import main; main()", *given],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                # A pool of threads does not survive a fork: a worker would wait for it for ever.
                env=os.environ | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
            )
        try:
            with ours.makefile("rb") as stream:
                line = stream.readline()
            said: dict[str, Any] = json.loads(line) if line else {"error": "the process that loads the model ended"}
            if "error" in said:
                raise ServerError(said["error"])
            yield ours, said["files"]
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # and its workers, whatever they are doing
            process.wait()


class Workers:
    """Answers requests with a bounded number of processes, and a bounded number of those who wait for one.

    Parameters
    ----------
    control : socket.socket
        To the nursery.
    """

    def __init__(self, control: socket.socket, limits: Limits) -> None:
        self.limits = limits
        self._control = control
        self._idle: list[Worker] = []
        self._free = asyncio.Semaphore(limits.workers)
        self._long = asyncio.Semaphore(max(1, limits.workers - 1))
        self._waiting = {True: 0, False: 0}

    async def ask(self, name: str, body: str, gone: Callable[[], bool]) -> Any:
        """A worker's answer, unless its client is gone when a worker is free.

        Raises
        ------
        Refusal
            The worker's, or because there are too many requests, or because this one took too long.
        """
        long = name in LONG
        turns = [self._long, self._free] if long else [self._free]
        if self._waiting[long] >= self.limits.waiting and any(turn.locked() for turn in turns):
            raise busy(f"{self._waiting[long]} requests are waiting already")
        self._waiting[long] += 1
        try:
            await asyncio.wait_for(_acquire(turns), self.limits.waited)
        except (TimeoutError, asyncio.TimeoutError):
            raise busy(f"no worker was free within {self.limits.waited:g} seconds") from None
        finally:
            self._waiting[long] -= 1
        try:
            if gone():  # such as a page whose text has changed since: those who still wait come first
                raise busy("the connection was closed while the request waited")
            return await self._ask(name, body)
        finally:
            for turn in turns:
                turn.release()

    async def _ask(self, name: str, body: str) -> Any:
        worker = self._idle.pop() if self._idle else await self._new()
        reply = None
        try:
            worker.writer.write(json.dumps({"name": name, "body": body}).encode("ascii") + b"\n")
            reply = json.loads(await worker.reader.readline() or b"null")
        except OSError:
            reply = None
        finally:
            if reply is not None and not reply["last"]:
                self._idle.append(worker)
            else:  # it ended by itself, or we were told to stop while it worked
                worker.writer.close()
        if reply is None:
            raise Refusal(503, f"this was not answered within {self.limits.working:g} seconds, or took too much memory")
        if "fault" in reply:
            print(f"mathtree: a request to {name} failed: {reply['fault']}", file=sys.stderr)
            raise Refusal(500, "this is a fault of the server, which has told its terminal of it")
        if "status" in reply:
            raise Refusal(reply["status"], reply["reason"], place=reply["place"])
        return reply["answer"]

    async def _new(self) -> Worker:
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(self._control, [b"+"], [theirs.fileno()])
        except OSError:
            ours.close()
            raise Refusal(503, "the server's process with the model is gone: start the server again") from None
        ours.setblocking(False)
        return Worker(*await asyncio.open_connection(sock=ours, limit=LINE))

    def close(self) -> None:
        """Let all workers go that are idle."""
        for worker in self._idle:
            worker.writer.close()


async def _acquire(turns: Sequence[asyncio.Semaphore]) -> None:
    """Wait for all in their order; who gives up holds none."""
    held: list[asyncio.Semaphore] = []
    try:
        for turn in turns:
            await turn.acquire()
            held.append(turn)
    except asyncio.CancelledError:
        for turn in held:
            turn.release()
        raise
