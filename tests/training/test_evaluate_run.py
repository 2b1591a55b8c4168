from __future__ import annotations

from pathlib import Path

import pytest

from dgl_mathtree.training import Config, evaluate_run, load, train
from dgl_mathtree.training.run_data import RunData


def test_a_large_part_is_measured_on_some_equations(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metrics = train(Config(data=str(data), model="tree-rnn", epochs=1, hidden=4), tmp_path / "run")
    again = evaluate_run.measure(load(tmp_path / "run"), RunData(str(data)))
    assert {name: metrics[name] for name in again} == again
    monkeypatch.setattr(evaluate_run, "MOST", 100)
    some = evaluate_run.measure(load(tmp_path / "run"), RunData(str(data)))
    assert some["train"]["overall"]["count"] == 100 < metrics["train"]["overall"]["count"]
    assert some["validation"] == metrics["validation"]
