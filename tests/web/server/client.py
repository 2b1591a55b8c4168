"""A client that holds every answer against the API's description."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import jsonschema

from dgl_mathtree.web.server.openapi import openapi_document

DESCRIPTION = openapi_document()
JSON = {"Content-Type": "application/json"}
START = """
from dgl_mathtree.web.server.site import Limits, serve
serve("127.0.0.1", 0, "shipped", lambda address: print(address, flush=True), {})
"""


@dataclass(frozen=True)
class Reply:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Server:
    """A server that runs: its process, and where it listens."""

    process: subprocess.Popen[str]
    address: str
    stderr: IO[str]

    def errors(self) -> str:
        """What it has written to standard error."""
        self.stderr.seek(0)
        return self.stderr.read()

    @property
    def port(self) -> int:
        port = urlsplit(self.address).port
        assert port is not None
        return port

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def ask(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            reply = Reply(response.status, response.headers, response.read())
        finally:
            connection.close()
        if path.startswith("/api/"):
            check(path, reply)
        return reply

    def post(self, name: str, **fields: object) -> Reply:
        return self.ask("POST", f"/api/{name}", json.dumps(fields).encode(), JSON)

    def half_sent(self, data: bytes) -> socket.socket:
        """A connection on which these bytes are sent, and no more."""
        connection = self.connect()
        connection.sendall(data)
        return connection

    def raw(self, data: bytes, end: bool = False) -> Reply:
        """The answer to bytes that need not be a request, after which this side of the connection may be ended."""
        with self.half_sent(data) as connection:
            if end:
                connection.shutdown(socket.SHUT_WR)
            return read_reply(connection)

    @property
    def host(self) -> bytes:
        """The header line that names this server."""
        return b"Host: localhost:%d\r\n" % self.port

    def head(self, path: str, length: int) -> bytes:
        """The head of a POST, without the empty line after it."""
        start = b"POST %s HTTP/1.1\r\n" % path.encode() + self.host
        return start + b"Content-Type: application/json\r\nContent-Length: %d\r\n" % length

    def model_process(self) -> int:
        """The process with the model."""
        (child,) = children(self.process.pid)
        return child

    def workers(self) -> list[int]:
        return children(self.model_process())


def read_reply(connection: socket.socket) -> Reply:
    """The answer that comes on a connection."""
    response = http.client.HTTPResponse(connection)
    response.begin()
    return Reply(response.status, response.headers, response.read())


def stat(process: int) -> list[str]:
    """The fields of a process in /proc after its name: state, parent, ..."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def children(process: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if stat(int(entry.name))[1] == str(process):
                found.append(int(entry.name))
    return found


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for what another process does."""
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def check(path: str, reply: Reply) -> None:
    """Hold an answer against its schema."""
    operation = DESCRIPTION["paths"].get(path, {}).get("post", {"responses": {}})
    described = operation["responses"].get(str(reply.status), {})
    if "$ref" in described:
        described = DESCRIPTION["components"]["responses"][described["$ref"].rpartition("/")[2]]
    if not described:
        assert reply.status in (404, 405), f"{reply.status} of {path} is not described"
        described = DESCRIPTION["components"]["responses"]["400"]
    schema = described["content"]["application/json"]["schema"]
    jsonschema.Draft202012Validator(schema | {"components": DESCRIPTION["components"]}).validate(reply.json)


@contextmanager
def running(limits: str = "", *command: str, descriptors: int = 0, **environment: str) -> Iterator[Server]:
    """A server with some limits, or another command that starts one; with so many file descriptors at most."""
    given = ["sh", "-c", f'ulimit -n {descriptors} && exec "$@"', "sh"] if descriptors else []
    given += list(command) or [sys.executable, "-c", START.format(f"Limits({limits})")]
    with tempfile.TemporaryFile("w+") as stderr:
        # Two threads, as an environment may ask for: no worker may wait for a pool that the fork has not taken along.
        environment = {"OMP_NUM_THREADS": "2"} | environment
        process = subprocess.Popen(
            given, stdout=subprocess.PIPE, stderr=stderr, text=True, env=os.environ | environment
        )
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            started = Server(process, address, stderr)
            assert address.startswith("http://"), started.errors()
            yield started
        finally:
            process.terminate()
            process.communicate(timeout=60)
