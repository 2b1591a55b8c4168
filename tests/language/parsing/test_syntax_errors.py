from __future__ import annotations

import pytest

from dgl_mathtree.errors import InputError
from dgl_mathtree.language import ParseError, parse


@pytest.mark.parametrize(
    "sign", [r"\ne", r"\neq", r"\le", r"\approx", r"\equiv", r"\sim", "<=", ">", "!=", "≠", "≈", "≡", ":="]
)
def test_an_equation_has_one_equals_sign(sign: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse(f"x {sign} y")
    assert caught.value.reason == f"an equation has one =: expected =, but found {sign}"
    assert caught.value.column == 3


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (r"\epsilom", r"unknown LaTeX command \epsilom: did you mean \epsilon?"),
        (r"\alpa", r"unknown LaTeX command \alpa: did you mean \alpha?"),
        (r"\Sin x", r"unknown LaTeX command \Sin: did you mean \sin?"),
        (r"\cosine x", r"unknown LaTeX command \cosine: did you mean \cos?"),
        ("sine(x)", "unknown function sine: did you mean sin?"),
        ("sinx", "unknown name sinx: did you mean sin(x)?"),
        ("lamda", "unknown name lamda: did you mean lambda?"),
    ],
)
def test_a_near_name_of_the_same_kind_is_suggested(text: str, reason: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert caught.value.reason.startswith(reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("min(x, y)", "min is not supported"),
        (r"\max(x, y)", r"\max is not supported"),
        ("lg(x)", "log(x, 10)"),
        (r"\int x", "integrals"),
        (r"\int_0^1 x", "integrals"),
        (r"\sum x", "sums"),
        (r"\sum_{n} x", "sums"),
        (r"\lim x", "limits"),
        (r"\infty", "infinity"),
        (r"\pm 1", "two equations"),
        ("sin 30°", "radians"),
        (r"\Gamma(x)", "gamma function"),
        (r"\varpi", r"unknown LaTeX command \varpi"),
        (r"\foo", r"unknown LaTeX command \foo"),
        ("area", "unknown name area"),
        ("mass(x)", "unknown function mass"),
        (r"\operatorname{foo}(x)", "only the name of a function"),
        (r"x \text{ for all } x", "only a name"),
        (r"\varphi + \phi", "are one name here"),
    ],
)
def test_nothing_is_suggested_for_what_is_something_else(text: str, reason: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert reason in caught.value.reason
    assert "did you mean" not in caught.value.reason


def test_a_text_that_cannot_be_read_is_bad_input() -> None:
    with pytest.raises(InputError):
        parse("x +")
