from __future__ import annotations

from itertools import islice

import dgl
import numpy as np
import pytest
import torch

from dgl_mathtree.data.data_files import read_rows
from dgl_mathtree.graphs import SYMBOLS, GraphError, batch_graph, split_roots, to_equation, to_graph
from dgl_mathtree.language import Forest, parse_equation

EQUATIONS = [row.parsed() for part in ("train", "test") for row in islice(read_rows("paper", part), 12)]
EQUATIONS += [parse_equation(text) for text in ("x = x", "sin(x) + sin(x) = sin(x)*2", "1 = 2")]
FOREST = Forest.of(EQUATIONS)


def test_a_batch_is_a_graph_with_shared_subtrees() -> None:
    shared, trees = batch_graph(FOREST, range(len(EQUATIONS))), batch_graph(FOREST, range(len(EQUATIONS)), share=False)
    assert trees.graph.num_nodes() == sum(len(e) - 1 for e in EQUATIONS)
    assert shared.graph.num_nodes() == len(FOREST)
    assert shared.graph.num_edges() == (FOREST.children >= 0).sum()
    assert torch.equal(shared.graph.ndata["op"], torch.from_numpy(shared.node_types))
    some = batch_graph(FOREST, np.array([3, 3, 1]))
    assert len(some) == 3
    assert some.sides[0].tolist() == some.sides[1].tolist()


def test_roots_are_split_from_graphs_of_equations() -> None:
    graph = dgl.batch([to_graph(equation, SYMBOLS) for equation in EQUATIONS])
    expressions, sides = split_roots(graph)
    assert expressions.num_nodes() == graph.num_nodes() - len(EQUATIONS)
    left, right = (expressions.ndata["symbol"][node].item() for node in sides[-1])
    assert (SYMBOLS[left], SYMBOLS[right]) == ("1", "2")
    assert to_equation(graph, SYMBOLS) == EQUATIONS[0]
    with pytest.raises(GraphError, match="no node is of type Equality"):
        split_roots(expressions)
