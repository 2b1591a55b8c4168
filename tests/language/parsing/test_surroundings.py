from __future__ import annotations

import pytest

from dgl_mathtree.language import ParseError, parse, parse_equation

EQUATION = r"\sin^2 x + \cos^2 x = 1"


@pytest.mark.parametrize(
    "around",
    [
        "$%s$",
        "$$%s$$.",
        "$%s.$",
        r"\(%s\)",
        r"\[ %s \]",
        r"\[%s, \]",
        r"\[%s\,.\]",
        "%s.",
        "%s ,",
        "%s;",
        r"\begin{equation}%s\end{equation}",
        r"\begin{equation*} %s. \end{equation*}",
        r"\begin{equation}\label{eq:one} %s \tag{1} \end{equation}",
        r"\begin{equation}\begin{aligned} %s \end{aligned}\end{equation}",
        "\\begin{displaymath}\n  %s\n\\end{displaymath}\n",
        r"\begin{align*} & %s \nonumber \\ \end{align*}",
        r"\displaystyle %s \text{.}",
    ],
)
def test_what_stands_around_an_equation(around: str) -> None:
    assert parse_equation(around % EQUATION) == parse_equation(EQUATION)


@pytest.mark.parametrize("sign", ["&=", "& =", "=&", "&=&", "= &"])
def test_alignment(sign: str) -> None:
    assert parse(rf"\begin{{align}} x + 1 {sign} 1 + x \end{{align}}") == parse("x + 1 = 1 + x")


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        (r"\[ x = y", 1, r"\[ has no partner"),
        (r"x = y \)", 7, r"\) has no partner"),
        (r"\begin{equation} x = y", 1, r"\begin has no partner"),
        (r"\begin{equation} x = y \end{align}", 1, r"\begin has no partner"),
        (r"\begin{align} x &= y \\ &= z \end{align}", 22, r"\\ starts another"),
        ("x & y = z", 3, "& may stand only"),
        ("x = 0.333...", 10, "a digit after the point"),
        ("x,,", 2, "a comma may stand only"),
        ("x = .", 4, "expected a number"),
        (".", 1, "expected a number"),
    ],
)
def test_surroundings_that_cannot_be_read(text: str, column: int, reason: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert reason in caught.value.reason
    assert caught.value.column == column
