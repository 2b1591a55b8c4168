from __future__ import annotations

import random
from typing import Any

import dgl
import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from dgl_mathtree import parse_expression, to_networkx
from dgl_mathtree.graphs import GraphError, batch_trees, read_trees
from dgl_mathtree.graphs.plain_trees import check_nesting
from tests.examples import examples
from tests.graphs.random_trees import as_graph, as_networkx, as_pointers, random_trees, spelled

LEAF = st.integers(0, 3)
TREE = st.recursive(
    LEAF, lambda below: st.tuples(st.integers(0, 2), below) | st.tuples(st.integers(0, 2), below, below)
)


@examples(100)
@given(st.lists(TREE, min_size=1, max_size=8), st.booleans())
def test_nested_tuples_come_back(trees: list[Any], share: bool) -> None:
    batch = batch_trees(trees, share=share)
    assert spelled(batch) == trees
    batch.plan.check()
    if share:
        assert batch.num_nodes() == len({repr(part) for tree in trees for part in subtrees(tree)})
    else:
        assert batch.num_nodes() == sum(1 for tree in trees for _ in subtrees(tree))


def subtrees(tree: Any) -> list[Any]:
    return [tree] + [part for child in (tree[1:] if isinstance(tree, tuple) else ()) for part in subtrees(child)]


@pytest.mark.parametrize("form", [as_pointers, as_networkx, as_graph, lambda tree: tree])
@pytest.mark.parametrize("share", [False, True])
def test_all_forms_of_a_tree_are_the_same(form: Any, share: bool) -> None:
    trees = random_trees(0, 30, most=5)
    batch = batch_trees([form(tree) for tree in trees], share=share)
    assert spelled(batch) == trees
    part = read_trees([form(tree) for tree in trees]).batch([7, 3, 3, 29])
    assert spelled(part) == [trees[k] for k in (7, 3, 3, 29)]


def test_names_stand_for_numbers() -> None:
    nested = [("and", "a", ("not", "b")), "c", ["or", "b", "c", "a"]]
    names = {"operators": ["and", "or", "not"], "vocabulary": ["a", "b", "c"]}
    assert spelled(batch_trees(nested, **names)) == [(0, 0, (2, 1)), 2, (1, 1, 2, 0)]
    pointers = {"parent": [-1, 0, 0, 2], "word": ["and", "a", "not", "b"]}
    assert spelled(batch_trees(pointers, **names)) == [(0, 0, (2, 1))]
    words = [parse_expression("sin(x) + x*2"), parse_expression("sin(2)")]
    batch = batch_trees([to_networkx(tree) for tree in words], ["Add", "Mul", "sin"], ["x", "2"])
    assert spelled(batch) == [(0, (2, 0), (1, 0, 1)), (2, 1)]


def test_nodes_without_types() -> None:
    batch = batch_trees([((0, 1), 2), (3, 1, 2)], typed=False)
    assert spelled(batch) == [(0, (0, 0, 1), 2), (0, 3, 1, 2)]


def test_many_trees_by_one_array_of_parents_and_siblings_by_their_places() -> None:
    pointers = {"parent": [3, -1, 3, -1, 1], "op": [0, 1, 0, 2, 0], "symbol": [5, -1, 6, -1, 7]}
    assert spelled(batch_trees(pointers)) == [(1, 7), (2, 5, 6)]
    assert spelled(batch_trees(pointers | {"pos": [1, 0, 0, 0, 0]})) == [(1, 7), (2, 6, 5)]


def test_edges_of_networkx_may_say_the_order_of_children() -> None:
    graph = nx.DiGraph()
    graph.add_node("top", op=1)
    graph.add_nodes_from([("a", {"symbol": 4}), ("b", {"symbol": 5})])
    graph.add_edge("a", "top", pos=1)
    graph.add_edge("b", "top", pos=0)
    assert spelled(batch_trees(graph)) == [(1, 5, 4)]


