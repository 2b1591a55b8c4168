"""Whatever is handed to the checker, it returns or raises one `ProofError`, with bounded work."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgl_mathtree.proof.check import ProofError, check, checker, region
from tests.examples import examples
from tests.proof.check.proofs import EVERY_RULE, VALID, one_step

STEP = {"left": "x + x", "right": "2*x", "law": "algebra", "at": None}


def nested(depth: int) -> dict[str, Any]:
    """Cases within cases."""
    step: dict[str, Any] = {"left": "x", "right": "x", "law": "algebra"}
    for _ in range(depth):
        step = {"left": "x", "right": "x", "law": "cases", "because": [{"case": "x >= 0", "steps": [step]}]}
    return {"equation": "x = x", "steps": [step]}


HOSTILE: list[Any] = [
    None,
    [],
    "x = x",
    7,
    {},
    {"equation": "x = x"},
    {"equation": None, "steps": []},
    {"equation": "x", "steps": []},
    {"equation": "x = = x", "steps": []},
    {"equation": "x = x", "steps": None},
    {"equation": "x = x", "steps": [None]},
    {"equation": "x = x", "steps": ["algebra"]},
    {"equation": "x + x = 2*x", "steps": [{**STEP, "left": 3}]},
    {"equation": "x + x = 2*x", "steps": [{**STEP, "law": None}]},
    {"equation": "x + x = 2*x", "steps": [{**STEP, "at": 5}]},
    {"equation": "x + x = 2*x", "steps": [{**STEP, "at": "("}]},
    {"equation": "x + x = 2*x", "steps": [{**STEP, "because": math.nan}]},
    {"equation": "x + x = 2*x", "steps": [{**STEP, "because": {}}]},
    {"equation": "x + x = 2*x", "steps": [{**STEP, "because": []}]},
    {"equation": "x + x = 2*x", "steps": [{**STEP, "law": "cases"}]},
    {"equation": "x + x = 2*x", "steps": [{**STEP, "law": "cases", "because": []}]},
    {"equation": "x + x = 2*x", "steps": [{**STEP, "law": "cases", "because": [None]}]},
    {"equation": "x + x = 2*x", "steps": [{**STEP, "law": "cases", "because": [{"case": 1, "steps": []}]}]},
    {"equation": "x + x = 2*x", "steps": [{**STEP, "law": "both sides: exp"}]},
    {"equation": "x + x = 2*x", "steps": [{**STEP, "law": "both sides: nothing", "because": {"steps": []}}]},
    {"equation": "x + x = 2*x", "steps": [{**STEP, "becuase": []}]},
    {"equation": "x + x = 2*x", "steps": [STEP], "proved": False},
    {"equation": "x + x = 2*x", "steps": [STEP], "conditions": "x > 0"},
    {"equation": "x + x = 2*x", "steps": [STEP], "conditions": [None]},
    {"equation": "x + x = 2*x", "steps": [STEP], "conditions": ["x >"]},
    {"equation": "x + x = 2*x", "steps": [STEP], "conditions": ["x > 0"] * 1000},
    {"equation": "x + x = 2*x", "steps": [STEP] * 5000},
    {"equation": "x = " + "+".join(["x"] * 30000), "steps": []},
    {"equation": "x = " + "(" * 5000 + "y" + ")" * 5000, "steps": []},
    {"equation": "x = " + "sin(" * 3000 + "x" + ")" * 3000, "steps": []},
    {"equation": "x = " + "9" * 19000, "steps": []},
    nested(40),
]


@pytest.mark.parametrize("given_proof", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_no_proof_is_refused(given_proof: Any) -> None:
    with pytest.raises(ProofError) as caught:
        check(given_proof)
    assert len(str(caught.value).splitlines()) == 1 and len(str(caught.value)) < 400


SAID: list[dict[str, Any]] = [
    {"verdict": "false"},
    {"proved": "yes"},
    {"proved": 1},
    {"checked": False},
    {"method": "magic"},
    {"method": ["laws"]},
    {"seconds": "fast"},
    {"seconds": -1},
    {"seconds": True},
    {"seconds": math.nan},
    {"seconds": math.inf},
    {"witness": None},
]


@pytest.mark.parametrize("said", SAID, ids=str)
def test_what_a_proof_says_of_itself_must_be_right(said: dict[str, Any]) -> None:
    valid = {"equation": "x + x = 2*x", "steps": [STEP]}
    check({**valid, "verdict": "true", "proved": True, "method": "laws", "checked": True, "seconds": 0.25})
    with pytest.raises(ProofError):
        check({**valid, **said})


LARGE = [
    "(x + y + z)^200 = (x + y + z)^199*(x + y + z)",
    "(x + y + z + w)^60 = (x + y + z + w)^59*(x + y + z)",
    "sin(100*x)*cos(99*x)*sin(101*y)*cos(7*z) = x",
    "10^(10^10) = 10^(10^10) + 1",
    "2^(3^(4^5)) = 7",
    "x^(10^9) = x^(10^9 - 1)*x",
    "((((x + 1)^50 + 1)^50 + 1)^50 + 1)^50 = x",
    "1/(x + 1/(y + 1/(z + 1/(w + 1/(a + 1/(b + 1/(c + 1/(d + 1))))))))^7 = x",
    "sqrt(x + sqrt(y + sqrt(z + sqrt(w + sqrt(a + sqrt(b + sqrt(c))))))) = x",
    "sin(pi/997)*sin(pi/991) = 1",
    "x^(1/997)*y^(1/991) = 1",
    "(10^200 + 1)^300*x = x",
    "sin(x/2)*sin(x/3)*sin(x/5)*sin(x/7)*sin(x/11)*sin(x/13) = 1",
    " + ".join(f"sqrt(x + {k})" for k in range(30)) + " = y",
    "*".join(f"(x_{k} + 1)" for k in range(30)) + " = 1",
]


@pytest.mark.parametrize("equation", LARGE)
def test_work_is_bounded(equation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Without the values at points, which would refuse most of these at once.
    monkeypatch.setattr(checker.Checker, "_look", lambda self, step, values: None)
    monkeypatch.setattr(region.Region, "agree", lambda self, a, b: True)
    for law in ("algebra", EVERY_RULE):
        with pytest.raises(ProofError):
            check(one_step(equation, law))


TEXTS = st.text("xyz0123456789+-*/^()sincotaexplgqr=,.<>! ", max_size=30)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | TEXTS
    | st.sampled_from(["x", "x + x", "cases", "algebra"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from("equation steps conditions left right law at because case".split()), inner)
    ),
    max_leaves=20,
)


@examples(150)
@given(JSON)
def test_any_json_is_accepted_or_refused(entry: Any) -> None:
    try:
        check(entry)
    except ProofError as error:
        assert "\n" not in str(error)


@examples(150)
@given(st.sampled_from(VALID), st.data())
def test_a_proof_with_any_part_replaced_is_accepted_or_refused(valid: dict[str, Any], data: st.DataObject) -> None:
    def replaced(value: Any) -> Any:
        if data.draw(st.integers(0, 12)) == 0:
            return data.draw(JSON)
        if isinstance(value, dict):
            return {key: replaced(inner) for key, inner in value.items()}
        return [replaced(inner) for inner in value] if isinstance(value, list) else value

    try:
        check(replaced(valid))
    except ProofError as error:
        assert "\n" not in str(error)
