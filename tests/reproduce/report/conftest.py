from __future__ import annotations

from pathlib import Path

import pytest

from dgl_mathtree.reproduce.experiments import Experiments
from dgl_mathtree.reproduce.report.report_page import write_report
from tests.reproduce.report.made_up import make_run

MODELS = ["majority", "tree-rnn", "tree-lstm", "second-order-tree-rnn", "mi-tree-lstm"]
ACCURACY = {"majority": 0.5, "tree-rnn": 0.6, "tree-lstm": 0.7, "second-order-tree-rnn": 0.75, "mi-tree-lstm": 0.8}


def make_runs(out: Path) -> Path:
    """Made-up runs of five models on the paper's data, three seeds of what has chance in it, and on original."""
    for model in MODELS:
        for seed in range(1 if model == "majority" else 3):
            top1 = None if model == "majority" else ACCURACY[model] - 0.5 + 0.01 * seed
            make_run(out, "paper", model, seed, ACCURACY[model] + 0.01 * seed, hidden=16, top1=top1)
            make_run(out, "original", model, seed, ACCURACY[model] + 0.05 + 0.01 * seed, on_true=0.5)
    Experiments(out, "quick", "verification", MODELS, seeds=3).record()
    return out


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Runs to be changed."""
    return make_runs(tmp_path / "out")


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same runs with their report, to be read."""
    out = make_runs(tmp_path_factory.mktemp("report") / "out")
    write_report(out)
    return out
