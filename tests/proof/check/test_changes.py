"""Change one part of a valid proof, and it is refused whenever the changed claim is false or not justified."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dgl_mathtree.language import Equation, parse_expression
from dgl_mathtree.language.vocabulary import ARITY, OPERATORS, is_number, is_variable
from dgl_mathtree.oracle.oracle import judge
from dgl_mathtree.proof.check import ProofError, check
from tests.examples import examples
from tests.proof.check.proofs import ABSOLUTE, INVERSES, MOVED, POWERS, TANGENTS, VALID, one_step, proof

UNARY = [name for name, operator in OPERATORS.items() if operator.arity == 1]
NUMBERS = ["-2", "-1", "0", "1", "2", "3", "1/2", "-1/2", "pi"]


def chains(entry: Any) -> Iterator[dict[str, Any]]:
    """All steps of a proof, those of its cases included."""
    for step in entry["steps"]:
        yield step
        because = step.get("because")
        for inner in because if isinstance(because, list) else [because] if because else []:
            yield from chains(inner)


def changed_words(words: tuple[str, ...], data: st.DataObject) -> tuple[str, ...]:
    """An expression with one word replaced by another of its kind."""
    place = data.draw(st.integers(0, len(words) - 1))
    word = words[place]
    if ARITY.get(word) == 1:
        others = UNARY
    elif ARITY.get(word) == 2:
        others = ["Add", "Mul", "Pow", "log"]
    else:
        others = NUMBERS if is_number(word) or word in ("pi", "e") else ["x", "y", "z", "1", "2"]
    return (
        *words[:place],
        data.draw(st.sampled_from([other for other in others if other != word])),
        *words[place + 1 :],
    )


@examples(400)
@given(st.sampled_from(VALID), st.data())
def test_a_changed_line_is_refused_if_it_is_false(valid: dict[str, Any], data: st.DataObject) -> None:
    entry = copy.deepcopy(valid)
    steps = list(chains(entry))
    step = data.draw(st.sampled_from(steps))
    side = data.draw(st.sampled_from(["left", "right"]))
    before = step[side]
    after = str(parse_expression(before)._trusted(changed_words(parse_expression(before).words, data)))
    whole = data.draw(st.booleans())
    for other in steps if whole else [step]:
        for key in ("left", "right"):
            other[key] = after if other[key] == before and (whole or key == side) else other[key]
    if whole and before in entry["equation"].split(" = "):
        entry["equation"] = " = ".join(after if part == before else part for part in entry["equation"].split(" = "))
    try:
        check(entry)
    except ProofError:
        return
    verdict = judge(Equation(*map(parse_expression, entry["equation"].split(" = ")))).verdict
    assert verdict == "true", f"accepted: {entry['equation']}"
    assert whole, "one line alone was changed, so that the chain is broken"


@examples(150)
@given(st.sampled_from(VALID), st.data())
def test_a_sign_or_number_put_into_the_equation_is_refused(valid: dict[str, Any], data: st.DataObject) -> None:
    left, right = valid["equation"].split(" = ")
    wrong = data.draw(
        st.sampled_from([f"-({right})", f"({right}) + 10^-30", f"2*({right})", f"({right})^2", f"sqrt(({right})^2)"])
    )
    assume(judge(Equation(parse_expression(left), parse_expression(wrong))).verdict != "true")
    entry = copy.deepcopy(valid)
    entry["equation"] = f"{left} = {wrong}"
    for step in entry["steps"]:
        step["right"] = wrong if step["right"] == right else step["right"]
    with pytest.raises(ProofError):
        check(entry)


@pytest.mark.parametrize(
    "law", ["algebra", "angles", "logarithms", "pythagorean/tan-sec", "parity/sin", "ln-rules/product"]
)
def test_another_law_is_refused(law: str) -> None:
    for k in (0, 2, 3):
        entry = copy.deepcopy(TANGENTS)
        entry["steps"][k]["law"] = law
        if law == "angles" or (k == 2 and law in ("algebra", "logarithms")):
            continue  # tan and sec are known to the one, and sin^2 + cos^2 = 1 to all
        with pytest.raises(ProofError, match=f"step {k + 1}"):
            check(entry)


WRONG_RANGES = [
    "0*pi <= both sides <= 7*pi",
    "-1/2*pi < both sides < 1/2*pi",
    "0*pi <= both sides <= 1/2*pi",
    "both sides >= 0",
    "both sides of one sign",
    "all real numbers",
    "both sides in an interval on which cos is injective",
    "1/0*pi <= both sides <= 1*pi",
    "",
    "nowhere",
]


@pytest.mark.parametrize("where", WRONG_RANGES)
def test_another_range_is_refused(where: str) -> None:
    entry = copy.deepcopy(MOVED)
    check(entry)
    entry["steps"][0]["because"]["range"] = where
    with pytest.raises(ProofError, match="step 1: that the sides lie"):
        check(entry)


@pytest.mark.parametrize("where", ["both sides in an interval on which sin is injective", None])
def test_a_range_may_be_given_in_words_or_not_at_all(where: str | None) -> None:
    entry = copy.deepcopy(MOVED)
    entry["steps"][0]["because"]["range"] = where
    check(entry)


@pytest.mark.parametrize("change", [{"range": []}, {"rnage": "both sides >= 0"}])
def test_another_key_beside_a_range_is_refused(change: dict[str, Any]) -> None:
    entry = copy.deepcopy(MOVED)
    entry["steps"][0]["because"].update(change)
    with pytest.raises(ProofError, match="step 1 has"):
        check(entry)


def test_a_law_may_not_be_named_twice() -> None:
    with pytest.raises(ProofError, match="step 1 names a law twice"):
        check(one_step("x + x = 2*x", "algebra, algebra"))


def test_a_law_that_is_named_must_be_used() -> None:
    entry = copy.deepcopy(TANGENTS)
    entry["steps"][0]["law"] += ", double-angle/sin"
    with pytest.raises(ProofError, match="step 1"):
        check(entry)


@pytest.mark.parametrize("at", ["cos(x)", "tan(y)", "x"])
def test_another_place_is_refused(at: str) -> None:
    valid = proof("tan(x) + sin(x) = sin(x)/cos(x) + sin(x)", ("reciprocal/tan-quotient", "sin(x)/cos(x) + sin(x)"))
    valid["steps"][0]["at"] = "tan(x)"
    check(valid)
    valid["steps"][0]["at"] = at
    with pytest.raises(ProofError, match="step 1 does not follow"):
        check(valid)


def test_cases_must_cover_everything() -> None:
    entry = copy.deepcopy(ABSOLUTE)
    entry["steps"][0]["because"].pop()
    with pytest.raises(ProofError, match="cover"):
        check(entry)
    entry = copy.deepcopy(ABSOLUTE)
    entry["steps"][0]["because"][1]["case"] = "x < 1"
    with pytest.raises(ProofError, match="one expression"):
        check(entry)
    entry = copy.deepcopy(ABSOLUTE)
    entry["steps"][0]["because"][1]["case"] = "x > 0"
    with pytest.raises(ProofError, match="cover"):
        check(entry)


def test_cases_of_weak_signs_overlap_but_do_not_help() -> None:
    left = "sqrt(x^2)"
    cases = [{"case": f"x {sign} 0", "steps": [{"left": left, "right": "x", "law": "sign"}]} for sign in (">=", "<=")]
    entry = one_step("sqrt(x^2) = x", "cases")
    entry["steps"][0]["because"] = cases
    with pytest.raises(ProofError, match=r"false|does not follow"):
        check(entry)


def test_both_sides_need_a_range() -> None:
    for name in ("sin", "cos", "square", "cosh", "ln"):
        entry = copy.deepcopy(INVERSES)
        entry["steps"][0]["law"] = f"both sides: {name}"
        with pytest.raises(ProofError, match="step 1"):
            check(entry)


@pytest.mark.parametrize(
    ("sides", "reason"),
    [
        (["asin(x)", "pi/2 - acos(sqrt((1 + x)/2))"], "another difference"),
        (["3*asin(x)", "3*pi/2 - 6*acos(sqrt((1 + x)/2))"], "another difference"),
        (["2*asin(x)", "pi - 4*acos(sqrt((1 + x)/2))"], "not known to be injective"),
        (["asin(x) + 2*acos(sqrt((1 + x)/2))", "pi/2"], "not known to be injective"),
        (["asin(x)*sqrt(x)/sqrt(x)", "pi/2 - 2*acos(sqrt((1 + x)/2))"], "may be undefined"),
        (["asin(x) + y - y", "pi/2 - 2*acos(sqrt((1 + x)/2))"], "variable that the equation does not have"),
        (["asin(x)"], "not two expressions"),
        ([1, 2], "no text"),
    ],
)
def test_moved_terms_must_be_those_of_the_step(sides: list[Any], reason: str) -> None:
    entry = copy.deepcopy(MOVED)
    entry["steps"][0]["because"]["sides"] = sides
    with pytest.raises(ProofError, match=reason):
        check(entry)


def test_conditions_are_needed() -> None:
    entry = copy.deepcopy(POWERS)
    entry["conditions"] = []
    with pytest.raises(ProofError, match="step 1"):
        check(entry)
    entry["conditions"] = ["y > 0"]
    with pytest.raises(ProofError):
        check(entry)


def test_variables_of_the_tests_are_variables() -> None:
    assert all(is_variable(name) for name in "xyz")
