from __future__ import annotations

import pytest

from dgl_mathtree.inference.subexpression_candidates import MOST, fillings, pieces
from dgl_mathtree.language import Expr, parse_blank
from dgl_mathtree.language.vocabulary import OPERATOR_NAMES

NUMBERS = [str(n) for n in range(-20, 21)]


def texts(equation: str, known: str | None = None) -> list[str]:
    words = None if known is None else known.split()
    found = fillings(parse_blank(equation), OPERATOR_NAMES, NUMBERS, lambda word: words is None or word in words)
    assert len(found) == len(set(found)) <= MOST
    assert all(Expr(e.words) == e for e in found)
    return [str(e) for e in found]


def test_pieces_do_not_hold_the_blank() -> None:
    found = [str(piece) for piece in pieces(parse_blank("(x + sin(?))*y = 2*(x + 1)"))]
    assert found == ["x", "y", "2", "1", "x + 1", "2*(x + 1)"]
    assert [str(piece) for piece in pieces(parse_blank("? = x"))] == ["x"]


@pytest.mark.parametrize(
    ("equation", "filling"),
    [
        ("sin(x)^2 + ? = 1", "cos(x)^2"),
        ("sin(4*x) = 2*?*cos(2*x)", "sin(2*x)"),
        ("tan(x) + cot(x) = ?", "csc(x)*sec(x)"),
        ("sin(x + y) = sin(x)*cos(y) + ?", "cos(x)*sin(y)"),
        ("a^2 - b^2 = (a - b)*?", "a + b"),
        ("log(x*y) = log(x) + ?", "log(y)"),
        ("log(x, 2) = log(x)/?", "log(2)"),
        ("cosh(x)^2 - ? = 1", "sinh(x)^2"),
        ("2^(x + y) = 2^x*?", "2^y"),
        ("asin(x) + acos(x) = ?", "pi/2"),
        ("7*x + ? = 17*x", "10*x"),
        ("1/x + 1/y = ?/(x*y)", "x + y"),
    ],
)
def test_fillings_of_textbooks_are_built(equation: str, filling: str) -> None:
    assert filling in texts(equation)


def test_fillings_are_bounded_and_have_known_words() -> None:
    long = "sin(a)*cos(b)*tan(c)*log(a)*log(b)*exp(a + b)*cosh(a*b)*(a^b)*(b^c) + ? = sinh(a) + acos(b)"
    found = texts(long)
    assert len(found) == MOST
    assert {"a", "tan(c)", "cosh(a*b)"} <= set(found)
    assert set(texts("x + ? = sin(x)", "x sin Add")) == {"x", "sin(x)", "x + sin(x)", "sin(x) + x"} & set(
        texts("x + ? = sin(x)")
    )
