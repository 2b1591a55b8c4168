from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from flint import arb

from dgl_mathtree.arithmetic.arb_balls import own_precision, set_precision
from dgl_mathtree.language import Equation, parse_equation
from dgl_mathtree.language.bridges import to_sympy
from dgl_mathtree.oracle import Oracle, judge
from dgl_mathtree.oracle.decimals import cut
from dgl_mathtree.oracle.witnesses import simplified, simplified_all

FALSE = ["sin(x + y) = sin(x) + sin(y)", "x^2 = x^3", "tan(x)*z = tan(y)", "x = x + 10^-40", "exp(x) = x", "1 = 2"]


def gap(equation: Equation, point: dict[str, Fraction]) -> mpmath.mpf:
    """Left less right with 200 digits, by way of SymPy."""
    sides = to_sympy(equation.left), to_sympy(equation.right)
    values = [side.subs({s: point[s.name] for s in side.free_symbols}).evalf(200) for side in sides]
    with mpmath.workdps(200):
        return mpmath.mpf(values[0]) - mpmath.mpf(values[1])


@pytest.mark.parametrize("text", FALSE)
@pytest.mark.parametrize("certify", [False, True])
def test_a_witness_is_a_point_where_the_sides_differ(text: str, certify: bool) -> None:
    equation = parse_equation(text)
    judgement = Oracle(complex_plane=False, certify=certify).judge([equation])[0]
    for witness in (judgement.witness, simplified(equation, judgement).witness):
        assert witness is not None
        assert tuple(witness.point) == equation.variables
        assert abs(gap(equation, witness.point)) > 10**-50
    if certify:
        assert judgement.method == "certified"
        assert judgement.witness is not None and judgement.witness.bits > 53


def test_a_branch_has_a_point_of_each_kind() -> None:
    equation = parse_equation("sqrt((x*y)^2) = x*y")
    judgement = simplified(equation, judge(equation))
    assert judgement.witness is not None and judgement.agreement is not None
    assert abs(gap(equation, judgement.witness.point)) > 10**-50
    assert abs(gap(equation, judgement.agreement.point)) < 10**-150
    assert judgement.looked is not None and judgement.looked[0] < -1000 < 1000 < judgement.looked[1]


def test_what_a_person_reads() -> None:
    equation = parse_equation("sin(x + y) = sin(x) + sin(y)")
    witness = simplified(equation, judge(equation)).witness
    assert str(witness) == "at x = 3/2, y = -1/4: left 0.94898..., right 0.75009..."
    equation = parse_equation("tanh(x^2 + 1000) = 1")
    assert "left - right -" in str(simplified(equation, judge(equation)).witness)
    assert judge(parse_equation("x = x")).witness is None


HARD = [
    "sqrt(x - 100) = 3",
    "1000000*sqrt(x - 99) = sqrt(x - 98)",
    "log(x - 5000) + y = 2",
    "sqrt((x - 1000)^2) = x - 1000",
    "acosh(x - 300) = sqrt(x - 290)",
]


def test_every_witness_that_is_shown_is_proven_in_ball_arithmetic() -> None:
    """Also where no simple point is defined, and the oracle's own was found in floating point."""
    for text in HARD:
        equation = parse_equation(text)
        judgement = simplified(equation, judge(equation))
        assert judgement.witness is not None
        for witness in (judgement.witness, judgement.agreement):
            assert witness is None or witness.bits > 53, text
        assert abs(gap(equation, judgement.witness.point)) > 10**-50


@pytest.mark.parametrize(
    ("text", "left", "right", "difference"),
    [
        ("exp(pi*sqrt(67)) = 5280^3 + 744", "147197952743.99999866...", "147197952744", "-0.0000013375..."),
        ("exp(pi*sqrt(43)) = 960^3 + 744", "884736743.999777...", "884736744", "-0.00022253..."),
        ("x + 10^-30 = x", "1.500000000000000000000000000001", "1.5", "1e-30"),
        ("10^20 + 1 = 10^20", "100000000000000000001", "100000000000000000000", "1"),
        ("tanh(1000) = 1", "0.99999...", "1", "-5.1530...e-869"),
        ("1/3 = 0.333333333333", "0.33333333333333...", "0.333333333333", "3.3333...e-13"),
    ],
)
def test_the_digits_tell_the_sides_apart(text: str, left: str, right: str, difference: str) -> None:
    equation = parse_equation(text)
    witness = simplified(equation, judge(equation)).witness
    assert witness is not None and witness.bits > 53
    assert (witness.left, witness.right) == (left, right)
    assert float(witness.difference.replace("...", "")) == pytest.approx(float(difference.replace("...", "")), rel=1e-4)


