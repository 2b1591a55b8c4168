from __future__ import annotations

import pytest

from dgl_mathtree.inference.solve_blank import LONGEST, solved_fillings
from dgl_mathtree.language import parse_blank, parse_expression, readable


def expressions(texts: str) -> list[object]:
    return [parse_expression(text) for text in texts.split()]


@pytest.mark.parametrize(
    ("blank", "terms", "basis", "angles", "filling"),
    [
        ("x^4 - 16 = (x^2 + 4)*?", "", "", "", "x^2 - 4"),
        ("2*atan(1/3) + ? = pi/4", "", "", "", "atan(1/7)"),
        ("cos(?) = -sqrt(2)/2", "", "", "", "3*pi/4"),
        ("sin(3*x) = 3*sin(x) - ?", "sin(x)^3", "", "", "4*sin(x)^3"),
        ("sin(x + y)*sin(x - y) = ?", "", "sin(x)^2 sin(y)^2", "", "sin(x)^2 - sin(y)^2"),
        ("sin(2*x) = 2*?", "", "sin(x) cos(x)", "", "sin(x)*cos(x)"),
        ("-sin(x) = cos(?)", "", "", "x", "x + pi/2"),
        ("cos(3*x - y) = sin(?)", "", "", "x y", "pi/2 - 3*x + y"),
    ],
)
def test_the_filling_is_found(blank: str, terms: str, basis: str, angles: str, filling: str) -> None:
    groups = [expressions(texts) for texts in (terms, basis, angles)]
    found = [readable(e) for e in solved_fillings(parse_blank(blank), *groups)]  # type: ignore[arg-type]
    wanted = [str(each) for each in map(parse_expression, found)]
    assert filling in found or any(set(filling.split()) == set(each.split()) for each in found), wanted


def test_fillings_are_short_and_different() -> None:
    found = solved_fillings(parse_blank("(a + b + c)^3*? = (a - b)^7*(c + a*b)^5 + sin(a + b + c)"), [], [], [])
    assert len(found) == len(set(found))
    assert all(len(e) <= LONGEST for e in found)
