from __future__ import annotations

import pytest
import torch
from hypothesis import given

from dgl_mathtree.graphs import NODE_TYPES, forest_graph, to_equation, to_graph
from dgl_mathtree.language import Equation, Forest, VocabularyError, parse_equation
from tests.examples import examples
from tests.language.strategies import LEAVES, equations


@given(equations)
@examples(60)
def test_graphs_and_back(equation: Equation) -> None:
    graph = to_graph(equation, LEAVES)
    assert graph.num_nodes() == equation.size
    assert graph.num_edges() == equation.size - 1
    assert to_equation(graph, LEAVES) == equation
    shared, roots = forest_graph(Forest.of([equation, equation]), LEAVES)
    assert [to_equation(shared, LEAVES, int(root)) for root in roots] == [equation, equation]


def test_types_and_symbols() -> None:
    graph = to_graph(parse_equation("x^2 = log(pi, 0.7)"), ["x", "2", "pi", "0.7"])
    types = [NODE_TYPES[k] for k in graph.ndata["op"].tolist()]
    assert types == ["Equality", "Pow", "Variable", "Integer", "log", "Constant", "Decimal"]
    assert graph.ndata["symbol"].tolist() == [-1, -1, 0, 1, -1, 2, 3]
    assert torch.equal(graph.in_degrees(), torch.tensor([2, 2, 0, 0, 2, 0, 0]))
    children, parents = graph.edges()
    assert list(zip(children.tolist(), parents.tolist(), graph.edata["pos"].tolist(), strict=True)) == [
        (1, 0, 0),
        (4, 0, 1),
        (2, 1, 0),
        (3, 1, 1),
        (5, 4, 0),
        (6, 4, 1),
    ]


def test_equal_children_of_a_shared_graph_keep_both_edges() -> None:
    graph, roots = forest_graph(Forest.of([parse_equation("x + x = x + x"), parse_equation("y = x")]), ["x", "y"])
    assert graph.num_nodes() == 5
    assert graph.num_edges() == 6
    assert [str(to_equation(graph, ["x", "y"], int(root))) for root in roots] == ["x + x = x + x", "y = x"]


def test_leaves_outside_the_vocabulary() -> None:
    with pytest.raises(VocabularyError, match="y is not among the symbols x, 1"):
        to_graph(parse_equation("y = 1"), ["x", "1"])
