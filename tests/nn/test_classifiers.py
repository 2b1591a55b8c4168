"""Classifiers of trees: any cell, any driver, batches and graphs."""

from __future__ import annotations

from typing import Any

import dgl
import numpy as np
import pytest
import torch
from dgl.dataloading import GraphDataLoader

from dgl_mathtree.data import TreeDataset
from dgl_mathtree.graphs import GraphError, batch_trees
from dgl_mathtree.nn import MODELS, PairClassifier, TreeClassifier, TreeRegressor, drivers, make_cell
from tests.graphs.random_trees import as_graph, random_trees

TREES = random_trees(3, 24)
CELLS = [name for name, model in MODELS.items() if model.is_cell]


def cell_of(name: str, **options: Any) -> Any:
    torch.manual_seed(0)
    return make_cell(name, 6, types=3, children=4, **options)


@pytest.mark.parametrize("name", CELLS)
def test_all_cells_and_drivers_give_the_same_logits(name: str) -> None:
    model = TreeClassifier(cell_of(name), classes=5, symbols=4, scale=1.0).eval()
    expected = model(batch_trees(TREES))
    assert expected.shape == (len(TREES), 5)
    for driver in drivers.names():
        model.driver = driver
        for trees in (batch_trees(TREES, share=True), dgl.batch([as_graph(tree) for tree in TREES])):
            torch.testing.assert_close(model(trees), expected, atol=1e-5, rtol=1e-4)


def test_the_vector_of_a_root_is_that_of_the_cell() -> None:
    model = TreeClassifier(cell_of("tree-lstm"), classes=2, symbols=4, scale=1.0)
    batch = batch_trees(TREES)
    feat = model.leaves(torch.from_numpy(batch.word).clamp(min=0))
    nodes = model.cell(batch.graph, feat)
    torch.testing.assert_close(model.vectors(batch), nodes[batch.roots], atol=1e-5, rtol=1e-4)


def test_gradients_reach_every_weight() -> None:
    for model in (
        TreeClassifier(cell_of("m-tree-lstm+stack"), classes=3, symbols=4, scale=1.0, hidden=7),
        PairClassifier(cell_of("tree-rnn"), classes=3, symbols=4, hidden=5, combine=["difference", "bilinear"]),
        TreeRegressor(cell_of("mi-tree-lstm"), outputs=2, symbols=4, scale=1.0),
    ):
        model(batch_trees(TREES)).square().sum().backward()
        for weight_name, weight in model.named_parameters():
            assert weight.grad is not None and weight.grad.abs().sum() > 0, weight_name


