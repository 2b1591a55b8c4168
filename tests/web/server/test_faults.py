"""What goes wrong outside of the server, and how it goes on: over real connections, with processes that are killed."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.web.server.client import JSON, Reply, Server, children, read_reply, running, stat, wait_until

GOOD = b'{"equation": "x + x = 2x"}'
LARGE = json.dumps({"equation": "+".join(f"x*{k}" for k in range(150)) + " = y"}).encode()
"""Its explanation does not fit into a socket's buffer."""


@pytest.fixture(scope="module")
def victim() -> Iterator[Server]:
    """A server whose processes are killed."""
    with running("reading=2, waited=300, working=300") as started:
        yield started


def received(connection: socket.socket) -> bytes:
    """All that comes until the connection ends."""
    with connection:
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_absolute_targets(server: Server) -> None:
    ours = b"http://localhost:%d" % server.port
    other = b"Host: evil.example\r\n\r\n"
    assert server.raw(b"GET %s/ HTTP/1.1\r\n" % ours + other).body.startswith(b"<!doctype html>")
    assert server.raw(b"GET %s HTTP/1.1\r\n" % ours + other).status == 200
    assert server.raw(b"GET %s/no HTTP/1.1\r\n" % ours + other).status == 404
    head = server.head("/api/parse", len(GOOD)).replace(b"/api", ours + b"/api")
    assert server.raw(head + b"\r\n" + GOOD).json["size"] == 7
    for target in (b"http://evil.example/", ours.replace(b"http", b"https"), b"http://localhost/"):
        assert server.raw(b"GET %s HTTP/1.1\r\n%s\r\n" % (target, server.host)).status == 421


def test_a_client_that_ends_its_side_gets_its_answer(server: Server) -> None:
    for name in ("parse", "explain"):
        reply = server.raw(server.head(f"/api/{name}", len(GOOD)) + b"\r\n" + GOOD, end=True)
        assert (reply.status, reply.json["size"]) == (200, 7)
    assert server.raw(b"GET / HTTP/1.0\r\n" + server.host + b"\r\n", end=True).status == 200


@pytest.mark.parametrize("sent", [b"GET / HT", b"POST / HTTP/1.1\r\nHost: a\r\n", b"HEREContent-Length: 9\r\n\r\n{"])
def test_a_client_that_ends_its_side_too_early_is_told_so(server: Server, sent: bytes) -> None:
    start = server.head("/api/parse", 100) + b"\r\n{" if sent.startswith(b"HERE") else sent
    reply = server.raw(start, end=True)
    assert (reply.status, reply.json["error"]) == (400, "the connection was closed before the request was complete")


def test_no_answer_to_head_has_a_body(victim: Server) -> None:
    start = b"HEAD / HTTP/1.1\r\n"
    sent = {
        200: start + victim.host + b"\r\n",
        400: start + b"Host : a\r\n\r\n",
        404: start.replace(b"/ ", b"/no ") + victim.host + b"\r\n",
        405: start.replace(b"/ ", b"/api/parse ") + victim.host + b"\r\n",
        408: start,
        413: start + victim.host + b"Content-Length: 10001\r\n\r\n",
        421: start + b"Host: evil.example\r\n\r\n",
        431: start + b"X: " + b"x" * 9000,
    }
    for status, data in sent.items():
        answer = received(victim.half_sent(data))
        assert answer.startswith(b"HTTP/1.1 %d " % status)
        assert answer.find(b"\r\n\r\n") == len(answer) - 4
        assert b"content-length: 0\r\n" not in answer


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        (b"Host: localhost", b"Host: evil.example", 421),
        (b"application/json", b"text/plain", 415),
        (b"Content-Length: 9\r\n", b"Content-Length: 10001\r\n", 413),
        (b"/api/parse", b"/api/no", 404),
    ],
)
def test_a_request_that_is_refused_is_not_told_to_continue(server: Server, old: bytes, new: bytes, status: int) -> None:
    head = server.head("/api/parse", 9) + b"Expect: 100-continue\r\n\r\n"
    assert old in head
    assert received(server.half_sent(head.replace(old, new))).startswith(b"HTTP/1.1 %d " % status)


def test_a_client_that_does_not_read_its_answer(victim: Server) -> None:
    """It is let go after the time that requests have, and holds up nobody until then."""
    connection = socket.socket()
    with connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(60)
        connection.connect(("127.0.0.1", victim.port))
        connection.sendall(victim.head("/api/explain", len(LARGE)) + b"\r\n" + LARGE)
        connection.recv(1)
        descriptors = Path(f"/proc/{victim.process.pid}/fd")
        before = len(list(descriptors.iterdir()))
        assert victim.post("parse", equation="x = x").status == 200
        wait_until(lambda: len(list(descriptors.iterdir())) < before)


def test_an_idle_worker_that_ends_is_replaced(victim: Server) -> None:
    for _ in range(3):
        assert victim.post("verify", equation="x = x").status == 200
        workers = victim.workers()
        assert workers
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        assert victim.post("verify", equation="x = x").json["oracle"] == "true"
    os.kill(victim.process.pid, signal.SIGSTOP)  # now it cannot notice before the request is there
    for worker in victim.workers():
        os.kill(worker, signal.SIGKILL)
    with victim.half_sent(victim.head("/api/parse", len(GOOD)) + b"\r\n" + GOOD) as connection:
        os.kill(victim.process.pid, signal.SIGCONT)
        assert read_reply(connection).status == 200
    assert victim.errors() == ""


