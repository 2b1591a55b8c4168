from __future__ import annotations

import json
from pathlib import Path

import pytest

from dgl_mathtree.cli import main
from dgl_mathtree.cli.evaluate_command import evaluation_page

FIGURES = Path(__file__).parents[2] / "results" / "shipped" / "textbook.json"
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
    assert page.splitlines()[1].startswith("without 1 equations that have a twin among the laws: accuracy ")
    assert result["headline"]["known"] == ["laws"] and result["headline"]["count"] == 2
    assert "both classified correctly, those that differ in a variable" in page and "variable" in page


@pytest.mark.parametrize("arguments", [["missing.tsv"], ["textbook", "--split", "train"], ["paper", "--errors"]])
def test_bad_collections(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "shipped", *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_shipped_model_on_the_textbook(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "shipped", "textbook", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    shares = ("accuracy", "recall", "specificity", "auc", "calibration_error")
    assert all(0 <= result["overall"][name] <= 1 for name in shares)
    assert result["overall"]["readable"] == result["overall"]["count"] == 761
    assert set(result["by_kind"]) == {"algebra", "constants", "hyperbolic", "inverse", "log-exp", "sanity", "trig"}
    for group in ("by_kind", "by_depth"):
        assert sum(row["count"] for row in result[group].values()) == 761
        assert all({*shares, "rejection", "readable", "count"} == row.keys() for row in result[group].values())
    false = sum(row["count"] for row in result["by_error"].values())
    assert {"sign", "variable", "function"} <= result["by_error"].keys() and 0 < false < 761
    refused = sum(row["accuracy"] * row["count"] for row in result["by_error"].values())
    assert refused / false == pytest.approx(result["overall"]["specificity"])
    for pairs in ("all", "one_variable"):
        row = result["pairs"][pairs]
        assert row["count"] > 20 and row["both_right"] <= row["one_right"]
    assert [result["twins"][name]["count"] for name in ("with", "without")] == [0, 761]
    assert result["twins"]["without"] == result["overall"]
    assert result["sides"] is None  # the training data does not come with the project
    # A sixth of them are laws that the training data is made of: the headline is without these.
    headline, laws = result["headline"], result["laws"]
    assert headline["known"] == ["training", "laws"] and headline["left_out"] == laws["with"]["count"] == 118
    assert headline["count"] == 761 - 118 and headline["recall"] < result["overall"]["recall"] < laws["with"]["recall"]
    # The committed figures are those of the shipped weights.
    committed = json.loads(FIGURES.read_text(encoding="utf-8"))["overall"]
    assert committed == pytest.approx({name: result["overall"][name] for name in committed}, abs=0.005)


def test_the_headline_on_data_of_a_recipe(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "shipped", "paper", "--part", "test", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["headline"]["known"] == ["laws"] and result["twins"] is None
    assert result["headline"]["count"] + result["headline"]["left_out"] == result["overall"]["count"]
    assert result["laws"]["with"]["count"] == result["headline"]["left_out"] > 0
    assert evaluation_page(result).splitlines()[1].startswith("without ")


def test_errors_are_listed_by_cause(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "c.tsv"
    file.write_text("true\talgebra\tx = x\nfalse\ttrig/sign\tsin(x) = sin(x)\nfalse\tconstants\t1 = 1\n")
    assert main(["evaluate", "shipped", str(file), "--errors"]) == 0
    *_, first, equation, second, other = capsys.readouterr().out.splitlines()
    assert {first, second} == {"no variable: 1", "other: 1"}
    assert equation.startswith("  false ") and equation.endswith(" = 1") == (first == "no variable: 1")
    assert other.startswith("  false ")
    assert main(["evaluate", "shipped", str(file), "--json"]) == 0
    errors = json.loads(capsys.readouterr().out)["errors"]
    assert [row["equation"] for row in errors] == ["sin(x) = sin(x)", "1 = 1"]
