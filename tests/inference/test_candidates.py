from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from dgl_mathtree.cli import main
from dgl_mathtree.data.data_files import DataError, read_card
from dgl_mathtree.graphs import SYMBOLS
from dgl_mathtree.inference.candidates import (
    DIGITS,
    NEGATIVE,
    TRIVIAL,
    Candidates,
    Plainness,
    candidates_for,
    classify,
    default_candidates,
    enumerate_expressions,
    read_candidates,
    values_of,
    write_candidates,
)
from dgl_mathtree.inference.filling_order import BRANCH, OTHER, TRUE, best_fillings
from dgl_mathtree.language import Equation, parse_blank, parse_expression
from dgl_mathtree.language.vocabulary import OPERATOR_NAMES
from dgl_mathtree.oracle import Oracle
from dgl_mathtree.oracle.value_keys import equal_rows

ORIGINAL = Path(__file__).parents[3] / "shared" / "original" / "candidate_classes.json"


def test_enumeration_has_everything_once() -> None:
    found = enumerate_expressions(["x", "1"], ["sin", "Add"], 2)
    one = 2 + 2 + 4
    assert len(found) == len(set(found)) == 2 + one + one**2
    assert {e.depth for e in found} == {0, 1, 2}
    assert [e.depth for e in found] == sorted(e.depth for e in found)
    assert enumerate_expressions(["x", "x"], [], 3) == enumerate_expressions(["x"], [], 0)
    with pytest.raises(DataError, match="too many"):
        enumerate_expressions(SYMBOLS, ["Add", "Mul", "Pow"], 2)
    with pytest.raises(DataError, match="must not be negative"):
        enumerate_expressions(SYMBOLS, ["Add"], -1)


def test_classes_are_what_the_oracle_says_of_every_pair() -> None:
    texts = (
        "x 1*x x+0 (x^-1)^-1 x^2*x^-1 x*x x^2 1 x^0 0 0*x sin(0) sin(x) sin(1*x) 0^-1 csc(0) sqrt(x) x^(1/2) 2*x x+x"
    ).split()
    candidates = classify([parse_expression(text) for text in texts])
    pairs = list(combinations(range(len(texts)), 2))
    equations = [Equation(candidates.expressions[i], candidates.expressions[k]) for i, k in pairs]
    for (i, k), judgement in zip(pairs, Oracle(complex_plane=False).judge(equations), strict=True):
        together = candidates.classes[i] == candidates.classes[k]
        assert together == (judgement.verdict == "true"), (texts[i], texts[k])
    assert candidates.classes[0] == 0
    assert [str(e) for e in candidates.simplest().expressions] == "x x*x 1 0 sin(x) 0^-1 csc(0) sqrt(x) 2*x".split()


def built(text: str) -> set[str]:
    found = candidates_for(parse_blank(text), ["x", "-1", "2", "7"], OPERATOR_NAMES, lambda _: True)
    assert len(set(found.classes.tolist())) == len(found)
    return {str(expression) for expression in found.expressions}


def test_candidates_for_a_blank_are_the_simplest_of_their_value() -> None:
    found = built("sin(2*x) + ? = 1")
    assert {"x", "7", "x/2", "cos(2*x)", "1 - sin(2*x)", "sec(x)", "1/x"} <= found
    assert not {"1/cos(x)", "cos(x)^-1", "x*1", "csc(2*x)^-1", "x*(1/2)"} & found


def test_the_other_side_is_a_filling_where_nothing_simpler_is_equal() -> None:
    assert "sin(x)^2 + cos(x)^2" not in built("? = sin(x)^2 + cos(x)^2")
    assert "tan(x) + cot(x)" not in built("tan(x) + cot(x) = ?")
    assert "x/y" in built("? = x/y")


