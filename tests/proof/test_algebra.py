"""The closing test and what is known of signs."""

from __future__ import annotations

import pytest

from dgl_mathtree.language import parse_equation
from dgl_mathtree.proof.algebra import Algebra, root_order
from dgl_mathtree.proof.facts import Facts
from dgl_mathtree.proof.laws import Condition
from dgl_mathtree.proof.terms import terms_for


def _closes(text: str) -> bool:
    equation = parse_equation(text)
    terms = terms_for(equation.left.words, equation.right.words)
    left, right = terms.read(equation.left.words), terms.read(equation.right.words)
    closes = Algebra(terms, root_order(terms, left, right)).closes(left, right)
    # The fingerprint never tells apart what is equal.
    assert not closes or terms.failed_roots or terms.value[left] == terms.value[right]
    return closes


@pytest.mark.parametrize(
    "text",
    [
        "(x + y)^3 = x^3 + 3*x^2*y + 3*x*y^2 + y^3",
        "sin(x)^6 + cos(x)^6 = 1 - 3*sin(x)^2*cos(x)^2",
        "cosh(x)^4 - sinh(x)^4 = cosh(x)^2 + sinh(x)^2",
        "1/(sqrt(x + 1) + sqrt(x)) = sqrt(x + 1) - sqrt(x)",
        "(1 - sin(x))/cos(x) = cos(x)/(1 + sin(x))",
        "sin(2*x + 2*y) = sin(2*(x + y))",
        "sqrt(x)*x^(1/3) = x^(5/6)",
        "sqrt(8) = 2*sqrt(2)",
        "sqrt(x/4) = sqrt(x)/2",
        "sqrt((x + 1)/(x - 1))^2 = (x + 1)/(x - 1)",
        "(x^2 - y^2)/(x - y) = x + y",
    ],
)
def test_what_algebra_closes(text: str) -> None:
    assert _closes(text)


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(x^2) = x",
        "sqrt(x*y) = sqrt(x)*sqrt(y)",
        "sqrt(x^2)*x = x^2",
        "tan(x) = sin(x)/cos(x)",
        "sin(-x) = -sin(x)",
        "(x + 1)^2 = x^2 + 1",
        "x/(y - y) = x/(y - y)*2",
        "log(x*y) = log(x) + log(y)",
        "(x + y + z)^200 = (x + y + z)^200 + 1",
        "x^(10^10) = 1",
    ],
)
def test_what_algebra_does_not_close(text: str) -> None:
    assert not _closes(text)


def _facts(text: str) -> Facts:
    equation = parse_equation(text)
    terms = terms_for(equation.left.words, equation.right.words)
    sides = terms.read(equation.left.words), terms.read(equation.right.words)
    return Facts(terms, sides, (), root_order(terms, *sides))


@pytest.mark.parametrize(
    ("equation", "known", "unknown"),
    [
        ("tan(x) = 1", "cos(x) != 0;1 + sin(x) != 0;1 + tan(x)^2 > 0", "cos(2*x) != 0;sin(x) != 0;1 + cos(x) != 0"),
        ("log(x) = log(y)", "x > 0;x*y > 0;x + y > 0;x != 0", "x - y > 0;x - 1 != 0"),
        ("sqrt(x) = y", "x >= 0;x + 1 > 0", "x > 0;x != 0;y >= 0"),
        ("1/sqrt(x - 1) = y", "x > 1;x > 0;x - 1 != 0", "y > 0"),
        ("sqrt(x^2*(x - 2)) = 1", "x^2*(x - 2) >= 0", "x - 2 >= 0;x >= 0"),
        ("log(x^2*(x - 2)) = 1", "x > 2;x > 0", "x > 3"),
        ("acosh(x) = 1", "x > 0;x + sqrt(x^2 - 1) > 0", "x > 1"),
        ("asin(x) = y", "1 - x >= 0;1 + x >= 0;1 - x^2 >= 0", "1 - x > 0;x >= 0"),
        ("x = y", "cosh(x) >= 1;exp(x) > 0;x + sqrt(x^2 + 1) > 0;e^x > 0;2^x > 0", "sinh(x) != 0;x^y > 0"),
        ("x = y", "sqrt(2) - 1 > 0;pi > 3", "2 - sqrt(4) != 0;sqrt(x^2) + x != 0;x^2 + y^2 > 0;abs(x) > 0"),
    ],
)
def test_facts_of_a_domain(equation: str, known: str, unknown: str) -> None:
    facts = _facts(equation)
    assert [text for text in known.split(";") if not facts.holds(Condition.parse(text))] == []
    assert [text for text in unknown.split(";") if facts.holds(Condition.parse(text))] == []
