"""`mathtree check-proof`."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from dgl_mathtree.cli import main
from tests.proof.check.proofs import TANGENTS, one_step

WRONG = one_step("sqrt(x^2) = x", "sign")


def test_one_object_or_one_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "proof.json"
    file.write_text(json.dumps(TANGENTS, indent=2))
    assert main(["check-proof", str(file)]) == 0
    assert capsys.readouterr().out == "checked: tan(x) + cot(x) = sec(x)*csc(x)\n"
    file.write_text(f"{json.dumps(TANGENTS)}\n\n{json.dumps(one_step('x + x = 2*x', 'algebra'))}\n")
    assert main(["check-proof", str(file)]) == 0
    assert capsys.readouterr().out.count("checked: ") == 2


def test_the_conditions_of_a_proof_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "proof.json"
    file.write_text(json.dumps(one_step("acot(-x) = -acot(x)", "more-inverses/acot-minus", conditions=["x != 0"])))
    assert main(["check-proof", str(file)]) == 0
    assert capsys.readouterr().out == "checked: acot(-x) = -acot(x) for x ≠ 0\n"


def test_a_proof_that_does_not_check_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "proofs.jsonl"
    file.write_text(f"{json.dumps(WRONG)}\n{json.dumps(TANGENTS)}\n")
    assert main(["check-proof", str(file)]) == 2
    said = capsys.readouterr()
    assert said.out.splitlines() == ["checked: tan(x) + cot(x) = sec(x)*csc(x)"]
    assert len(said.err.splitlines()) == 1 and "line 1: step 1 is false" in said.err


@pytest.mark.parametrize(
    "text", ["", "[]", "nonsense", "[" * 100000, '{"equation": NaN}', "\x00", '{"equation": "x = x"']
)
def test_what_is_no_proof_is_one_line(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "proof.json"
    file.write_text(text)
    assert main(["check-proof", str(file)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert main(["check-proof", str(tmp_path / "missing.json")]) == 2
    file.write_bytes(b"\xff\xfe\x00")
    assert main(["check-proof", str(file)]) == 2


@pytest.mark.parametrize("indent", [None, 1])
def test_a_key_that_is_given_twice_is_refused(
    indent: int | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "proof.json"
    file.write_text(json.dumps(TANGENTS, indent=indent).replace("{", '{"equation": "tan(x) = x", ', 1))
    assert main(["check-proof", str(file)]) == 2
    assert capsys.readouterr().err == f"mathtree: {file}: 'equation' is given twice\n"


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(TANGENTS)))
    assert main(["check-proof", "-"]) == 0
    assert capsys.readouterr().out.startswith("checked: ")
