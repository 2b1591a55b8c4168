from __future__ import annotations

import pytest

from dgl_mathtree import load
from dgl_mathtree.inference.candidates import classify
from dgl_mathtree.language import parse_expression, readable


@pytest.mark.parametrize(
    ("blank", "filling"),
    [
        ("(a + b)^3 = a^3 + 3*a^2*b + ? + b^3", "3*a*b^2"),
        ("x^5 - 1 = (x - 1)*?", "x^4 + x^3 + x^2 + x + 1"),
        ("x^a*x^b = x^?", "a + b"),
        ("sin(x)*cos(y) - cos(x)*sin(y) = sin(?)", "x - y"),
        ("asinh(x) = log(?)", "x + sqrt(x^2 + 1)"),
        ("sqrt(5 + 2*sqrt(6)) = sqrt(2) + sqrt(?)", "3"),
        ("4*atan(1/5) - atan(1/239) = ?", "pi/4"),
        ("(x + 1)^5 = x^5 + 5*x^4 + ?*x^3 + 10*x^2 + 5*x + 1", "10"),
        ("cos(asin(x)) = ?", "sqrt(1 - x^2)"),
        ("exp(?) = x^2", "log(x^2)"),
    ],
)
def test_the_first_filling_is_true_and_as_people_write_it(blank: str, filling: str) -> None:
    (found,) = load().complete(blank, top=1)
    assert (readable(found.expression), found.oracle) == (filling, "true")
    assert found.proof is not None and found.answer == "proved"


def test_all_branches_are_offered() -> None:
    found = load().complete("cos(?) = 1/2", top=4)
    assert {"pi/3", "-pi/3"} <= {readable(filling.expression) for filling in found}
    assert [filling.oracle for filling in found] == ["true"] * 4


def test_what_holds_on_a_branch_comes_after_what_is_true() -> None:
    given = classify([parse_expression(text) for text in ("x + 1", "sqrt(x^2)", "x")])
    found = load().complete("? = x", given)
    assert [filling.answer for filling in found] == ["proved", "branch", "refuted"]
    alone = load().complete("? = x", given, network_only=True)
    assert {str(filling.expression) for filling in alone} == {"x", "sqrt(x^2)", "x + 1"}
    probability = [filling.probability for filling in alone]
    assert probability == sorted(probability, reverse=True)


def test_a_blank_that_nothing_fills() -> None:
    found = load().complete("0*? = 1", top=2)
    assert len(found) == 2
    assert {filling.oracle for filling in found} == {"false"}
