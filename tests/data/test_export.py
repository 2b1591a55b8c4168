"""The whole way: exported, loaded by DGL alone, batched, and read by a model as it reads the texts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import dgl
import numpy as np
import pytest
import torch

from dgl_mathtree import load
from dgl_mathtree.data.data_files import Row, read_rows
from dgl_mathtree.data.data_writer import write_rows
from dgl_mathtree.data.export import export_graphs
from dgl_mathtree.graphs import GraphError, add_words
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.language import parse_equation
from dgl_mathtree.nn import EquationVerifier, make_verifier

LETTERS = "b^2 - a^2 = (b - a)*(b + a)", "(t - a)*(t + a) = t^2 - a^2", "17*theta = theta*17", "w = z", "sinh(u) = 1/7"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some of `paper`, and equations in letters, numbers and operators that it does not have."""
    rows = [row for k, row in enumerate(read_rows("paper")) if k % 700 == 0]
    depths = [parse_equation(text).depth for text in LETTERS]
    rows += [
        Row(f"letters-{k}", text, k % 2, depth, "test", "true", "correct", [])
        for k, (text, depth) in enumerate(zip(LETTERS, depths, strict=True))
    ]
    out = tmp_path_factory.mktemp("data") / "mixed"
    write_rows(out, [replace(row, derivation=[]) for row in rows], {"name": "mixed"})
    return out


@pytest.mark.parametrize("shared", [False, True])
def test_a_model_reads_exported_graphs_as_it_reads_their_texts(shared: bool, data: Path, tmp_path: Path) -> None:
    export_graphs(data, tmp_path / "all.bin", shared=shared)
    graphs, labels = dgl.load_graphs(str(tmp_path / "all.bin"))
    model, texts = load(), [row.equation for row in read_rows(data)]
    expected = model.scores(texts)
    batched = dgl.batch(graphs)
    np.testing.assert_allclose(model.of_graph(batched), expected, rtol=1e-4, atol=1e-4)
    assert isinstance(model.network, EquationVerifier)
    with torch.no_grad():
        found = model.network.of_graph(batched).double().numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    probability = [answer.probability for answer in model.verify(texts)]
    np.testing.assert_allclose(1 / (1 + np.exp(-found)), probability, atol=1e-4)
    assert len(labels["label"]) == len(texts)


def test_a_model_with_a_vocabulary_of_its_own_reads_exported_graphs(data: Path, tmp_path: Path) -> None:
    """One with a table of leaves renames only the variables that it does not know, and refuses other words."""
    export_graphs(data, tmp_path / "all.bin")
    graphs, _ = dgl.load_graphs(str(tmp_path / "all.bin"))
    texts = [row.equation for row in read_rows(data)]
    vocabulary = ["z", "y", "x", "pi", *json.loads((tmp_path / "all.json").read_text())["symbol"][::-1]]
    words = list(dict.fromkeys(word for word in vocabulary if word not in ("a", "b", "theta", "t", "u", "w")))
    torch.manual_seed(0)
    model = TrainedVerifier(make_verifier("tree-lstm", 6, words, scale=1.0).eval(), "tree-lstm", "fresh")
    np.testing.assert_allclose(model.of_graph(dgl.batch(graphs)), model.scores(texts), rtol=1e-4, atol=1e-5)
    known = [
        k for k, text in enumerate(texts) if not set("abtuw") & set(parse_equation(text).words) and "th" not in text
    ]
    some = dgl.batch([graphs[k] for k in known])
    np.testing.assert_allclose(model.of_graph(some), model.scores([texts[k] for k in known]), rtol=1e-4, atol=1e-5)
    small = TrainedVerifier(make_verifier("tree-lstm", 6, ["x", "1"]).eval(), "tree-lstm", "fresh")
    with pytest.raises(ValueError, match="is not in the vocabulary"):
        small.of_graph(dgl.batch(graphs))


def test_graphs_of_two_exports_are_batched_together(data: Path, tmp_path: Path) -> None:
    export_graphs(data, tmp_path / "mixed.bin", "test")
    rows = [replace(row, derivation=[]) for row in read_rows(data, "test")][:3]
    write_rows(tmp_path / "few", rows, {"name": "few"})
    export_graphs(tmp_path / "few", tmp_path / "few.bin")
    graphs = [dgl.load_graphs(str(tmp_path / name))[0] for name in ("few.bin", "mixed.bin")]
    texts = [row.equation for row in (*rows, *read_rows(data, "test"))]
    model = load()
    np.testing.assert_allclose(
        model.of_graph(dgl.batch([*graphs[0], *graphs[1]])), model.scores(texts), rtol=1e-4, atol=1e-4
    )


def test_exports_that_do_not_say_their_words_are_refused_until_they_do(data: Path, tmp_path: Path) -> None:
    facts = export_graphs(data, tmp_path / "old.bin")
    graphs, _ = dgl.load_graphs(str(tmp_path / "old.bin"))
    texts = [row.equation for row in read_rows(data)]
    for graph in graphs:
        del graph.ndata["text"]  # as they were once written
    model = load()
    with pytest.raises(GraphError, match="does not say which words"):
        model.of_graph(dgl.batch(graphs))
    batched = dgl.batch(graphs)
    add_words(batched, facts["symbol"], facts["op"])
    np.testing.assert_allclose(model.of_graph(batched), model.scores(texts), rtol=1e-4, atol=1e-4)
