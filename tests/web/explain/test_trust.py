from __future__ import annotations

from dataclasses import replace

import pytest

from dgl_mathtree.inference.records import Answer
from dgl_mathtree.language import parse_equation
from dgl_mathtree.oracle import judge
from dgl_mathtree.oracle.witnesses import simplified
from dgl_mathtree.web.explain.trust import trust


def said(text: str, verdict: str) -> tuple[str, str]:
    equation = parse_equation(text)
    return trust(Answer(equation, 0.875, verdict), simplified(equation, judge(equation)))


@pytest.mark.parametrize(
    ("equation", "verdict", "expected"),
    [
        ("x + x = 2*x", "correct", "Network and oracle agree."),
        ("x + x = 2*x", "incorrect", "Network and oracle disagree. The oracle has the stronger evidence."),
        ("x + x = x", "incorrect", "Network and oracle agree."),
        ("x + x = x", "correct", "Network and oracle disagree: believe the oracle."),
        ("sqrt(x^2) = x", "incorrect", "It holds at some points only."),
        ("sqrt(x^2) = x", "correct", "It holds at some points only: believe the oracle, not the network."),
        ("1/0 = x", "correct", "The oracle cannot judge this equation, so nothing checks the network."),
    ],
)
def test_whom_to_believe(equation: str, verdict: str, expected: str) -> None:
    short, why = said(equation, verdict)
    assert short == expected and "The network's 87.5% is an estimate" in why


def test_no_more_certainty_is_claimed_than_there_is() -> None:
    for verdict in ("correct", "incorrect"):
        true, false = said("x + x = 2*x", verdict)[1], said("x + x = x", verdict)[1]
        assert "all 48 tested points" in true and "not a proof" in true and "certain" not in true
        assert "certainly differ at x = 3/2" in false and "not hold for all values" in false
        assert "certain" not in said("1/0 = x", verdict)[1]
    assert said("1 + 1 = 3", "incorrect")[1].startswith("The sides certainly differ: both were computed there")


def test_the_conditions_of_a_proof_are_named() -> None:
    equation = parse_equation("(x^y)^2 = x^(2*y)")
    judged = replace(judge(equation), proof="laws", conditions=("x > 0",))
    why = trust(Answer(equation, 0.875, "correct"), judged).why
    assert "both sides are defined and x > 0. Elsewhere it was tested at points only." in why
    assert "Elsewhere" not in trust(Answer(equation, 0.875, "correct"), replace(judged, conditions=())).why