@pytest.mark.parametrize("share", [False, True])
def test_leaves_by_feature_vectors(share: bool) -> None:
    rows = np.arange(12, dtype=np.float32).reshape(4, 3)
    nested = [(0, rows[0], (1, torch.tensor(rows[1]), rows[0])), rows[2]]
    pointers = {
        "parent": [-1, 0, 0, 2, 2, -1],
        "op": [0, 0, 1, 0, 0, 0],
        "feat": [rows[3], rows[0], rows[3], rows[1], rows[0], rows[2]],
    }
    graph = batch_trees(nested).graph
    assert sorted(graph.ndata) == ["feat", "op"]
    for trees in (nested, pointers, graph):
        batch = batch_trees(trees, share=share)
        assert batch.feat is not None and batch.plan.leaves == (3 if share else 4)
        feat = torch.zeros(batch.num_nodes(), 3).index_copy(0, batch.plan.node[: batch.plan.leaves], batch.feat)
        first, second = batch.roots.tolist()
        leaf, inner = batch.children[first].tolist()
        found = feat[[leaf, *batch.children[inner].tolist(), second]]
        assert found.tolist() == rows[[0, 1, 0, 2]].tolist()


def test_graphs_with_gradients_in_their_features_keep_them() -> None:
    graph = as_graph((0, 1, 2))
    del graph.ndata["symbol"]
    graph.ndata["feat"] = torch.ones(3, 2, requires_grad=True)
    batch = batch_trees(graph)
    assert batch.feat is not None and batch.feat.requires_grad


def test_a_batched_graph_and_one_that_shares_nodes() -> None:
    trees = random_trees(1, 9)
    graph = dgl.batch([as_graph(tree) for tree in trees])
    assert spelled(batch_trees(graph)) == trees
    shared = batch_trees(trees, share=True)
    roots = np.flatnonzero(shared.graph.out_degrees().numpy() == 0)
    assert sorted(map(repr, spelled(batch_trees(shared.graph)))) == sorted(
        {repr(tree) for tree, root in zip(trees, shared.roots.tolist(), strict=True) if root in roots}
    )


LINE = nx.DiGraph([(0, 1), (0, 2)])
WRONG: list[tuple[Any, dict[str, Any], str]] = [
    ([], {}, "at least one tree"),
    ([("and", 1)], {}, "node type 'and' is not a whole number: give operators="),
    ([("xor", 1)], {"operators": ["and"]}, "node type 'xor' is not among the operators and"),
    ([(0, "z")], {"vocabulary": ["a", "b"]}, "leaf 'z' is not among the vocabulary a, b"),
    ([(0, 1.5)], {}, "leaf 1.5 is not a whole number"),
    ([(0, None)], {}, "leaf None is not a whole number"),
    ([(0, -1)], {}, "leaf -1 is below 0"),
    ([(0,)], {}, "a node has no children"),
    ([()], {}, "a node has no children"),
    ([()], {"typed": False}, "a node has no children"),
    ([(0, np.ones(2), np.ones(3))], {}, "feature vectors of one size"),
    ([(0, np.ones(2), 3)], {}, "feature vectors of one size"),
    ([{"parent": [1, 0], "symbol": [0, 0]}], {}, "no root"),
    ([{"parent": [-1, 2, 1], "symbol": [0, 0, 0]}], {}, "cycle"),
    ([{"parent": [-1, 7], "symbol": [0, 0]}], {}, "parent 7 is not a node"),
    ([{"parent": [-1, 0], "symbol": [0]}], {}, "'symbol' has 1 entries for 2 nodes"),
    ([{"parent": [-1, 0]}], {}, "leaves need a 'symbol'"),
    ([{"parent": [-1.0, 0.0], "symbol": [0, 0]}], {}, "'parent' must hold one whole number"),
    ([{"parent": [-5, 0], "symbol": [0, 0]}], {}, "parent -5 is not a node"),
    (
        [{"parent": [-1, 0], "symbol": [0, 0], "pos": [0, 0]}, {"parent": [-1], "symbol": [0]}],
        {},
        "some trees have 'pos'",
    ),
    ([{"parent": [-1, 0, 0], "symbol": [0, 0, 0], "pos": [0, 1, 1]}], {}, "the same 'pos'"),
    ([{"parent": [-1], "feat": [np.ones(2)]}, {"parent": [-1], "symbol": [0]}], {}, "some trees have 'feat'"),
    ([{"parent": [-1, 0], "symbol": np.array([0, 2**63 + 5], dtype=np.uint64)}], {}, "is above"),
    ([(0, 1, np.ones(2))], {}, "is not a whole number"),
    ([(0, np.ones(2) * 1j)], {}, "real numbers"),
    ([(0, np.array(["a"]))], {}, "must hold numbers"),
    ([(0, "b")], {"vocabulary": ["b", "b"]}, "has a name twice: b, b"),
    (None, {}, "expected a sequence of trees, not None"),
    ("ab", {"vocabulary": ["a", "b"]}, "one tree alone is"),
    ([{"parent": [-1], "symbol": [0]}, (0, 1)], {}, "tree 1 must be a mapping"),
    (LINE, {}, "has 2 parents"),
    (nx.Graph([(0, 1)]), {}, "DiGraph"),
    (nx.DiGraph([(0, 1)]), {}, "leaves need a 'symbol'"),
]


