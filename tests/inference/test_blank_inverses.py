from __future__ import annotations

import pytest

from dgl_mathtree.inference.blank_inverses import MOST_SOLUTIONS, solutions
from dgl_mathtree.language import parse_blank


@pytest.mark.parametrize(
    ("blank", "solved"),
    [
        ("x + ? = y", "y - x"),
        ("3*? = 12", "4"),
        ("(? + 1)/x = y", "y*x - 1"),
        ("?^3 = y", "y^(1/3); -1*(-1*y)^(1/3)"),
        ("?^2 = y", "sqrt(y); -1*sqrt(y)"),
        ("sqrt(?) = y", "y^2"),
        ("2^? = y", "log(y)/log(2)"),
        ("e^? = exp(x)", "x"),
        ("log(?, 2) = y", "2^y"),
        ("log(y, ?) = x", "y^(1/x)"),
        ("sin(?) = y", "asin(y); pi - asin(y)"),
        ("asin(?) = y", "sin(y)"),
        ("cosh(?) = y", "acosh(y); -1*acosh(y)"),
        ("exp(?) = y", "log(y)"),
        ("? = x", "x"),
        ("0*? = x", ""),
        ("?^0 = 1", ""),
    ],
)
def test_an_equation_is_solved_for_its_blank(blank: str, solved: str) -> None:
    assert "; ".join(str(e) for e in solutions(parse_blank(blank))) == solved


def test_branches_are_bounded() -> None:
    assert len(solutions(parse_blank("cos(cos(cos(cos(cos(?))))) = x"))) == MOST_SOLUTIONS
