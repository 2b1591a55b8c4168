"""Every operator against mpmath: inside and outside its domain, and near poles."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from dgl_mathtree.arithmetic.float_balls import Ball, settle
from dgl_mathtree.language.vocabulary import OPERATORS

UNARY, BINARY = ([name for name, op in OPERATORS.items() if op.arity == arity] for arity in (1, 2))
SPECIAL = [0.0, 1.0, -1.0, np.pi, np.pi / 2, -np.pi / 2, 3 * np.pi / 2, 2.0, -2.0, 0.5, -0.5]


def reference(name: str, *arguments: complex) -> complex | None:
    """mpmath's value with 40 digits, or None at a pole."""
    with mpmath.workdps(40):
        given = [mpmath.mpf(a.real) if a.imag == 0 else mpmath.mpc(a) for a in map(complex, arguments)]
        functions = {
            "Add": lambda a, b: a + b,
            "Mul": lambda a, b: a * b,
            "Pow": lambda a, b: mpmath.mpf(1) if b == 0 else mpmath.power(a, b),
            "log": lambda a, b: mpmath.log(a) / mpmath.log(b),
        }
        if name == "log" and 0 in given:
            return None
        try:
            value = functions.get(name, getattr(mpmath, name, None))(*given)
        except (ZeroDivisionError, ValueError):
            return None
        return complex(value) if mpmath.isfinite(value) else None


def real_points(rng: np.random.Generator) -> np.ndarray:
    near = [s + d * sign for s in SPECIAL for d in (1e-3, 1e-7, 1e-12) for sign in (-1, 1)]
    wide = [rng.uniform(-1, 1, 40), rng.uniform(-6, 6, 40), rng.normal(0, 0.01, 10)]
    return np.concatenate([*wide, near, SPECIAL])


def balls(*values: np.ndarray) -> list[Ball]:
    return [Ball(v, np.zeros(len(v))) for v in values]


def assert_agrees(name: str, result: Ball, arguments: tuple[np.ndarray, ...]) -> None:
    for k, given in enumerate(zip(*arguments, strict=True)):
        value, error = result.value[k], result.error[k]
        truth = reference(name, *given)
        if truth is None:
            assert np.isnan(value), f"{name}{given} is undefined, not {value}"
            continue
        if truth.imag != 0 or (name == "log" and min(given) < 0):
            assert np.isnan(value), f"{name}{given} is not real, but {value} was given"
            continue
        assert not np.isnan(value), f"{name}{given} should be {truth}"
        assert abs(value - truth) <= error + 1e-300, f"{name}{given} = {value} ± {error}, not {truth}"
        assert error <= 1e-6 * max(1.0, abs(truth)) or abs(truth) > 1e5, f"{name}{given}: loose bound {error}"


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_unary_operators_agree_with_mpmath(name: str) -> None:
    rng = np.random.default_rng(7)
    points = real_points(rng)
    assert_agrees(name, settle(OPERATORS[name].evaluate(*balls(points))), (points,))


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_binary_operators_agree_with_mpmath(name: str) -> None:
    rng = np.random.default_rng(8)
    special = np.array([0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, np.e])
    grid = np.meshgrid(special, special)
    first = np.concatenate([rng.uniform(-4, 4, 80), grid[0].ravel()])
    second = np.concatenate([rng.uniform(-4, 4, 80), grid[1].ravel()])
    assert_agrees(name, settle(OPERATORS[name].evaluate(*balls(first, second))), (first, second))


@pytest.mark.parametrize("name", list(OPERATORS))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_error_bound_covers_an_inexact_argument(name: str) -> None:
    """Shift the arguments by less than their stated error: the result must move by less than its bound."""
    rng = np.random.default_rng(9)
    arity = OPERATORS[name].arity
    for size in (1e-14, 1e-9):
        truth = [rng.uniform(-3, 3, 200) for _ in range(arity)]
        shifted = [t + rng.uniform(-size, size, 200) for t in truth]
        result = settle(OPERATORS[name].evaluate(*(Ball(s, np.full(200, size)) for s in shifted)))
        for k, given in enumerate(zip(*truth, strict=True)):
            expected = reference(name, *given)
            if expected is not None and not np.isnan(result.value[k]) and expected.imag == 0:
                assert abs(result.value[k] - expected.real) <= result.error[k]


def real(name: str, *values: float) -> float:
    with np.errstate(all="ignore"):
        arguments = balls(*(np.array([v]) for v in values))
        return float(settle(OPERATORS[name].evaluate(*arguments)).value[0])


def test_conventions() -> None:
    assert real("Pow", 0.0, 0.0) == 1.0
    assert real("Pow", 0.0, 2.0) == 0.0
    assert np.isnan(real("Pow", 0.0, -1.0))
    assert real("Pow", -2.0, 3.0) == -8.0
    assert np.isnan(real("Pow", -8.0, 1 / 3))
    assert real("log", 8.0, 2.0) == pytest.approx(3.0)
    assert np.isnan(real("log", 8.0, 1.0))
    assert np.isnan(real("log", -1.0, np.e))
    assert real("acot", 0.0) == pytest.approx(np.pi / 2)
    assert real("acot", -1.0) == pytest.approx(-np.pi / 4)
    assert real("asec", -2.0) == pytest.approx(2 * np.pi / 3)
    assert np.isnan(real("asec", 0.5))
    assert np.isnan(real("tan", np.pi / 2)) or abs(real("tan", np.pi / 2)) > 1e15


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_value_that_may_be_zero_has_no_inverse() -> None:
    near_zero = Ball(np.array([1e-17]), np.array([1e-16]))
    assert np.isnan(settle(OPERATORS["csc"].evaluate(near_zero)).value[0])
    assert np.isnan(settle(OPERATORS["Pow"].evaluate(near_zero, *balls(np.array([-1.0])))).value[0])
    assert np.isnan(settle(OPERATORS["log"].evaluate(near_zero, *balls(np.array([2.0])))).value[0])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_integers_stay_exact() -> None:
    for name, a, b in (("Add", 3, 2), ("Mul", 3, 2), ("Pow", 3, 2), ("Mul", 0.3, -1), ("Pow", 4, 0.5)):
        result = OPERATORS[name].evaluate(*balls(np.array([float(a)]), np.array([float(b)])))
        assert result.error[0] == 0.0, name
