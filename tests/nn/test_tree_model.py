"""Models of trees in files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from dgl_mathtree.errors import RunError
from dgl_mathtree.graphs import batch_trees
from dgl_mathtree.nn import PairClassifier, TreeClassifier, TreeLSTM, TreeModel, TreeRegressor, make_cell
from tests.graphs.random_trees import random_trees

TREES = random_trees(4, 12)


def models() -> list[TreeModel]:
    torch.manual_seed(0)
    return [
        TreeClassifier(make_cell("m-tree-lstm+stack", 6, 3, slots=2, children=4), 5, symbols=4, hidden=3),
        PairClassifier(make_cell("mi-tree-lstm", 6, 3, children=4, integration="general"), 7, symbols=4),
        TreeRegressor(make_cell("tree-smu", 6, 3, children=4, dropout=0.2), symbols=4),
    ]


@pytest.mark.parametrize("number", range(3))
def test_what_is_saved_is_loaded(number: int, tmp_path: Path) -> None:
    model = models()[number].eval()
    model.save(tmp_path / "model")
    assert sorted(file.name for file in (tmp_path / "model").iterdir()) == ["config.json", "model.safetensors"]
    state = torch.random.get_rng_state()
    for kind in (type(model), TreeModel):
        again = kind.load(tmp_path / "model")
        assert type(again) is type(model) and again.description() == model.description()
        assert torch.equal(again(batch_trees(TREES)), model(batch_trees(TREES)))
    assert torch.equal(torch.random.get_rng_state(), state)


def test_the_names_of_other_libraries(tmp_path: Path) -> None:
    model = models()[0].eval()
    model.save_pretrained(tmp_path / "model")
    again = TreeModel.from_pretrained(tmp_path / "model", device="cpu")
    assert torch.equal(again(batch_trees(TREES)), model(batch_trees(TREES)))


def test_a_cell_made_by_hand_is_given_again(tmp_path: Path) -> None:
    model = TreeClassifier(TreeLSTM(size=6, types=3, children=4), 2, symbols=4).eval()
    model.save(tmp_path / "model")
    with pytest.raises(RunError, match="cell that make_cell did not make"):
        TreeClassifier.load(tmp_path / "model")
    again = TreeClassifier.load(tmp_path / "model", cell=TreeLSTM(size=6, types=3, children=4))
    assert torch.equal(again(batch_trees(TREES)), model(batch_trees(TREES)))
    with pytest.raises(RunError, match="has the shape"):
        TreeClassifier.load(tmp_path / "model", cell=TreeLSTM(size=7, types=3, children=4))


def test_files_that_cannot_be_loaded(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    model = models()[0]
    model.save(folder)
    with pytest.raises(RunError, match="exists"):
        model.save(folder)
    with pytest.raises(RunError, match="is a TreeClassifier, not a PairClassifier"):
        PairClassifier.load(folder)
    with pytest.raises(RunError, match="cannot read"):
        TreeClassifier.load(tmp_path / "nowhere")
    config = json.loads((folder / "config.json").read_text())
    for change, message in (
        ({"kind": "Forest"}, "is a Forest, not a TreeClassifier"),
        ({"arguments": {"classes": 5, "symbols": 9, "hidden": 3}}, "has the shape"),
        ({"arguments": {"classes": 10**12, "symbols": 4}}, "does not fit|no model can be made"),
        ({"arguments": {"sizes": 5}}, "no model can be made of it"),
        ({"cell": {"name": "gru", "size": 6, "types": 3}}, "unknown model 'gru'"),
        ({"cell": {"name": "tree-rnn"}}, "has no 'size'"),
    ):
        (folder / "config.json").write_text(json.dumps(config | {"model": config["model"] | change}))
        with pytest.raises(RunError, match=message):
            TreeClassifier.load(folder)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "model.safetensors").write_bytes(b"none")
    with pytest.raises(RunError, match="missing or damaged"):
        TreeClassifier.load(folder)
