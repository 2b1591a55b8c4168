from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
import torch

from dgl_mathtree.cli import main
from dgl_mathtree.data import EquationDataset
from dgl_mathtree.nn import EquationVerifier
from dgl_mathtree.nn.tensor_files import read_tensors
from dgl_mathtree.training import Config, train
from dgl_mathtree.training.config import RunError
from dgl_mathtree.training.run_folder import load, read_facts
from dgl_mathtree.training.run_start import take_over

SMALL = {"model": "tree-lstm", "hidden": 4, "epochs": 1}


@pytest.fixture(scope="module")
def run(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "first"
    train(Config.of({"data": str(data), **SMALL}), out)
    return out


def test_words_and_operators_are_found_by_name(run: Path) -> None:
    facts = read_facts(run)
    entries = json.loads((run / "config.json").read_text())
    turned = type(facts)(
        **{
            **vars(facts),
            "vocabulary": ("q", *reversed(entries["vocabulary"])),
            "operators": tuple(reversed(entries["operators"])),
        }
    )
    network = turned.make_model()
    assert isinstance(network, EquationVerifier)
    fresh = network.encoder.embedding.weight[0].clone()  # type: ignore[union-attr, index]
    take_over(network, turned, str(run))
    stored, _ = read_tensors(run / "model.safetensors")
    state = network.state_dict()
    assert torch.equal(state["encoder.embedding.weight"][0], fresh)
    assert torch.equal(state["encoder.embedding.weight"][1:], stored["encoder.embedding.weight"].flip(0))
    assert torch.equal(state["encoder.cell.gate.weight"], stored["encoder.cell.gate.weight"].flip(0))
    assert torch.equal(state["beta"], stored["beta"])


def test_a_run_goes_on_from_another_and_says_so(
    run: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["train", str(data), "--out", str(tmp_path / "second"), "--start-from", str(run), "--lr", "1e-9"]
    assert main([*arguments, "--model", "tree-lstm", "--hidden", "4", "--epochs", "1", "--weight-decay", "0"]) == 0
    assert read_facts(tmp_path / "second").config.start_from == str(run)
    first, second = (read_tensors(out / "model.safetensors")[0] for out in (run, tmp_path / "second"))
    torch.testing.assert_close(first["encoder.cell.gate.weight"], second["encoder.cell.gate.weight"])
    capsys.readouterr()
    assert main([*arguments, "--model", "tree-rnn", "--hidden", "4", "--out", str(tmp_path / "third")]) == 2
    error = capsys.readouterr().err
    assert "cannot start from" in error and "its model is 'tree-lstm'" in error and error.count("\n") == 1


@pytest.mark.parametrize("model", ["tree-lstm", "m-tree-lstm", "mi-tree-lstm"])
def test_larger_vectors_begin_with_those_of_the_run(model: str, data: Path, tmp_path: Path) -> None:
    settings = {**SMALL, "model": model, "leaves": "open", "head": "cosine", "data": str(data)}
    train(Config.of(settings), tmp_path / "narrow")
    narrow = read_facts(tmp_path / "narrow")
    wide = dataclasses.replace(narrow, config=dataclasses.replace(narrow.config, hidden=7))
    small, large = load(tmp_path / "narrow").network, wide.make_model()
    assert isinstance(small, EquationVerifier) and isinstance(large, EquationVerifier)
    take_over(large, wide, str(tmp_path / "narrow"))
    forest = EquationDataset(data, "test").forest
    before, after = (network.eval().encode(network.batch(forest, range(8))).detach() for network in (small, large))
    torch.testing.assert_close(after[:, :4], before[:, :4])
    assert (after[:, 4:7] != 0).all()


def test_cells_whose_axes_are_not_blocks_are_not_widened(data: Path, tmp_path: Path) -> None:
    train(Config.of({**SMALL, "model": "tree-lstm+stack", "data": str(data)}), tmp_path / "narrow")
    facts = read_facts(tmp_path / "narrow")
    wide = dataclasses.replace(facts, config=dataclasses.replace(facts.config, hidden=7))
    network = wide.make_model()
    assert isinstance(network, EquationVerifier)
    with pytest.raises(RunError, match=r"cannot widen encoder\.cell"):
        take_over(network, wide, str(tmp_path / "narrow"))


def test_smaller_vectors_than_those_of_the_run_are_refused(run: Path) -> None:
    facts = read_facts(run)
    narrow = dataclasses.replace(facts, config=dataclasses.replace(facts.config, hidden=3))
    network = narrow.make_model()
    assert isinstance(network, EquationVerifier)
    with pytest.raises(RunError, match="its vectors have size 4, those of this run 3"):
        take_over(network, narrow, str(run))


def test_a_run_that_is_not_there_is_refused(run: Path, tmp_path: Path) -> None:
    facts = read_facts(run)
    network = facts.make_model()
    assert isinstance(network, EquationVerifier)
    with pytest.raises(RunError, match="there is no run"):
        take_over(network, facts, str(tmp_path / "none"))
