"""Every rule accepts what it is for, and is refused for what only another one gives."""

from __future__ import annotations

from typing import Any

import pytest

from dgl_mathtree.proof.check import ProofError, check
from tests.proof.check.proofs import VALID, one_step, proof

ACCEPTED = {
    "algebra": [
        "(x + y)^3 = x^3 + 3*x^2*y + 3*x*y^2 + y^3",
        "1/(x - 1) - 1/(x + 1) = 2/(x^2 - 1)",
        "sqrt(x)^3*sqrt(x) = x^2",
        "sqrt(x^2)^2 = x^2",
        "sqrt(12) = 2*sqrt(3)",
        "sin(x + y)^2 + cos(y + x)^2 = 1",
        "cosh(x)^2 - sinh(x)^2 = 1",
        "x^(5/3)*x^(-2/3) = x",
        "1/(sqrt(x^2) + 1) = (sqrt(x^2) - 1)/(x^2 - 1)",
    ],
    "definition": [
        "tan(x)*cot(x) = 1",
        "sinh(x) = (exp(x) - exp(-x))/2",
        "acos(x) = pi/2 - asin(x)",
        "asinh(x) = ln(x + sqrt(x^2 + 1))",
        "log(x, y) = ln(x)/ln(y)",
        "asec(x) = acos(1/x)",
        "atan(x) = asin(x/sqrt(1 + x^2))",
        "2^x = exp(x*ln(2))",
    ],
    "angles": [
        "sin(5*x) = 16*sin(x)^5 - 20*sin(x)^3 + 5*sin(x)",
        "tan(2*x) = 2*tan(x)/(1 - tan(x)^2)",
        "cos(x + pi/3) = cos(x)/2 - sqrt(3)/2*sin(x)",
        "sin(x)*sin(y) = (cos(x - y) - cos(x + y))/2",
        "tan(x/2) = sin(x)/(1 + cos(x))",
        "sin(x + 2*pi/7) = sin(x - 12*pi/7)",
        "cos(2*pi/7) + cos(4*pi/7) + cos(6*pi/7) = -1/2",
    ],
    "powers": [
        "exp(x)*exp(y) = exp(x + y)",
        "2^x*3^x = 6^x",
        "sqrt(x*y) = sqrt(x)*sqrt(y)",
        "sqrt(x)*x^(1/3) = x^(5/6)",
        "sinh(2*x) = 2*sinh(x)*cosh(x)",
        "4^x = (2^x)^2",
    ],
    "logarithms": [
        "ln(x*y) = ln(x) + ln(y)",
        "ln(x^2) = 2*ln(sqrt(x^2))",
        "log(8, 2) = 3",
        "ln(x^2 - 1) = ln(x - 1) + ln(x + 1)",
        "log(x, 2)*log(2, x) = 1",
    ],
    "inverse": [
        "sin(acos(x)) = sqrt(1 - x^2)",
        "cos(2*atan(x)) = (1 - x^2)/(1 + x^2)",
        "asin(-x) = -asin(x)",
        "sinh(asinh(x)) = x",
        "atan(tan(atan(x))) = atan(x)",
        "acos(cos(acos(x))) = acos(x)",
        "tanh(acoth(x)) = 1/x",
        "ln(x)*(atan(x) + atan(1/x)) = ln(x)*pi/2",
        "cos(acos(x)/2)^2 = (1 + x)/2",
    ],
    "sign": [
        "sqrt(x^2)*ln(x) = x*ln(x)",
        "sqrt((x - 1)^2)*acosh(x) = (x - 1)*acosh(x)",
        "sqrt((x^2 + 1)^2) = x^2 + 1",
        "sqrt((x^2 - x*y + y^2)^2) = x^2 - x*y + y^2",
        "sqrt(exp(2*x) + 2*exp(x) + 1) = exp(x) + 1",
    ],
    "value": [
        "cos(pi/5) = (1 + sqrt(5))/4",
        "cos(pi/8) = sqrt(2 + sqrt(2))/2",
        "tan(pi/24) = sqrt(6) - sqrt(3) + sqrt(2) - 2",
        "asin(1/2) = pi/6",
        "asin(sin(2)) = pi - 2",
        "acos(cos(4)) = 2*pi - 4",
        "atan(tan(100)) = 100 - 32*pi",
        "sqrt(5 + 2*sqrt(6)) = sqrt(2) + sqrt(3)",
    ],
    "denest": [
        "sqrt(3 + 2*sqrt(2)) = 1 + sqrt(2)",
        "(7 + 5*sqrt(2))^(1/3) = 1 + sqrt(2)",
        "sqrt(x + 2*sqrt(x - 1)) = 1 + sqrt(x - 1)",
        "x + sqrt(2*y + 2*sqrt(y^2 - 1)) = x + sqrt(y + 1) + sqrt(y - 1)",
    ],
}


@pytest.mark.parametrize(("law", "equation"), [(law, text) for law, texts in ACCEPTED.items() for text in texts])
def test_a_rule_accepts_what_it_is_for(law: str, equation: str) -> None:
    check(one_step(equation, law))


@pytest.mark.parametrize("valid", VALID, ids=lambda valid: valid["equation"])
def test_proofs_of_every_kind_check(valid: dict[str, Any]) -> None:
    check(valid)


@pytest.mark.parametrize(
    ("law", "equation"),
    [
        ("algebra", "sin(2*x) = 2*sin(x)*cos(x)"),
        ("algebra", "ln(x*y) = ln(x) + ln(y)"),
        ("algebra", "sqrt((x^2 + 1)^2) = x^2 + 1"),
        ("logarithms", "sin(2*x) = 2*sin(x)*cos(x)"),
        ("angles", "ln(x*y) = ln(x) + ln(y)"),
        ("angles", "exp(ln(x)) = x"),
        ("sign", "sin(2*x) = 2*sin(x)*cos(x)"),
        ("definition", "sin(2*x) = 2*sin(x)*cos(x)"),
        ("powers", "sin(2*x) = 2*sin(x)*cos(x)"),
        ("definition", "cos(acos(x)) = x"),
    ],
)
def test_a_true_step_by_another_rule_is_refused(law: str, equation: str) -> None:
    with pytest.raises(ProofError, match="step 1 does not follow"):
        check(one_step(equation, law))


def test_a_chain_must_be_a_chain() -> None:
    with pytest.raises(ProofError, match="does not end at the right side"):
        check(proof("x + x = 2*x", ("algebra", "x*2")))
    broken = proof("x + x = 2*x", ("algebra", "x*2"), ("algebra", "2*x"))
    broken["steps"][1]["left"] = "2*x"
    with pytest.raises(ProofError, match="step 2 does not start"):
        check(broken)
    with pytest.raises(ProofError, match="does not end"):
        check({"equation": "x + x = 2*x", "steps": []})


def test_an_unknown_law_is_refused() -> None:
    for law in ("no/such-law", "", "magic", "algebra, magic", "almost/sin-sum", "one-branch/sin-from-cos"):
        with pytest.raises(ProofError):
            check(one_step("x + x = 2*x", law))
