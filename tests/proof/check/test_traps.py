"""False claims, one for each way in which a checker could be fooled: also with all numeric tests switched off."""

from __future__ import annotations

import pytest

from dgl_mathtree.proof.check import ProofError, check, checker, region
from tests.proof.check.proofs import EVERY_RULE, one_step, proof

FALSE = [
    # A weak inequality is no strict one, and says nothing of a factor.
    "sqrt(x^2*(x - 2)) + sqrt((x - 2)^2) = sqrt(x^2*(x - 2)) + x - 2",
    "sqrt(x^2*y) = x*sqrt(y)",
    "sqrt(x)*sqrt((x - 1)^2) = sqrt(x)*(x - 1)",
    "sqrt(x^2) = x",
    "sqrt(x^3*(x - 1)^2) + sqrt(x^2) = sqrt(x^3*(x - 1)^2) + x",
    # Zero divisors.
    "sqrt((sqrt(x^2) - x)*(sqrt(x^2) + x)) = x - sqrt(x^2)",
    "sqrt(x^2) - x = 0",
    # Powers with variable exponents on thin sets.
    "(x^y)^z = x^(y*z)",
    "(x^2)^y = x^(2*y)",
    "(x^y)^(1/2) = x^(y/2)",
    "0^x = 0",
    # Ranges of inverse functions.
    "asin(sin(x)) = x",
    "acos(cos(x)) = x",
    "atan(tan(x)) = x",
    "acosh(cosh(x)) = x",
    "atan(x) + atan(1/x) = pi/2",
    "acot(x) = pi/2 - atan(x)",
    "acot(-x) = -acot(x)",
    "asin(x) = acos(sqrt(1 - x^2))",
    "2*asin(x) = asin(2*x*sqrt(1 - x^2))",
    "2*atan(x) = atan(2*x/(1 - x^2))",
    "asin(x) + asin(y) = asin(x*sqrt(1 - y^2) + y*sqrt(1 - x^2))",
    "acos(x) + acos(y) = acos(x*y - sqrt(1 - x^2)*sqrt(1 - y^2))",
    "atan(x) + atan(y) = atan((x + y)/(1 - x*y))",
    "asec(x) = atan(sqrt(x^2 - 1))",
    "cos(x/2) = sqrt((1 + cos(x))/2)",
    "sin(x) = sqrt(1 - cos(x)^2)",
    "asin(sin(3)) = 3",
    "atan(tan(2)) = 2",
    "acos(cos(4)) = 4",
    # Numbers that are very close.
    "tanh(185) = 1",
    "cos(10^-80) = 1",
    "(1 + 10^-80)^2 = 1 + 2*10^-80",
    "exp(pi*sqrt(163)) = 262537412640768744",
    "sqrt(2) + sqrt(3) = sqrt(5 + 2*sqrt(6)) + 10^-60",
    "cos(pi/8) = sqrt(2 + sqrt(2))/2 + 10^-100",
    # Plain mistakes.
    "sin(2*x) = 2*sin(x)",
    "ln(x + y) = ln(x) + ln(y)",
    "(x + y)^2 = x^2 + y^2",
    "sqrt(x + y) = sqrt(x) + sqrt(y)",
]
UNDEFINED = [
    "log(-1) = 0",
    "sqrt(-4) = 2",
    "1/0 = 1",
    "1/(x - x) = 1/(x - x)",
    "log(x, 1) = log(x, 1)",
    "1/(sin(x)^2 + cos(x)^2 - 1) = x",
    "ln(-sqrt(x^2)) = ln(-sqrt(x^2))",
    "sqrt(x - 2)*sqrt(1 - x) = 5",
    "acos(1 + 10^-400) = 1",
    "sqrt(-x^2 - 1) = sqrt(-x^2 - 1)",
]
LAWS = (EVERY_RULE, "denest", "algebra", "sign", "inverse", "powers", "logarithms")


@pytest.mark.parametrize("equation", FALSE)
def test_a_false_equation_is_refused(equation: str) -> None:
    for law in LAWS:
        with pytest.raises(ProofError):
            check(one_step(equation, law))


@pytest.mark.parametrize("equation", FALSE)
def test_a_false_equation_is_refused_without_looking_at_points(equation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The rules themselves are sound: values at points are a second line of defence.
    monkeypatch.setattr(checker.Checker, "_look", lambda self, step, values: None)
    monkeypatch.setattr(region.Region, "agree", lambda self, a, b: True)
    for law in LAWS:
        with pytest.raises(ProofError, match=r"does not follow|too|defined"):
            check(one_step(equation, law))


@pytest.mark.parametrize("equation", UNDEFINED)
def test_a_vacuous_proof_is_refused(equation: str) -> None:
    for law in (*LAWS, "neutral/self"):
        with pytest.raises(ProofError, match="defined"):
            check(one_step(equation, law))


@pytest.mark.parametrize(
    ("equation", "first", "then"),
    [
        ("x = sqrt(x^2)", ("algebra", "sqrt(x)^2"), "powers"),
        ("sqrt(x^2) = x", ("powers", "sqrt(x)^2"), "algebra"),
        ("x = sqrt(x^2)", ("powers", "exp(ln(x))"), "powers"),
        ("x^2 = x^2", ("algebra", "x^3/x"), "algebra"),
        ("x = x", ("inverse", "sin(asin(x))"), "inverse"),
        ("cos(x) = cos(x)", ("definition", "1/sec(x)"), "definition"),
        ("acot(x) = acot(x)", ("definition", "atan(1/x)"), "definition"),
        ("x = x", ("algebra", "x + 0*ln(x)"), "algebra"),
        ("x = x", ("algebra", "x*(x - 1)/(x - 1)"), "algebra"),
        ("x^2 = x^2", ("powers", "exp(2*ln(sqrt(x^2)))"), "powers"),
    ],
)
def test_a_line_that_is_not_defined_everywhere_is_refused(equation: str, first: tuple[str, str], then: str) -> None:
    with pytest.raises(ProofError, match=r"undefined where the equation is defined|not defined at"):
        check(proof(equation, first, (then, equation.split(" = ")[1])))
