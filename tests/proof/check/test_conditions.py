"""Conditions may cut away thin sets only."""

from __future__ import annotations

import pytest

from dgl_mathtree.proof.check import ProofError, check
from tests.proof.check.proofs import one_step

REFUSED = [
    "x > 2",
    "x > 0",
    "x >= 0",
    "x < 0",
    "x = 0",
    "x != y",
    "y > 0",
    "1 > 0",
    "sin(x) > 0",
    "sqrt(x) != 5",
    "ln(x) != 0",
    "sqrt(x^2) + x != 0",
    "abs(x) + x != 0",
    "sqrt((x - 2)^2) + sqrt((x - 2.1)^2) - 0.1 != 0",
    "x - x != 0",
    "x > 0 > 1",
    "x",
    "",
    "x != 0, x > 1",
]


@pytest.mark.parametrize("condition", REFUSED)
def test_a_condition_that_cuts_away_more_is_refused(condition: str) -> None:
    with pytest.raises(ProofError, match="condition"):
        check(one_step("x^2 = x*x", "algebra", [condition]))


@pytest.mark.parametrize("condition", ["x != 0", "x - 1 != 0", "sin(x) != 0", "x != 2", "cos(x) + x^2 != 0", "x^2 > 0"])
def test_a_thin_condition_is_allowed(condition: str) -> None:
    check(one_step("x^2 = x*x", "algebra", [condition]))


@pytest.mark.parametrize(
    ("equation", "condition", "allowed"),
    [
        ("x^y*x = x^(y + 1)", "x > 0", True),
        ("x^(3 - 1)*x = x^3", "x > 0", False),
        ("x^(sqrt(y^2)/y)*x = x^(sqrt(y^2)/y + 1)", "x > 0", False),
        ("x^y*x = x^(y + 1)", "y > 0", False),
        ("x^sin(y)*x = x^(sin(y) + 1)", "x > 0", True),
        ("sqrt(x)*sqrt(x) = x", "x > 0", True),
        ("sqrt(x)*sqrt(x) = x", "x - 1 > 0", False),
    ],
)
def test_the_base_of_a_variable_exponent_may_be_positive(equation: str, condition: str, allowed: bool) -> None:
    entry = one_step(equation, "powers", [condition])
    if allowed:
        check(entry)
    else:
        with pytest.raises(ProofError, match="condition"):
            check(entry)
