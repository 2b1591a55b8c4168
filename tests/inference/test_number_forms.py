from __future__ import annotations

import math

import pytest

from dgl_mathtree.inference.number_forms import number_forms
from dgl_mathtree.language import Equation, parse_expression
from dgl_mathtree.oracle import Oracle


@pytest.mark.parametrize(
    "text",
    "7 -5/12 9999 pi/4 -2*pi/3 sqrt(3)/2 3*sqrt(2) (2+sqrt(2))/4 sqrt(2+sqrt(3)) pi-2 2*pi-5 log(5) 5*log(2) e^2 3*e "
    "atan(1/7) pi-atan(2) asin(1/3) 2^(1/3)".split(),
)
def test_a_number_is_recognised(text: str) -> None:
    wanted = parse_expression(text)
    value = float(eval(text.replace("^", "**"), vars(math)))
    found = [Equation(wanted, form) for form in number_forms(value)]
    assert "true" in [judgement.verdict for judgement in Oracle(complex_plane=False).judge(found)]


def test_other_numbers_have_no_form() -> None:
    assert [str(form) for form in number_forms(1.2345678)] == []
    assert [str(form) for form in number_forms(math.nan)] == []
    assert [str(form) for form in number_forms(1e300)] == []
    assert [str(form) for form in number_forms(0.0)] == ["0"]
