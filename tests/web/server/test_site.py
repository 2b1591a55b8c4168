"""What the server answers and refuses, over real connections."""

from __future__ import annotations

import http.client
import json
import os
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from openapi_spec_validator import validate

from dgl_mathtree.cli import main
from dgl_mathtree.web.explain.explain_page import drawing_script, drawing_style
from dgl_mathtree.web.server.api import ENDPOINTS
from dgl_mathtree.web.server.app import TYPES, page_files
from dgl_mathtree.web.server.openapi import openapi_document
from dgl_mathtree.web.server.site import ServerError, listening
from tests.web.server.client import JSON, Server, read_reply, running

GOOD = b'{"equation": "x + x = 2x"}'


def test_the_description_is_valid_and_whole() -> None:
    description = openapi_document()  # now, with the endpoints of commands that were loaded since
    validate(description)
    assert list(description["paths"]) == [f"/api/{name}" for name in ENDPOINTS]
    for name, endpoint in ENDPOINTS.items():
        body = description["paths"][f"/api/{name}"]["post"]["requestBody"]["content"]["application/json"]["schema"]
        schema = description["components"]["schemas"][body["$ref"].rpartition("/")[2]]
        assert set(schema["properties"]) == set(endpoint.request.model_fields)
        assert schema["required"] == ["equation"] and not schema["additionalProperties"]


@pytest.mark.parametrize(
    ("name", "command", "equation"),
    [
        ("parse", "parse", r"\frac{1}{2} \sin^2 x = y"),
        ("parse", "parse", "x + ? = 1"),
        ("parse", "parse", "2 x"),
        ("verify", "verify", "sin(a)^2 + cos(a)^2 = 1"),
        ("verify", "verify", "sqrt(x^2) = x"),
        ("verify", "verify", "asin(2) = x"),
        ("complete", "complete", "sin(x)^2 + ? = 1"),
    ],
)
def test_answers_are_those_of_the_commands(
    server: Server, name: str, command: str, equation: str, capsys: pytest.CaptureFixture[str]
) -> None:
    reply = server.post(name, equation=equation)
    assert main([command, equation, "--json"]) == 0
    assert (reply.status, reply.json) == (200, json.loads(capsys.readouterr().out))


def test_as_many_fillings_as_asked_for(server: Server) -> None:
    assert len(server.post("complete", equation="x + ? = x", top=3).json) == 3


FILES = page_files() | {"/explanation.js": drawing_script(), "/explanation.css": drawing_style()}


@pytest.mark.parametrize("path", list(FILES))
def test_files(server: Server, path: str) -> None:
    reply, head = server.ask("GET", path), server.ask("HEAD", path)
    assert (reply.status, reply.body) == (200, FILES[path].encode())
    assert (head.status, head.body, head.headers["Content-Length"]) == (200, b"", str(len(reply.body)))
    assert reply.headers["Content-Type"] == TYPES[{"/": "html"}.get(path, path.rpartition(".")[2])]


