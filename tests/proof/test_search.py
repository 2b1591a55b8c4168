"""Derivations by named laws: which are found, that they check, and that nothing false is derived."""

from __future__ import annotations

from pathlib import Path

import pytest

from dgl_mathtree.language import parse_equation
from dgl_mathtree.proof.by_laws import prove_by_laws
from dgl_mathtree.proof.check import check
from dgl_mathtree.proof.derivation import Proof
from dgl_mathtree.proof.step import ALGEBRA

ROWS = [line.split("\t") for line in Path(__file__).with_name("identities.tsv").read_text("utf-8").splitlines()]
KINDS = sorted({kind for kind, _ in ROWS})


@pytest.mark.parametrize("kind", KINDS)
def test_identities_are_derived_and_check(kind: str) -> None:
    missing = []
    for text in (text for other, text in ROWS if other == kind):
        proof = prove_by_laws(parse_equation(text))
        if proof is None:
            missing.append(text)
            continue
        check(proof.to_json())
        assert proof.method == "laws" and Proof.from_json(proof.to_json()) == proof
        assert proof.steps[0].left == proof.equation.left and proof.steps[-1].right == proof.equation.right
        assert all(a.right == b.left for a, b in zip(proof.steps, proof.steps[1:], strict=False))
    assert not missing


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(x^2) = x",
        "sqrt(x*y)*sqrt(x/y) = x",
        "asin(sin(x)) = x",
        "atan(x) + atan(y) = atan((x + y)/(1 - x*y))",
        "acot(x) = pi/2 - atan(x)",
        "sqrt(x^2*(x - 2)) + sqrt((x - 2)^2) = sqrt(x^2*(x - 2)) + x - 2",
        "log(x^2) = 2*log(sqrt(x^2)) + 1",
        "sqrt(cos(x)^2) = cos(x)",
        "x^2/x^2 = 0^x",
        "sin(x + pi) = sin(x)",
        "sqrt(sin(x)^2) = sin(x)",
        "1/0 = 1",
        "x/(y - y) = x",
    ],
)
def test_what_is_not_true_everywhere_is_not_derived(text: str) -> None:
    assert prove_by_laws(parse_equation(text), budget=600) is None


def test_conditions_are_those_of_thin_sets() -> None:
    proof = prove_by_laws(parse_equation("x^(y*z) = (x^y)^z"))
    assert proof is not None and proof.conditions == ("x > 0",)
    proof = prove_by_laws(parse_equation("log(x*y) = log(x) + log(y)"))
    assert proof is not None and proof.conditions == ()  # both sides are defined for positive x and y only


def test_laws_can_be_left_out() -> None:
    equation = parse_equation("sin(2*x) = 2*sin(x)*cos(x)")
    first = prove_by_laws(equation)
    assert first is not None
    used = {step.law for step in first.steps} - {ALGEBRA}
    second = prove_by_laws(equation, without=used)
    assert second is not None and not used & {step.law for step in second.steps}


def test_the_same_equation_has_the_same_proof() -> None:
    equation = parse_equation("tan(x)^2*cos(x)^2 + cot(x)^2*sin(x)^2 = 1")
    assert prove_by_laws(equation) == prove_by_laws(equation)


def test_work_is_bounded() -> None:
    for text in ("(x + y + z)^200 = (z + y + x)^200", "sin(1000*x) = 2*sin(500*x)*cos(500*x)", "x^(10^10) = y^(10^10)"):
        prove_by_laws(parse_equation(text), budget=200)
    assert prove_by_laws(parse_equation("+".join(["x"] * 300) + " = 300*x")) is None
