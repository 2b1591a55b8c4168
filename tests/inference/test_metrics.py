from __future__ import annotations

import numpy as np
import pytest
import torch

from dgl_mathtree.inference import metrics as module
from dgl_mathtree.inference.metrics import (
    accuracy,
    area_under_curve,
    evaluation,
    metrics,
    right_answers,
    score,
    score_trees,
    verdicts,
)
from dgl_mathtree.language import Forest, parse_equation
from dgl_mathtree.language.prefix_trees import PrefixTrees
from dgl_mathtree.nn import make_model


def test_metrics_by_hand() -> None:
    logits, label = np.array([2.0, -1.0, 1.0, -3.0, 0.5]), np.array([1, 1, 0, 0, 1])
    found = metrics(logits, label)
    assert found["accuracy"] == pytest.approx(3 / 5)
    assert found["precision"] == pytest.approx(2 / 3)
    assert found["recall"] == pytest.approx(2 / 3)
    # Of the six pairs of a correct and an incorrect equation, one of each class, four are in order.
    assert found["auc"] == pytest.approx(4 / 6)
    assert found["count"] == 5


def test_calibration() -> None:
    certain = np.array([50.0, 50.0, -50.0, -50.0])
    assert metrics(certain, np.array([1, 1, 0, 0]))["calibration_error"] == pytest.approx(0, abs=1e-9)
    assert metrics(certain, np.array([1, 0, 1, 0]))["calibration_error"] == pytest.approx(0.5)
    half = np.zeros(4)
    assert metrics(half, np.array([1, 1, 0, 0]))["calibration_error"] == pytest.approx(0)


def test_verdicts() -> None:
    found = verdicts(np.array([-1e6, -1e-9, 0.0, 1e6]))
    assert found.probability.tolist() == [0.0, pytest.approx(0.5), 0.5, 1.0]
    assert found.names == ["incorrect", "incorrect", "correct", "correct"]
    assert found.correct.tolist() == [False, False, True, True]
    assert verdicts(np.zeros(0)).names == []


def test_right_answers() -> None:
    logits, label = np.array([1.0, 1.0, -1.0, -1.0]), np.array([1, 0, 1, 0])
    assert right_answers(logits, label).tolist() == [True, False, False, True]
    assert accuracy(logits, label) == 0.5


@pytest.mark.parametrize("only", [0, 1])
def test_one_class(only: int) -> None:
    found = metrics(np.array([1.0, -1.0]), np.array([only, only]))
    assert found["auc"] is None
    assert found["accuracy"] == 0.5
    assert found["recall"] == 0.5 * only


def test_depths_and_kinds() -> None:
    logits, label = np.array([1.0, -1.0, 1.0, -1.0]), np.array([1, 0, 0, 0])
    found = evaluation(logits, label, np.array([3, 3, 12, 12]), ["correct", "grow", "grow", "shrink"])
    assert list(found["by_depth"]) == ["3", "12"]
    assert [part["accuracy"] for part in found["by_depth"].values()] == [1.0, 0.5]
    assert found["by_kind"] == {"grow": {"accuracy": 0.5, "count": 2}, "shrink": {"accuracy": 1.0, "count": 1}}


def test_scores_do_not_depend_on_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    forest = Forest.of(parse_equation(f"sin(x)^{k} + {k} = x") for k in range(1, 8))
    vocabulary = ["x", *map(str, range(1, 8))]
    torch.manual_seed(0)
    verifier = make_model("tree-lstm", 6, vocabulary, dropout=0.5).train()
    whole = score(verifier, forest)
    monkeypatch.setattr(module, "CHUNK", 3)
    np.testing.assert_allclose(score(verifier, forest), whole, atol=1e-6)
    assert verifier.training


@pytest.mark.parametrize("labels", [[1, 0, 1, 1, 0, 0, 1], [0, 0, 0, 0, 0, 0, 1]])
def test_the_area_is_that_of_the_roc_curve(labels: list[int]) -> None:
    from sklearn.metrics import roc_auc_score

    for logits in ([3.0, 2.0, 2.0, 1.0, 1.0, 0.0, -4.0], [0.0] * 7, [1.0, 1.5, 1.0, 1.5, 1.5, 1.0, 1.0]):
        expected = roc_auc_score(labels, logits)
        assert area_under_curve(np.array(logits), np.array(labels)) == pytest.approx(expected)


def test_equations_as_arrays_score_as_a_forest_does(monkeypatch: pytest.MonkeyPatch) -> None:
    equations = [parse_equation(f"sin(x)^{k} + {k} = x") for k in range(1, 8)]
    torch.manual_seed(0)
    verifier = make_model("tree-lstm", 6, ["x", *map(str, range(1, 8))], dropout=0.5).train()
    trees = PrefixTrees.of(equation.words for equation in equations)
    expected = score(verifier, Forest.of(equations))
    np.testing.assert_array_equal(score_trees(verifier, trees), expected)
    monkeypatch.setattr(module, "CHUNK", 3)
    np.testing.assert_allclose(score_trees(verifier, trees), expected, atol=1e-6)
    assert verifier.training
    assert len(score_trees(verifier, PrefixTrees.of([]))) == 0