def test_values_at_the_edge_of_floating_point() -> None:
    """Warnings are errors here: nothing overflows where values are compared."""
    texts = ["x*10^308", "x*17*10^307", "x*10^307", "-x*10^308", "x"]
    expressions = [parse_expression(text) for text in texts]
    values = values_of(expressions, Oracle(complex_plane=False))
    assert np.nanmax(np.abs(values)) > 1.5e308
    assert [group for group in equal_rows(values, DIGITS) if len(group) > 1] == []


def test_the_best_fillings() -> None:
    expressions = tuple(parse_expression(text) for text in ("sqrt(x)^2", "x", "x + 2*sin(y)", "2", "y"))
    candidates = Candidates(expressions, np.arange(5))
    blank = parse_blank("? + y = x")
    logits = np.array([3.0, 2.0, 1.1, 1.0, -np.inf])
    # Of equal ones the simplest, of nearly equal scores the shorter; what cannot be read is left out.
    assert best_fillings(blank, candidates, logits, 5) == [1, 3, 2]
    assert best_fillings(blank, candidates, np.array([3.0, 2.0, 6.1, 1.0, -np.inf]), 1) == [2]
    tier = np.array([OTHER, OTHER, BRANCH, TRUE, OTHER])
    assert best_fillings(blank, candidates, logits, 5, tier) == [3, 2, 1]


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "candidates.json"
    candidates = default_candidates(["x", "1/2", "-1"], ["sin", "Mul"])
    write_candidates(file, candidates)
    again = read_candidates(file)
    assert again.expressions == candidates.expressions
    assert np.array_equal(again.classes, candidates.classes)
    wrong = {
        "{": "is not JSON",
        "{}": "holds no candidates: expected",
        "[]": "holds no candidates",
        "[[3]]": "expected an example",
        '{"candidates": [{"expression": "x +", "class": 0}]}': "candidate 'x \\+': column 4",
        '{"candidates": []}': "holds no candidates",
    }
    for text, message in wrong.items():
        file.write_text(text)
        with pytest.raises(DataError, match=message):
            read_candidates(file)
    with pytest.raises(DataError, match="cannot read"):
        read_candidates(tmp_path / "none")


def test_an_anagram_of_the_other_side_is_no_trivial_filling() -> None:
    blank = parse_blank("sin(-x) = ?")
    plain = {text: Plainness(blank)(parse_expression(text))[0] for text in ("-sin(x)", "sin(-x)", "sin(x*(-1))")}
    assert plain == {"-sin(x)": 5, "sin(-x)": 5 + TRIVIAL + NEGATIVE, "sin(x*(-1))": 7 + TRIVIAL}


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "candidates.json"
    assert main(["candidates", "--out", str(out)]) == 0
    assert capsys.readouterr().out.startswith("986 candidates in ")
    assert main(["candidates", "--out", str(out), "--leaves", "x,1", "--operators", "sin", "--depth", "2"]) == 0
    assert len(json.loads(out.read_text())["candidates"]) == 6
    assert main(["candidates", "--out", str(out), "--operators", "Sub"]) == 2
    assert "unknown operator 'Sub'" in capsys.readouterr().err
    assert main(["candidates", "--out", str(out), "--leaves", "x,foo"]) == 2
    assert "'foo' is not a leaf" in capsys.readouterr().err


@pytest.mark.skipif(not ORIGINAL.is_file(), reason="the original project's data is not here")
def test_the_original_candidates() -> None:
    candidates = read_candidates(ORIGINAL)
    assert (len(candidates), len(candidates.places), int(candidates.classes.max()) + 1) == (1470, 1216, 602)


def test_data_without_leaves_makes_no_candidates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "equations.jsonl").touch()
    card = read_card("paper") | {"symbols": []}
    (tmp_path / "card.json").write_text(json.dumps(card))
    assert main(["candidates", "--data", str(tmp_path), "--out", str(tmp_path / "made.json")]) == 2
    assert "has no leaves to make candidates of" in capsys.readouterr().err
