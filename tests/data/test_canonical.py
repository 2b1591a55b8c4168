from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgl_mathtree.data.canonical import canonical_key, fold_key
from dgl_mathtree.data.canonical import fold as fold_of
from dgl_mathtree.language import Equation, Expr, parse_equation
from tests.examples import examples
from tests.language.strategies import equations


def key(text: str) -> int:
    return canonical_key(parse_equation(text).words)


def fold(text: str) -> int:
    return fold_key(parse_equation(text).words)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x + y = z", "b = c + a"),
        ("x*y*z + 1 = w", "a = 1 + (c*b)*d"),
        ("x^y = y", "y^x = x"),
        ("sin(x + (y + 1)) = 0", "0 = sin(1 + z + w)"),
        ("x*(y + z) = 2", "2 = (a + b)*c"),
        ("x + x*y = y", "y*x + y = x"),
    ],
)
def test_twins(one: str, other: str) -> None:
    assert key(one) == key(other)
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x^y = y", "x^y = x"),
        ("x + x = y", "x + y = y"),
        ("x^y = 1", "x^x = 1"),
        ("x*(y + z) = 2", "x*y + z = 2"),
        ("sin(x) = 1", "cos(x) = 1"),
        ("log(x, y) = x", "log(y, x) = x"),
        ("x + 1 = -1", "x - 1 = 1"),
        ("x + 1 = 2", "x + 2 = 1"),
    ],
)
def test_equations_that_are_no_twins(one: str, other: str) -> None:
    assert key(one) != key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x*1 + 0 = x^1", "y = y"),
        ("2 + 2 + x = y", "x + 4*1 = y"),
        ("x^(1 + 1) = y", "x^2 = y*1^z"),
        ("x*0 = y", "0 = z"),
        ("2^3*x = 1", "x*8 = 1"),
        ("1/2 + 1/2 = sin(x^0)", "1 = sin(1)"),
        ("1*(x + y) + z = w", "x + y + z = w"),
        ("(0 + x*y)*z = w", "x*y*z = w"),
        ("(x + y)^1 + z = w", "x + y + z = w"),
    ],
)
def test_the_fold_form_forgets_neutral_elements_and_arithmetic(one: str, other: str) -> None:
    assert key(one) != key(other)
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"), [("x^-1 = y", "x^-2 = y"), ("-1*x = y", "-2*x = y"), ("x + -1 = y", "x + -2 = y")]
)
def test_the_fold_form_tells_numbers_apart(one: str, other: str) -> None:
    assert fold(one) != fold(other)


def padded(expression: Expr, rng: random.Random) -> Expr:
    """The expression with neutral elements put in at random."""
    children = [padded(child, rng) for child in expression.children]
    new = Expr.apply(expression.word, *children) if children else expression
    if rng.random() < 0.3:
        operator, neutral = rng.choice((("Add", "0"), ("Mul", "1"), ("Pow", "1")))
        operands = [new, Expr.leaf(neutral)]
        if operator != "Pow":
            rng.shuffle(operands)
        new = Expr.apply(operator, *operands)
    return new


@given(equations, st.integers(0, 10**6))
@examples(200)
def test_neutral_elements_do_not_change_the_fold_key(equation: Equation, seed: int) -> None:
    rng = random.Random(seed)
    equation = equation.rename(dict.fromkeys(("x1", "x_1", "x_n", "theta", "theta_2", "var_0"), "w"))
    other = Equation(padded(equation.left, rng), padded(equation.right, rng))
    assert fold_key(equation.words) == fold_key(other.words)


def test_keys_are_fixed() -> None:
    assert key("sin(x)^2 + cos(x)^2 = 1") == -8006890023007251784
    assert fold("sin(x)^2 + cos(x)^2 = 1") == 7756715804089558440


def test_tautologies() -> None:
    assert fold_of(parse_equation("2 + 2 + x*1 = x + 4").words)[1]
    assert fold_of(parse_equation("sin(x) = sin(x)").words)[1]
    assert not fold_of(parse_equation("sin(x)^2 + cos(x)^2 = 1").words)[1]
    assert not fold_of(parse_equation("x = y").words)[1]


def shuffled(expression: Expr, rng: random.Random) -> Expr:
    """The expression with sums and products commuted and regrouped at random."""
    children = [shuffled(child, rng) for child in expression.children]
    if expression.word in ("Add", "Mul"):
        rng.shuffle(children)
        left, right = children
        if right.word == expression.word and rng.random() < 0.5:
            a, b = right.children
            return Expr.apply(expression.word, Expr.apply(expression.word, left, a), b)
    return Expr.apply(expression.word, *children) if children else expression


@given(equations, st.integers(0, 10**6))
@examples(200)
def test_keys_survive_shuffling_renaming_and_swapping_sides(equation: Equation, seed: int) -> None:
    rng = random.Random(seed)
    equation = equation.rename(dict.fromkeys(("x1", "x_1", "x_n", "theta", "theta_2", "var_0"), "w"))
    names = list(equation.variables)
    rng.shuffle(names)
    sides = [shuffled(equation.left, rng), shuffled(equation.right, rng)]
    rng.shuffle(sides)
    other = Equation(*sides).rename(dict(zip(equation.variables, names, strict=True)))
    assert canonical_key(equation.words) == canonical_key(other.words)
    assert fold_key(equation.words) == fold_key(other.words)
