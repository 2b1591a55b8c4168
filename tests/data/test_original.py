from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from dgl_mathtree.data.data_files import DataError
from dgl_mathtree.data.original import read_original

ORIGINAL = Path(__file__).parents[3] / "shared" / "original"
SAMPLE = Path(__file__).parents[1] / "original" / "sample.json"
"""A few of its completion examples, under the licence beside them."""


def example(functions: str, values: str, label: str = "1") -> dict[str, object]:
    return {"equation": {"func": functions, "vars": values}, "label": label}


def write(tmp_path: Path, content: object) -> Path:
    file = tmp_path / "original.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


def test_examples_are_read_and_skipped_by_reason(tmp_path: Path) -> None:
    same = example("Equality,Add,Symbol,#,#,NegativeOne,#,#,Half,#,#", ",,var_0,#,#,-1,#,#,1/2,#,#", "0")
    unary = example("Equality,sin,Pi,#,#,#,Rational,#,#", ",,pi,#,#,#,0,#,#")
    number = example("Equality,Symbol,#,#,Number,#,#", ",var_0,#,#,0.25,#,#")
    nan = example("Equality,Symbol,#,#,NaN,#,#", ",var_0,#,#,nan,#,#")
    skipped: Counter[str] = Counter()
    rows = list(read_original([write(tmp_path, [[same], [unary, number, nan]])], skipped))
    assert [(row.equation, row.label, row.verdict) for row in rows] == [
        ("var_0 + -1 = 1/2", 0, "false"),
        ("sin(pi) = 0", 1, "true"),
    ]
    assert [row.id for row in rows] == ["original-00000", "original-00001"]
    assert skipped == {"decimal evaluation": 1, "not a number": 1}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "list of groups"),
        ([{}], "list of groups"),
        ([["x"]], "example 0: expected an example"),
        ([[example("Equality,x", "1")]], "func has 2 entries and vars 1"),
        ([[{**example("Equality,Symbol,Symbol", ",x,x"), "label": "maybe"}]], "example 0"),
    ],
)
def test_malformed_files(content: object, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        list(read_original([write(tmp_path, content)], Counter()))


def test_files_that_are_no_json(tmp_path: Path) -> None:
    file = tmp_path / "noise.json"
    file.write_bytes(b"\xff\xfe{")
    with pytest.raises(DataError, match="not JSON"):
        list(read_original([file], Counter()))
    with pytest.raises(DataError, match="cannot read"):
        list(read_original([tmp_path / "none.json"], Counter()))


def test_examples_of_the_original() -> None:
    skipped: Counter[str] = Counter()
    rows = list(read_original([SAMPLE], skipped))
    assert not skipped
    assert [(row.equation, row.label, row.verdict) for row in rows] == [
        ("1*(2/5 + tan(var_0 + ((1 + 1)*pi + pi))) = 2/5 + tan(var_0)", 1, "true"),
        ("tan(pi/(3 + 1 - 2) - (4*(1/2))*var_0^1)*0.7 = 1*0.7", 1, "false"),
        ("sin(var_0) = sqrt(1*(1 + cos(var_0)^2*-1))*-1", 1, "branch"),
        ("(0.7^((var_1*var_0)*var_2*1))^(2/5) = (0.7^((var_0*var_1)*1*(0 + (var_2^1)^1)))^(2/5)", 1, "true"),
        ("sin(var_0) = sqrt(1*(1 - cos(var_0)^2))*-1", 1, "branch"),
        ("cos(2*var_1) = (1 + ((sin(var_0)/cos(var_0))*tan(var_0))*-1)/(1 + tan(var_1)^2)", 1, "false"),
    ]


@pytest.mark.skipif(not ORIGINAL.is_dir(), reason="the original project's data is not here")
def test_the_sample_of_the_original_data() -> None:
    skipped: Counter[str] = Counter()
    rows = list(read_original(sorted(ORIGINAL.glob("40k_test_blank_*.json")), skipped))
    assert len(rows) == 831
    assert not skipped
    assert {row.label for row in rows} == {1}
    verdicts = Counter(row.verdict for row in rows)
    assert verdicts["true"] + verdicts["branch"] + verdicts["false"] + verdicts["undefined"] == 831
    assert 0.7 < verdicts["true"] / 831 < 0.95  # published as correct, all of them
