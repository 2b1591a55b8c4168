from __future__ import annotations

import os
from pathlib import Path

import pytest

from dgl_mathtree.cli import main
from dgl_mathtree.expressions import Forest
from dgl_mathtree.training import Config, train


def test_drafts_of_a_killed_run_are_cleared(data: Path, tmp_path: Path) -> None:
    config, run = Config(data=str(data), model="tree-rnn", epochs=1, hidden=4), tmp_path / "run"
    train(config, run)
    (run / "metrics.json").unlink()
    drafts = [run / ".model.safetensors.partial-1", run / "state" / f".last.safetensors.partial-{os.getpid()}"]
    for draft in drafts:
        draft.write_bytes(b"half")
    train(config, run)
    assert not list(run.rglob("*.partial-*"))


def test_a_cache_that_cannot_be_written_is_not_the_run_folders_fault(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    for name in ("DGL_DOWNLOAD_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "file" / "cache"))
    command = ["train", str(data), "--model", "tree-rnn", "--epochs", "1", "--hidden", "4", "--out"]
    code = main([*command, str(tmp_path / "run")])
    error = capsys.readouterr().err
    assert code == 0 or error.startswith(f"mathtree: cannot read or keep the data {data} at {tmp_path / 'file'}")


def test_every_part_is_interned_once(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interned = []
    of = Forest.of.__func__  # type: ignore[attr-defined]
    monkeypatch.setattr(Forest, "of", classmethod(lambda cls, equations: interned.append(1) or of(cls, equations)))
    train(Config(data=str(data), model="tree-rnn", epochs=2, hidden=4), tmp_path / "run")
    assert len(interned) == 3  # train, validation, test
