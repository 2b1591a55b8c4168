from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
from safetensors.torch import load_file

from dgl_mathtree.cli import main
from dgl_mathtree.data.dataset import EquationDataset
from dgl_mathtree.graphs import EquationBatch
from dgl_mathtree.nn import EquationVerifier
from dgl_mathtree.training import Config, ConfigError, load, train
from dgl_mathtree.training.objectives import OBJECTIVES, Objective, register
from dgl_mathtree.training.objectives.objective import find_objective
from dgl_mathtree.training.run_folder import read_metrics


class Constant(Objective):
    """Draws the logits to a constant, and at the end sets beta."""

    name = "constant"
    defaults: ClassVar[dict[str, Any]] = {"target": 2.0, "times": 1, "twice": False, "how": "square"}
    made: ClassVar[list[tuple[int, int]]] = []

    def __init__(self, config: Config, data: EquationDataset) -> None:
        super().__init__(config, data)
        self.made.append((len(data.forest.equations), len(data.label)))

    def loss(
        self,
        network: EquationVerifier,
        batch: EquationBatch,
        labels: torch.Tensor,
        weights: torch.Tensor,
        dropout_mask: torch.Tensor | None,
        generator: torch.Generator,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        assert weights.sum().item() == pytest.approx(1)
        assert len(labels) == len(weights) == len(batch)
        logits = network(batch, dropout_mask)
        return (weights * (logits - self.options["target"]) ** 2).sum(), logits

    def finish(self, network: EquationVerifier, data: EquationDataset) -> dict[str, Any]:
        assert not network.training and len(data) == 60
        with torch.no_grad():
            network.beta.fill_(7.5)
        return {"last_word": 7.5}


@pytest.fixture
def constant() -> Iterator[type[Constant]]:
    register(Constant)
    Constant.made.clear()
    yield Constant
    del OBJECTIVES["constant"]


def test_a_new_objective_is_trained_and_has_the_last_word(
    constant: type[Constant], data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["train", str(data), "--model", "tree-rnn", "--hidden", "4", "--epochs", "2", "--objective", "constant"]
    command += ["--objective-set", "target=3", "--out", str(tmp_path / "run")]
    assert main(command) == 0
    assert constant.made == [(230, 230)]
    trained = load(tmp_path / "run")
    assert trained.network.beta.item() == 7.5
    assert read_metrics(tmp_path / "run")["last_word"] == 7.5
    assert main(command) == 0  # finished, and the same
    assert "is finished" in capsys.readouterr().out
    command[command.index("target=3")] = "target=4"
    assert main(command) == 2
    assert "objective_options" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"aim": 3}, "the objective constant has no option 'aim'; it has target, times, twice, how"),
        ({"target": "far"}, "option 'target' must be a number, not 'far'"),
        ({"target": True}, "option 'target' must be a number"),
        ({"target": float("nan")}, "option 'target' must be a number"),
        ({"times": 1.5}, "option 'times' must be a whole number"),
        ({"twice": 1}, "option 'twice' must be true or false"),
        ({"how": 2}, "option 'how' must be a text"),
    ],
)
def test_options(constant: type[Constant], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Config(data="paper", objective="constant", objective_options=options)
    kept = Config(data="paper", objective="constant", objective_options={"target": 1}).objective_options
    assert kept == {"target": 1, "times": 1, "twice": False, "how": "square"}


def test_names() -> None:
    with pytest.raises(ValueError, match=r"unknown objective 'peace'; expected one of .*verification"):
        find_objective("peace")
    with pytest.raises(ConfigError, match="the objective verification has no option 'x'; it has none"):
        Config(data="paper", objective_options={"x": 1})
    with pytest.raises(ValueError, match="there is an objective 'verification' already"):
        register(OBJECTIVES["verification"])


def test_finishing_does_nothing_by_default(data: Path, tmp_path: Path) -> None:
    result = train(Config(data=str(data), model="tree-rnn", epochs=1, hidden=4), tmp_path / "run")
    assert result["best_epoch"] == 1
    state = (tmp_path / "run" / "state" / "last.safetensors").read_bytes()
    weights = load(tmp_path / "run").network.encoder.embedding.weight.detach().numpy().tobytes()
    assert weights in state


@pytest.mark.slow
def test_the_vectors_of_all_nodes_in_several_processes(data: Path, tmp_path: Path) -> None:
    program = str(Path(__file__).with_name("node_vectors.py"))
    one, two = tmp_path / "one", tmp_path / "two"
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2"]
    for command, out in (([sys.executable], one), (torchrun, two)):
        result = subprocess.run([*command, program, str(data), str(out)], capture_output=True, text=True, timeout=300)
        assert result.returncode == 0, result.stderr
    mine, theirs = (load_file(out / "model.safetensors") for out in (one, two))
    for name, tensor in mine.items():
        torch.testing.assert_close(theirs[name], tensor, rtol=1e-3, atol=1e-5)
