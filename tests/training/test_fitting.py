"""Training on trees: the loop of `mathtree train` on classifiers and regressors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from dgl_mathtree.data import DataError, TreeDataset, generate_logic, logic_data
from dgl_mathtree.errors import RunError
from dgl_mathtree.nn import PairClassifier, TreeClassifier, TreeLSTM, TreeModel, TreeRegressor, make_cell
from dgl_mathtree.training import Bar, Config, ConfigError, Objective, Progress, Settings, fit
from dgl_mathtree.training.objectives.tree_objectives import Classification
from tests.graphs.random_trees import random_trees

TREES = random_trees(6, 300, types=2, most=2)
NODES = [str(tree).count("(") for tree in TREES]
DATA = TreeDataset(TREES, [nodes % 3 for nodes in NODES], groups=NODES)


def classifier(name: str = "m-tree-lstm+stack", dropout: float = 0.1) -> TreeClassifier:
    torch.manual_seed(1)
    return TreeClassifier(make_cell(name, 8, types=2, dropout=dropout), classes=3, symbols=4, scale=1.0)


def weights(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


def assert_same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> None:
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)


class Stop(Progress):
    """Ends training as a kill would: after an epoch."""

    def __init__(self, epoch: int) -> None:
        self._epoch = epoch

    def epoch(self, line: dict[str, Any], best: float) -> None:
        if line["epoch"] == self._epoch:
            raise KeyboardInterrupt


def test_a_classifier_learns(tmp_path: Path) -> None:
    model = classifier()
    metrics = fit(model, DATA, tmp_path / "run", epochs=30, batch_size=20, schedule="one-cycle", lr=0.01)
    assert metrics["train"]["overall"] == {"accuracy": metrics["train"]["overall"]["accuracy"], "count": 270}
    assert metrics["train"]["overall"]["accuracy"] > 0.9 and metrics["validation"]["overall"]["count"] == 30
    assert sum(group["count"] for group in metrics["train"]["by_group"].values()) == 270
    assert not model.training and len(metrics["history"]) == metrics["epochs"] == 30
    files = {str(file.relative_to(tmp_path / "run")) for file in (tmp_path / "run").rglob("*") if file.is_file()}
    assert files == {"config.json", "history.jsonl", "metrics.json", "model.safetensors", "state/last.safetensors"}
    kept = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert kept == {name: value for name, value in metrics.items() if name != "history"}
    again = TreeModel.load(tmp_path / "run")
    assert_same(weights(again), weights(model))
    # A finished run gives its weights to a fresh model.
    fresh = classifier()
    repeated = fit(fresh, DATA, tmp_path / "run", epochs=30, batch_size=20, schedule="one-cycle", lr=0.01)
    assert repeated == metrics
    assert_same(weights(fresh), weights(model))


@pytest.mark.parametrize("driver", ["native", "levels"])
def test_a_run_that_was_stopped_goes_on_to_the_same_bits(driver: str, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"epochs": 4, "driver": driver, "early_stopping": 9}
    whole, stopped = classifier(), classifier()
    fit(whole, DATA, tmp_path / "whole", **settings)
    with pytest.raises(KeyboardInterrupt):
        fit(stopped, DATA, tmp_path / "stopped", progress=Stop(2), **settings)
    torch.manual_seed(99)
    another = TreeClassifier(make_cell("m-tree-lstm+stack", 8, types=2, dropout=0.1), 3, symbols=4, scale=1.0)
    fit(another, DATA, tmp_path / "stopped", **settings)
    assert_same(weights(another), weights(whole))
    states = [load_file(tmp_path / name / "state" / "last.safetensors") for name in ("whole", "stopped")]
    assert_same(*states)


def test_nothing_is_left_without_a_folder_and_settings_are_restored() -> None:
    threads, state = torch.get_num_threads(), torch.random.get_rng_state()
    model = classifier()
    torch.random.set_rng_state(state)
    before = set(os.listdir("."))
    first = fit(model, DATA, epochs=2)
    assert set(os.listdir(".")) == before and torch.get_num_threads() == threads
    assert torch.equal(torch.random.get_rng_state(), state)
    other = classifier()
    fit(other, DATA, epochs=2)
    assert_same(weights(model), weights(other))
    assert [sorted(line) for line in first["history"]] == [
        ["epoch", "loss", "lr", "seconds", "train_accuracy", "validation_accuracy"]
    ] * 2


def test_pairs_and_given_parts() -> None:
    pairs = generate_logic({1: 60, 2: 60})
    parts = {"train": logic_data(pairs[::2]), "validation": logic_data(pairs[1::4]), "test": logic_data(pairs[3::4])}
    torch.manual_seed(0)
    model = PairClassifier(make_cell("tree-lstm", 8, types=3), classes=7, symbols=6, hidden=8, scale=1.0)
    metrics = fit(model, parts, epochs=3)
    assert [metrics[part]["overall"]["count"] for part in ("train", "validation", "test")] == [60, 30, 30]
    assert set(metrics["test"]["by_group"]) == {"1", "2"}


def test_numbers_are_learnt() -> None:
    torch.manual_seed(0)
    data = TreeDataset(TREES, np.array(NODES) / 4)
    model = TreeRegressor(make_cell("tree-lstm", 8, types=2), symbols=4, scale=1.0)
    metrics = fit(model, data, epochs=20, batch_size=20, lr=0.01)
    assert metrics["metric"] == "r2" and metrics["train"]["overall"]["r2"] > 0.9
    assert "validation_r2" in metrics["history"][0]
    found = model(data.batch(range(50))).detach().numpy()
    labels = data.labels[:50].numpy()
    assert 1 - ((found - labels) ** 2).mean() / labels.var() > 0.8


def test_a_regressor_takes_whole_numbers_and_may_start_badly() -> None:
    model = TreeRegressor(make_cell("tree-lstm", 8, types=2), symbols=4)
    with torch.no_grad():
        model.head.first.bias.fill_(100.0)
    metrics = fit(model, TreeDataset(TREES, NODES), epochs=1, lr=1e-4)
    assert metrics["best_epoch"] == 1 and metrics["validation"]["overall"]["r2"] < -1
    with pytest.raises(DataError, match="TreeRegressor has numbers for outputs, not classes"):
        fit(model, TreeDataset(TREES, NODES), objective="classification", epochs=1)


def test_only_models_of_trees_are_fitted() -> None:
    with pytest.raises(ConfigError, match="fit trains a TreeModel such as TreeClassifier, not Linear"):
        fit(torch.nn.Linear(2, 2), DATA)  # type: ignore[arg-type]


def test_the_loss_is_that_of_torch() -> None:
    model = classifier(dropout=0.0)
    twin = classifier(dropout=0.0)
    model.driver = twin.driver = "levels"
    with torch.no_grad():
        expected = torch.nn.functional.cross_entropy(twin(DATA.batch(range(len(DATA)))), DATA.labels).item()
    metrics = fit(model, {"train": DATA, "validation": DATA}, epochs=1, batch_size=len(DATA), driver="levels")
    assert metrics["history"][0]["loss"] == pytest.approx(expected, rel=1e-5)


class Margin(Objective):
    """An objective of one's own."""

    name = "margin"
    defaults = {"margin": 1.0}  # noqa: RUF012

    def loss(self, network: Any, batch: Any, labels: Any, weights: Any, dropout_mask: Any, generator: Any) -> Any:
        logits = network(batch, dropout_mask=dropout_mask)
        losses = torch.nn.functional.multi_margin_loss(logits, labels, margin=self.options["margin"], reduction="none")
        return (losses * weights).sum(), logits

    def measures(self, logits: Any, labels: Any) -> Any:
        return logits.argmax(axis=1) == labels

    floor = Classification.floor


