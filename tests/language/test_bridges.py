from __future__ import annotations

import networkx as nx
import pytest
import sympy
from hypothesis import given

from dgl_mathtree.language import Equation, Expr, VocabularyError, parse, parse_equation
from dgl_mathtree.language.bridges import from_networkx, from_sympy, to_networkx, to_sympy
from tests.examples import examples

from .strategies import equations


@given(equations)
@examples(200)
def test_sympy_and_back(equation: Equation) -> None:
    assert from_sympy(to_sympy(equation)) == equation


def test_nothing_is_simplified_on_the_way_to_sympy() -> None:
    assert str(to_sympy(parse("x + x = 2*x^1*1"))) == "Eq(x + x, 2*(x**1*1))"
    assert isinstance(to_sympy(parse("1 = 1")), sympy.Eq)


def test_sympy_expressions_of_many_arguments() -> None:
    x, y, z = sympy.symbols("x y z")
    assert from_sympy(sympy.Eq(x + y + z, x * y * z, evaluate=False)) == parse("x + y + z = x*y*z")
    assert from_sympy(sympy.exp(x) - sympy.sqrt(y)) in (parse("exp(x) - sqrt(y)"), parse("-sqrt(y) + exp(x)"))
    assert from_sympy(sympy.log(x)) == parse("log(x)")
    assert from_sympy(sympy.Float("0.7")) == parse("0.7")


@pytest.mark.parametrize(
    "word", ["0.0000001", "0.00001234567", "3.14159265358979323846", "10000000000000000.0", "-0.25"]
)
def test_decimals_keep_their_digits(word: str) -> None:
    assert from_sympy(to_sympy(Expr.leaf(word))) == Expr.leaf(word)


def test_plain_python_numbers() -> None:
    assert from_sympy(3) == Expr.leaf("3")
    assert from_sympy(0.5) == Expr.leaf("0.5")


def test_what_sympy_has_and_we_do_not() -> None:
    for value in (
        sympy.I,
        sympy.oo,
        sympy.gamma(sympy.Symbol("x")),
        sympy.Symbol("speed"),
        sympy.Symbol("e"),
        sympy.Abs(sympy.Symbol("x")),
    ):
        with pytest.raises(VocabularyError):
            from_sympy(value)


@given(equations)
def test_networkx_and_back(equation: Equation) -> None:
    graph = to_networkx(equation)
    assert graph.number_of_nodes() == equation.size
    assert graph.number_of_edges() == equation.size - 1
    assert nx.is_directed_acyclic_graph(graph)
    assert from_networkx(graph) == equation


def test_child_order_survives_other_names_and_orders() -> None:
    graph = to_networkx(parse_equation("x^y = 2^log(x, z)"))
    renamed = nx.relabel_nodes(graph, {node: f"n{100 - node}" for node in graph})
    shuffled = nx.DiGraph()
    shuffled.add_nodes_from(reversed(list(renamed.nodes(data=True))))
    shuffled.add_edges_from(reversed(list(renamed.edges(data=True))))
    assert from_networkx(shuffled) == parse_equation("x^y = 2^log(x, z)")


def test_graphs_that_are_no_trees() -> None:
    tree = to_networkx(parse("x + y"))
    two = nx.union(tree, nx.relabel_nodes(tree, {k: k + 10 for k in tree}))
    with pytest.raises(ValueError, match="one root"):
        from_networkx(two)
    no_word = to_networkx(parse("x + y"))
    del no_word.nodes[1]["word"]
    with pytest.raises(ValueError, match="'word'"):
        from_networkx(no_word)
    no_place = to_networkx(parse("x + y"))
    del no_place.edges[1, 0]["pos"]
    with pytest.raises(ValueError, match="'pos'"):
        from_networkx(no_place)
    cycle = to_networkx(parse("x"))
    cycle.add_edges_from([(5, 6), (6, 5)], pos=0)
    with pytest.raises(ValueError, match="not a tree"):
        from_networkx(cycle)
