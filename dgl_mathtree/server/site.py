"""The server: who may ask for what, and one connection after the other until it is told to stop."""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from dgl_mathtree.server.files import given_files, read_files
from dgl_mathtree.server.limits import Limits
from dgl_mathtree.server.protocol import Refusal, Request, Response, as_json, busy, read_request
from dgl_mathtree.server.questions import FIELDS, read_question
from dgl_mathtree.server.workers import ServerError, Workers, nursery

LOCAL = ("localhost", "127.0.0.1", "[::1]")
API = "/api/"
LINGER = 1.0
"""Seconds in which a client may take its answer before the connection is closed."""
GRACE = 1.0
"""Seconds that requests at hand have when the server stops."""


class Site:
    """Answers requests.

    Parameters
    ----------
    workers : Workers
        Who computes the answers of the API.
    hosts : collection of str
        The names under which the server may be called, with the port.
    files : mapping of str to str
        Texts of files besides those of this package, by their paths.
    """

    def __init__(self, workers: Workers, hosts: frozenset[str], files: Mapping[str, str]) -> None:
        self.workers, self.limits, self.hosts = workers, workers.limits, hosts
        self.files = read_files() | given_files(files)
        self.questions = {API + name: name for name in FIELDS}
        self._open: set[asyncio.Task[None]] = set()

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the one request of a connection, whatever it sends."""
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            if len(self._open) <= 2 * self.limits.connections:  # beyond that, too many even to be told so
                writer.write(await self._answer(reader, writer))
                await asyncio.wait_for(_finish(reader, writer), self.limits.reading)
        except (OSError, asyncio.TimeoutError, asyncio.CancelledError):
            pass  # the client is gone, or takes nothing, or the server stops
        finally:
            self._open.discard(task)
            writer.transport.abort()

    async def close(self) -> None:
        """Give the requests at hand a moment to be answered, and end the connections."""
        if self._open:
            await asyncio.wait(self._open, timeout=GRACE)
        for task in self._open:
            task.cancel()
        if self._open:
            await asyncio.wait(self._open)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        method = ""
        try:
            if len(self._open) > self.limits.connections:
                raise busy(f"{self.limits.connections} connections are open already")
            request = await read_request(reader, writer, self.limits)
            if request is None:
                return b""
            method = request.method
            hosts = self.hosts | reached_names(writer.get_extra_info("sockname"))
            response = await self.respond(request, hosts, reader.at_eof)
        except Refusal as refusal:
            response = refusal.response
        return response.encoded(without_body=method == "HEAD")

    async def respond(self, request: Request, hosts: frozenset[str], gone: Callable[[], bool]) -> Response:
        """The answer to a request that came under one of these names, unless its client is gone before its turn."""
        if request.headers.get("host", "").lower() not in hosts:
            # A name of some other site that leads here: its pages shall not get at this server.
            raise Refusal(421, f"this server is called {' or '.join(sorted(hosts))}")
        if request.path in self.files:
            _check_method(request, "GET", "HEAD")
            return self.files[request.path]
        name = self.questions.get(request.path)
        if name is None:
            raise Refusal(404, "there is no such page")
        _check_method(request, "POST")
        _check_origin(request, hosts)
        try:
            body = request.body.decode("utf-8")
        except UnicodeDecodeError:
            raise Refusal(400, "the body is not UTF-8 text") from None
        read_question(name, body)  # what is no question takes no worker's time
        return Response(200, as_json(await self.workers.ask(name, body, gone)))


def _check_method(request: Request, *allowed: str) -> None:
    if request.method not in allowed:
        raise Refusal(405, f"{request.path} takes {' and '.join(allowed)}", {"Allow": ", ".join(allowed)})


def _check_origin(request: Request, hosts: frozenset[str]) -> None:
    """Refuse what a page of another site sends; what a form can send is no JSON."""
    origin = request.headers.get("origin")
    if origin is not None and origin.lower() not in {f"http://{host}" for host in hosts}:
        raise Refusal(403, "pages of other sites may not ask this server")
    if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        raise Refusal(403, "pages of other sites may not ask this server")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refusal(415, "the body has to be JSON, with Content-Type: application/json")


async def _finish(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send what is written, then take what still comes for a moment: closed before that, the answer could be lost."""
    await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()

    async def take() -> None:
        while await reader.read(65536):
            pass

    with suppress(asyncio.TimeoutError, TimeoutError):
        await asyncio.wait_for(take(), LINGER)


def serve(host: str, port: int, run: str, announce: Callable[[str], object], limits: Limits | None = None) -> None:
    """Run the server until SIGINT or SIGTERM.

    Parameters
    ----------
    host : str
        The name or address to listen on.
    port : int
        0 for any that is free.
    run : str
        The model's run folder, or the word shipped.
    announce : callable
        Is told the address once the server answers.

    Raises
    ------
    ServerError
        Where it cannot listen or has no model.
    """
    limits = limits or Limits()
    with listening(host, port) as listener, nursery(run, limits) as (control, files):
        asyncio.run(_run(listener, host, control, files, announce, limits))


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
        listener.listen(256)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise ServerError(f"port {port} of {host} is in use: --port 0 takes one that is free") from None
        raise ServerError(f"cannot listen on port {port} of {host}: {error.strerror}") from None
    return listener


def host_names(host: str, port: int) -> frozenset[str]:
    """What a request's Host header may be.

    Examples
    --------
    >>> sorted(host_names("::1", 80))
    ['127.0.0.1', '127.0.0.1:80', '[::1]', '[::1]:80', 'localhost', 'localhost:80']
    """
    names = {*LOCAL, f"[{host}]" if ":" in host else host.lower()}
    with_port = {f"{name}:{port}" for name in names}
    return frozenset(names | with_port if port == 80 else with_port)


def reached_names(address: tuple[Any, ...]) -> frozenset[str]:
    """What a Host header may be besides, by the address at which a client has reached the server.

    A server that listens on all addresses does not know them. No name of another site looks like an address.

    Examples
    --------
    >>> sorted(reached_names(("::ffff:192.0.2.7", 8400, 0, 0)))
    ['127.0.0.1:8400', '192.0.2.7:8400', '[::1]:8400', 'localhost:8400']
    """
    host, port, *_ = address
    return host_names(host.removeprefix("::ffff:"), port)


async def _run(
    listener: socket.socket,
    host: str,
    control: socket.socket,
    files: Mapping[str, str],
    announce: Callable[[str], object],
    limits: Limits,
) -> None:
    port = listener.getsockname()[1]
    stop = asyncio.Event()
    for signal_ in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(signal_, stop.set)
    workers = Workers(control, limits)
    site = Site(workers, host_names(host, port), files)
    server = await asyncio.start_server(site.connect, sock=listener, limit=limits.head)
    announce(f"http://{f'[{host}]' if ':' in host else host}:{port}/")
    await stop.wait()
    server.close()
    await site.close()
    workers.close()
