from __future__ import annotations

import numpy as np
import pytest
import torch

from dgl_mathtree.graphs import GraphError, batch_trees, read_trees
from tests.graphs.random_trees import random_trees, spelled

TREES = random_trees(2, 60, symbols=2, types=2)


@pytest.mark.parametrize("share", [False, True])
def test_batches_are_cut_from_arrays(share: bool) -> None:
    arrays = read_trees(TREES)
    arrays = arrays.shared() if share else arrays
    chosen = np.random.default_rng(0).permutation(len(TREES))[:20]
    batch = arrays.batch(chosen)
    assert spelled(batch) == [TREES[k] for k in chosen]
    assert len(batch) == 20
    for name in ("node_types", "word", "height"):
        whole = getattr(arrays, name)[batch.node]
        assert np.array_equal(whole, arrays.height[batch.node] if name == "height" else getattr(batch, name))
    again, _ = arrays.take(chosen)
    assert spelled(again.batch([0, 5])) == [TREES[chosen[0]], TREES[chosen[5]]]


def test_identical_subtrees_are_one_node() -> None:
    arrays = read_trees(TREES)
    shared = arrays.shared()
    assert len(shared.node_types) < len(arrays.node_types) == arrays.sizes.sum()
    assert len(shared.shared().node_types) == len(shared.node_types)
    twice = shared.batch([4, 4])
    assert twice.roots[0] == twice.roots[1]


def test_the_graph_of_a_batch() -> None:
    batch = batch_trees(TREES)
    graph = batch.graph
    assert (sorted(graph.ndata), sorted(graph.edata)) == (["op", "symbol"], ["pos"])
    assert spelled(batch_trees(graph)) == TREES


def test_a_batch_on_another_device() -> None:
    batch = batch_trees([(0, np.ones(3, dtype=np.float32), (1, np.zeros(3, dtype=np.float32)))])
    moved = batch.to("meta")
    assert batch.to("cpu") is batch
    assert moved.plan.device.type == "meta" and moved.feat is not None and moved.feat.is_meta
    assert moved.root_rows.is_meta and moved.leaf_words.is_meta and not moved.roots.is_meta
    assert torch.equal(moved.roots, batch.roots)


def test_trees_that_are_not_there() -> None:
    arrays = read_trees([(0, 1), (1, 2)])
    with pytest.raises(GraphError, match="there is no tree 2: trees are 0 to 1"):
        arrays.batch([0, 2])
    with pytest.raises(GraphError, match="there is no tree -1"):
        arrays.batch([-1])
    with pytest.raises(GraphError, match="at least one tree"):
        arrays.batch([])


def test_trees_of_a_graph_that_share_nodes_are_told_apart_by_their_roots() -> None:
    graph = batch_trees([(0, 1, 2), (1, (0, 2, 2), 2), (2, 1)], share=True).graph
    trees = read_trees(graph)
    assert spelled(trees.batch([2, 0])) == [(1, (0, 2, 2), 2), (0, 1, 2)]
    assert spelled(trees.batch([1])) == [(2, 1)]
    assert trees.sizes.tolist() == [3, 2, 3]