@pytest.mark.parametrize("reply", ["GET /", "GET /no", "POST /api/verify"])
def test_every_answer_has_the_headers_of_safety(server: Server, reply: str) -> None:
    headers = server.ask(*reply.split()).headers
    policy = dict(part.split(maxsplit=1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "Access-Control-Allow-Origin" not in headers


NO_PATHS = (
    "/.. // /playground.css/.. /%70layground.css /static/playground.css /../../../../etc/passwd /api/ /api/Verify"
)


@pytest.mark.parametrize("path", NO_PATHS.split())
def test_paths_that_are_none(server: Server, path: str) -> None:
    assert server.ask("GET", path).status == 404


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"", 400, "the body is not JSON"),
        (b"[" * 9000, 400, "the body is not JSON"),
        (b'{"equation": ' + b"1" * 9000 + b"}", 400, "the body is not JSON"),
        (b"\xff", 400, "the body is not UTF-8 text"),
        (b"[]", 400, "an object"),
        (b"{}", 400, "the field equation: field required"),
        (b'{"equation": null}', 400, "the field equation: input should be a valid string"),
        (b'{"equation": "x = x", "file": "/etc/passwd"}', 400, "there is no field 'file'; there are: equation, top"),
        (b'{"equation": "x = ?", "top": 0}', 400, "the field top: input should be greater than or equal to 1"),
        (b'{"equation": "x = ?", "top": true}', 400, "the field top: input should be a valid integer"),
        (b'{"equation": "x = x"}', 422, "there is no blank"),
        (b'{"equation": "\\ud800 = ?"}', 422, r"but found '\ud800'"),
        (b'{"equation": "' + b"x+" * 999 + b'x=?"}', 422, "this has 2001 nodes; 2000 are answered at most"),
        (b'{"equation": "x=?"}' + b" " * (10_000 - 19), 200, ""),
        (b'{"equation": "x=?"}' + b" " * (10_001 - 19), 413, "10000 bytes at most"),
        (b"x" * 5_000_000, 413, "10000 bytes at most"),
    ],
)
def test_bodies(server: Server, body: bytes, status: int, said: str) -> None:
    reply = server.ask("POST", "/api/complete", body, JSON)
    assert reply.status == status
    assert said in ("" if status == 200 else reply.json["error"])


def test_the_largest_equation(server: Server) -> None:
    assert server.post("parse", equation="x+" * 998 + "x = ?").json["size"] == 1999
    assert server.post("parse", equation="x+" * 999 + "x = ?").status == 422


def test_a_large_explanation_is_as_described(server: Server) -> None:
    long = "+".join(f"x*{number}" for number in range(100))
    facts = server.post("explain", equation=f"{long} = {long}").json
    assert None in [node["mathml"] for node in facts["nodes"]]
    assert None in [pair["left"]["mathml"] for pair in facts["pairs"]]


def test_a_draft_is_answered_with_what_is_wrong(server: Server) -> None:
    reply = server.post("parse", equation="sin(x", draft=True)
    assert (reply.status, reply.json) == (200, server.post("parse", equation="sin(x").json)
    assert reply.json["position"] == 3
    assert server.post("parse", equation="sin(x", draft="yes").status == 400


def test_errors_say_where(server: Server) -> None:
    reply = server.post("verify", equation="ö = 1\n+ sine(x)")
    assert reply.status == 422
    assert server.post("verify", equation="1 +\nsine(x) = 1").json == {
        "error": "unknown function sine: did you mean sin?",
        "position": 4,
        "line": 2,
        "column": 1,
    }


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content-Type": "Application/JSON; charset=utf-8"}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1"}, 421),
        ({"Host": "localhost:1"}, 421),
        ({"Host": ""}, 421),
    ],
)
def test_pages_of_other_sites_are_refused(server: Server, headers: dict[str, str], status: int) -> None:
    assert server.ask("POST", "/api/parse", GOOD, JSON | headers).status == status


