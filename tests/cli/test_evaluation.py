from __future__ import annotations

import json
from pathlib import Path

import pytest

from dgl_mathtree.cli import main

LINES = "true\ttrig\tsin(x)^2 + cos(x)^2 = 1\nfalse\ttrig/variable\tsin(y)^2 + cos(x)^2 = 1\ntrue\tother\tx + + = 1\n"


def test_a_collection(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, scores = tmp_path / "some.tsv", tmp_path / "scores.jsonl"
    file.write_text(LINES)
    assert main(["evaluate", "shipped", str(file), "--json", "--scores", str(scores)]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["split"], result["data"], result["overall"]["count"]) == ("test", str(file), 3)
    assert result["overall"]["readable"] == 2 and result["by_kind"]["other"]["accuracy"] == 0.0
    assert result["pairs"]["one_variable"]["count"] == 1
    logits = [json.loads(line) for line in scores.read_text().splitlines()]
    assert [row["id"] for row in logits] == ["1", "2", "3"] and logits[2]["logit"] is None
    assert main(["evaluate", "shipped", str(file)]) == 0
    page = capsys.readouterr().out
    assert "both right, those that differ in a variable" in page and "variable" in page


@pytest.mark.parametrize("arguments", [["missing.tsv"], ["textbook", "--split", "train"]])
def test_bad_collections(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "shipped", *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1
