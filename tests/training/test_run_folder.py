from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from dgl_mathtree.cli import main
from dgl_mathtree.data.data_files import Row
from dgl_mathtree.data.data_writer import write_rows
from dgl_mathtree.nn.tensor_files import read_tensors
from dgl_mathtree.training import Config, RunError, load, train


@pytest.fixture(scope="module")
def finished(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that is only copied."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    train(Config(data=str(data), model="tree-lstm", epochs=1, hidden=4), folder)
    return folder


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    """A run to be damaged."""
    return shutil.copytree(finished, tmp_path / "run")


def test_a_damaged_checkpoint(run: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    weights = run / "model.safetensors"
    whole = weights.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", b"\0" * 100, whole[:8] + b"}" * 50 + whole[58:]):
        weights.write_bytes(damaged)
        with pytest.raises(RunError, match="missing or damaged"):
            load(run)
        assert main(["evaluate", str(run), str(data)]) == 2
        assert "model.safetensors" in capsys.readouterr().err
    weights.unlink()
    with pytest.raises(RunError, match="first epoch is not finished"):
        load(run)


def test_a_damaged_state(run: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run / "metrics.json").unlink()
    command = ["train", str(data), "--model", "tree-lstm", "--epochs", "1", "--hidden", "4", "--out", str(run)]
    state = run / "state" / "last.safetensors"
    whole = state.read_bytes()
    state.write_bytes(whole[:-10])
    assert main(command) == 2
    assert "missing or damaged" in capsys.readouterr().err
    tensors = load_file(run / "model.safetensors")
    save_file(tensors, state, {"state": "{}"})
    assert main(command) == 2
    assert "its state is damaged" in capsys.readouterr().err


def test_a_checkpoint_of_another_vocabulary(run: Path) -> None:
    config = run / "config.json"
    entries = json.loads(config.read_text())
    entries["vocabulary"][0] = "17"
    config.write_text(json.dumps(entries))
    with pytest.raises(RunError, match=r"its vocabulary is .*-1.* that of the run is .*17"):
        load(run)
    entries["vocabulary"] = entries["vocabulary"][1:]
    config.write_text(json.dumps(entries))
    with pytest.raises(RunError, match="does not fit the run: its vocabulary"):
        load(run)


def test_a_checkpoint_of_other_shapes(run: Path) -> None:
    config = run / "config.json"
    entries = json.loads(config.read_text())
    entries["config"]["hidden"] = 5
    config.write_text(json.dumps(entries))
    with pytest.raises(RunError, match=r"has the shape \(9, 8, 20\), not \(9, 10, 25\)"):
        load(run)


@pytest.mark.parametrize("text", ["{", "{}", "[]", '{"config": {"data": "x"}}', '{"config": 5}', "\xff"])
def test_a_damaged_config(run: Path, text: str) -> None:
    (run / "config.json").write_text(text, encoding="latin-1")
    with pytest.raises(RunError, match=r"cannot read .*config\.json"):
        load(run)


@pytest.mark.parametrize(
    "change",
    [
        {"operators": []},
        {"operators": ["sin", 5]},
        {"operators": ["sin", "sin"]},
        {"operators": ["gamma"]},
        {"vocabulary": "x"},
        {"vocabulary": ["sin"]},
        {"version": []},
        {"checksum": None},
        {"command": 7},
        {"config": {"data": "x", "hidden": 5000, "model": "second-order-tree-rnn"}},
    ],
    ids=str,
)
def test_a_config_of_another_shape(run: Path, change: dict[str, object], capsys: pytest.CaptureFixture[str]) -> None:
    config = run / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | change))
    assert main(["verify", "x = x", "--model", str(run)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "metrics.json", "history.jsonl"])
@pytest.mark.parametrize("kind", ["pipe", "folder", "circle"])
def test_what_is_no_file_is_refused_at_once(
    name: str, kind: str, run: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (run / name).unlink()
    {"pipe": os.mkfifo, "folder": os.mkdir, "circle": lambda file: os.symlink(file, file)}[kind](run / name)
    command = ["train", str(data), "--model", "tree-lstm", "--epochs", "1", "--hidden", "4", "--out", str(run)]
    assert main(command) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["verify", "x = x", "--model", str(run)]) == (0 if name in ("metrics.json", "history.jsonl") else 2)


