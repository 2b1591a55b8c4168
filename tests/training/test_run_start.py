from __future__ import annotations

import dataclasses
import json
import os
import shutil
from pathlib import Path

import pytest
import torch

from dgl_mathtree.cli import main
from dgl_mathtree.language import Forest
from dgl_mathtree.nn.drivers.native import library
from dgl_mathtree.nn.tensor_files import read_tensors
from dgl_mathtree.training import Config, train
from dgl_mathtree.training.config import RunError
from tests.nn.drivers.native import NEEDS_LIBRARY


def test_drafts_of_a_killed_run_are_cleared(data: Path, tmp_path: Path) -> None:
    config, run = Config(data=str(data), model="tree-rnn", epochs=1, hidden=4), tmp_path / "run"
    train(config, run)
    (run / "metrics.json").unlink()
    drafts = [run / ".model.safetensors.partial-1", run / "state" / f".last.safetensors.partial-{os.getpid()}"]
    for draft in drafts:
        draft.write_bytes(b"half")
    train(config, run)
    assert not list(run.rglob("*.partial-*"))


@pytest.mark.parametrize("epochs", [1, 2])
def test_a_copy_of_an_unfinished_run_without_its_state(epochs: int, data: Path, tmp_path: Path) -> None:
    config, run = Config(data=str(data), model="tree-rnn", epochs=epochs, hidden=4), tmp_path / "run"
    train(config, run)
    (run / "metrics.json").unlink()
    shutil.rmtree(run / "state")
    kept = (run / "model.safetensors").read_bytes(), (run / "history.jsonl").read_bytes()
    if epochs == 1:  # as after a crash in the first epoch
        train(config, run)
    else:
        with pytest.raises(RunError, match=r"it has 2 epochs and no state/last\.safetensors; copy that from"):
            train(config, run)
        assert (run / "history.jsonl").read_bytes() == kept[1]
    assert (run / "model.safetensors").read_bytes() == kept[0]


def test_a_cache_that_cannot_be_written_is_not_the_run_folders_fault(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    for name in ("DGL_DOWNLOAD_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "file" / "cache"))
    command = ["train", str(data), "--model", "tree-rnn", "--epochs", "1", "--hidden", "4", "--out"]
    assert main([*command, str(tmp_path / "run")]) == 0
    assert capsys.readouterr().err == ""


def test_every_part_is_interned_once(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DGL_DOWNLOAD_DIR", str(tmp_path / "cache"))  # where nothing is kept yet
    interned = []
    of = Forest.of.__func__  # type: ignore[attr-defined]
    monkeypatch.setattr(Forest, "of", classmethod(lambda cls, equations: interned.append(1) or of(cls, equations)))
    train(Config(data=str(data), model="tree-rnn", epochs=2, hidden=4), tmp_path / "run")
    assert len(interned) == 3  # train, validation, test


@NEEDS_LIBRARY
def test_a_run_goes_on_with_its_driver_to_the_bit(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def weights(run: Path) -> dict[str, torch.Tensor]:
        return read_tensors(run / "state" / "last.safetensors")[0]

    config = Config(data=str(data), model="tree-lstm", epochs=4, hidden=6, early_stopping=50)
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    with monkeypatch.context() as there:
        there.setattr(library, "FILE", tmp_path / "missing")  # begun on a machine without a compiler
        library._file.cache_clear()
        library.load_library.cache_clear()
        train(config, whole)
        train(dataclasses.replace(config, epochs=2), cut)
    library._file.cache_clear()
    library.load_library.cache_clear()
    assert json.loads((cut / "config.json").read_text())["driver"] == "levels"
    (cut / "metrics.json").unlink()
    entries = json.loads((cut / "config.json").read_text())
    entries["config"]["epochs"] = 4
    (cut / "config.json").write_text(json.dumps(entries))
    train(config, cut)
    assert all(torch.equal(tensor, weights(whole)[name]) for name, tensor in weights(cut).items())
    train(config, tmp_path / "native")
    assert json.loads((tmp_path / "native" / "config.json").read_text())["driver"] == "native"
