from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dgl_mathtree.language import Equation, Expr, Forest, parse_equation
from dgl_mathtree.language.prefix_trees import PrefixTrees
from dgl_mathtree.language.vocabulary import OPERATORS

from .strategies import equations


def trees_of(some: list[Equation]) -> PrefixTrees:
    return PrefixTrees.of(equation.words for equation in some)


def spelled(trees: PrefixTrees) -> list[Equation]:
    """The equations again, from children and sides alone."""

    def spell(node: int) -> Expr:
        below = [spell(child) for child in trees.children[node].tolist() if child >= 0]
        return Expr(sum((child.words for child in below), (trees.words[trees.word[node]],)))

    return [Equation(spell(left), spell(right)) for left, right in trees.sides.tolist()]


@given(st.lists(equations, max_size=5))
def test_children_sides_and_heights_are_those_of_the_trees(some: list[Equation]) -> None:
    trees = trees_of(some)
    assert len(trees) == len(some)
    assert spelled(trees) == some
    heights = [height for equation in some for height in equation.heights()[:0:-1]]
    assert trees.height.tolist() == heights
    assert trees.equation.tolist() == [k for k, equation in enumerate(some) for _ in equation.words[1:]]


@given(st.lists(equations, min_size=1, max_size=5), st.data())
def test_some_of_the_equations(some: list[Equation], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(some) - 1), max_size=6))
    taken = trees_of(some).take(np.array(chosen, dtype=np.int64))
    assert spelled(taken) == [some[k] for k in chosen]
    assert spelled(Forest.of(some).trees(chosen)) == [some[k] for k in chosen]


def test_trees_that_are_deeper_than_small_numbers_count() -> None:
    deep = Equation(Expr(["sin"] * 40_000 + ["x"]), Expr.leaf("x"))
    many = Expr.leaf("x")
    wide = Equation(Expr(["Add", "x"] * 40_000 + ["y"]), many)
    trees = trees_of([deep, wide])
    assert trees.height[trees.sides].tolist() == [[40_000, 0], [40_000, 0]]
    assert len(Forest.of_trees(trees)) == 2 + 40_000 + 40_000


@given(st.lists(equations, max_size=5), st.data())
def test_words_that_do_not_occur_are_left_out(some: list[Equation], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(some) - 1), max_size=3)) if some else []
    trimmed = trees_of(some).take(np.array(chosen, dtype=np.int64)).trimmed()
    assert spelled(trimmed) == [some[k] for k in chosen]
    assert trimmed.words[: len(OPERATORS)] == tuple(OPERATORS)
    leaves = {word for k in chosen for word in some[k].words[1:]} - set(OPERATORS)
    assert sorted(trimmed.words[len(OPERATORS) :]) == sorted(leaves)


def test_other_words() -> None:
    trees = trees_of([parse_equation("sin(x) = y")])
    assert trees.height.tolist() == [0, 0, 1]
    words = (*trees.words, "t")
    renamed = trees.with_words(words, np.where(trees.word == words.index("x"), words.index("t"), trees.word))
    assert spelled(renamed) == [parse_equation("sin(t) = y")]
    assert spelled(trees) == [parse_equation("sin(x) = y")]