def test_an_objective_of_ones_own(tmp_path: Path) -> None:
    fit(classifier(), DATA, tmp_path / "run", objective=Margin, epochs=1, objective_options={"margin": 0.5})
    config = json.loads((tmp_path / "run" / "config.json").read_text())["config"]
    assert (config["objective"], config["objective_options"]) == ("margin", {"margin": 0.5})
    with pytest.raises(ConfigError, match="no option 'size'"):
        fit(classifier(), DATA, objective=Margin, objective_options={"size": 1})


def test_settings_that_are_not_given_come_from_the_row_of_the_cell(tmp_path: Path) -> None:
    fit(classifier("tree-lstm"), DATA, tmp_path / "named", epochs=1)
    by_hand = TreeClassifier(TreeLSTM(size=8, types=2), classes=3, symbols=4)
    fit(by_hand, DATA, tmp_path / "by-hand", epochs=1)
    configs = [json.loads((tmp_path / name / "config.json").read_text())["config"] for name in ("named", "by-hand")]
    assert [config["lr"] for config in configs] == [0.01, 0.002]


def test_progress_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    fit(classifier(), DATA, epochs=1, progress=Bar(epochs_shown=True, items="trees"))
    out = capsys.readouterr().out
    assert out.startswith("epoch 1: loss") and "best after epoch 1 of 1; accuracy train 0." in out


