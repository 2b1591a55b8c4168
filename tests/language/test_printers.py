from __future__ import annotations

import pytest
from hypothesis import given

from dgl_mathtree.language import Equation, Expr, infix, latex, outline, parse, parse_blank, parse_equation, readable
from tests.examples import examples

from .strategies import equations


@given(equations)
@examples(1000)
def test_text_parses_back_to_the_same_tree(equation: Equation) -> None:
    assert parse(infix(equation)) == equation
    assert parse(latex(equation)) == equation
    assert parse(readable(equation)) == equation


@pytest.mark.parametrize(
    "text",
    [
        "sin(x)^2 + cos(x)^2 = 1",
        "x - y = x + (-1/2)*y",
        "a*b/c = (a*b)/c",
        "(x^y)^z = x^(y*z)",
        "x^y^z = x^(y^z + 0)",
        "sqrt(x)^2 = x",
        "x^-1 = 1/x",
        "(-2)^2 = 4*2^-1",
        "a - (b + c) = a - b - c",
        "log(x) = log(x, 10)*log(10)",
        "x - -3 = x + -3",
        "2^(1/3) = 0.5*x_1",
    ],
)
def test_infix_needs_no_more_brackets_than_this(text: str) -> None:
    assert infix(parse_equation(text)) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("-1*x = 0 - x", "-x = 0 - x"),
        ("-1*(x + y) = -1*x - y", "-(x + y) = -x - y"),
        ("(-1*x)^2 = (-1*x)*(-1*x)", "(-x)^2 = (-x)*(-x)"),
        ("-1*2*x = -2*x", "-1*2*x = -2*x"),
        ("-1/x = -1*x^-1", "-1/x = -1/x"),
        ("1 - -1*x = -1*-1*x", "1 - (-x) = -1*(-x)"),
        ("-1*2^x = -1*sqrt(2)", "-1*2^x = -sqrt(2)"),
    ],
)
def test_a_minus_for_people(text: str, shown: str) -> None:
    assert readable(parse_equation(text)) == shown


def test_latex() -> None:
    equation = parse_equation("sqrt(x)/(y + 1)^2 - asech(theta_1) = 1/2*log(x, 2) + ln(pi)")
    assert latex(equation) == (
        r"\frac{\sqrt{x}}{\left(y + 1\right)^{2}} - \operatorname{asech}\left(\theta_{1}\right) = "
        r"\frac{1}{2} \times \log_{2}\left(x\right) + \ln\left(\pi\right)"
    )


def test_outline() -> None:
    assert list(outline(parse("sin(x) + 1 = y"))) == [
        "Equality",
        "├─ Add",
        "│  ├─ sin",
        "│  │  └─ x",
        "│  └─ 1",
        "└─ y",
    ]


def test_deep_trees_print() -> None:
    deep = Expr(["sin"] * 20_000 + ["x"])
    assert infix(deep) == "sin(" * 20_000 + "x" + ")" * 20_000
    assert parse(latex(deep)) == deep
    assert parse(infix(Expr(["Add", "x"] * 20_000 + ["x"]))).depth == 20_000


@given(equations)
@examples(200)
def test_the_formula_of_a_notebook_reads_back(equation: Equation) -> None:
    for tree in (equation, equation.left):
        shown = tree._repr_latex_()
        assert shown is not None and shown.startswith("$") and shown.endswith("$")
        assert parse(shown) == tree


def test_blanks_read_back_from_latex() -> None:
    blank = parse_blank("sin(x)^? + cos(x)^2 = 1")
    assert parse_blank(latex(blank)) == blank


def test_notebooks_show_a_formula_only_where_it_can_be_read() -> None:
    assert Expr(["sin"] * 499 + ["x"])._repr_latex_() is not None
    assert Expr(["sin"] * 500 + ["x"])._repr_latex_() is None
