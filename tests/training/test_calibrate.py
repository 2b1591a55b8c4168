from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from dgl_mathtree.data.dataset import EquationDataset
from dgl_mathtree.nn import EquationVerifier, make_model
from dgl_mathtree.training import Config, load, train
from dgl_mathtree.training.calibrate import FEWEST, calibrate, even_weights
from dgl_mathtree.training.run_folder import read_metrics
from tools import calibrate as calibrate_tool

TOOL = Path(calibrate_tool.__file__)


def test_sources_and_labels_count_the_same() -> None:
    source = ["law"] * 3 * FEWEST + ["class"] * 5 * FEWEST + ["rare"] * 7
    label = np.array([1] * FEWEST + [0] * 2 * FEWEST + [1] * 4 * FEWEST + [0] * FEWEST + [1] * 5 + [0] * 2)
    weights = even_weights(source, label)
    assert weights.mean() == pytest.approx(1)
    sums = {weights[(np.array(source) == s) & (label == k)].sum() for s in ("law", "class", "rare") for k in (0, 1)}
    assert np.ptp(list(sums)) < 1e-9


def test_small_sources_are_taken_together() -> None:
    weights = even_weights(["a", "b", "b"], np.array([1, 0, 0]))
    assert weights.tolist() == [1.5, 0.75, 0.75]


def test_the_fit_is_the_same_from_anywhere(data: Path) -> None:
    part, found = EquationDataset(data, "validation"), []
    for beta in (-4.0, 2.0):
        torch.manual_seed(0)
        network = make_model("tree-lstm", 4, part.vocabulary, head="cosine").eval()
        assert isinstance(network, EquationVerifier)
        with torch.no_grad():
            network.beta.fill_(beta)
        found.append(calibrate(network, part)["calibration"])
        assert found[-1]["even_error"]["after"] <= found[-1]["even_error"]["before"]
    for name in ("scale", "beta", "calibration_error"):
        assert found[0][name]["after"] == pytest.approx(found[1][name]["after"], abs=1e-3)


def test_one_label_changes_nothing(data: Path) -> None:
    part = EquationDataset(data, "validation")
    part.label = torch.ones_like(part.label)
    network = make_model("tree-lstm", 4, part.vocabulary, head="cosine").eval()
    assert isinstance(network, EquationVerifier)
    assert calibrate(network, part) == {}
    assert network.beta.item() == -4.0


def test_a_finished_run_is_calibrated_by_the_tool(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = Config(data=str(data), model="tree-rnn", epochs=1, hidden=4, head="cosine")
    before = train(config, tmp_path / "run")
    result = subprocess.run([sys.executable, str(TOOL), str(tmp_path / "run")], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    after = read_metrics(tmp_path / "run")
    assert "calibration" not in before and after["epochs"] == before["epochs"]
    fitted = after["calibration"]
    assert load(tmp_path / "run").network.beta.item() == pytest.approx(fitted["beta"]["after"])
    assert fitted["calibration_error"]["before"] == before["validation"]["overall"]["calibration_error"]
    assert fitted["calibration_error"]["after"] == pytest.approx(after["validation"]["overall"]["calibration_error"])
    monkeypatch.setattr(sys, "argv", ["calibrate.py", "nowhere"])
    assert calibrate_tool.main() == 2
    assert capsys.readouterr().err.count("\n") == 1