def test_a_worker_that_ends_while_it_writes_its_answer(victim: Server) -> None:
    for worker in victim.workers():
        os.kill(worker, signal.SIGKILL)
    assert victim.post("parse", equation="x = x").status == 200
    (worker,) = victim.workers()
    wait_until(lambda: stat(worker)[0] == "S")  # it has finished with the last request, and runs only for the next
    with victim.half_sent(victim.head("/api/explain", len(LARGE)) + b"\r\n" + LARGE) as connection:
        wait_until(lambda: stat(worker)[0] == "R")
        os.kill(victim.process.pid, signal.SIGSTOP)
        wait_until(lambda: stat(worker)[0] == "S")  # its answer does not fit into the socket, which nobody reads
        os.kill(worker, signal.SIGKILL)
        os.kill(victim.process.pid, signal.SIGCONT)
        reply = read_reply(connection)
    assert (reply.status, list(reply.json)) == (503, ["error"])
    assert victim.post("parse", equation="x = x").status == 200
    assert victim.errors() == ""


def test_a_worker_whose_alarm_does_not_end_it() -> None:
    with running("working=1, waited=60") as server, ThreadPoolExecutor(1) as pool:
        assert server.post("parse", equation="x = x").status == 200
        (worker,) = server.workers()
        os.kill(worker, signal.SIGSTOP)
        reply = pool.submit(server.post, "parse", equation="x = x").result()
        assert reply.status in (200, 503)  # passed to another worker, or given up
        assert server.post("parse", equation="x = x").status == 200


def test_the_model_process_is_started_again() -> None:
    said = "mathtree: the process with the model ended; it is started again\n"
    with running("waited=60") as server:
        assert server.post("verify", equation="x = x").status == 200
        os.kill(server.model_process(), signal.SIGKILL)
        wait_until(lambda: server.errors() != "")
        replies: list[Reply] = []
        wait_until(lambda: replies.append(server.post("verify", equation="x = x")) or replies[-1].status == 200)
        assert {reply.status for reply in replies} <= {200, 503}
        assert server.errors() == said
        assert len(server.workers()) == 1
        server.process.send_signal(signal.SIGTERM)
        assert (server.process.wait(60), server.errors()) == (0, said)


def test_a_model_process_that_does_not_last_ends_the_server() -> None:
    with running("", sys.executable, "-m", "dgl_mathtree", "serve", "--port", "0") as server:
        assert server.address == f"http://127.0.0.1:{server.port}/"
        first = server.model_process()
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: server.errors() != "" and first not in children(server.process.pid))
        wait_until(lambda: len(children(server.process.pid)) == 1)
        os.kill(server.model_process(), signal.SIGKILL)
        assert server.process.wait(60) == 2
        started_again, ended = server.errors().splitlines()
        assert started_again == "mathtree: the process with the model ended; it is started again"
        assert ended.startswith("mathtree: the process ")


EXTENSION = """
import sys
if sys.argv[0] == "-c":
    from dgl_mathtree.web.server.api import EquationRequest, StrictModel, endpoint

    class Doubled(StrictModel):
        twice: str

    @endpoint("double", EquationRequest, Doubled)
    def double(explainer, asked, limits):
        "Repeat a text."
        if asked.equation == "torch":
            import torch
            torch.empty(1_000_000_000)
        if asked.equation == "wrong":
            return {"twice": 2}
        return {"twice": 2 * asked.equation}
"""


def test_one_function_is_an_endpoint(tmp_path: Path) -> None:
    """It is served, described and checked; where torch runs out of memory, that is no fault of the server."""
    (tmp_path / "sitecustomize.py").write_text(EXTENSION)
    with running(PYTHONPATH=f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}") as server:
        headers = JSON | {"Host": f"localhost:{server.port}"}

        def double(equation: str) -> Reply:
            connection = server.half_sent(server.head("/api/double", len(equation) + 16) + b"\r\n")
            with connection:
                connection.sendall(json.dumps({"equation": equation}).encode())
                return read_reply(connection)

        assert (double("ab").status, double("ab").json) == (200, {"twice": "abab"})
        description = server.ask("GET", "/openapi.json", headers=headers).json
        assert description["paths"]["/api/double"]["post"]["summary"] == "Repeat a text."
        assert description["components"]["schemas"]["Doubled"]["properties"]["twice"] == {
            "title": "Twice",
            "type": "string",
        }
        assert (double("torch").status, server.errors()) == (503, "")
        assert double("torch").json == {"error": "this takes more memory than a request may have"}
        assert double("wrong").status == 500
        said = server.errors()
        assert said.startswith("mathtree: a request to double failed: ValidationError") and said.count("\n") == 1
        assert double("ab").status == 200


def files_are_there(server: Server) -> bool:
    """Whether the model process has loaded torch."""
    return "libtorch" in Path(f"/proc/{server.model_process()}/maps").read_text()


def test_the_server_itself_does_not_load_torch(server: Server) -> None:
    assert server.post("verify", equation="x = x").status == 200
    maps = Path(f"/proc/{server.process.pid}/maps").read_text()
    assert "libtorch" not in maps and "numpy" not in maps
    assert files_are_there(server)


def test_more_clients_than_file_descriptors() -> None:
    with running("reading=3", descriptors=64) as server:
        connections = [server.half_sent(b"POST /api/verify HTTP/1.1\r\nContent-Le") for _ in range(100)]
        statuses = set()
        for connection in connections:
            try:
                statuses.add(received(connection)[9:12])
            except ConnectionError:
                statuses.add(b"")
        assert statuses <= {b"", b"408", b"503"}
        assert server.ask("POST", "/api/parse", GOOD, JSON).status == 200
        assert server.errors().count("\n") <= 1
