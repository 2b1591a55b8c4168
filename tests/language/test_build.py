"""Terms: shapes as the parser gives them, tidied, respelled and reordered without a change of value."""

import random

import pytest

from dgl_mathtree.data.discovery.pools import all_pools
from dgl_mathtree.language import Equation, infix, parse_equation
from dgl_mathtree.language.build import (
    add,
    depth,
    div,
    equation_words,
    mul,
    neg,
    nested,
    read,
    reordered,
    respelled,
    shape,
    size,
    sub,
    tidy,
    variables,
)
from dgl_mathtree.oracle import Oracle


@pytest.mark.parametrize(
    ("built", "typed"),
    [
        (sub("x", "y"), "x - y"),
        (sub("x", "2"), "x - 2"),
        (sub("x", "-2"), "x + 2"),
        (div("x", "2"), "x/2"),
        (div("1", "2"), "1/2"),
        (div("4", "2"), "4/2"),
        (div(mul("3", "pi"), "4"), "3*pi/4"),
        (neg("3"), "-3"),
        (neg(mul("2", "x")), "-2*x"),
        (neg(read("sin(x)")), "-sin(x)"),
        (mul(mul("x", "y"), "z"), "x*y*z"),
        (add(add("x", "y"), "z"), "x + y + z"),
    ],
)
def test_builders_give_the_shapes_of_what_people_type(built: object, typed: str) -> None:
    assert built == read(typed)


@pytest.mark.parametrize(
    ("clumsy", "tidied"),
    [
        ("x + (y + z)", "x + y + z"),
        ("(x*y)*z", "x*y*z"),
        ("x*2", "2*x"),
        ("-1*(-1*x)", "x"),
        ("x*(-3)", "-3*x"),
        ("x + -2", "x - 2"),
        ("x + (-2)*y", "x - 2*y"),
        ("1*x", "x"),
        ("y^-1*x", "x/y"),
        ("-1*(1/x)", "-1/x"),
        ("(x + y)^1", "x + y"),
    ],
)
def test_tidy(clumsy: str, tidied: str) -> None:
    assert tidy(read(clumsy), random.Random(0)) == read(tidied)


def _some_terms() -> list[object]:
    return [term for pool in all_pools().values() for term in pool.terms()]


def test_tidied_respelled_and_shuffled_terms_have_the_same_value_and_read_back() -> None:
    rng = random.Random(3)
    terms = rng.sample(_some_terms(), 300)
    pairs = [(mul(a, sub(b, a)), c) for a, b, c in zip(terms, terms[1:], terms[2:], strict=False)]
    equations = []
    for a, b in pairs:
        term = add(neg(a), div(b, a))
        other = reordered(respelled(tidy(term, rng), rng), rng, 0.5)
        equations.append(Equation._trusted(equation_words(term, other)))
    assert all(parse_equation(infix(equation)) == equation for equation in equations)
    verdicts = {judgement.verdict for judgement in Oracle(0, complex_plane=False).judge(equations)}
    assert "false" not in verdicts and "branch" not in verdicts


def test_shape_ignores_order_and_factors_of_one() -> None:
    assert shape(read("x + 2*y")) == shape(read("y*1*2 + x"))
    assert shape(read("x - y")) != shape(read("y - x"))


def test_measures() -> None:
    term = read("sin(x)^2 + y")
    assert (depth(term), size(term), variables(term)) == (3, 6, ["x", "y"])
    assert nested(equation_words(term, "z")[1:-1]) == term