@pytest.mark.parametrize(
    ("data", "settings", "error", "message"),
    [
        (DATA, {"epoch": 3}, ConfigError, "no setting 'epoch'; it has seed, epochs"),
        (DATA, {"epochs": 0}, ConfigError, "epochs must be at least 1, not 0"),
        (DATA, {"schedule": "cosine"}, ConfigError, "schedule must be one of halving, one-cycle"),
        (DATA, {"driver": "gpu"}, ConfigError, "driver must be one of auto"),
        (DATA, {"device": "tpu"}, ConfigError, "unknown device 'tpu'"),
        (DATA, {"objective": "ranking"}, ConfigError, "objective must be one of classification, regression"),
        ([(0, 1)], {}, DataError, "data must be a TreeDataset, or a mapping of parts to such, not list"),
        ({"test": DATA}, {}, DataError, "expected train"),
        ({"train": DATA, "dev": DATA}, {}, DataError, "the parts are train, dev"),
        ({"train": [1]}, {}, DataError, "must be a TreeDataset, not list"),
        ({"train": DATA, "test": DATA.subset([])}, {}, DataError, "the part test has no items"),
        (TreeDataset(TREES[:4], [0] * 4, TREES[:4]), {}, DataError, "takes single trees, the part train has pairs"),
        (TreeDataset([(0, 1)], [1]), {}, DataError, "there must be two"),
        (TreeDataset(TREES, [5] * 300), {}, DataError, "train has the class 5; the model has classes 0 to 2"),
        (TreeDataset(TREES, [0.5] * 300), {"objective": "classification"}, DataError, "must be classes"),
        (TreeDataset(TREES, [0.5] * 300), {}, DataError, "number"),
    ],
)
def test_what_cannot_be_fitted(data: Any, settings: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        fit(classifier(), data, **settings)


def test_a_folder_belongs_to_one_run(tmp_path: Path) -> None:
    run = tmp_path / "run"
    fit(classifier(), DATA, run, epochs=1)
    for change, message in (
        ({"epochs": 2}, "another configuration: epochs 2 here, 1 there"),
        ({"data": DATA.subset(range(100))}, "other data"),
        ({"model": classifier("tree-lstm")}, "another"),
        ({"model": classifier(dropout=0.3)}, "another model"),
    ):
        given: dict[str, Any] = {"model": classifier(), "data": DATA, "epochs": 1} | change
        with pytest.raises(RunError, match=message):
            fit(given.pop("model"), given.pop("data"), run, **given)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes").write_text("mine")
    with pytest.raises(RunError, match="neither empty nor a run"):
        fit(classifier(), DATA, tmp_path / "full", epochs=1)
    (run / "config.json").write_text("{}")
    with pytest.raises(RunError, match="has no 'config'"):
        fit(classifier(), DATA, run, epochs=1)


def test_a_loss_that_is_not_finite_ends_in_an_error() -> None:
    model = classifier()
    with torch.no_grad():
        model.head.first.weight.fill_(float("nan"))
    with pytest.raises(RunError, match=r"the loss is not finite in epoch 1, batch 1, with the items .*; a smaller lr"):
        fit(model, DATA, epochs=1)


def test_settings_are_those_of_a_run_on_equations() -> None:
    assert issubclass(Config, Settings)
    assert Config(data="paper").epochs == Settings().epochs == 500


SCRIPT = """
import sys, torch
from tests.training.test_fitting import DATA, classifier
from dgl_mathtree.training import fit
fit(classifier(), DATA, sys.argv[1], epochs=2, batch_size=20)
"""


@pytest.mark.slow
def test_several_processes_train_as_one(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    root = str(Path(__file__).parents[2])
    for name, command in (
        ("one", [sys.executable]),
        ("two", [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-port", "29633"]),
    ):
        done = subprocess.run(
            [*command, str(script), str(tmp_path / name)],
            env=os.environ | {"PYTHONPATH": root, "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
    one, two = (load_file(tmp_path / name / "model.safetensors") for name in ("one", "two"))
    for weight, tensor in one.items():
        torch.testing.assert_close(tensor, two[weight], atol=1e-4, rtol=1e-3)
