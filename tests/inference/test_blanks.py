from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from dgl_mathtree.data.data_files import DataError, read_rows
from dgl_mathtree.inference.blanks import (
    Blank,
    cut_blank,
    make_blanks,
    original_blanks,
    path_to_blank,
    read_blanks,
    write_blanks,
)
from dgl_mathtree.language import ParseError, infix, parse_blank, parse_equation, parse_expression


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("sin(x)^2 + ? = 1", "sin(x)^2 + ? = 1"),
        ("x + _ = 1", "x + ? = 1"),
        (r"\frac{\square}{x} = 2", "?/x = 2"),
        (r"\Box = x", "? = x"),
        ("□ = x", "? = x"),
        ("sin ? = x", "sin(?) = x"),
        ("-?^2 = x_1", "-1*?^2 = x_1"),
        ("log_2(?) = 3", "log(?, 2) = 3"),
        ("sqrt(?) = x", "sqrt(?) = x"),
    ],
)
def test_blanks_in_text(text: str, printed: str) -> None:
    equation = parse_blank(text)
    assert infix(equation) == printed
    assert parse_blank(printed) == equation


@pytest.mark.parametrize(
    ("text", "reason", "column"),
    [
        ("x + 1 = 2", "there is no blank to fill", 10),
        ("? + ? = 1", "there is a second blank here", 5),
        ("x ? y = 1", "not for an operator", 3),
        ("x _ y = 1", "not for an operator", 3),
        ("?(x) = 1", "not for a function or operator", 2),
        ("? x = 1", "not for a function or operator", 3),
        ("? + 1", "there is no equals sign", 6),
    ],
)
def test_what_a_blank_may_not_be(text: str, reason: str, column: int) -> None:
    with pytest.raises(ParseError) as caught:
        parse_blank(text)
    assert reason in caught.value.reason
    assert caught.value.column == column


@pytest.mark.parametrize("text", ["x = ?", "_ = 1", r"\square = 2"])
def test_blanks_stand_in_no_other_equation(text: str) -> None:
    with pytest.raises(ParseError, match="only in an equation that is to be completed"):
        parse_equation(text)


def test_cutting_and_filling() -> None:
    equation = parse_equation("sin(x)^2 + cos(x)^2 = 1")
    for position in range(1, len(equation)):
        blank = cut_blank("a", equation, position)
        assert blank.filled == equation
        assert blank.filling == equation.subexpression(position)


def test_paths() -> None:
    assert path_to_blank(parse_blank("? = x")) == (0, [])
    assert path_to_blank(parse_blank("x = 2*sin(x^?)")) == (1, [("Mul", 1), ("sin", 0), ("Pow", 1)])


def test_blanks_of_data() -> None:
    blanks = make_blanks("paper", depth=1, seed=3)
    rows = {row.id: row for row in read_rows("paper", "test")}
    assert len(blanks) == sum(row.label for row in rows.values()) == 4097
    assert all(blank.filled == rows[blank.id].parsed() and blank.filling.depth <= 1 for blank in blanks[:300])
    assert make_blanks("paper", depth=1, seed=3)[:50] == blanks[:50] != make_blanks("paper", depth=1, seed=4)[:50]
    assert {blank.filling.depth for blank in make_blanks("paper", depth=0, seed=0)} == {0}


def test_the_choice_is_uniform_among_nodes() -> None:
    blanks = make_blanks("paper", seed=0)
    first = blanks[0].filled
    allowed = [k for k, height in enumerate(first.heights()) if k > 0 and height <= 1]
    drawn = Counter(blank.filling for blank in blanks)
    leaves = sum(count for filling, count in drawn.items() if filling.depth == 0)
    # Every equation has more leaves than nodes of depth 1, but both are drawn.
    assert len(allowed) > 1
    assert 0.5 < leaves / drawn.total() < 0.95


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "blanks.jsonl"
    blanks = [Blank("a", parse_blank("x + ? = 1"), parse_expression("1 - x"))]
    write_blanks(file, blanks)
    assert json.loads(file.read_text()) == {"id": "a", "equation": "x + ? = 1", "filling": "1 - x", "depth": 4}
    assert read_blanks(file) == blanks
    assert read_blanks(tmp_path) == blanks
    wrong = {
        "{": "line 1 is not JSON",
        "{}": "expected an object with id, equation and filling",
        '{"id": 1, "equation": "x = 1", "filling": "x"}': "there is no blank",
        '{"id": 1, "equation": "? = 1", "filling": "x +"}': "column 4",
        "": "holds no blanks",
        "[[{}]]": "expected an example",
    }
    for text, message in wrong.items():
        file.write_text(text)
        with pytest.raises(DataError, match=message):
            read_blanks(file)
    with pytest.raises(DataError, match="cannot read"):
        read_blanks(tmp_path / "none")
    with pytest.raises(DataError, match=r"has no blanks\.jsonl"):
        read_blanks(tmp_path.parent)


def test_blanks_of_the_original() -> None:
    blanks = original_blanks([Path(__file__).parents[1] / "original" / "sample.json"])
    assert len(blanks) == 6
    assert (infix(blanks[2].equation), infix(blanks[2].filling)) == (
        "sin(var_0) = sqrt(?*(1 + cos(var_0)^2*-1))*-1",
        "1",
    )
    assert infix(blanks[5].filling) == "var_1"
