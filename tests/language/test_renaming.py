from __future__ import annotations

import pytest

from dgl_mathtree.language import Equation, parse_equation, parse_expression
from dgl_mathtree.language.renaming import appearance_names, known_variables, renaming, renaming_for, variables_of

KNOWN = ["x", "y", "z"]


def test_frequent_variables_come_first() -> None:
    assert known_variables(["z", "a", "1", "pi", "x", "Add"]) == ["x", "z", "a"]


def test_known_names_are_kept_and_not_given_twice() -> None:
    assert renaming(["Add", "y", "a", "1"], KNOWN) == {"a": "x"}
    assert renaming(["x", "y", "z"], KNOWN) == {}
    assert renaming(["t_10", "t_9"], KNOWN) == {"t_9": "x", "t_10": "y"}


def test_names_run_out() -> None:
    assert renaming(["a", "b", "c", "d"], KNOWN) == {"a": "x", "b": "y", "c": "z"}


def test_an_equation_and_its_candidates_share_names() -> None:
    candidates = [parse_expression("a"), parse_expression("sin(b)")]
    assert renaming_for(parse_equation("b = x"), candidates, KNOWN) == {"a": "y", "b": "z"}


def test_the_equation_comes_first_where_names_run_out() -> None:
    candidates = [parse_expression(name) for name in "abcd"]
    names = renaming_for(parse_equation("u + v = 1"), candidates, KNOWN)
    assert {names["u"], names["v"]} == {"x", "y"}
    assert list(names.values()) == ["x", "y", "z"]


def test_variables_of_expressions_are_in_natural_order() -> None:
    assert variables_of((parse_expression("t_10 + t_2"), parse_expression("a"))) == ("a", "t_2", "t_10")


@pytest.mark.parametrize(
    ("text", "renamed"),
    [
        ("b + a = a", "y + x = x"),
        ("sin(b*a) = c + a", "sin(z*y) = x + y"),
        ("t + b = sin(b)", "y + x = sin(x)"),
        ("1 = 2", "1 = 2"),
    ],
)
def test_all_variables_by_appearance(text: str, renamed: str) -> None:
    equation = parse_equation(text)
    swapped = Equation(equation.right, equation.left)
    assert equation.rename(appearance_names(equation, KNOWN)) == parse_equation(renamed)
    assert swapped.rename(appearance_names(swapped, KNOWN)).right == parse_equation(renamed).left


def test_candidates_come_after_the_equation() -> None:
    names = appearance_names(parse_equation("u + v = 1"), KNOWN, [parse_expression("a"), parse_expression("v + b")])
    assert names == {"u": "x", "v": "y", "a": "z", "b": "x_3"}
