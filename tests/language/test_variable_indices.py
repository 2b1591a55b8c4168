from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dgl_mathtree.language import Equation, Forest, parse_equation
from dgl_mathtree.language.variable_indices import place, place_forest
from tests.examples import examples

from .strategies import equations


def test_variables_are_named_in_the_order_of_their_appearance() -> None:
    placed = place([parse_equation("y + x*y = z"), parse_equation("x_1 = x_0")])
    assert placed.names == [("y", "x", "z"), ("x_1", "x_0")]
    assert [str(placed.forest.equation(k)) for k in range(2)] == ["x_0 + x_1*x_0 = x_2", "x_0 = x_1"]


@given(st.lists(equations, max_size=8))
@examples(60)
def test_a_forest_is_placed_as_its_equations_are(some: list[Equation]) -> None:
    one, other = place(some), place_forest(Forest.of(some))
    assert one.names == other.names == [equation.variables for equation in some]
    for k in range(len(some)):
        assert one.forest.equation(k) == other.forest.equation(k)
        start, end = other.forest.offsets[k : k + 2]
        words = {other.forest.expression(node).words for node in other.forest.members[start:end]}
        start, end = one.forest.offsets[k : k + 2]
        assert words == {one.forest.expression(node).words for node in one.forest.members[start:end]}
