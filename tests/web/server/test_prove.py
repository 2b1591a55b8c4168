"""Proofs and explanations with proofs, over real connections."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dgl_mathtree.cli import main
from tests.web.server.client import JSON, Server


@pytest.mark.parametrize("equation", ["sin(x + y) = sin(x) + sin(y)", "1 = 1", "x + ? = 2x", "tan(x) cot(x) = 1"])
def test_explanations_are_those_of_the_command(
    server: Server, equation: str, capsys: pytest.CaptureFixture[str]
) -> None:
    reply = server.post("explain", equation=equation, proof=True)
    assert main(["explain", equation, "--json"]) == 0
    assert (reply.status, timeless(reply.json)) == (200, timeless(json.loads(capsys.readouterr().out)))
    quick = server.post("explain", equation=equation).json
    best = quick.get("best", quick)
    assert (best["proof"], best["derivation"]) == (None, None)


PROVED = "2*atan(exp(x)) - pi/2 = asin(tanh(x))"


@pytest.mark.parametrize("equation", [r"\tan x \cot x = 1", PROVED, "sin(x) = x", "sqrt(x^2) = x", "asin(2) = x"])
def test_proofs_are_those_of_the_command(server: Server, equation: str, capsys: pytest.CaptureFixture[str]) -> None:
    reply = server.post("prove", equation=equation)
    assert main(["prove", equation, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (reply.status, timeless(reply.json)) == (200, timeless(printed))
    assert list(reply.json) == list(printed)  # no field more, and in the same order


def timeless(answer: Any) -> Any:
    """An answer without the time that a proof took."""
    if isinstance(answer, dict):
        return {key: timeless(value) for key, value in answer.items() if key != "seconds"}
    return [timeless(value) for value in answer] if isinstance(answer, list) else answer


def test_a_derivation_where_it_is_asked_for(server: Server) -> None:
    proved = server.post("prove", equation="tan(x) cot(x) = 1", derivation=True).json
    assert proved["proved"] and proved["checked"] and proved["steps"]
    assert [line["laws"] for line in proved["derivation"]["lines"]] == [["reciprocal/cot"], ["algebra"]]
    false = server.post("prove", equation="sin(x) = x", derivation=True).json
    assert (false["proved"], false["verdict"], false["derivation"]) == (False, "false", None)
    assert false["witness"]["point"] == {"x": "3/2"}


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"{}", 400, "the field equation: field required"),
        (b'{"equation": 1}', 400, "the field equation: input should be a valid string"),
        (b'{"equation": "x = x", "derivation": "yes"}', 400, "the field derivation: input should be a valid boolean"),
        (b'{"equation": "x = x", "limit": 1}', 400, "there is no field 'limit'; there are: equation, derivation"),
        (b'{"equation": "x"}', 422, "there is no equals sign"),
        (b'{"equation": "x + ? = x"}', 422, "a blank may stand only in"),
        (b'{"equation": "sine(x) = 1"}', 422, "unknown function sine: did you mean sin?"),
        (b'{"equation": "' + b"x+" * 999 + b'x=1"}', 422, "this has 2001 nodes; 2000 are answered at most"),
    ],
)
def test_what_is_no_equation_to_prove(server: Server, body: bytes, status: int, said: str) -> None:
    reply = server.ask("POST", "/api/prove", body, JSON)
    assert reply.status == status and said in reply.json["error"]


def test_a_proof_that_takes_too_long_is_given_up(hurried: Server) -> None:
    roots = "+".join(f"sqrt((sin({k}*x) + 2)^2)" for k in range(1, 9))
    sines = "+".join(f"sin({k}*x)" for k in range(1, 9))
    reply = hurried.post("prove", equation=f"{roots} = {sines} + 16")
    assert reply.status == 503 and "0.5 seconds" in reply.json["error"]
    assert hurried.post("parse", equation="x + x = 2x").status == 200
