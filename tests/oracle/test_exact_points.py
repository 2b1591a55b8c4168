from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import pytest
from flint import fmpq

from dgl_mathtree.arithmetic.arb_balls import own_precision, set_precision
from dgl_mathtree.language import parse_equation
from dgl_mathtree.language.variable_indices import place, place_word
from dgl_mathtree.oracle.compare import Code
from dgl_mathtree.oracle.exact_numbers import (
    Number,
    exact_product,
    exact_root,
    exact_sum,
    from_rational,
    shifted,
    sign_of,
)
from dgl_mathtree.oracle.exact_points import ExactBudget, ExactPoints, Finding


def found(text: str, *point: str, budget: ExactBudget | None = None) -> Finding:
    values = {place_word(k): Fraction(value) for k, value in enumerate(point)}
    with own_precision():
        return ExactPoints(place([parse_equation(text)]).forest, budget).compare(values)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("acos(1 + 10^-400) = 1", Code.UNDEFINED),
        ("acosh(tanh(10^9)) = 0", Code.UNDEFINED),
        ("1/(sqrt(3 + 2*sqrt(2)) - 1 - sqrt(2)) = 1", Code.UNDEFINED),
        ("log(cos(pi/7) - cos(2*pi/7) + cos(3*pi/7) - 1/2) = 1", Code.UNDEFINED),
        ("tan(pi/2) = 1", Code.UNDEFINED),
        ("tanh(185) = 1", Code.DIFFERENT),
        ("tanh(10^9) = 1", Code.DIFFERENT),
        ("exp(-10^12) = 0", Code.DIFFERENT),
        ("(1 + 10^-80)^2 = 1 + 2*10^-80", Code.DIFFERENT),
        ("cos(10^-9000) = 1", Code.DIFFERENT),
        ("exp(exp(exp(100))) = 5", Code.DIFFERENT),
        ("sqrt(2) + sqrt(3) = sqrt(5 + 2*sqrt(6))", Code.EQUAL),
        ("sin(pi/10) = (sqrt(5) - 1)/4", Code.EQUAL),
        ("acosh(1) = 0", Code.EQUAL),
    ],
)
def test_constants_are_settled_without_taking_anything(text: str, code: Code) -> None:
    finding = found(text)
    assert finding.code == code and not finding.taken
    assert finding.exact == (code == Code.EQUAL)


def test_what_is_taken_says_so() -> None:
    edge = found("acos(sin(1)^2 + cos(1)^2) = 1")
    assert edge.code == Code.DIFFERENT and edge.taken and not edge.certain
    pole = found("1/(sin(1)^2 + cos(1)^2 - 1) = 1")
    assert pole.code == Code.UNDEFINED and pole.taken and not pole.certain
    inside = found("acos(sin(1)^2) = 1")
    assert inside.code == Code.DIFFERENT and inside.certain


def test_what_is_beyond_the_budget_stays_open() -> None:
    assert found("exp(exp(100)) + sin(1)^2 = exp(exp(100)) + 1 - cos(1)^2").code == Code.EQUAL
    assert found("sin(exp(exp(100))) = 1/2").code == Code.OPEN
    assert found("pi = 3", budget=ExactBudget(0.0)) == Finding(Code.OPEN, 0)


def test_points_are_exact() -> None:
    assert found("x^2 = 2", "1/3").code == Code.DIFFERENT
    assert found("x*(1 + 10^-2000) = x", "1/3").certain
    at_single_exponents = found("(x^y)^z = x^(y*z)", "-1", "2", "1/2")
    assert at_single_exponents.code == Code.DIFFERENT and at_single_exponents.certain


def test_separation_bounds_hold() -> None:
    """Sums of square roots that come close to 0 are never below their bound, and those that are 0 are known to be."""
    rng = random.Random(5)
    with own_precision(), mpmath.workdps(400):
        set_precision(1200)
        for _ in range(60):
            total: Number | None = from_rational(fmpq(0))
            exact = mpmath.mpf(0)
            for node in range(rng.randint(2, 4)):
                n, sign = rng.randint(2, 99), rng.choice((1, -1))
                term = exact_root(from_rational(fmpq(n)), fmpq(1, 2), node)
                assert term is not None and total is not None
                scaled = exact_product(term, from_rational(fmpq(sign)))
                assert scaled is not None
                total, exact = exact_sum(total, scaled), exact + sign * mpmath.sqrt(n)
            assert total is not None
            nearest = int(mpmath.nint(exact))
            gap = shifted(total, fmpq(-nearest))
            assert gap is not None
            distance = abs(exact - nearest)
            if distance > mpmath.mpf(10) ** -300:
                assert sign_of(gap).sign == (1 if exact > nearest else -1)
                if gap.algebraic is not None:
                    assert distance > mpmath.mpf(2) ** -gap.algebraic.separation
            else:
                assert sign_of(gap) == (0, 0, False)
