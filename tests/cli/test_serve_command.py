from __future__ import annotations

import http.client
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dgl_mathtree.cli import main
from dgl_mathtree.web.server.site import listening
from tests.web.server.client import Server, running

SERVE = [sys.executable, "-m", "dgl_mathtree", "serve", "--port", "0"]


def ends_cleanly(server: Server, number: signal.Signals) -> None:
    """A signal ends a server, also while it reads a request."""
    request = b"POST /api/complete HTTP/1.1\r\nHost: localhost:%d\r\nContent-Length: 9\r\n" % server.port
    with server.connect() as half:
        half.sendall(request)
        server.process.send_signal(number)
        out, _ = server.process.communicate(timeout=60)
    assert (server.process.returncode, out, server.errors()) == (0, "", "")


def test_another_host_is_a_name_it_answers_under_until_it_is_interrupted() -> None:
    with running("", *SERVE, "--host", "localhost") as server:
        assert server.address == f"http://localhost:{server.port}/"
        assert server.ask("GET", "/", headers={"Host": f"localhost:{server.port}"}).status == 200
        assert server.post("verify", equation="x = x").json["oracle"] == "true"
        ends_cleanly(server, signal.SIGINT)


def test_all_addresses_until_it_is_terminated() -> None:
    with running("", *SERVE, "--host", "0.0.0.0") as server:
        reached = http.client.HTTPConnection("127.0.0.2", server.port, timeout=60)
        for host, status in (("127.0.0.2", 200), ("127.0.0.3", 421), ("evil.example", 421)):
            reached.request("GET", "/", headers={"Host": f"{host}:{server.port}"})
            with reached.getresponse() as response:
                assert response.status == status, host
        assert server.post("verify", equation="x = x").json["oracle"] == "true"
        origin = {"Origin": f"http://127.0.0.2:{server.port}", "Content-Type": "application/json"}
        reached.request("POST", "/api/parse", b'{"equation": "x = x"}', origin)
        with reached.getresponse() as response:
            assert response.status == 200
        reached.close()
        ends_cleanly(server, signal.SIGTERM)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--port", "65536"], "--port must be from 0 to 65535, not 65536"),
        (["--port", "some"], "argument --port: invalid int value: 'some'; see mathtree serve --help"),
        (
            ["--port", "0", "--host", "no such host"],
            "there is no host 'no such host': give a name or address of this machine",
        ),
    ],
)
def test_bad_input(options: list[str], said: str, capfd: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(["serve", *options])
    except SystemExit as end:
        code = int(str(end.code))
    assert (code, capfd.readouterr().err) == (2, f"mathtree: {said}\n")


@pytest.mark.parametrize("missing", ["uvicorn", "starlette", "pydantic"])
def test_without_the_extra(missing: str) -> None:
    program = f"import sys\nsys.modules[{missing!r}] = None\nfrom dgl_mathtree.__main__ import main\nsys.exit(main())"
    result = subprocess.run([sys.executable, "-c", program, "serve"], capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(f"mathtree: serve needs {missing}")
    assert result.stderr.endswith("pip install 'dgl-mathtree[serve]'\n") and result.stderr.count("\n") == 1


def test_a_port_in_use() -> None:
    with listening("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        command = [*SERVE[:-1], str(port)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    said = f"mathtree: port {port} of 127.0.0.1 is in use: --port 0 takes one that is free\n"
    assert (result.returncode, result.stdout, result.stderr) == (2, "", said)


def test_a_model_that_is_none(tmp_path: Path) -> None:
    result = subprocess.run([*SERVE, "--model", str(tmp_path / "no")], capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("mathtree: ") and result.stderr.count("\n") == 1