@pytest.mark.parametrize(("trees", "names", "message"), WRONG, ids=[message for *_, message in WRONG])
def test_what_is_not_a_tree(trees: Any, names: dict[str, Any], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        batch_trees(trees, **names)


def test_graphs_that_are_not_trees() -> None:
    graph = as_graph((0, 1, 2))
    with pytest.raises(GraphError, match="must be a DGLGraph"):
        batch_trees([graph, (0, 1)])
    with pytest.raises(GraphError, match="one tree"):
        batch_trees([graph, _without_edges(2)])
    del graph.ndata["symbol"]
    with pytest.raises(GraphError, match="'symbol' or 'feat'"):
        batch_trees(graph)
    graph.ndata["feat"] = torch.ones(3)
    with pytest.raises(GraphError, match="shape \\(nodes, f\\)"):
        batch_trees(graph)


def _without_edges(nodes: int) -> Any:
    graph = dgl.graph((torch.zeros(0, dtype=torch.int64), torch.zeros(0, dtype=torch.int64)), num_nodes=nodes)
    graph.ndata["op"] = graph.ndata["symbol"] = torch.zeros(nodes, dtype=torch.int64)
    graph.edata["pos"] = torch.zeros(0, dtype=torch.int64)
    return graph


@pytest.mark.parametrize("times", [1, 2])
def test_a_tree_that_contains_itself_is_refused(times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dgl_mathtree.graphs.plain_trees.LARGE", 1000)
    tree: list[Any] = [0, 1]
    tree += [tree] * times
    with pytest.raises(GraphError, match="contains itself"):
        batch_trees([(0, 1), tree])


def test_nodes_of_tuples_that_stand_in_many_places_are_counted() -> None:
    tree: Any = 0
    for _ in range(40):
        tree = (1, tree, tree)
    with pytest.raises(GraphError, match=r"the trees have 2\.2e\+12 nodes in all, more than 2\.1e\+09"):
        batch_trees([tree])
    pairs = [(1, (0, 2, 3), (0, 2, 3)), 4]
    assert check_nesting(pairs, True, most=8)
    with pytest.raises(GraphError, match="have 8 nodes in all, more than 7"):
        check_nesting(pairs, True, most=7)


@pytest.mark.parametrize("children", [70_000, 40_000])
def test_a_table_of_children_that_memory_does_not_hold_is_not_made(children: int) -> None:
    wide = (0, *[1] * children)
    for trees in ([wide], as_pointers(wide), as_graph(wide)):
        with pytest.raises(GraphError, match=f"a node has {children} children"):
            batch_trees(trees)


def test_deep_trees() -> None:
    tree: Any = 0
    for _ in range(5000):
        tree = (random.Random(0).randrange(2), tree)
    assert len(batch_trees([tree]).plan.levels) == 5000