@pytest.mark.parametrize(
    "kind", [torch.int64, torch.bool, torch.complex64, torch.uint8, torch.float8_e4m3fn], ids=lambda kind: str(kind)
)
def test_weights_of_another_type(
    kind: torch.dtype, run: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = run / "model.safetensors"
    tensors, metadata = read_tensors(weights)
    del metadata["tensors"]
    save_file({name: tensor.to(kind) for name, tensor in tensors.items()}, weights, metadata)
    train_it = ["train", str(data), "--model", "tree-lstm", "--epochs", "1", "--hidden", "4", "--out"]
    for command in (
        ["verify", "x = x", "--model", str(run)],
        [*train_it, str(run)],
        [*train_it, str(tmp_path / "next"), "--start-from", str(run)],
    ):
        assert main(command) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1 and "weights are of float16" in error


def test_a_finished_run_with_damaged_weights_is_not_passed_over(
    run: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["train", str(data), "--model", "tree-lstm", "--epochs", "1", "--hidden", "4", "--out", str(run)]
    assert main(command) == 0
    assert "nothing to do" in capsys.readouterr().out
    weights = run / "model.safetensors"
    whole = weights.read_bytes()
    for damaged in (whole[:-1] + bytes([whole[-1] ^ 1]), whole[:100], b"", None):
        weights.unlink()
        if damaged is not None:
            weights.write_bytes(damaged)
        assert main(command) == 2
        captured = capsys.readouterr()
        assert "nothing to do" not in captured.out
        assert captured.err.count("\n") == 1 and "is finished, but cannot read" in captured.err
        if damaged is None:
            weights.touch()


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"validation": 5}', '{"validation": {"overall": {"accuracy": "x"}}}', "\xff"]
)
def test_damaged_metrics(text: str, run: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run / "metrics.json").write_text(text, encoding="latin-1")
    command = ["train", str(data), "--model", "tree-lstm", "--epochs", "1", "--hidden", "4", "--out", str(run)]
    assert main(command) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_training_that_learns_nothing_says_so(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["train", str(data), "--model", "tree-lstm", "--hidden", "4", "--epochs", "2", "--lr"]
    assert main([*command, "1e-12", "--out", str(tmp_path / "still")]) == 0
    said = capsys.readouterr().out
    accuracy = json.loads((tmp_path / "still" / "metrics.json").read_text())["validation"]["overall"]["accuracy"]
    assert f"the model did not learn: its best accuracy on validation is {accuracy:.4f}" in said
    assert "another lr (it was 1e-12) or more epochs may help" in said


def test_data_with_words_that_the_model_does_not_know(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "data"
    row = Row("a", "log(x) = 17", 0, 2, "test", "false", "grow", [])
    write_rows(folder, [row], {"name": "a"})
    assert main(["evaluate", str(run), str(folder)]) == 2
    error = capsys.readouterr().err
    assert "is not in the vocabulary: the leaves -1" in error


def test_how_a_run_is_driven_may_change(run: Path, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another driver goes on with it, and a run from when the driver was an option of the model is read."""
    command = ["train", str(data), "--model", "tree-lstm", "--epochs", "1", "--hidden", "4", "--out", str(run)]
    assert main([*command, "--driver", "dgl"]) == 0
    assert main([*command, "--root", "cosine"]) == 2
    assert "head 'cosine' here, 'dot' there" in capsys.readouterr().err
    config = run / "config.json"
    entries = json.loads(config.read_text())
    del entries["config"]["driver"], entries["config"]["head"]
    entries["config"]["options"]["propagate"] = "dgl"
    config.write_text(json.dumps(entries))
    assert load(run).network.driver == "auto"
    assert main(command) == 0


def test_a_cosine_at_the_root_is_trained_and_loaded(data: Path, tmp_path: Path) -> None:
    train(Config(data=str(data), model="tree-lstm", epochs=1, hidden=4, head="cosine"), tmp_path / "run")
    network = load(tmp_path / "run").network
    assert network.head == "cosine"
    assert network.scale is not None and float(network.scale.detach()) != 8.0


@pytest.mark.parametrize(
    ("model", "options"),
    [
        ("tree-rnn+stack", {"integration": "product", "read": "state"}),
        ("second-order-tree-rnn+stack", {"read": "state", "first_order": True}),
        ("second-order-tree-rnn-pure", {}),
    ],
)
def test_forms_of_the_paper_and_an_output_matrix_are_trained_and_loaded(
    model: str, options: dict[str, Any], data: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    train(Config(data=str(data), model=model, epochs=1, hidden=4, head="output", options=options), run)
    entries = json.loads((run / "config.json").read_text())["config"]
    assert (entries["model"], entries["options"], entries["head"]) == (model, options, "output")
    trained = load(run)
    assert not torch.equal(trained.network.output, torch.eye(4))
    first = trained.verify("sin(x)*1 = sin(x)")[0].probability
    for driver in ("dgl", "levels"):
        trained.network.driver = driver
        assert trained.verify("sin(x)*1 = sin(x)")[0].probability == pytest.approx(first, abs=1e-6)


def test_verify_and_train_with_dgl(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--model", "tree-lstm", "--hidden", "4", "--epochs", "1"]
    assert main(["train", str(data), *options, "--driver", "dgl", "--out", str(tmp_path / "run")]) == 0
    assert json.loads((tmp_path / "run" / "config.json").read_text())["driver"] == "dgl"
    capsys.readouterr()
    answers = []
    for driver in ("dgl", "levels", "auto"):
        assert main(["verify", "sin(x) = x", "x + y = y + x", "--driver", driver]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1] == answers[2] and answers[0].splitlines()[1].startswith("proved ")
    assert main(["verify", "x = x", "--driver", "magic"]) == 2
    assert "driver must be one of auto, dgl, levels" in capsys.readouterr().err
