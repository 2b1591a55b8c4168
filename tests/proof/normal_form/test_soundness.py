"""Attacks on the prover: equations that are nearly identities, refuted by ball arithmetic at points."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from dgl_mathtree.language import Equation, Expr, parse_equation, parse_expression
from dgl_mathtree.proof.normal_form import decide
from dgl_mathtree.proof.normal_form.deciding import Decision
from tests.examples import examples
from tests.proof.normal_form.balls import differs, value

HERE = Path(__file__).parent
SEEDS = [
    parse_equation(text)
    for name in ("true_identities.txt", "false_equations.txt")
    for text in (HERE / name).read_text().split("\n")[:-1]
]
WRAPPED = (
    "Pow Pow {} 2 1/2",
    "Mul -1 {}",
    "Pow Pow {} 1/2 2",
    "Add {} 1",
    "asin sin {}",
    "atan tan {}",
    "acosh cosh {}",
)
WRAPPED += (
    "exp log {} e",
    "acos cos {}",
    "Pow {} 1/2",
    "Pow {} -1",
    "Pow {} 2/3",
    "acot cot {}",
    "x",
    "2",
    "sin asin {}",
)
POINTS = [Fraction(n, d) for d in (1, 2, 7) for n in range(-9, 10)]


def decided(equation: Equation) -> Decision | None:
    return decide(equation.left.words, equation.right.words)


def holds(condition: str, point: dict[str, Fraction]) -> bool:
    text, relation = (condition.removesuffix(" > 0"), ">") if condition.endswith("> 0") else (condition[:-5], "!=")
    found = value(parse_expression(text), point)
    return bool(found is not None and (found > 0 if relation == ">" else found != 0))


@examples(150, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(SEEDS), st.data())
def test_no_altered_identity_is_proved_that_a_point_refutes(seed: Equation, data: st.DataObject) -> None:
    equation = seed
    for _ in range(data.draw(st.integers(0, 2))):
        at = data.draw(st.integers(1, len(equation) - 1))
        inner = " ".join(equation.subexpression(at).words)
        equation = equation.replace(at, Expr(data.draw(st.sampled_from(WRAPPED)).format(inner).split()))
    decision = decided(equation)
    assume(decision is not None)
    assert decision is not None
    for _ in range(25):
        point = {name: data.draw(st.sampled_from(POINTS)) for name in equation.variables}
        if all(holds(condition, point) for condition in decision.conditions):
            assert not differs(equation, point), (str(equation), decision.reason, point)


polynomials = st.recursive(
    st.sampled_from(["x", "y", "z", "2", "(-3)", "(1/2)"]),
    lambda inner: st.builds(lambda op, a, b: f"({a} {op} {b})", st.sampled_from("+-*"), inner, inner),
    max_leaves=8,
)


@examples(60)
@given(polynomials, polynomials)
def test_a_ring_identity_is_decided_and_a_shifted_one_is_not(a: str, b: str) -> None:
    square = f"({a} + {b})^2 = {a}^2 + 2*{a}*{b} + {b}^2"
    assert decided(parse_equation(square)) is not None
    assert decided(parse_equation(f"{square} + 1/1000000007")) is None


@pytest.mark.parametrize("a", ["x", "x*y", "2*x + y", "-3*x^2", "x - 1/2"])
@pytest.mark.parametrize("b", ["y", "x + z", "x/2", "2*y*z"])
def test_sums_of_angles_and_exponents_are_decided(a: str, b: str) -> None:
    inside = f"sin({a} + ({b}))*exp({a} - ({b})) = (sin({a})*cos({b}) + cos({a})*sin({b}))*exp({a})/exp({b})"
    assert decided(parse_equation(inside)) is not None


@examples(60)
@given(polynomials)
def test_the_absolute_value_is_the_root_of_the_square_and_nothing_else(p: str) -> None:
    assert decided(parse_equation(f"sqrt(({p})^2)^2 = ({p})^2")) is not None
    plain = parse_equation(f"sqrt(({p})^2) = {p}")
    if decided(plain) is not None:
        for at in range(-5, 6):
            point = {name: Fraction(at * k + 1, 3) for k, name in enumerate(plain.variables, 1)}
            assert not differs(plain, point)


@pytest.mark.parametrize(
    "text",
    [
        # u >= 0 is not u > 0, and says nothing about a factor where another is 0
        "sqrt(x^2*(x - 2)) + sqrt((x - 2)^2) = sqrt(x^2*(x - 2)) + x - 2",
        "sqrt(x^2*y) + sqrt(y^2) = sqrt(x^2*y) + y",
        "sqrt(x*y)*0 + sqrt(x)*0 + sqrt(y^2) = y",
        "sqrt(x)/x*0 + sqrt(y*x^2)*0 + sqrt((y + x)^2) = x - y",
        # conjugates and factors that are 0 on open sets
        "(x^2 - sqrt(x^2)*x)/(x - sqrt(x^2)) = sqrt(x^2)",
        "(sqrt(x^2) - x)*(sqrt(x^2) + x) = sqrt(x^2) - x",
        "(sqrt(x^2) - x)/(sqrt(x^2) - x) = (sqrt(x^2) + x)/(sqrt(x^2) - x) + 1 + x - x + y",
        # 0 as a base, exponents that may be whole
        "0^x = 0",
        "0^(x^2) = 0",
        # ranges
        "atan(x) + atan(y) = atan((x + y)/(1 - x*y))",
        "acot(x) + atan(x) = pi/2",
        "acos(cos(x)) = sqrt(x^2)",
        "asin(x) = acos(sqrt(1 - x^2))",
        # constants that are very nearly equal
        "exp(pi*sqrt(163)) = 262537412640768744",
        "sqrt(10^100 + 1) = 10^50",
        "atan(10^-60) = 10^-60",
        "cos(10^-200) = 1",
    ],
)
def test_traps(text: str) -> None:
    assert decided(parse_equation(text)) is None
