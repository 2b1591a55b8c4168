"""Ball arithmetic against mpmath, on the reals and on the plane."""

from __future__ import annotations

import numpy as np
import pytest
from flint import acb, arb, fmpq

from dgl_mathtree.arithmetic.arb_balls import LARGEST_INTEGER, OPEN, leaf, nearest_integer
from dgl_mathtree.arithmetic.operators import PLANE, REALS
from dgl_mathtree.language import Equation, Expr, Forest, parse_equation
from dgl_mathtree.language.vocabulary import OPERATORS
from dgl_mathtree.oracle.compare import Code, Comparer

from .test_float_balls import reference

UNARY, BINARY = ([name for name, op in OPERATORS.items() if op.arity == arity] for arity in (1, 2))
REAL_POINTS = [-7.25, -2.0, -1.0, -0.75, -0.125, 0.0, 0.375, 1.0, 1.5, 3.25, 12.5]
COMPLEX_POINTS = [z + w for z in (-2.0, -0.5, 0.0, 0.25, 1.75) for w in (-3j, -0.5j, 0j, 0.25j, 2j)]


def test_whole_numbers_are_read_from_balls_of_moderate_size_only() -> None:
    """FLINT ends the process where a ball is beyond 2 to the power of a machine word."""
    tower = arb(4).exp().exp().exp()
    assert nearest_integer(tower) is nearest_integer(tower, LARGEST_INTEGER) is nearest_integer(arb("nan")) is None
    assert nearest_integer(1 / tower) is None and nearest_integer(arb(0)) == 0
    assert nearest_integer(arb(3) ** 50) is None and nearest_integer(arb(3) ** 30) == 3**30
    assert nearest_integer(arb(3) ** 50 + arb(0, 1e-20), LARGEST_INTEGER) in (None, 3**50)


def value(field: object, name: str, *arguments: complex) -> object:
    words = (name, *("x y".split()[: len(arguments)]))
    expression = Expr(words)
    points = {v: np.array([a]) for v, a in zip("xy", arguments, strict=False)}
    comparer = Comparer(Forest.of([Equation(expression, expression)]), points, field)  # type: ignore[arg-type]
    assert comparer.able(0)
    return comparer.sides(0, 0, 1024)[0]


def assert_holds(ball: object, truth: complex | None, real: bool, where: str) -> None:
    if truth is None or (real and truth.imag != 0):
        assert ball is None or ball is OPEN, where
        return
    assert isinstance(ball, (arb, acb)), where
    assert abs(complex(ball.mid()) - truth) <= 1e-13 * max(1, abs(truth)), where
    assert float(ball.rad()) <= 1e-250 * max(1, abs(truth)), where


@pytest.mark.parametrize("name", UNARY)
def test_unary_operators(name: str) -> None:
    for x in REAL_POINTS:
        assert_holds(value(REALS, name, x), reference(name, x), True, f"{name}({x})")
    for z in COMPLEX_POINTS:
        assert_holds(value(PLANE, name, z), reference(name, z), False, f"{name}({z})")


@pytest.mark.parametrize("name", BINARY)
def test_binary_operators(name: str) -> None:
    for a in REAL_POINTS:
        for b in REAL_POINTS:
            truth = reference(name, a, b)
            if name == "log" and min(a, b) < 0:
                truth = None
            assert_holds(value(REALS, name, a, b), truth, True, f"{name}({a}, {b})")
    for a in COMPLEX_POINTS:
        for b in COMPLEX_POINTS[::3]:
            if name == "Pow" and a == 0 and b != 0:  # mpmath refuses some of these
                found = value(PLANE, name, a, b)
                assert found == 0 if complex(b).real > 0 else not isinstance(found, acb)
                continue
            assert_holds(value(PLANE, name, a, b), reference(name, a, b), False, f"{name}({a}, {b})")


def compared(text: str, x: float = 0.75) -> Code:
    return Comparer(Forest.of([parse_equation(text)]), {"x": np.array([x])}).compare(0, 0).code


def test_edges_of_domains() -> None:
    assert compared("acos(sin(x)^2 + cos(x)^2) = 0") == Code.EQUAL
    assert compared("sqrt(sin(pi)) = 0") == Code.EQUAL
    assert compared("(-x)^(sin(x)^2 + cos(x)^2 + 1) = x^2") == Code.EQUAL
    assert compared("acosh(1 - 10^-200) = 0") == Code.UNDEFINED
    assert compared("acosh(1 - 10^-400) = 0") == Code.OPEN
    assert compared("acosh(tanh(x)) = 0", 3000.25) == Code.OPEN
    assert compared("1/sin(pi) = 1") != Code.EQUAL
    assert compared("0^0 = 1") == Code.EQUAL
    assert compared("tan(pi/2) = tan(pi/2)") == Code.OPEN


def test_numbers_are_read_exactly_however_long() -> None:
    for word, exact in (("-7", fmpq(-7)), ("-0.25", fmpq(-1, 4)), ("12.5", fmpq(25, 2)), ("-3/4", fmpq(-3, 4))):
        assert leaf(word) == arb(exact), word
    long = "9" * 5000
    assert compared(f"{long} + x = x + {long}") == Code.EQUAL
    assert compared(f"x + {long} = x + 0.{long}") == Code.DIFFERENT


def test_precision_rises_as_needed_and_is_put_back() -> None:
    from flint import ctx

    from dgl_mathtree.oracle import judge

    before = ctx.prec
    forest = Forest.of([parse_equation("x = x + 10^-20"), parse_equation("x = x + 10^-100")])
    comparer = Comparer(forest, {"x": np.array([0.75])})
    assert comparer.compare(0, 0)[:2] == (Code.DIFFERENT, 128)
    assert comparer.compare(1, 0).code == Code.EQUAL  # to 30 digits
    assert comparer.compare_deeply(1, 0)[:2] == (Code.DIFFERENT, 512)
    ctx.prec = before
    judge(parse_equation("x = x + 10^-100"))
    assert ctx.prec == before
