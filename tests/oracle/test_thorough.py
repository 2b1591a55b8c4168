from __future__ import annotations

import pickle
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from dgl_mathtree.language import Equation, parse_equation
from dgl_mathtree.language.variable_indices import place
from dgl_mathtree.language.vocabulary import is_variable
from dgl_mathtree.oracle import Oracle, judge
from dgl_mathtree.oracle.critical_points import Line, Search, critical_functions, may_branch
from dgl_mathtree.oracle.judgements import with_proofs
from dgl_mathtree.oracle.lines import lines_through
from dgl_mathtree.oracle.verdict import Judgement
from dgl_mathtree.oracle.witnesses import simplified


@pytest.mark.parametrize("places", [1, 2, 3, 4, 5])
def test_lines_reach_every_orthant_and_every_size(places: int) -> None:
    points = [line.base[:, None] + line.direction[:, None] * line.grid for line in lines_through(places, [])]
    every = np.concatenate(points, axis=1)
    assert {tuple(signs) for signs in np.sign(every).T.tolist()} >= set(product((1.0, -1.0), repeat=places))
    sizes = np.abs(every)
    assert sizes.max(axis=0).min() < 1e-6 and sizes.min(axis=0).max() > 1e6


def test_critical_functions_of_an_absolute_value_are_its_factors() -> None:
    forest = place([parse_equation("sqrt((x-2)^2*(x-3)^2) = log(x)")]).forest
    words = [forest.words[k] for k in forest.word.tolist()]
    functions = critical_functions(forest)
    kinds = [words[function.node] for function in functions]
    assert kinds.count("Add") == 2 and "Mul" in kinds and any(is_variable(kind) for kind in kinds)
    assert may_branch(forest)
    assert not may_branch(place([parse_equation("sin(x)/x = tan(x)^2")]).forest)


def test_zeros_are_found_by_sign_and_by_touching() -> None:
    forest = place([parse_equation("sqrt(x) = 1")]).forest
    functions = critical_functions(forest)
    node = functions[0].node

    def evaluate(points: np.ndarray) -> np.ndarray:
        rows = np.full((len(forest), points.shape[1]), np.nan)
        rows[node] = (points[0] - 3.25) ** 2 * (points[0] - 7.0)
        return rows

    search = Search(functions, evaluate)
    grid = np.linspace(-10.0, 10.0, 41) + 0.01
    line = Line(np.zeros(1), np.ones(1), grid)
    zeros = search.zeros([line], [search.values(grid[None])])[0]
    assert np.min(np.abs(zeros - 7.0)) < 1e-9 and np.min(np.abs(zeros - 3.25)) < 1e-4


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("sqrt((log(x)-10)^2) = 10-log(x)", "branch"),
        ("sqrt((x-2)^2*(x-2.1)^2) = (x-2)*(x-2.1)", "branch"),
        ("sqrt((x^2+y^2+z^2+w^2-1)^2) = x^2+y^2+z^2+w^2-1", "branch"),
        ("sqrt(x-2)^2 + sqrt(2.001-x)^2 = .001", "true"),
        ("sqrt(x^2*(x-2)) + sqrt((x-2)^2) = sqrt(x^2*(x-2)) + x - 2", "branch"),
        ("(x^y)^z = x^(y*z)", "branch"),
        ("(x^(2*y/3))^(3/2) = x^y", "branch"),
        ("(ln(x)^y)^z = ln(x)^(y*z)", "branch"),
        ("(x/y)^z = x^z/y^z", "true"),
        ("sin(exp(exp(100))) = 1/2", "undecided"),
        ("tan(exp(exp(44))) = x", "undecided"),
        ("abs(x-77)+abs(x-77.0001) = 0.0001", "branch"),
        ("abs(x-3)*(x-3)^50 = (x-3)^51", "branch"),
        ("(x-3)^60 = 0", "false"),
        ("sqrt(x-5)*sqrt(5.0000001-x) = x-5", "false"),
        ("2^(2^x)*2^(2^x) = 4^(4^x)", "false"),
        ("abs(x-77)+abs(y-55)+abs(x-77.01)+abs(y-55.01) = 0.02", "branch"),
        ("sqrt(x-3)*sqrt(3.001-x) + sqrt(y-7)*sqrt(7.001-y) = x", "false"),
        ("log((x-3)*(3.001-x))+log((y-7)*(7.001-y)) = log((x-3)*(3.001-x)*(y-7)*(7.001-y))", "true"),
        ("abs(a-b)+abs(b-c)+abs(c-d)+abs(d-f) = f-a", "branch"),
        ("abs(log(x)-1000) = 1000-log(x)", "branch"),
    ],
)
def test_names_sides_and_seeds_do_not_matter(text: str, verdict: str) -> None:
    equation = parse_equation(text)
    renamed = equation.rename({name: f"v_{k}" for k, name in enumerate(equation.variables)})
    for some in (equation, renamed, Equation(equation.right, equation.left)):
        assert {judge(some, seed).verdict for seed in (0, 7)} == {verdict}


