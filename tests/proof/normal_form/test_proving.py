from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dgl_mathtree.language import parse_equation, parse_expression
from dgl_mathtree.proof.normal_form import prove_by_normal_form
from tests.proof.normal_form.balls import differs

TRUE = (Path(__file__).parent / "true_identities.txt").read_text().split("\n")[:-1]
KINDS = {"definition", "angles", "powers", "logarithms", "inverse", "sign", "value", "denest", "algebra"}
EVERY = 3
"""Every third identity is proved in the fast suite."""
FUNCTIONS = {"exp", "square", "sin", "cos", "tan", "sinh", "cosh", "tanh"}


def linked(steps: list[dict[str, Any]], left: str, right: str) -> None:
    """Assert that steps lead from one expression to another."""
    places = [steps[0]["left"], *(step["right"] for step in steps)]
    assert places[0] == left and places[-1] == right
    assert [step["left"] for step in steps] == places[:-1]


def all_steps(steps: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for step in steps:
        yield step
        because = step.get("because")
        for inner in [because] if isinstance(because, dict) else because or []:
            yield from all_steps(inner["steps"])


@pytest.mark.parametrize("text", TRUE[::EVERY])
def test_a_proof_is_a_chain_of_named_steps_that_no_point_refutes(text: str) -> None:
    look_at_proof(text)


@pytest.mark.slow
def test_every_proof_is_a_chain_of_named_steps_that_no_point_refutes() -> None:
    wrong = []
    for text in TRUE:
        try:
            look_at_proof(text)
        except Exception as error:
            wrong.append(f"{text}: {error!r}")
    assert wrong == []


def look_at_proof(text: str) -> None:
    """Assert that a proof is a chain of known steps, and that no step is false at some points."""
    equation = parse_equation(text)
    proof = prove_by_normal_form(equation)
    assert proof is not None
    assert proof["equation"] == str(equation) and proof["method"] == "normal form"
    linked(proof["steps"], str(equation.left), str(equation.right))
    for step in all_steps(proof["steps"]):
        for side in ("left", "right"):
            assert str(parse_expression(step[side])) == step[side]
        if step["law"].startswith("both sides: "):
            assert step["law"].removeprefix("both sides: ") in FUNCTIONS
        elif step["law"] == "cases":
            for case in step["because"]:
                linked(case["steps"], step["left"], step["right"])
        else:
            assert set(step["law"].split(", ")) <= KINDS
    for number in ("1/3", "2", "-1/2"):
        point = {name: parse_number(number) for name in equation.variables}
        for step in proof["steps"]:
            assert not differs(parse_equation(f"{step['left']} = {step['right']}"), point)


def parse_number(text: str) -> Any:
    from fractions import Fraction

    return Fraction(text)


def test_the_first_accepted_proof_is_returned_and_finer_ones_come_first() -> None:
    equation = parse_equation("tan(x)*cos(x) + sin(2*x)/cos(x) = 3*sin(x)")
    seen: list[int] = []

    def refuse(proof: dict[str, Any]) -> bool:
        seen.append(len(proof["steps"]))
        return False

    assert prove_by_normal_form(equation, refuse) is None
    assert seen[0] == max(seen) and seen[-1] == 1
    proof = prove_by_normal_form(equation, lambda proof: len(proof["steps"]) == 1)
    assert proof is not None and len(proof["steps"]) == 1


def test_what_is_not_decided_has_no_proof() -> None:
    assert prove_by_normal_form(parse_equation("sin(x) = x")) is None


def test_a_derivation_reads_well() -> None:
    proof = prove_by_normal_form(parse_equation("tan(x)/sin(x) = sec(x)"))
    assert proof is not None
    assert [(step["right"], step["law"]) for step in proof["steps"]] == [
        ("(sin(x)/cos(x))/sin(x)", "definition"),
        ("1/cos(x)", "algebra"),
        ("sec(x)", "definition"),
    ]


def test_cases_cover_everything() -> None:
    proof = prove_by_normal_form(parse_equation("acosh(cosh(x)) = sqrt(x^2)"))
    assert proof is not None
    assert proof["steps"][0]["law"] == "cases"
    assert [case["case"] for case in proof["steps"][0]["because"]] == ["x >= 0", "x <= 0"]
