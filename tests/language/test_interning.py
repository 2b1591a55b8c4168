from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dgl_mathtree.language import Equation, Expr, Forest, interning
from dgl_mathtree.language.interning import distinct
from dgl_mathtree.language.prefix_trees import PrefixTrees
from tests.examples import examples

from .strategies import equations, expressions


def check(some: list[Equation]) -> None:
    """The forest of arrays is that of a builder that takes node after node, in the very same order."""
    expected = Forest.of(some)
    found = Forest.of_trees(PrefixTrees.of(equation.words for equation in some))
    assert found.words == expected.words
    for name in ("word", "children", "height", "equations", "offsets"):
        one, other = getattr(found, name), getattr(expected, name)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other, err_msg=name)
    for start, end in pairwise(found.offsets):
        assert found.members[start:end].tolist() == sorted(expected.members[start:end].tolist())


@given(st.lists(equations, max_size=8))
@examples(100)
def test_a_forest_of_arrays_is_that_of_its_equations(some: list[Equation]) -> None:
    check(some + some[::2])


@given(st.lists(expressions, max_size=8))
@settings(deadline=None)
def test_expressions_are_equations_with_themselves(some: list[Expr]) -> None:
    expected, found = Forest.of(Equation(each, each) for each in some), Forest.of_expressions(some)
    for name in ("word", "children", "height", "equations", "offsets"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)


@given(st.lists(equations, min_size=1, max_size=4))
@examples(20)
def test_keys_that_would_be_too_large(some: list[Equation]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(interning, "_LARGEST", 10)
        check(some + some)


@given(st.lists(st.integers(-3, 3)))
def test_distinct_keys_in_the_order_of_their_appearance(keys: list[int]) -> None:
    first, which = distinct(np.array(keys, dtype=np.int64))
    order = list(dict.fromkeys(keys))
    assert first.tolist() == [keys.index(key) for key in order]
    assert which.tolist() == [order.index(key) for key in keys]
