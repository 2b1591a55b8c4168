"""What the rows of the table of operators say is true, and what is derived from them agrees."""

from __future__ import annotations

import re

import numpy as np
import pytest

from dgl_mathtree.arithmetic.float_balls import Ball, settle
from dgl_mathtree.arithmetic.operators import FAMILIES, GROWING, OPERATORS, PLANE, REALS, javascript


def test_rows_are_told_apart() -> None:
    assert all(name == op.name for name, op in OPERATORS.items())
    assert {op.arity for op in OPERATORS.values()} == {1, 2}
    for field in ("code", "latex", "sympy"):
        values = [getattr(op, field) for op in OPERATORS.values()]
        assert len(set(values)) == len(values), field
    names = [name for op in OPERATORS.values() for name in (op.name, *op.aliases)]
    assert len(set(names)) == len(names)


def test_related_operators_exist() -> None:
    for op in OPERATORS.values():
        assert {op.inverse, op.reciprocal, op.cofunction} <= {None, *OPERATORS}
    assert sorted(name for names in FAMILIES.values() for name in names) == sorted(
        op.name for op in OPERATORS.values() if op.family
    )


def test_functions_correspond_in_the_order_of_their_families() -> None:
    """Edits of equations exchange functions that have the same position in their families."""
    circular, hyperbolic = ([n for n in FAMILIES[f] if OPERATORS[n].reciprocal] for f in ("circular", "hyperbolic"))
    assert [f"{name}h" for name in circular] == hyperbolic


def test_what_operators_say_of_themselves_is_true() -> None:
    points = np.array([-2.3, -1.2, -0.7, -0.4, 0.4, 0.7, 1.2, 2.3])
    zero = np.zeros_like(points)
    with np.errstate(all="ignore"):
        for op in OPERATORS.values():
            if op.arity == 2:
                swapped = [op.evaluate(Ball(a, zero), Ball(b, zero)).value for a, b in ((points, 1.7), (1.7, points))]
                assert op.commutative == np.allclose(*swapped, equal_nan=True), op.name
                continue
            there = op.evaluate(Ball(points, zero)).value
            back = op.evaluate(Ball(-points, zero)).value
            both = np.isfinite(there) & np.isfinite(back)
            assert (op.parity == "odd") == (both.any() and np.allclose(there[both], -back[both])), op.name
            assert (op.parity == "even") == (both.any() and np.allclose(there[both], back[both])), op.name
            if op.inverse:
                assert OPERATORS[op.inverse].inverse == op.name
                outer, inner = sorted((op.name, op.inverse), key=len)
                value = OPERATORS[inner].evaluate(Ball(points, zero))
                again = OPERATORS[outer].evaluate(value).value
                known = np.isfinite(again)
                assert known.any() and np.allclose(again[known], points[known]), op.name
            if op.cofunction:
                other = OPERATORS[op.cofunction].evaluate(Ball(np.pi / 2 - points, zero)).value
                assert np.allclose(there, other), op.name
            if op.reciprocal:
                over = 1 / OPERATORS[op.reciprocal].evaluate(Ball(points, zero)).value
                assert np.allclose(there, over), op.name


@pytest.mark.parametrize("name", list(OPERATORS))
def test_values_without_bounds_are_those_with_bounds(name: str) -> None:
    op = OPERATORS[name]
    points = np.random.default_rng(4).uniform(-3, 3, (op.arity, 200))
    with np.errstate(all="ignore"):
        found = op.plain(*points)  # type: ignore[misc]
        expected = settle(op.evaluate(*(Ball(row, np.zeros(200)) for row in points))).value
    both = np.isfinite(found) & np.isfinite(expected)
    assert both.sum() > 20
    np.testing.assert_allclose(found[both], expected[both], rtol=1e-9)
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(expected))


@pytest.mark.parametrize("name", list(OPERATORS))
def test_growth_is_noted(name: str) -> None:
    """Where moderate arguments give numbers beyond 2^400, or within 2^-800 of a limit, the row says so."""
    op = OPERATORS[name]
    arguments = [500.25, -500.25, 1000.5][: 3 if op.arity == 1 else 1]
    for argument in arguments:
        given = [REALS.number(argument)] * op.arity
        table = REALS.unary if op.arity == 1 else REALS.binary
        value = table[name](*given, False) if name in table else None
        if isinstance(value, REALS.ball):
            beyond = not abs(value) < 2**400 or (not value.contains(0) and abs(value) < 2.0**-400)
            assert not beyond or name in GROWING, argument


def test_there_is_ball_arithmetic_for_every_operator() -> None:
    assert all(REALS.has(name) and PLANE.has(name) for name in OPERATORS)


def test_every_operator_has_javascript() -> None:
    table = javascript()
    assert re.findall(r"^  (\w+): ", table, flags=re.MULTILINE) == list(OPERATORS)
