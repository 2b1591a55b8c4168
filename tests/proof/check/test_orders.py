"""Forged proofs that rest on one generator having two orders or two meanings, and steps that divide by 0.

acos(1/x) and asec(x) are equal but written differently: one generator stands for both, and must be the same part of
both. All numeric tests are switched off, so that the rules alone refuse.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from flint import fmpq

from dgl_mathtree.proof.check import ProofError, check, checker, region
from dgl_mathtree.proof.check.generators import Finer
from dgl_mathtree.proof.check.limits import Budget
from dgl_mathtree.proof.check.nodes import ONE, Node, add, number, power, sub
from tests.proof.check.proofs import EVERY_RULE, one_step, with_because

FAR = "(sqrt((x - 1000000)^2) + x - 1000000)"
"""It is 0 but where x > 1000000, a case that holds no sample point."""
LAWS = (
    "definition",
    "angles",
    "inverse",
    "value",
    "sign",
    "denest",
    "powers",
    "logarithms",
    "definition, angles",
    "definition, inverse",
    "definition, logarithms",
    "definition, powers",
    "definition, sign",
    "inverse, angles",
    EVERY_RULE,
)
UNEQUAL = [
    ("exp(acos(1/x))", "exp(asec(x)/3)"),
    ("exp(y*acos(1/x))", "exp(y*asec(x)/3)"),
    ("cos(acos(1/x))", "cos(asec(x)/3)"),
    ("cos(acos(1/x)*y)", "cos(asec(x)*y/3)"),
    ("sin(acos(1/x)/2)", "sin(asec(x)/6)"),
    ("acos(1/x)^(1/5)", "asec(x)^(1/35)"),
    ("sqrt(x) + exp(ln(x)/3)", "exp(ln(x)/6) + exp(ln(x)/3)"),
    ("sqrt(x) + x^(1/3)", "x^(1/6) + x^(1/3)"),
    ("exp(asinh(1/x)/3)", "exp(acsch(x)/6)"),
    ("2^(x*acos(1/x)/3)", "2^(x*asec(x)/6)"),
    ("exp(x/7)", "exp(x/14)"),
]


def in_a_far_case(left: str, right: str, law: str) -> dict[str, Any]:
    """A proof that FAR*(left - right) is 0, by a law where FAR is not 0."""
    start, middle = f"{FAR}*({left} - ({right}))", f"{FAR}*({left} - ({left}))"
    return with_because(
        f"{start} = 0",
        "cases",
        [
            {"case": "x <= 1000000", "steps": [_step(start, "0", "sign")]},
            {"case": "x > 1000000", "steps": [_step(start, middle, law), _step(middle, "0", "algebra")]},
        ],
    )


def _step(left: str, right: str, law: str) -> dict[str, Any]:
    return {"left": left, "right": right, "law": law, "at": None}


@pytest.fixture
def without_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch off all that compares values at points."""
    monkeypatch.setattr(checker.Checker, "_look", lambda self, step, values: None)
    monkeypatch.setattr(region.Region, "agree", lambda self, a, b: True)


def plain_region() -> region.Region:
    return region.Region([], frozenset(), [], Budget(), 32, 2)


@pytest.mark.parametrize(("left", "right"), UNEQUAL)
def test_equal_arguments_share_their_order(left: str, right: str, without_points: None) -> None:
    for law in LAWS:
        with pytest.raises(ProofError, match=r"1\.2\.1 does not follow|too"):
            check(in_a_far_case(left, right, law))
        with pytest.raises(ProofError, match=r"1\.2\.1 does not follow|too"):
            check(in_a_far_case(right, left, law))


@pytest.mark.parametrize(
    ("left", "right", "law"),
    [
        ("exp(acos(1/x)/3)", "exp(asec(x)/3)", "definition"),
        ("exp(acos(1/x)/3)^2", "exp(asec(x)*2/3)", "definition"),
        ("cos(acos(1/x)/3)", "cos(asec(x)/3)", "definition, angles"),
        ("cos(acos(1/x))", "4*cos(asec(x)/3)^3 - 3*cos(asec(x)/3)", "inverse"),
        ("acos(1/x)^(1/5)", "asec(x)^(1/35)*asec(x)^(6/35)", "definition, powers"),
        ("sqrt(x)", "exp(ln(x)/6)^3", "inverse"),
    ],
)
def test_true_steps_of_the_same_kind_are_accepted(left: str, right: str, law: str) -> None:
    check(in_a_far_case(left, right, law))


