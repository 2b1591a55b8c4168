"""Proofs as records: JSON, text, and how they show in notebooks."""

from __future__ import annotations

import pytest

from dgl_mathtree.language import parse_equation, parse_expression
from dgl_mathtree.proof import NoProof, Proof, Step
from dgl_mathtree.proof.derivation import ProofFormError
from dgl_mathtree.proof.shown_lines import is_rearrangement
from tests.proof.check.proofs import MOVED


def _proof() -> Proof:
    lines = ["tan(x) + y", "sin(x)/cos(x) + y", "y + sin(x)/cos(x)", "(y*cos(x) + sin(x))/cos(x)"]
    a, b, c, d = map(parse_expression, lines)
    steps = (
        Step(a, b, "reciprocal/tan-quotient", parse_expression("tan(x)")),
        Step(b, c, "algebra"),
        Step(c, d, "algebra"),
    )
    return Proof(parse_equation(f"{lines[0]} = {lines[3]}"), "laws", steps, ("x > 0", "cos(x) != 0"))


def test_json_there_and_back() -> None:
    proof = _proof()
    entry = proof.to_json()
    assert list(entry) == ["equation", "method", "conditions", "steps"]
    assert list(entry["steps"][0]) == ["left", "right", "law", "at"]
    assert Proof.from_json(entry) == proof


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "magic"}, "method must be one of laws, normal form"),
        ({"steps": [{"left": "x"}]}, "has no 'right'"),
        ({"conditions": "x"}, "conditions must be a list"),
        ({"equation": None}, "has no 'equation'"),
    ],
)
def test_other_json_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ProofFormError, match=message):
        Proof.from_json({**_proof().to_json(), **change})


def test_text_merges_rearrangements() -> None:
    assert str(_proof()).splitlines() == [
        "tan(x) + y = (y*cos(x) + sin(x))/cos(x)",
        "  tan(x) + y",
        "    = sin(x)/cos(x) + y             reciprocal/tan-quotient",
        "    = (y*cos(x) + sin(x))/cos(x)    algebra",
        "  for x > 0, cos(x) ≠ 0",
    ]


def test_rearrangements() -> None:
    same = [("2*x*3", "6*x"), ("x + y", "y + x"), ("sin(4*x)", "sin(2*(2*x))"), ("x + 2*pi + pi", "x + 3*pi")]
    assert all(is_rearrangement(parse_expression(a), parse_expression(b)) for a, b in same)
    assert not is_rearrangement(parse_expression("x*(y + z)"), parse_expression("x*y + x*z"))


def test_moved_terms_are_shown() -> None:
    shown = Proof.from_json(MOVED)
    assert "        of asin(x) = pi/2 - 2*acos(sqrt((1 + x)/2)): sin(asin(x))" in str(shown).splitlines()
    assert r"\text{of } \arcsin" in shown._repr_latex_() and "of asin(x) = pi/2" in shown._repr_html_()


def test_notebooks() -> None:
    proof = _proof()
    shown = proof._repr_latex_()
    assert shown.startswith("$$\\begin{aligned}") and r"\text{reciprocal/tan-quotient}" in shown
    assert r"\neq 0" in shown and r"\text{algebra}" in shown
    assert "reciprocal/tan-quotient" in proof._repr_html_()
    refused = NoProof(proof.equation, "true", "not proved: 1 < 2")
    assert "1 &lt; 2" in refused._repr_html_() and not refused.proved and "not proved" in str(refused)
