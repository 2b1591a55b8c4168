from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from dgl_mathtree.expressions import Equation, Oracle, judge, parse_equation
from dgl_mathtree.expressions.bridges import to_sympy
from dgl_mathtree.expressions.witnesses import simplified, simplified_all

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
