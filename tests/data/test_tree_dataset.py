from __future__ import annotations

from typing import Any

import dgl
import numpy as np
import pytest
import torch
from dgl.data import DGLDataset

from dgl_mathtree.data import DataError, TreeDataset
from dgl_mathtree.graphs import batch_trees
from tests.graphs.random_trees import as_graph, random_trees, spelled

TREES = random_trees(5, 20)
LABELS = [k % 4 for k in range(20)]


def test_items_are_graphs() -> None:
    data = TreeDataset(TREES, LABELS)
    assert isinstance(data, DGLDataset)
    assert len(data) == 20
    graphs, labels = zip(*[data[k] for k in range(20)], strict=True)
    assert spelled(batch_trees(list(graphs))) == TREES
    assert [label.item() for label in labels] == LABELS
    assert data[-1][1] == LABELS[-1]
    with pytest.raises(IndexError):
        data[20]


def test_the_tools_of_torch_take_it() -> None:
    data = TreeDataset(TREES, LABELS)
    part, _ = torch.utils.data.random_split(data, [15, 5], torch.Generator().manual_seed(0))  # type: ignore[arg-type]
    loader = torch.utils.data.DataLoader(
        part, batch_size=4, collate_fn=lambda items: batch_trees([g for g, _ in items])
    )
    assert [tree for batch in loader for tree in spelled(batch)] == [TREES[k] for k in part.indices]


def test_items_may_be_pairs() -> None:
    data = TreeDataset(TREES[:10], LABELS[:10], TREES[10:])
    one, other, label = data[3]
    assert spelled(batch_trees([one, other])) == [TREES[3], TREES[13]] and label == 3
    for share in (True, False):
        assert spelled(data.batch([4, 0], share=share)) == [TREES[4], TREES[14], TREES[0], TREES[10]]
    again = TreeDataset.pairs(list(zip(TREES[:10], TREES[10:], strict=True)), LABELS[:10])
    assert again.checksum == data.checksum


def test_a_subset_is_a_data_set() -> None:
    data = TreeDataset(TREES[:10], LABELS[:10], TREES[10:], groups=range(10))
    part = data.subset([7, 2])
    assert len(part) == 2 and part.labels.tolist() == [3, 2]
    assert part.groups is not None and part.groups.tolist() == [7, 2]
    assert spelled(part.batch([0, 1])) == [TREES[7], TREES[17], TREES[2], TREES[12]]
    assert part.checksum != data.checksum


def test_numbers_as_labels_and_graphs_as_trees() -> None:
    data = TreeDataset([as_graph(tree) for tree in TREES], np.linspace(0, 1, 20))
    assert data.labels.dtype == torch.float32
    assert spelled(data.batch([5])) == [TREES[5]]
    assert TreeDataset(dgl.batch([as_graph(tree) for tree in TREES]), np.ones((20, 2))).labels.shape == (20, 2)


@pytest.mark.parametrize(
    ("labels", "more", "message"),
    [
        (LABELS[:3], {}, "3 labels for 20 items"),
        ([-1] * 20, {}, "counted from 0"),
        (["a"] * 20, {}, "must be numbers"),
        ([float("nan")] * 20, {}, "finite"),
        (np.ones((20, 2), dtype=int), {}, "must be"),
        (LABELS, {"others": TREES[:3]}, "20 first trees and 3 second ones"),
        (LABELS, {"groups": [1]}, "1 groups for 20 items"),
        (LABELS, {"groups": [0.5] * 20}, "one whole number"),
    ],
)
def test_data_that_cannot_be(labels: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        TreeDataset(TREES, labels, **more)


def test_features_must_be_finite() -> None:
    good = np.ones(2)
    for wrong in (np.nan, np.inf):
        with pytest.raises(DataError, match="feature vectors of leaves must be finite"):
            TreeDataset([(0, good), (0, good * wrong)], [0, 1])


@pytest.mark.parametrize("items", [[0.7], [True, False], ["0"]])
def test_items_are_given_by_index(items: Any) -> None:
    data = TreeDataset(TREES, LABELS)
    for use in (data.batch, data.subset):
        with pytest.raises(DataError, match="items are given by index"):
            use(items)