def test_a_far_witness_is_written_as_a_power_of_ten() -> None:
    equation = parse_equation("abs(log(x)-1000) = 1000-log(x)")
    judgement = simplified(equation, judge(equation))
    assert str(judgement.witness).startswith("at x = 10^600: left 381.55")
    assert judgement.witness is not None and judgement.witness.point["x"] == 10**600


def test_no_certificate_rests_on_what_was_taken() -> None:
    edge = parse_equation("acos(sin(1)^2 + cos(1)^2) = 1")
    judgement = simplified(edge, judge(edge))
    assert judgement.verdict == "false" and not judgement.certified
    assert judgement.witness is not None and judgement.witness.taken and "not proven" in str(judgement.witness)
    equation = parse_equation("acos(1 + 10^-400) = 1")
    assert (judge(equation).verdict, judge(equation).witness) == ("undefined", None)
    assert simplified(edge, judge(parse_equation("tanh(185) = 1"))).certified


def test_what_true_rests_on() -> None:
    equation = parse_equation("sin(x)^2 + cos(x)^2 = 1")
    judgement = judge(equation)
    assert judgement.tested is not None and judgement.tested.points > 1000
    assert judgement.stated == f"true ({judgement.tested.points} points)"
    facts = judgement.to_json()
    assert facts["proof"] is None
    assert facts["tested"] == {
        "points": judgement.tested.points,
        "from": judgement.tested.low,
        "to": judgement.tested.high,
    }
    (proved,) = with_proofs([equation], [judgement], lambda _: SimpleNamespace(method="normal form", conditions=()))
    assert (proved.stated, proved.certified, proved.to_json()["proof"]) == ("true (proved)", True, "normal form")
    (unproved,) = with_proofs([equation], [judgement], lambda _: None)
    assert unproved == judgement


def test_quick_judgements_do_not_change_with_closer_looks() -> None:
    """What labels rest on: the fixed points alone."""
    equation = parse_equation("sqrt((x-2)^2*(x-2.1)^2) = (x-2)*(x-2.1)")
    quick: Judgement = Oracle(complex_plane=False).judge([equation])[0]
    assert (quick.verdict, quick.defined) == ("true", 48)
    assert Oracle(complex_plane=False, thorough=True).judge([equation])[0].verdict == "branch"


def test_a_zero_that_is_no_fraction_is_a_witness() -> None:
    text = "sqrt((a^3-a-1)^2*(a-2)) + sqrt((a-2)^2) = sqrt((a^3-a-1)^2*(a-2)) + a - 2"
    judgement = simplified(parse_equation(text), judge(parse_equation(text)))
    assert judgement.verdict == "branch" and judgement.witness is not None and judgement.witness.certified
    assert str(judgement.witness).startswith("at a = 1.32471... (where a^3 - a - 1 = 0): left 0.67528..., right -0.675")
    near = judgement.witness.point["a"]
    assert abs(near**3 - near - 1) < 1e-9
    assert pickle.loads(pickle.dumps(near)).named({}) == near


def test_what_stands_alone_and_is_not_examined_is_not_called_true() -> None:
    """A double zero of an expanded polynomial: no sign changes, and it is no fraction."""
    text = "sqrt((x^4-4*x^2+4)*(x-2)) + sqrt((x-2)^2) = sqrt((x^4-4*x^2+4)*(x-2)) + x - 2"
    assert judge(parse_equation(text)).verdict in ("undecided", "branch")


@pytest.mark.parametrize("text", ["e^(2*x) = 1", "12^x = 8^x", "2^x*6^x = 8^x", "e^(x*y) = 1", "e^(x^4) = 1"])
def test_sides_that_are_all_but_equal_near_a_point_agree_at_that_point_only(text: str) -> None:
    assert judge(parse_equation(text)).verdict == "false"
