from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from dgl_mathtree.data.collections import read_collection
from dgl_mathtree.inference.collection_metrics import collection_evaluation, collection_metrics, entry_scores
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.nn import make_model

LINES = (
    "true\ttrig\tsin(x)^2 + cos(x)^2 = 1",
    "false\ttrig/variable\tsin(y)^2 + cos(x)^2 = 1",
    "true\talgebra\tx + x = 2*x",
    "false\talgebra/sign\tx - x = 2*x",
    "true\talgebra\tx ++* = 2",
)


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    (tmp_path / "some.tsv").write_text("\n".join(LINES) + "\n")
    return tmp_path / "some.tsv"


def test_what_cannot_be_read_is_judged_wrongly(collection: Path) -> None:
    torch.manual_seed(0)
    network = make_model("tree-lstm", 4, ["x", "y", "2", "-1"], ["Add", "Mul"]).eval()
    logits = entry_scores(TrainedVerifier(network, "tree-lstm", "test"), read_collection(collection))
    assert np.isnan(logits).tolist() == [True, True, False, False, True]
    found = collection_metrics(logits, np.array([1, 0, 1, 0, 1]))
    assert (found["readable"], found["count"]) == (2, 5)
    assert found["recall"] <= 1 / 3 and found["rejection"] <= 1 / 2


def test_parts_of_a_collection(collection: Path) -> None:
    logits = np.array([3.0, -1.0, 2.0, 1.0, np.nan])
    found = collection_evaluation(logits, read_collection(collection), np.array([True, False, False, False, False]))
    assert found["overall"]["accuracy"] == pytest.approx(3 / 5)
    assert found["overall"]["recall"] == pytest.approx(2 / 3)
    assert found["overall"]["rejection"] == pytest.approx(1 / 2)
    assert found["overall"]["auc"] == 1.0
    assert found["by_kind"]["trig"]["accuracy"] == 1.0
    assert sum(row["count"] for row in found["by_depth"].values()) == 4
    assert found["by_error"] == {"sign": {"accuracy": 0.0, "count": 1}, "variable": {"accuracy": 1.0, "count": 1}}
    assert found["pairs"]["one_variable"] == {"both_right": 1.0, "one_right": 1.0, "count": 1}
    assert found["twins"]["with"]["count"] == 1 and found["twins"]["with"]["rejection"] is None
    assert found["twins"]["without"]["count"] == 4
    found = collection_evaluation(logits, read_collection(collection))
    assert found["twins"] is None and found["sides"] is None


def test_equations_are_told_apart_by_how_many_sides_were_seen(collection: Path) -> None:
    logits = np.array([3.0, -1.0, 2.0, 1.0, np.nan])
    found = collection_evaluation(logits, read_collection(collection), sides=np.array([2, 1, 1, 0, 0]))["sides"]
    assert {name: row["count"] for name, row in found.items()} == {"neither": 2, "one": 2, "both": 1}
    assert found["neither"]["accuracy"] == 0.0 and found["both"]["accuracy"] == 1.0
