"""`serve`: uvicorn with the application, from the first socket to a clean stop."""

from __future__ import annotations

import asyncio
import errno
import resource
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import uvicorn

from dgl_mathtree.web.server.app import host_names, make_app, page_files
from dgl_mathtree.web.server.http_protocol import LimitedProtocol
from dgl_mathtree.web.server.limits import Limits
from dgl_mathtree.web.server.workers import ServerError, Workers

QUEUE = 256
"""Connections that the system keeps until they are accepted."""
ACCEPTED = 16
"""Connections accepted before others are served; asyncio reports each failure to accept one."""
RESERVED = 32
"""File descriptors for everything but connections."""
GRACE = 1
"""Seconds that requests have when the server stops."""


def serve(host: str, port: int, run: str, announce: Callable[[str], object], limits: Limits | None = None) -> None:
    """Run the server until SIGINT or SIGTERM.

    Parameters
    ----------
    host : str
        The name or address to listen on.
    port : int
        0 for any free one.
    run : str
        The model's run folder, or the word shipped.
    announce : callable
        Called with the address once the server answers.

    Raises
    ------
    ServerError
        Where it cannot listen, or has no model.
    """
    limits = _within_descriptors(limits or Limits())
    with listening(host, port) as listener:
        asyncio.run(_run(listener, host, run, announce, limits))


def _within_descriptors(limits: Limits) -> Limits:
    """No more connections than there are file descriptors: half for those served, half for those refused."""
    allowed = (resource.getrlimit(resource.RLIMIT_NOFILE)[0] - RESERVED) // 2
    return replace(limits, connections=max(1, min(limits.connections, allowed)))


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens on the first address of a host."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except (socket.gaierror, UnicodeError):
        raise ServerError(f"there is no host {host!r}: give a name or address of this machine") from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(QUEUE)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise ServerError(f"port {port} of {host} is in use: --port 0 takes one that is free") from None
        raise ServerError(f"cannot listen on port {port} of {host}: {error.strerror}") from None
    return listener


class _Server(uvicorn.Server):
    """uvicorn without its handling of signals, which would end the process by the signal instead of with 0."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:  # type: ignore[override]
        yield


async def _run(listener: socket.socket, host: str, run: str, announce: Callable[[str], object], limits: Limits) -> None:
    port = listener.getsockname()[1]
    loop, main = asyncio.get_running_loop(), asyncio.current_task()
    assert main is not None
    loop.set_exception_handler(_Reporter())
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, main.cancel)
    workers = Workers(run, limits)
    try:
        app = make_app(workers, host_names(host, port), page_files() | await workers.start())
        server = _Server(_configuration(app, limits))
        watching = asyncio.create_task(workers.keep_running())
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, setattr, server, "should_exit", True)
        watching.add_done_callback(lambda _: setattr(server, "should_exit", True))
        serving = asyncio.create_task(server.serve([listener]))
        while not server.started and not serving.done():
            await asyncio.sleep(0)
        listener.listen(QUEUE)  # uvicorn has made it as short as the number it accepts at once
        announce(f"http://{f'[{host}]' if ':' in host else host}:{port}/")
        await serving
        if watching.done():
            watching.result()
        watching.cancel()
    except asyncio.CancelledError:
        pass  # stopped while it loaded the model
    finally:
        workers.close()


def _configuration(app: Any, limits: Limits) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=type("Protocol", (LimitedProtocol,), {"limits": limits}),
        ws="none",
        loop="asyncio",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=ACCEPTED,
        timeout_graceful_shutdown=GRACE,
        h11_max_incomplete_event_size=limits.head,
    )


class _Reporter:
    """Reports what asyncio cannot handle, in one line; a lack of file descriptors, which lasts, only once."""

    def __init__(self) -> None:
        self._has_reported_descriptors = False

    def __call__(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            if self._has_reported_descriptors:
                return
            self._has_reported_descriptors = True
        print(f"mathtree: {context['message']}: {error!r}", file=sys.stderr, flush=True)
