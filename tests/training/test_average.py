"""tools/average.py: weights between those of two runs, calibrated anew."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import torch

from dgl_mathtree.nn.tensor_files import read_tensors
from dgl_mathtree.training import Config, train
from dgl_mathtree.training.run_folder import WEIGHTS, read_metrics
from tools import average


def averaged(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> int:
    monkeypatch.setattr(sys, "argv", ["average.py", *map(str, arguments)])
    return average.main()


@pytest.fixture(scope="module")
def runs(data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder, found = tmp_path_factory.mktemp("runs"), []
    for seed in (0, 1):
        config = Config(data=str(data), model="tree-rnn", epochs=1, hidden=4, head="cosine", seed=seed)
        train(config, folder / f"run{seed}")
        found.append(folder / f"run{seed}")
    return found[0], found[1]


def test_weights_are_averaged_and_the_head_is_fitted(
    runs: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = runs
    out = tmp_path / "out"
    assert averaged(monkeypatch, one, two, out, "--share", "0.25", "--as-it-is") == 0
    assert json.loads(capsys.readouterr().out)["averaged"] == {"with": str(two), "share": 0.25}
    first, second, between = (read_tensors(run / WEIGHTS)[0] for run in (one, two, out))
    for name, tensor in between.items():
        if name not in ("beta", "scale"):
            assert torch.allclose(tensor, 0.25 * first[name] + 0.75 * second[name], atol=1e-6), name
    assert read_metrics(out)["calibration"]["beta"]["after"] == pytest.approx(between["beta"].item(), abs=1e-5)
    assert "validation" in read_metrics(out)


def test_what_is_asked_for_must_be_possible(
    runs: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = runs
    for arguments, message in (
        ((one, two, one), "name a new folder"),
        ((one, two, tmp_path / "x", "--share", "2"), "from 0 to 1"),
    ):
        assert averaged(monkeypatch, *arguments) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1 and message in said