@pytest.mark.parametrize("combine", ["concatenation", "product", "difference", "distance", "bilinear"])
@pytest.mark.parametrize("hidden", [0, 7])
def test_pairs_are_compared_as_documented(combine: str, hidden: int) -> None:
    model = PairClassifier(cell_of("tree-rnn"), 3, symbols=4, combine=combine, hidden=hidden, scale=1.0)
    ones, others = TREES[:12], TREES[12:]
    a, b = model.vectors(batch_trees(ones)), model.vectors(batch_trees(others))
    seen = {"concatenation": torch.cat([a, b], 1), "product": a * b, "difference": a - b, "distance": (a - b).abs()}
    if combine == "bilinear":
        assert model.head.form is not None
        first = torch.einsum("pi,kij,pj->pk", a, model.head.form.weight, b) + model.head.form.bias
    else:
        assert model.head.first is not None
        first = seen[combine] @ model.head.first.weight.T + model.head.first.bias
    if hidden:
        assert model.head.second is not None
        first = torch.tanh(first) @ model.head.second.weight.T + model.head.second.bias
    pairs = [tree for pair in zip(ones, others, strict=True) for tree in pair]
    for found in (
        model(batch_trees(pairs)),
        model(batch_trees(ones), batch_trees(others)),
        model(dgl.batch([as_graph(tree) for tree in ones]), dgl.batch([as_graph(tree) for tree in others])),
    ):
        torch.testing.assert_close(found, first, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("pairs", [False, True])
def test_the_loader_of_dgl_and_our_batches_give_the_same_logits(pairs: bool) -> None:
    labels = [k % 3 for k in range(len(TREES))]
    data = TreeDataset(TREES, labels, TREES[::-1] if pairs else None)
    kind = PairClassifier if pairs else TreeClassifier
    model = kind(cell_of("m-tree-lstm+stack"), 3, symbols=4, scale=1.0).eval()
    seen = 0
    for number, (*graphs, label) in enumerate(GraphDataLoader(data, batch_size=7)):
        items = np.arange(7 * number, min(7 * number + 7, len(data)))
        assert label.tolist() == data.labels[items].tolist()
        for share in (True, False):
            torch.testing.assert_close(model(*graphs), model(data.batch(items, share=share)), atol=1e-5, rtol=1e-4)
        seen += len(label)
    assert seen == len(data)


def test_leaves_by_features_of_another_size() -> None:
    rng = np.random.default_rng(0)
    trees = [(0, rng.normal(size=3), (1, rng.normal(size=3))), rng.normal(size=3)]
    model = TreeRegressor(cell_of("tree-lstm"), feat_size=3)
    batch = batch_trees(trees)
    found = model(batch)
    assert found.shape == (2,)
    torch.testing.assert_close(model(batch.graph), found)
    leaf = model.leaves(torch.tensor(trees[1], dtype=torch.float32))
    torch.testing.assert_close(found[1], model.head(leaf)[0])


def test_dropout_is_drawn_for_nodes_or_given() -> None:
    model = TreeClassifier(cell_of("tree-lstm", dropout=0.5), classes=2, symbols=4, scale=1.0)
    batch = batch_trees(TREES)
    mask = model.draw_dropout(batch.num_nodes(), torch.Generator().manual_seed(1))
    assert torch.equal(model(batch, dropout_mask=mask), model(batch, dropout_mask=mask))
    assert not torch.equal(model(batch), model(batch))
    model.eval()
    assert model.draw_dropout(3) is None
    assert torch.equal(model(batch), model(batch))


def test_what_a_model_does_not_have() -> None:
    model = TreeClassifier(cell_of("tree-rnn"), classes=2, symbols=4)
    with pytest.raises(GraphError, match="symbol 4 is out of range: the model has symbols 0 to 3"):
        model(batch_trees([(0, 4)]))
    with pytest.raises(GraphError, match="node type 3 is out of range"):
        model(batch_trees([(3, 1)]))
    with pytest.raises(GraphError, match="5 children; the cell was built for at most 4"):
        model(batch_trees([(0, 1, 1, 1, 1, 1)]))
    with pytest.raises(GraphError, match="must be symbols"):
        model(batch_trees([(0, np.ones(3))]))
    features = TreeRegressor(cell_of("tree-rnn"), feat_size=2)
    with pytest.raises(GraphError, match="vectors of 2 numbers, not vectors of 3"):
        features(batch_trees([(0, np.ones(3))]))
    with pytest.raises(GraphError, match="vectors of 2 numbers, not symbols"):
        features(batch_trees([(0, 1)]))
    pairs = PairClassifier(cell_of("tree-rnn"), classes=2, symbols=4)
    with pytest.raises(GraphError, match="an even number of trees, not 1"):
        pairs(batch_trees([(0, 1)]))
    with pytest.raises(GraphError, match="1 first trees and 2 second ones"):
        pairs(batch_trees([1]), batch_trees([1, 2]))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "one of symbols and feat_size"),
        ({"symbols": 3, "feat_size": 3}, "one of symbols and feat_size"),
        ({"symbols": 0}, "symbols must be a whole number of at least 1, not 0"),
        ({"symbols": 2.5}, "symbols must be a whole number"),
        ({"feat_size": True}, "feat_size must be a whole number"),
        ({"symbols": 3, "scale": float("nan")}, "scale must be a finite number"),
        ({"symbols": 3, "combine": ["sum"]}, "combine must be one of 'concatenation'"),
        ({"symbols": 3, "combine": []}, "combine must name"),
        ({"symbols": 3, "activation": "gelu"}, "activation must be one of 'tanh', 'relu'"),
        ({"symbols": 3, "hidden": -1}, "hidden must be a whole number of at least 0"),
    ],
)
def test_arguments_that_cannot_be(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PairClassifier(cell_of("tree-rnn"), classes=2, **wrong)


def test_a_cell_must_be_one() -> None:
    with pytest.raises(TypeError, match="the cell must be a TreeCell, not Linear"):
        TreeClassifier(torch.nn.Linear(2, 2), classes=2, symbols=3)  # type: ignore[arg-type]
