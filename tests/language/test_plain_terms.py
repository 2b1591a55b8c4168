from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given

from dgl_mathtree.language import Equation, Expr, parse_expression
from dgl_mathtree.language.plain_terms import length, minus, over, plus, raised, times
from dgl_mathtree.language.printers import readable
from dgl_mathtree.oracle import Oracle
from tests.language.strategies import expressions

TEXTS = "x -x 2*x x/2 -x/2 3*x/2 0 1 -1 2 1/2 0.7 pi/2 1/x x^-1 2/x x^2 x*y x/y x+y sin(x) (x+1)/2 2*x/y".split()
FORMS = {"+": plus, "-": minus, "*": times, "/": over, "^": raised}


@pytest.mark.parametrize("sign", FORMS)
def test_forms_have_the_value_of_the_plain_operation(sign: str) -> None:
    pairs = [(a, b) for a, b in product(TEXTS, repeat=2) if sign != "^" or not parse_expression(b).variables]
    made = [FORMS[sign](parse_expression(a), parse_expression(b)) for a, b in pairs]
    plain = [parse_expression(f"({a}){sign}({b})") for a, b in pairs]
    judged = Oracle(complex_plane=False).judge(Equation(x, y) for x, y in zip(made, plain, strict=True))
    for pair, expression, judgement in zip(pairs, made, judged, strict=True):
        assert Expr(expression.words) == expression  # a tree of known words
        undefined = sign == "^" or (sign == "/" and "0" in pair)  # a negative number has no raised of 0.7
        assert judgement.verdict == "true" or (undefined and judgement.verdict == "undefined"), (pair, expression)


@pytest.mark.parametrize(
    ("sign", "a", "b", "text"),
    [
        ("+", "x", "0", "x"),
        ("+", "x/2", "x", "3*x/2"),
        ("+", "-x", "y", "y - x"),
        ("-", "1", "-x", "1 + x"),
        ("*", "-x", "-1", "x"),
        ("*", "1/y", "x", "x/y"),
        ("/", "x", "1/y", "x*y"),
        ("/", "1", "2*x", "1/(2*x)"),
        ("^", "2", "-1", "1/2"),
        ("^", "x", "1", "x"),
    ],
)
def test_what_a_person_would_write(sign: str, a: str, b: str, text: str) -> None:
    assert str(FORMS[sign](parse_expression(a), parse_expression(b))) == text


@given(expressions)
def test_a_length_is_that_of_the_text(expression: Expr) -> None:
    assert length(expression) == len(re.findall(r"[A-Za-z0-9_.]+|\S", readable(expression)))


def test_long_expressions_have_a_length() -> None:
    assert length(Expr(["sin"] * 5000 + ["x"])) == 3 * 5000 + 1


def test_lengths() -> None:
    texts = ["x", "-x", "x/2", "sin(x)^2", "sqrt(x + y)"]
    assert [length(parse_expression(text)) for text in texts] == [1, 2, 3, 6, 6]
