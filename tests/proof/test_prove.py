"""`prove`: what it answers, and what it refuses."""

from __future__ import annotations

import pytest

import dgl_mathtree
from dgl_mathtree.errors import InputError
from dgl_mathtree.proof import NoProof, Proof, prove
from dgl_mathtree.proof.check import check


@pytest.mark.parametrize(
    ("text", "verdict", "said"),
    [
        ("sin(x)^2 = sin(x^2)", "false", "left"),
        ("sqrt(x^2) = x", "branch", "they agree at"),
        ("log(-1) = 0", "undefined", "fewer than 12 real points"),
    ],
)
def test_what_is_not_true_is_not_proved(text: str, verdict: str, said: str) -> None:
    answer = prove(text)
    assert isinstance(answer, NoProof) and not answer.proved
    assert answer.verdict == verdict and said in answer.reason


def test_laws_come_before_the_normal_form() -> None:
    answer = dgl_mathtree.prove("tan(x)*cos(x) = sin(x)")
    assert isinstance(answer, Proof) and answer.proved and answer.method == "laws"
    check(answer.to_json())


def test_the_normal_form_proves_what_laws_do_not() -> None:
    text = "sin(pi/15) = (sqrt(10 + 2*sqrt(5)) + sqrt(3) - sqrt(15))/8"
    answer = prove(text)
    assert isinstance(answer, Proof) and answer.method == "normal form"
    assert isinstance(prove(text, steps="search"), NoProof)
    alone = prove("sin(2*x) = 2*sin(x)*cos(x)", steps="normal")
    assert isinstance(alone, Proof) and alone.method == "normal form"


@pytest.mark.parametrize("text", ["exp(exp(exp(4)))/exp(exp(exp(4)) - 1) = e", "log(exp(10^7)) = 10^7"])
def test_numbers_beyond_what_is_computed_are_no_obstacle(text: str) -> None:
    answer = prove(text)
    assert answer.proved and answer.method == "laws"  # type: ignore[union-attr]


def test_conditions_that_are_not_needed_are_left_out() -> None:
    for text in ("2*acos(sqrt(x)) = acos(2*x - 1)", "x^(log(y)/log(x)) = y"):
        answer = prove(text)
        assert isinstance(answer, Proof) and len(answer.conditions) <= 1, answer
        for condition in answer.conditions:
            with pytest.raises(InputError):
                check({**answer.to_json(), "conditions": [c for c in answer.conditions if c != condition]})


def test_bad_options() -> None:
    with pytest.raises(InputError, match="unknown law 'sum/sine'; did you mean sum/sin"):
        prove("x = x", without=["sum/sine"])
    with pytest.raises(InputError, match="must be a list"):
        prove("x = x", without="sum/sin")
    with pytest.raises(InputError, match="steps must be"):
        prove("x = x", steps="magic")  # type: ignore[arg-type]
    for limit in (0, -1, float("inf"), float("nan")):
        with pytest.raises(InputError, match="limit must be"):
            prove("x = x", limit=limit)
    with pytest.raises(InputError):
        prove("x = ")
