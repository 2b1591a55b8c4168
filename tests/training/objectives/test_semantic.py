from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from dgl_mathtree.data.dataset import EquationDataset
from dgl_mathtree.inference.metrics import evaluation, score
from dgl_mathtree.nn import EquationVerifier, make_verifier
from dgl_mathtree.training import Config, ConfigError, train
from dgl_mathtree.training.objectives.semantic import Semantic

SMALL = {"hidden": 8, "epochs": 2, "dropout": 0.0, "objective": "semantic", "head": "cosine"}


def _network(data: EquationDataset, head: str = "cosine") -> EquationVerifier:
    torch.manual_seed(0)
    operators = [word for word in data.forest.words if word in ("sin", "cos", "tan", "csc", "sec", "cot")]
    return make_verifier("tree-lstm", 8, data.vocabulary, (*operators, "Add", "Mul", "Pow"), head=head)


def test_the_term_draws_equal_expressions_together(data: Path) -> None:
    part = EquationDataset(data, "train")
    network = _network(part)
    objective = Semantic(Config.of({"data": str(data), "model": "tree-lstm", **SMALL}), part)
    batch = network.batch(part.forest, np.arange(40))
    labels, weights = part.label[:40].float(), torch.full((40,), 1 / 40)
    adam = torch.optim.Adam(network.parameters(), lr=1e-2)
    losses = []
    for _ in range(30):
        loss, logits = objective.loss(network, batch, labels, weights, None, torch.Generator())
        adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        adam.step()
        losses.append(loss.item())
    assert losses[-1] < 0.6 * losses[0]
    torch.testing.assert_close(logits, network(batch), atol=0.5, rtol=0.5)


def test_sides_come_first_where_nodes_are_too_many(data: Path) -> None:
    part = EquationDataset(data, "train")
    network = _network(part)
    options = {"objective_options": {"nodes": 20}}
    objective = Semantic(Config.of({"data": str(data), "model": "tree-lstm", **SMALL, **options}), part)
    batch = network.batch(part.forest, [0, 1, 2, 3, 4])
    chosen = objective._chosen(batch, torch.Generator())
    known = (objective.keys[batch.node] != 0).any(axis=1)
    sides = np.unique(batch.sides.numpy())
    assert len(chosen) == 20 and set(sides[known[sides]]) <= set(chosen.tolist())


@pytest.mark.parametrize("head", ["cosine", "dot"])
def test_the_head_is_calibrated_at_the_end(data: Path, head: str) -> None:
    part = EquationDataset(data, "validation")
    network = _network(part, head).eval()
    objective = Semantic(Config.of({"data": str(data), "model": "tree-lstm", **SMALL, "head": head}), part)
    with torch.no_grad():
        network.beta.fill_(3.0)

    def error() -> float:
        found = evaluation(score(network, part.forest), part.label.numpy(), part.depth.numpy())
        return float(found["overall"]["calibration_error"])

    before = error()
    objective.finish(network, part)
    fitted = network.beta.item()
    assert error() < before
    again = objective.finish(network, part)["calibration"]
    assert again["beta"]["before"] == pytest.approx(again["beta"]["after"], abs=1e-3)
    assert network.beta.item() == pytest.approx(fitted, abs=1e-3)


def test_it_trains_and_goes_on_to_the_same_weights(data: Path, tmp_path: Path) -> None:
    config = Config.of({"data": str(data), "model": "m-tree-lstm", "leaves": "open", "schedule": "one-cycle", **SMALL})
    metrics = train(config, tmp_path / "run")
    assert metrics["validation"]["overall"]["count"] == 60
    again = train(config, tmp_path / "again")
    assert again["validation"] == metrics["validation"]
    assert (tmp_path / "run/model.safetensors").read_bytes() == (tmp_path / "again/model.safetensors").read_bytes()


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"model": "lstm"}, "needs a recursive model"),
        ({"objective_options": {"temperature": 0.0}}, "'temperature' must be above 0"),
        ({"objective_options": {"nodes": 1}}, "'nodes' must be at least 2"),
        ({"objective_options": {"depth": 1}}, "has no option 'depth'"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, object], reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        Config.of({"data": "paper", "model": "tree-lstm", **SMALL, **given})
