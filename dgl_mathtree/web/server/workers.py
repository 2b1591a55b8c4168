"""The server's side of its workers: it starts the model process, and passes requests to the workers forked there."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from typing import Any, NamedTuple

from dgl_mathtree.errors import InputError
from dgl_mathtree.web.server.api import LOADED
from dgl_mathtree.web.server.limits import Limits
from dgl_mathtree.web.server.responses import Refusal, busy

GRACE = 2.0
"""Seconds that a worker has beyond its own alarm, before it is killed."""
ATTEMPTS = 3
"""Workers that a request is passed to, where they end before they begin with it."""
LINE = 16_000_000
"""Bytes that a line of the model process may have."""


class ServerError(InputError):
    """Why a server cannot start or go on."""


class WorkerAnswer(NamedTuple):
    """The status and JSON of an answer."""

    status: int
    body: bytes


class _Worker(NamedTuple):
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


class ModelProcess:
    """A process with a run's model that forks workers.

    It has a session of its own: a Ctrl-C in the terminal is for the server only.
    """

    def __init__(self, run: str, limits: Limits) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._writer: asyncio.StreamWriter | None = None
        given = [str(theirs.fileno()), run, json.dumps(asdict(limits)), *LOADED]
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", "from dgl_mathtree.web.server.model_process import main; main()", *given],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                # A pool of threads does not survive a fork: a worker would wait for it for ever.
                env=os.environ | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
            )

    async def files(self) -> dict[str, str]:
        """Wait until the model is loaded; the files that draw its explanations, by path."""
        self._control.setblocking(False)
        self._reader, self._writer = await asyncio.open_connection(sock=self._control, limit=LINE)
        line = await self._reader.readline()
        sent: dict[str, Any] = json.loads(line) if line else {"error": "the process that loads the model ended"}
        if "error" in sent:
            raise ServerError(sent["error"])
        files: dict[str, str] = sent["files"]
        return files

    async def end(self) -> None:
        """Wait until the process has ended."""
        with suppress(OSError):
            await self._reader.read()

    async def fork_worker(self) -> _Worker:
        """A new worker."""
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(self._control, [b"+"], [theirs.fileno()])
            ours.setblocking(False)
            return _Worker(*await asyncio.open_connection(sock=ours))
        except OSError:
            ours.close()
            raise busy("the process with the model has ended, and is started again") from None

    def kill(self) -> None:
        """End the process and its workers, whatever they are doing."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        (self._writer or self._control).close()


class Workers:
    """A bounded number of worker processes, and a bounded number of requests that wait for one.

    Parameters
    ----------
    run : str
        The model's run folder, or the word shipped.
    """

    def __init__(self, run: str, limits: Limits) -> None:
        self.run, self.limits = run, limits
        self._process = ModelProcess(run, limits)
        self._loaded = asyncio.Event()
        self._has_answered = True  # a first process that ends is always started again
        self._idle: list[_Worker] = []
        self._any = asyncio.Semaphore(limits.workers)
        self._long = asyncio.Semaphore(max(1, limits.workers - 1))
        self._waiting = {True: 0, False: 0}

    async def start(self) -> dict[str, str]:
        """Wait until the model is loaded; the files that draw its explanations, by path."""
        files = await self._process.files()
        self._loaded.set()
        return files

    async def keep_running(self) -> None:
        """Start the model process again whenever it ends.

        Raises
        ------
        ServerError
            Where that does not help: it cannot load the model, or ends again before it has answered a request.
        """
        while True:
            await self._process.end()
            self._loaded.clear()
            self.close()
            if not self._has_answered:
                raise ServerError("the process with the model has ended again, before it answered a request")
            print("mathtree: the process with the model ended; it is started again", file=sys.stderr, flush=True)
            self._has_answered = False
            self._process = ModelProcess(self.run, self.limits)
            await self.start()

    def close(self) -> None:
        """End all workers and the model process."""
        while self._idle:
            self._idle.pop().writer.close()
        self._process.kill()

    async def ask(self, name: str, fields: dict[str, Any], long: bool, is_gone: Callable[[], bool]) -> WorkerAnswer:
        """The answer of a worker, unless the client has gone when its turn comes.

        Raises
        ------
        Refusal
            Where too many requests wait, or this one takes too long or too much memory.
        """
        message = json.dumps({"name": name, "fields": fields}).encode("ascii") + b"\n"
        async with self._turn(long):
            if is_gone():  # such as a page whose text has changed since
                raise busy("the connection was closed while the request waited")
            for _ in range(ATTEMPTS):
                worker = self._idle.pop() if self._idle else await self._new_worker()
                answer = await self._exchange(worker, name, message)
                if answer is not None:
                    return answer
        raise busy("no worker could be started")

    async def _new_worker(self) -> _Worker:
        try:
            await asyncio.wait_for(self._loaded.wait(), self.limits.waited)
        except (TimeoutError, asyncio.TimeoutError):
            raise busy("the model is being loaded") from None
        return await self._process.fork_worker()

    async def _exchange(self, worker: _Worker, name: str, message: bytes) -> WorkerAnswer | None:
        """Pass a request to a worker; None where the worker ended before it began."""
        process, head = 0, {"last": True}

        async def read() -> WorkerAnswer | None:
            nonlocal process, head
            worker.writer.write(message)
            process = int(await worker.reader.readuntil(b"\n"))
            found = json.loads(await worker.reader.readuntil(b"\n"))
            answer = WorkerAnswer(found["status"], await worker.reader.readexactly(found["size"]))
            head = found
            return answer

        try:
            answer = await asyncio.wait_for(read(), self.limits.working + GRACE)
        except (TimeoutError, asyncio.TimeoutError):  # not even its alarm has ended it
            answer = None
            if process:
                os.kill(process, signal.SIGKILL)
        except (asyncio.IncompleteReadError, OSError):
            answer = None
        finally:
            if head["last"]:
                worker.writer.close()
            else:
                self._idle.append(worker)
        if answer is None and process:
            raise Refusal(503, f"this was not answered within {self.limits.working:g} seconds, or took too much memory")
        if answer is not None:
            self._has_answered = True
        if head.get("fault"):
            print(f"mathtree: a request to {name} failed: {head['fault']}", file=sys.stderr, flush=True)
        return answer

    @asynccontextmanager
    async def _turn(self, long: bool) -> AsyncIterator[None]:
        """Wait for a free worker; requests that may take seconds leave one to the others."""
        turns = [self._long, self._any] if long else [self._any]
        if self._waiting[long] >= self.limits.waiting and any(turn.locked() for turn in turns):
            raise busy(f"{self._waiting[long]} requests are waiting already")
        held: list[asyncio.Semaphore] = []

        async def acquire() -> None:
            for turn in turns:
                await turn.acquire()
                held.append(turn)

        self._waiting[long] += 1
        try:
            try:
                await asyncio.wait_for(acquire(), self.limits.waited)
            except (TimeoutError, asyncio.TimeoutError):
                raise busy(f"no worker was free within {self.limits.waited:g} seconds") from None
            finally:
                self._waiting[long] -= 1
            yield
        finally:
            for turn in held:
                turn.release()
