from __future__ import annotations

import json
import webbrowser
from pathlib import Path

import pytest

from dgl_mathtree.cli import main


def test_a_page_is_written_where_it_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "page.html"
    assert main(["explain", "sqrt(x^2) = x", "--out", str(out)]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert "oracle branch, at x = -1/4: left 0.25, right -0.25" in first and second == f"written to {out}"
    text = out.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>") and "sqrt(x^2) = x" in text


def test_json_alone_writes_no_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["explain", "1 + 1 = 2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["oracle"]["verdict"] == "true" and found["curves"] is None
    assert not list(tmp_path.iterdir())


def test_open(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)  # type: ignore[func-returns-value]
    assert main(["explain", "x + ? = x", "--open"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "written to explain.html"
    assert opened == [(tmp_path / "explain.html").as_uri()]
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    assert main(["explain", "x = x", "--open"]) == 2
    assert capsys.readouterr().err == "mathtree: no browser could be opened: the page is explain.html\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x + 1"], "expected an equation"),
        (["x + ? = ?"], "a second blank"),
        (["x = x", "--model", "nowhere"], "nowhere"),
        (["x = x", "--out", "."], "--out must name a file to write, and . is a folder"),
        (["x = x", "--out", "missing/page.html"], "missing"),
        ([f"{'sin(' * 2000}x{')' * 2000} = x"], "at most 2000"),
    ],
)
def test_bad_input(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error and error.startswith("mathtree: ") and "Traceback" not in error
