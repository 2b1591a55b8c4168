from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from dgl_mathtree.cli import main
from dgl_mathtree.nn.tensor_files import read_tensors, save_tensors, tensor_checksum
from dgl_mathtree.training import Config, RunError, load, train

METADATA = {f"key {k}": f"värde {k}" for k in range(20)}
SCRIPT = """
import sys, torch
from pathlib import Path
from dgl_mathtree.nn.tensor_files import save_tensors
metadata = {f"key {k}": f"värde {k}" for k in range(20)}
save_tensors(Path(sys.argv[1]), {"b": torch.ones(3), "a": torch.zeros(2, 2)}, metadata)
"""


@pytest.fixture(scope="module")
def run(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    train(Config(data=str(data), model="tree-lstm", epochs=1, hidden=4), folder)
    return folder


def test_what_is_saved_is_read(tmp_path: Path) -> None:
    tensors = {"b": torch.arange(6).reshape(2, 3)[:, ::2], "a": torch.tensor(1.5), "empty": torch.zeros(0, 4)}
    save_tensors(tmp_path / "file", tensors, METADATA)
    read, metadata = read_tensors(tmp_path / "file")
    assert metadata == METADATA | {"tensors": tensor_checksum(tensors)}
    assert read.keys() == tensors.keys() == load_file(tmp_path / "file").keys()
    assert all(torch.equal(read[name], tensor) for name, tensor in tensors.items())


def test_the_same_tensors_are_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    save_tensors(tmp_path / "here", {"b": torch.ones(3), "a": torch.zeros(2, 2)}, METADATA)
    there = tmp_path / "there"
    subprocess.run([sys.executable, "-W", "ignore", "-c", SCRIPT, str(there)], check=True, timeout=120)
    assert there.read_bytes() == (tmp_path / "here").read_bytes()


def test_the_checksum_tells_names_shapes_and_values_apart() -> None:
    kinds = [
        {"a": torch.zeros(4)},
        {"b": torch.zeros(4)},
        {"a": torch.zeros(2, 2)},
        {"a": torch.zeros(4, dtype=torch.int32)},
        {"a": torch.tensor([0.0, 0, 0, 1])},
    ]
    assert len({tensor_checksum(tensors) for tensors in kinds}) == len(kinds)


def test_a_changed_value_is_noticed(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    weights = run / "model.safetensors"
    whole = weights.read_bytes()
    try:
        weights.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        with pytest.raises(RunError, match="the checksum of its tensors is another"):
            load(run)
        assert main(["verify", "x = x", "--model", str(run)]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    finally:
        weights.write_bytes(whole)
    load(run)


def test_files_without_a_checksum_are_read(run: Path, tmp_path: Path) -> None:
    tensors, metadata = read_tensors(run / "model.safetensors")
    del metadata["tensors"]
    save_file(tensors, tmp_path / "old.safetensors", metadata)
    assert read_tensors(tmp_path / "old.safetensors")[1] == metadata


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers(
    value: float, run: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = run / "model.safetensors"
    whole = weights.read_bytes()
    tensors, metadata = read_tensors(weights)
    tensors["encoder.embedding.weight"][0, 0] = value
    commands = (["verify", "x = x", "--model"], ["complete", "x + ? = x", "--model"], ["evaluate"])
    try:
        save_tensors(weights, tensors, metadata)
        for command in commands:
            assert main([*command, str(run), *([str(data)] if command == ["evaluate"] else [])]) == 2
            captured = capsys.readouterr()
            assert "encoder.embedding.weight has values that are not finite" in captured.err
            assert (captured.out, captured.err.count("\n")) == ("", 1)
    finally:
        weights.write_bytes(whole)


@pytest.mark.slow
def test_equal_runs_are_equal_files(data: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-m", "dgl_mathtree", "train", str(data), "--model", "tree-rnn"]
    command += ["--epochs", "1", "--hidden", "4", "--out"]
    for name in ("one", "two"):
        subprocess.run([*command, str(tmp_path / name)], check=True, timeout=300, capture_output=True)
    for file in ("model.safetensors", "state/last.safetensors"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
