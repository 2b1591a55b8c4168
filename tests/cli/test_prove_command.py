from __future__ import annotations

import json
from pathlib import Path

import pytest

from dgl_mathtree.cli import main

KEYS = ["equation", "verdict", "proved", "method", "conditions", "steps", "checked", "seconds"]


def test_a_derivation_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "tan(x)*csc(x) = sec(x)"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["tan(x)*csc(x) = sec(x)", "  tan(x)*csc(x)"]
    assert lines[2].startswith("    = ") and "reciprocal/tan-quotient" in lines[2]
    assert lines[-1].startswith("proved by laws in ")


def test_conditions_and_reasons_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "(x^y)^2 = x^(2*y)", "sin(x) = cos(x)"]) == 0
    printed = capsys.readouterr().out
    assert "  for x > 0\n" in printed and "  false: at x = " in printed and "not proved (" in printed


def test_json_has_its_keys_and_checks(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "equations.txt"
    file.write_text("tan(x)*csc(x) = sec(x)\n\nsqrt(x^2) = x\n", encoding="utf-8")
    assert main(["prove", "--json", "--file", str(file)]) == 0
    printed = capsys.readouterr().out
    proved, refused = map(json.loads, printed.splitlines())
    assert list(proved) == KEYS and proved["proved"] and proved["checked"] and proved["method"] == "laws"
    assert all(list(step) == ["left", "right", "law", "at"] for step in proved["steps"])
    assert list(refused)[:8] == KEYS and refused["verdict"] == "branch" and refused["method"] is None
    assert refused["witness"]["point"] and refused["agreement"]["point"] and not refused["checked"]
    stored = tmp_path / "proof.json"
    stored.write_text(printed.splitlines()[0], encoding="utf-8")
    assert main(["check-proof", str(stored)]) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["prove", "x = x", "--without", "sum/sine"], "unknown law 'sum/sine'; did you mean sum/sin"),
        (["prove", "x = x", "--limit", "0"], "--limit must be a positive number of seconds"),
        (["prove", "x = x", "--limit", "nan"], "--limit must be a positive number of seconds"),
        (["prove"], "no equation given"),
        (["prove", "x = "], "column"),
        (["prove", "--file", "missing.txt"], "cannot read missing.txt"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert said in printed.err and printed.out == ""


def test_a_bad_line_does_not_stop_the_others(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "equations.txt"
    file.write_text("x = \nx + y = y + x\n", encoding="utf-8")
    assert main(["prove", "--json", "--file", str(file)]) == 2
    assert json.loads(capsys.readouterr().out)["proved"]


@pytest.mark.parametrize("steps", ["search", "normal"])
def test_one_method_alone(steps: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "--json", "--steps", steps, "--without", "sum/sin", "sin(2*x) = 2*sin(x)*cos(x)"]) == 0
    assert json.loads(capsys.readouterr().out)["method"] == {"search": "laws", "normal": "normal form"}[steps]
