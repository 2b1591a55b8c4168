"""A client that holds every answer against the API's description."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any
from urllib.parse import urlsplit

import jsonschema

from dgl_mathtree.server.files import read_files

DESCRIPTION = json.loads(read_files()["/openapi.json"].body)
JSON = {"Content-Type": "application/json"}
START = """
from dgl_mathtree.server import Limits, serve
serve("127.0.0.1", 0, "shipped", lambda address: print(address, flush=True), {})
"""


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
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
            reply = Reply(response.status, dict(response.getheaders()), response.read())
        finally:
            connection.close()
        if path.startswith("/api/"):
            check(path, reply)
        return reply

    def post(self, name: str, **fields: object) -> Reply:
        return self.ask("POST", f"/api/{name}", json.dumps(fields).encode(), JSON)

    def raw(self, data: bytes) -> Reply:
        """The answer to bytes that need be no request."""
        with self.connect() as connection:
            connection.sendall(data)
            response = http.client.HTTPResponse(connection)
            response.begin()
            return Reply(response.status, dict(response.getheaders()), response.read())


def check(path: str, reply: Reply) -> None:
    """Hold an answer against its schema."""
    operation = DESCRIPTION["paths"].get(path, {}).get("post", {"responses": {}})
    described = operation["responses"].get(str(reply.status), {})
    if "$ref" in described:
        described = DESCRIPTION["components"]["responses"][described["$ref"].rpartition("/")[2]]
    if not described:
        assert reply.status in (404, 405), f"{reply.status} of {path} is not described"
        described = DESCRIPTION["components"]["responses"]["BadRequest"]
    schema = described["content"]["application/json"]["schema"]
    jsonschema.Draft202012Validator(schema | {"components": DESCRIPTION["components"]}).validate(reply.json)


@contextmanager
def running(limits: str = "", *command: str, **environment: str) -> Iterator[Server]:
    """A server with some limits, or another command that starts one."""
    given = list(command) or [sys.executable, "-c", START.format(f"Limits({limits})")]
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