def test_the_names_of_this_machine(server: Server) -> None:
    for name in ("localhost", "LOCALHOST", "[::1]", "127.0.0.1"):
        origin = {"Host": f"{name}:{server.port}", "Origin": f"http://{name}:{server.port}"}
        assert server.ask("POST", "/api/parse", GOOD, JSON | origin).status == 200
    assert server.ask("GET", "/", headers={"Host": "evil.example"}).status == 421


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS", "CONNECT", "NONSENSE"])
def test_methods(server: Server, method: str) -> None:
    reply = server.ask(method, "/api/verify", headers=JSON)
    assert (reply.status, reply.headers["Allow"]) == (405, "POST")
    if method != "GET":
        assert server.ask(method, "/").headers["Allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\nHERE\r\n", 505),
        (b"GET /\x00 HTTP/1.1\r\nHERE\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHERE\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", 421),
        (b"GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", 421),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.0\r\n\r\n", 421),
        (b"POST / HTTP/1.1\r\nHEREContent-Length: -1\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHEREContent-Length: 1_0\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHEREContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHEREContent-Length: " + b"9" * 20 + b"\r\n\r\n", 413),
        (b"POST / HTTP/1.1\r\nHEREContent-Length: " + b"9" * 5000 + b"\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHERETransfer-Encoding: gzip\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHEREExpect: nothing\r\n\r\n", 417),
        (b"GET / HTTP/1.1\r\nHEREX: " + b"x" * 8000 + b"\r\n\r\n", 431),
        (b"x" * 100_000, 431),
    ],
)
def test_malformed_requests(server: Server, data: bytes, status: int) -> None:
    reply = server.raw(data.replace(b"HERE", server.host))
    assert reply.status == status
    assert reply.json["error"] and reply.headers["Content-Security-Policy"]


def test_a_body_in_chunks(server: Server) -> None:
    head = server.head("/api/parse", 0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked") + b"\r\n"
    assert server.raw(head + b"%x\r\n%s\r\n0\r\n\r\n" % (len(GOOD), GOOD)).json["size"] == 7
    assert server.raw(head + b"2711\r\n" + b" " * 10_001 + b"\r\n0\r\n\r\n").status == 413
    assert server.raw(head + b"nonsense\r\n").status == 400


def test_continue_is_said_before_a_body(server: Server) -> None:
    with server.connect() as connection:
        head = f"POST /api/parse HTTP/1.1\r\nHost: localhost:{server.port}\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: {len(GOOD)}\r\nExpect: 100-continue\r\n\r\n".encode())
        assert connection.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(GOOD)
        assert connection.recv(1000).startswith(b"HTTP/1.1 200")


def test_one_bad_request_harms_no_other(server: Server) -> None:
    def bad(number: int) -> None:
        with server.connect() as connection:
            connection.sendall([b"GET", b"\x00" * 9000, b"POST /api/verify HTTP/1.1\r\n", b""][number % 4])
            if number % 2:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")  # closes with a reset

    with ThreadPoolExecutor(8) as pool:
        ends = [pool.submit(bad, number) for number in range(100)]
        replies = [pool.submit(server.post, "verify", equation=f"x + {number} = {number} + x") for number in range(40)]
        assert [end.exception() for end in ends] == [None] * 100
        found = [reply.result() for reply in replies]
    assert {reply.status for reply in found} <= {200, 503}
    assert all(reply.json["oracle"] == "true" for reply in found if reply.status == 200)
    assert server.post("verify", equation="x = x").status == 200


@pytest.fixture(scope="module")
def strict() -> Iterator[Server]:
    """A server that refuses soon."""
    with running("reading=2, connections=12, workers=1, waiting=2, waited=300, working=300") as started:
        yield started


def test_slow_clients(strict: Server) -> None:
    sent = [b"", b"GET / HT", strict.head("/api/parse", 9) + b"\r\n{"]
    connections = [strict.connect() for _ in sent]
    for connection, data in zip(connections, sent, strict=True):
        connection.sendall(data)
    assert strict.post("parse", equation="x = x").status == 200  # they hold up nobody
    for connection in connections:
        with connection:
            response = http.client.HTTPResponse(connection)
            response.begin()
            assert response.status == 408
            assert "not complete after 2 seconds" in json.loads(response.read())["error"]
            assert connection.recv(1) == b""


def test_too_many_requests_at_once(strict: Server) -> None:
    with ThreadPoolExecutor(12) as pool:
        replies = list(pool.map(lambda _: strict.post("complete", equation="sin(x)^2 + ? = cos(y)"), range(12)))
    statuses = sorted(reply.status for reply in replies)
    assert statuses[:3] == [200] * 3 and statuses[-1] == 503
    assert all(reply.headers["Retry-After"] == "1" for reply in replies if reply.status == 503)
    assert strict.post("complete", equation="x + ? = x").status == 200


