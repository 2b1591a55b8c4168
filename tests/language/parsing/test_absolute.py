from __future__ import annotations

import pytest

from dgl_mathtree.language import ParseError, parse


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("|x|", "sqrt(x^2)"),
        ("abs(x)", "sqrt(x^2)"),
        ("abs x", "sqrt(x^2)"),
        ("|x - 1|", "sqrt((x - 1)^2)"),
        ("2|x| + 3|y|", "2*sqrt(x^2) + 3*sqrt(y^2)"),
        ("|x||y|", "abs(x)*abs(y)"),
        ("||x| - |y||", "abs(abs(x) - abs(y))"),
        ("|a| - b|c|", "abs(a) - b*abs(c)"),
        ("|x|*y*|z|", "abs(x)*y*abs(z)"),
        ("|x|^2", "abs(x)^2"),
        ("|x|²/2", "abs(x)^2/2"),
        ("|sin x|", "abs(sin(x))"),
        ("|-x|", "abs(-x)"),
        ("(|x| + 1)|y|", "(abs(x) + 1)*abs(y)"),
        (r"\lvert x \rvert", "abs(x)"),
        (r"\left| x - 1 \right|", "abs(x - 1)"),
        (r"\left\lvert x \right\rvert^2", "abs(x)^2"),
        (r"\left| x \left| y \right| z \right|", "abs(x*abs(y)*z)"),
        (r"\vert x \vert = \bigl| y \bigr|", "abs(x) = abs(y)"),
        (r"\operatorname{abs}(x)", "abs(x)"),
    ],
)
def test_absolute_values(text: str, meant: str) -> None:
    assert parse(text) == parse(meant)


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("|x", 1, "not closed"),
        ("x|y", 2, "not closed"),
        ("(|x)|", 4, "expected | before )"),
        ("|(x|)", 5, "expected | before )"),
        ("||", 2, "not closed"),
        ("|x|y|z|", 5, "write |x|*y*|z| or abs(x*abs(y)*z)"),
        ("|x| y |z|", 7, "write |x|*y*|z| or abs(x*abs(y)*z)"),
        (r"\Vert x \Vert", 1, "norms are not supported"),
        (r"\|x\|", 1, "norms are not supported"),
    ],
)
def test_bars_that_cannot_be_read(text: str, column: int, reason: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert reason in caught.value.reason
    assert caught.value.column == column
