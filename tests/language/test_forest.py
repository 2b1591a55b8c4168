from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgl_mathtree.language import (
    Equation,
    Expr,
    Forest,
    ForestBuilder,
    interning,
    parse_equation,
    parse_expression,
)

from .strategies import equations, expressions


def distinct_subexpressions(some: list[Equation]) -> set[Expr]:
    return {e.subexpression(k) for e in some for k in range(1, e.size)}


def check(forest: Forest, some: list[Equation]) -> None:
    """A forest holds the distinct subexpressions once each, by height, and gives the equations back."""
    held = [forest.expression(node) for node in range(len(forest))]
    assert len(set(held)) == len(held)
    assert set(held) == distinct_subexpressions(some)
    assert [e.depth for e in held] == forest.height.tolist()
    assert np.all(np.diff(forest.height) >= 0)
    assert np.all(forest.children < np.arange(len(forest))[:, None])
    assert [forest.equation(k) for k in range(len(some))] == some


@given(st.lists(equations, min_size=1, max_size=5))
def test_a_forest_holds_every_distinct_subexpression_once(some: list[Equation]) -> None:
    check(Forest.of(some), some)


@given(st.lists(equations, min_size=1, max_size=6), st.data())
def test_taking_some_equations_gives_their_forest(some: list[Equation], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(some) - 1), min_size=1, max_size=6))
    check(Forest.of(some).take(chosen), [some[k] for k in chosen])


@given(st.lists(equations, min_size=1, max_size=6), st.data())
def test_nodes_are_found_in_the_same_places_in_forests_of_any_size(some: list[Equation], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(some) - 1), min_size=1, max_size=6))
    whole = Forest.of(some)
    part, nodes = whole.take_with_nodes(chosen)
    found = [whole.cut(chosen)]
    for dense, large in ((0.1, 1 << 20), (0.1, 0)):  # few nodes of many: by sorting, and by a search
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(interning, "DENSE", dense)
            patch.setattr(interning, "LARGE", large)
            found.append(whole.cut(chosen))
    for cut in found:
        for ours, theirs in zip(cut, (nodes, part.children, part.equations), strict=True):
            assert ours.dtype == theirs.dtype and np.array_equal(ours, theirs)


@given(st.lists(expressions, max_size=4))
def test_expressions_without_an_equation(some: list[Expr]) -> None:
    builder = ForestBuilder()
    for expression in some:
        builder.add_expression(expression)
    forest = builder.build()
    assert {forest.expression(k) for k in range(len(forest))} == {
        e.subexpression(k) for e in some for k in range(e.size)
    }
    assert forest.equations.shape == (0, 2)


def test_ways_to_name_equations() -> None:
    some = [parse_equation(text) for text in ("x = 1", "y = 2", "z = 3")]
    forest = Forest.of(some)
    check(forest.take([-1]), [some[2]])
    check(forest.take(np.array([True, False, True])), [some[0], some[2]])
    check(forest.take(range(1, 3)).take([0]), [some[1]])
    with pytest.raises(IndexError):
        forest.take([3])


def test_an_empty_forest() -> None:
    forest = Forest.of([])
    assert len(forest) == 0
    assert len(forest.take([])) == 0


def test_operators_are_told_from_leaves() -> None:
    forest = Forest.of([parse_equation("sin(x) = y + 1")])
    kinds = {str(forest.expression(k)): bool(forest.is_operator[k]) for k in range(len(forest))}
    assert kinds == {"x": False, "y": False, "1": False, "sin(x)": True, "y + 1": True}


def test_shared_subtrees_of_exponential_size() -> None:
    """A sum of two equal sums of two equal sums ...: 2^12 leaves, 13 nodes."""
    tree = parse_expression("x")
    for _ in range(12):
        tree = Expr.apply("Add", tree, tree)
    assert len(Forest.of([Equation(tree, tree)])) == 13


def test_deep_equations() -> None:
    deep = Equation(Expr(["sin"] * 20_000 + ["x"]), Expr.leaf("x"))
    forest = Forest.of([deep, parse_equation("x = y")])
    assert len(forest) == 20_002
    assert forest.equation(0) == deep
    assert len(forest.take([1])) == 2


def test_nodes_in_any_order_make_the_same_equations() -> None:
    equations = [parse_equation(text) for text in ("sin(x)^2 + cos(x)^2 = 1", "x*(y + 1) = x*y + x", "x = x")]
    forest = Forest.of(equations)
    number = np.random.default_rng(0).permutation(len(forest))  # the new number of each node
    places = np.append(number, -1)  # a missing child stays one
    old = np.argsort(number)
    shuffled = Forest.from_nodes(
        forest.words,
        forest.word[old],
        places[forest.children[old]],
        forest.height[old],
        number[forest.equations],
        forest.offsets,
        number[forest.members],
    )
    assert (np.diff(shuffled.height) >= 0).all()
    assert [shuffled.equation(k) for k in range(3)] == equations
    assert [shuffled.take([k]).equation(0) for k in range(3)] == equations