def test_too_many_connections_at_once(strict: Server) -> None:
    """Of those without a complete request, the one that is open for the longest time makes room."""
    connections = [strict.connect() for _ in range(12)]
    assert [strict.ask("GET", "/").status for _ in range(3)] == [200] * 3
    replies = [read_reply(connection) for connection in connections]
    for connection in connections:
        connection.close()
    assert [reply.status for reply in replies[:1]] == [503] and replies[0].headers["Retry-After"] == "1"
    assert {reply.status for reply in replies[-8:]} == {408}


@pytest.mark.slow
def test_quick_questions_do_not_wait_for_long_ones() -> None:
    long = json.dumps({"equation": "+".join(f"x_{k}" for k in range(450)) + " = y"}).encode()
    with running() as server, ThreadPoolExecutor(4) as pool:
        replies = [pool.submit(server.ask, "POST", "/api/explain", long, JSON) for _ in range(4)]
        for number in range(5):
            assert server.post("verify", equation=f"x = x + {number}").status == 200
        assert not all(reply.done() for reply in replies)
    assert {reply.result().status for reply in replies} <= {200, 503}


def test_clients_that_are_gone_hold_up_nobody() -> None:
    body = json.dumps({"equation": f"{'sin(' * 400}x{')' * 400} = x"}).encode()
    with running() as server:
        head = f"POST /api/explain HTTP/1.1\r\nHost: localhost:{server.port}\r\nContent-Type: application/json\r\n"
        for _ in range(30):  # together they would take longer than a request may wait
            with server.connect() as gone:
                gone.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        assert server.post("explain", equation="x = x").status == 200


@pytest.mark.parametrize("name", ["verify", "explain", "complete", "prove"])
def test_numbers_longer_than_python_reads(server: Server, name: str) -> None:
    blank = " + ?" if name == "complete" else ""
    assert server.post(name, equation=f"{'9' * 4000}*{'9' * 5000}*x{blank} = x").status == 200


def test_what_takes_too_long_is_given_up(hurried: Server) -> None:
    reply = hurried.post("complete", equation="?=" + "+".join(f"sin({k}*x_{k})" for k in range(190)))
    assert reply.status == 503 and "not answered within 0.5 seconds" in reply.json["error"]
    assert hurried.post("parse", equation="x = x").status == 200


@pytest.mark.slow
def test_what_takes_too_much_memory_is_given_up() -> None:
    with running("memory=1_000_000") as server:
        long = "+".join(f"sin({k}*x_{k})" for k in range(190))
        assert server.post("complete", equation=f"{long} = ?").status == 503
        assert server.post("parse", equation="x = x").status == 200


@pytest.mark.slow
def test_requests_open_no_files(tmp_path: Path) -> None:
    hook = "import os, sys\nsys.addaudithook(lambda e, a: e == 'open' and os.write(2, f'opened {a[0]}\\n'.encode()))\n"
    (tmp_path / "sitecustomize.py").write_text(hook)
    with running(PYTHONPATH=f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}") as server:
        before = server.errors()
        assert "opened" in before  # the hook sees what is read at the start
        for name in ENDPOINTS:
            for equation in (
                "sin(x)^2 + ? = 1",
                "sin(x)^2 + cos(x)^2 = 2",
                "sqrt(x^2) = x",
                "/etc/passwd",
                "x^x^x = 3",
            ):
                server.post(name, equation=equation)
        assert server.ask("GET", "/").status == 200
        assert server.errors().removeprefix(before) == ""


def test_where_it_cannot_listen() -> None:
    with listening("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ServerError, match=f"port {port} of 127.0.0.1 is in use: --port 0 takes one that is free"):
            listening("127.0.0.1", port)
    with pytest.raises(ServerError, match="there is no host 'no such host'"):
        listening("no such host", 0)