def test_near_misses_of_every_size() -> None:
    """The digits differ, or the difference stands beside them, with its sign and size."""
    for k in range(3, 120, 6):
        for sign in (1, -1):
            equation = parse_equation(f"exp(1/7) = exp(1/7) + {sign}/10^{k}")
            judgement = simplified(equation, judge(equation))
            witness = judgement.witness
            assert judgement.verdict == "false" and witness is not None
            assert witness.difference == f"{'-' if sign > 0 else ''}{'0.001' if k == 3 else f'1e-{k}'}"
            assert witness.left != witness.right or f"left - right {witness.difference}" in str(witness)
            assert k > 45 or witness.left != witness.right


def test_many_are_simplified_as_one_by_one() -> None:
    texts = [
        *FALSE,
        "sqrt(x^2) = x",
        "sin(x)^2 + cos(x)^2 = 1",
        "asin(sin(x/5)) = x/5",
        "sqrt(x - 40) = x",
        "x = sqrt(y^2)",
    ]
    given = [parse_equation(text) for text in texts]
    judgements = Oracle(complex_plane=False).judge(given)
    expected = [simplified(equation, judgement) for equation, judgement in zip(given, judgements, strict=True)]
    assert simplified_all(given, judgements) == expected
    assert simplified_all([], []) == []


def test_what_is_all_but_a_number_is_not_shown_as_it() -> None:
    equation = parse_equation("tanh(1000) = 1")
    shown = str(simplified(equation, judge(equation)).witness)
    assert shown == "left 0.99999..., right 1, left - right -5.1530...e-869"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2^2^2^2^2^2 = 1", "left above 10^1000, right 1"),
        ("2^2^2^2^2^2 = 0", "left above 10^1000, right 0"),
        ("0 = -2^2^2^2^2^2", "left 0, right below -10^1000"),
        ("exp(exp(exp(x^2+100))) = 1", "left above 10^18, right 1"),
        ("exp(-exp(exp(exp(x^2+100)))) = 0", "left between 0 and 10^-18, right 0"),
        ("2^-(10^3000) = 1", "left below 10^-(10^37) in size, right 1"),
    ],
)
def test_what_is_too_large_or_small_for_digits_is_shown_by_its_order(text: str, shown: str) -> None:
    equation = parse_equation(text)
    judgement = judge(equation)
    assert judgement.verdict == "false" and str(judgement.witness).endswith(shown)
    assert str(simplified(equation, judgement).witness).endswith(shown)


@pytest.mark.parametrize("digits", [3000, pytest.param(5000, marks=pytest.mark.slow)])
def test_exponents_of_thousands_of_digits(digits: int) -> None:
    for text in (f"x^{'9' * digits} = {'7' * digits}", f"x^{'9' * digits} = x^{'9' * (digits - 1)}"):
        equation = parse_equation(text)
        judgement = simplified(equation, judge(equation))
        assert judgement.verdict == "false" and judgement.witness is not None
        assert "(10^" in judgement.witness.left and len(str(judgement.witness)) < 200


def test_orders_of_numbers_without_digits() -> None:
    with own_precision():
        set_precision(128)
        huge = arb(3) ** arb(10) ** 20
        assert cut(huge, 5) == "above 10^(10^19)" and cut(-huge, 5) == "below -10^(10^19)"
        assert cut(1 / huge, 5) == "between 0 and 10^-(10^19)"
        assert cut(arb(0, 1e-9), 5) == "below 10^-8 in size" and cut(arb(0, 5e9), 5) == "below 10^10 in size"
        assert cut(arb("inf"), 5) == "not computed"
