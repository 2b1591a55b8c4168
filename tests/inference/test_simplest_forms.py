from __future__ import annotations

import pytest

from dgl_mathtree.inference.simplest_forms import plain, simplest_forms
from dgl_mathtree.language import parse_expression, readable


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("(x^5 - 1)/(x - 1)", "x^4 + x^3 + x^2 + x + 1"),
        ("1/x - 1/(x*(x + 1))", "1/(x + 1)"),
        ("(x^3 - y^3)/(x - y)", "x^2 + x*y + y^2"),
        ("(a^2 + b^2)*(c^2 + d^2) - (a*c + b*d)^2", "(a*d - b*c)^2"),
        ("1/(1 - x) - 1/(1 + x)", "2*x/(1 - x^2)"),
        ("sinh(log(x))", "(x^2 - 1)/(2*x)"),
        ("cos(asin(x))", "sqrt(1 - x^2)"),
        ("(sqrt(5) + sqrt(3))^2", "2*sqrt(15) + 8"),
        ("tan(asin(x))/x", "1/sqrt(1 - x^2)"),
        ("asin(sin(2))", "pi - 2"),
        ("2^(3 + log(x, 2))", "8*x"),
    ],
)
def test_the_form_that_people_write_is_among_them(text: str, form: str) -> None:
    assert form in [readable(each) for each in simplest_forms(parse_expression(text))]


def test_what_has_no_normal_form_is_left() -> None:
    assert simplest_forms(parse_expression("x")) == []
    assert simplest_forms(parse_expression("(a + b + c + d)^9")) == []
    assert str(plain(parse_expression("0 + 1*x*(2 + 3)"))) == "5*x"