@pytest.mark.parametrize("law", LAWS)
def test_values_that_balls_do_not_tell_apart_do_no_harm(law: str) -> None:
    with pytest.raises(ProofError, match=r"does not follow|too"):
        check(one_step("exp(sin(10^60*x)*acos(1/x)) = exp(sin(10^60*x)*asec(x)/3)", law))


def test_a_case_of_one_point_does_no_harm() -> None:
    first, second = "exp(acos(1/(x + 2)))", "exp(asec(x + 2)/3)"
    left, same, none = (f"0^(x^2)*({first} - {second})", f"0^(x^2)*({first} - {first})", f"0*({first} - {second})")
    cases = [
        {"case": "x = 0", "steps": [_step(left, same, "definition"), _step(same, "0", "algebra")]},
        {"case": "x != 0", "steps": [_step(left, none, "power-rules/of-zero"), _step(none, "0", "algebra")]},
    ]
    with pytest.raises(ProofError, match=r"step 1\.1\.1 does not follow by definition"):
        check(with_because(f"{left} = 0", "cases", cases))


@pytest.mark.parametrize("orders", [(1, 3), (3, 1), (3, 5), (6, 4)])
def test_a_generator_has_one_order(orders: Sequence[int]) -> None:
    x = Node("x")
    spellings = [power(add(x, ONE), 2), add(power(x, 2), add(Node("Mul", number(2), x), ONE))]
    reader = plain_region().reader("powers")

    def both() -> list[Any]:
        return [
            reader.part("test", node, fmpq(1, order), lambda n: number(n))
            for node, order in zip(spellings, orders, strict=True)
        ]

    for _ in range(3):
        try:
            first, second = both()
            break
        except Finer as finer:
            reader.orders[finer.key] = finer.order
            reader._start()
    assert reader.ring.power(first, orders[0]) == reader.ring.power(second, orders[1])
    assert first != second


def test_a_kind_has_one_meaning() -> None:
    # exp(x/3) is a generator as it stands where thirds are not among the parts that are used, exp(x) a power of one.
    reader = plain_region().reader()
    x = Node("x")
    third = Node("exp", Node("Mul", number(fmpq(1, 3)), x))
    assert not reader.same(third, Node("exp", x))
    kinds = {kind for kind, found in reader._groups.items() if any(args for args, _ in found)}
    assert kinds == {"exp", "part of exp"}
    assert not reader.same(sub(third, Node("exp", x)), number(0))


IMPOSSIBLE = [
    ("1/x = 1/x + 0", "power-rules/reciprocal", None),
    ("1/x = 1/x + 0", "both sides: square", {"range": "", "steps": []}),
    ("1/x = 1/x + 0", "both sides: sin", {"range": "", "steps": []}),
    ("1/x + ln(x^2) = ln(x^2) + 1/x", "ln-rules/product", None),
]


@pytest.mark.parametrize(("equation", "law", "because"), IMPOSSIBLE)
def test_a_division_by_0_in_an_impossible_case_is_refused(equation: str, law: str, because: Any) -> None:
    left, right = equation.split(" = ")
    step = _step(left, right, law)
    if because is not None:
        step["because"] = because
    cases = [{"case": "x = 0", "steps": [step]}, {"case": "x != 0", "steps": [_step(left, right, "algebra")]}]
    with pytest.raises(ProofError, match=r"step 1\.1\.1 divides by 0"):
        check(with_because(equation, "cases", cases))


@pytest.mark.parametrize("error", [ZeroDivisionError, OverflowError, ArithmeticError])
def test_an_arithmetic_error_is_a_refusal(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(checker.rules, "holds", fail)
    with pytest.raises(ProofError, match="step 1 divides by 0"):
        check(one_step("x + x = 2*x", "algebra"))
