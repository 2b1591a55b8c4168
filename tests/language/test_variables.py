from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dgl_mathtree.language import Equation, Expr, Forest, parse_equation
from dgl_mathtree.language.prefix_trees import PrefixTrees
from dgl_mathtree.language.renaming import names_for
from dgl_mathtree.language.variables import (
    Variables,
    by_appearance,
    in_known_names,
    names_from,
    right_first,
    to_known,
)

from .strategies import equations, leaves

KNOWN = ["x", "y", "theta"]
many = st.lists(equations | st.builds(Equation, leaves, leaves), max_size=6)


def trees_of(some: list[Equation]) -> PrefixTrees:
    return PrefixTrees.of(equation.words for equation in some)


def equations_of(trees: PrefixTrees) -> list[Equation]:
    forest = Forest.of_trees(trees)
    return [forest.equation(k) for k in range(len(trees))]


def swapped(equation: Equation) -> Equation:
    return Equation(equation.right, equation.left)


def reads_right_first(equation: Equation) -> bool:
    """The rule, for one equation at a time."""
    left, right = equation.left.size, equation.right.size
    if left != right:
        return left > right
    return swapped(equation).canonical_variables().words < equation.canonical_variables().words


@given(many)
def test_variables_by_appearance(some: list[Equation]) -> None:
    trees = trees_of(some)
    found = Variables.of(trees)
    for k, equation in enumerate(some):
        mine = found.equation == k
        assert tuple(trees.words[word] for word in found.word[mine]) == equation.variables
        assert found.place[mine].tolist() == list(range(len(equation.variables)))
    named = [trees.words[word] for word in trees.word[found.node]]
    assert named == [trees.words[found.word[entry]] for entry in found.entry]


@given(many)
@settings(deadline=None)
def test_which_side_is_read_first(some: list[Equation]) -> None:
    assert right_first(trees_of(some)).tolist() == [reads_right_first(equation) for equation in some]


@given(many)
@settings(deadline=None)
def test_names_by_appearance(some: list[Equation]) -> None:
    expected = []
    for equation in some:
        order = (swapped(equation) if reads_right_first(equation) else equation).variables
        expected.append(equation.rename(dict(zip(order, names_from(KNOWN), strict=False))))
    assert equations_of(by_appearance(trees_of(some), KNOWN)) == expected


@given(many)
@settings(deadline=None)
def test_names_do_not_depend_on_letters_and_sides(some: list[Equation]) -> None:
    letters = ["w", "x_n", "a", "x", "theta", "x1", "y", "z", "var_0", "theta_2", "x_1"]
    others = [e.rename(dict(zip(e.variables, letters, strict=False))) for e in some]
    names = equations_of(by_appearance(trees_of(some), KNOWN))
    assert equations_of(by_appearance(trees_of(others), KNOWN)) == names
    back = equations_of(by_appearance(trees_of([swapped(each) for each in others]), KNOWN))
    for one, other in zip(back, names, strict=True):
        assert one.canonical_variables() == swapped(other).canonical_variables()
        if one.left.size != one.right.size:
            assert one == swapped(other)


@pytest.mark.parametrize(
    ("text", "renamed"),
    [
        ("a + t_10 = t_2", "x + theta = y"),
        ("x + y = theta", "x + y = theta"),
        ("a + y = b*y", "x + y = theta*y"),
        ("a + b + c + d = x", "y + theta + c + d = x"),
        ("1 = 2", "1 = 2"),
    ],
)
def test_only_names_that_are_not_known_change(text: str, renamed: str) -> None:
    equation = parse_equation(text)
    assert equations_of(to_known(trees_of([equation, equation]), KNOWN)) == [parse_equation(renamed)] * 2


@pytest.mark.parametrize("any_leaf", [True, False])
@given(some=many)
@settings(deadline=None)
def test_many_equations_are_renamed_as_each_alone(some: list[Equation], any_leaf: bool) -> None:
    expected = [equation.rename(names_for(equation, KNOWN, any_leaf)) for equation in some]
    assert equations_of(in_known_names(trees_of(some), KNOWN, any_leaf)) == expected


def test_nothing_at_all() -> None:
    assert len(by_appearance(trees_of([]), KNOWN)) == len(to_known(trees_of([]), KNOWN)) == 0
    alone = [Equation(Expr.leaf("2"), Expr.leaf("2"))]
    assert equations_of(by_appearance(trees_of(alone), KNOWN)) == alone
    assert equations_of(to_known(trees_of(alone), [])) == alone


def test_names_without_end() -> None:
    assert list(islice(names_from(["x", "x_3"]), 5)) == ["x", "x_3", "x_2", "x_4", "x_5"]
