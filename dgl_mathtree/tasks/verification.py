"""Verification: scores of equations, and how good they are, overall and by depth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dgl_mathtree.expressions import Forest
from dgl_mathtree.nn import Verifier

CHUNK = 1000
"""Equations that are scored together."""
BINS = 15
"""Of the calibration error."""

Floats = NDArray[np.float64]


@torch.no_grad()
def score(verifier: Verifier, forest: Forest) -> Floats:
    """(equations,) logits of all equations of a forest; the verifier is left in the mode it was in."""
    training = verifier.training
    verifier.eval()
    try:
        count = len(forest.equations)
        chunks = [np.arange(at, min(at + CHUNK, count)) for at in range(0, count, CHUNK)]
        logits = [verifier(verifier.batch(forest, chunk)).double().cpu() for chunk in chunks]
    finally:
        verifier.train(training)
    return torch.cat(logits).numpy() if logits else np.zeros(0)


def accuracy(logits: Floats, label: NDArray[Any]) -> float:
    """The share of equations that are judged rightly."""
    return float(np.mean((logits >= 0) == (label == 1)))


def probabilities(logits: Floats) -> Floats:
    """P(correct) of logits, without overflow."""
    return np.exp(-np.logaddexp(0, -logits))


def metrics(logits: Floats, label: NDArray[Any]) -> dict[str, Any]:
    """Accuracy, precision and recall (positive is correct), area under the ROC curve, calibration error and count.

    Where there is one class only, the area is None; precision is 0 where nothing is judged correct, and recall where
    nothing is.

    Example:
        >>> metrics(np.array([2.0, -1.0, 1.0, -3.0]), np.array([1, 1, 0, 0]))["accuracy"]
        0.5
    """
    from sklearn.metrics import accuracy_score, precision_score, recall_score, roc_auc_score

    label = np.asarray(label, dtype=np.int64)
    judged = (logits >= 0).astype(np.int64)
    both = len(np.unique(label)) == 2
    return {
        "accuracy": float(accuracy_score(label, judged)),
        "precision": float(precision_score(label, judged, zero_division=0)),
        "recall": float(recall_score(label, judged, zero_division=0)),
        "auc": float(roc_auc_score(label, logits)) if both else None,
        "calibration_error": _calibration_error(probabilities(logits), label),
        "count": len(label),
    }


def _calibration_error(probability: Floats, label: NDArray[np.int64]) -> float:
    """Expected calibration error: how far the mean probability is from the share of correct ones, over equal bins."""
    bins = np.minimum((probability * BINS).astype(np.int64), BINS - 1)
    gaps = np.bincount(bins, probability - label, minlength=BINS)
    return float(np.abs(gaps).sum() / len(label))


def evaluation(
    logits: Floats, label: NDArray[Any], depth: NDArray[Any], kind: Sequence[str] | None = None
) -> dict[str, Any]:
    """`metrics` overall and for each depth, and the accuracy on each kind of incorrect equation."""
    depth = np.asarray(depth)
    result = {
        "overall": metrics(logits, label),
        "by_depth": {str(d): metrics(logits[depth == d], label[depth == d]) for d in np.unique(depth).tolist()},
    }
    if kind is not None:
        kinds, wrong = np.asarray(kind), np.asarray(label) == 0
        result["by_kind"] = {
            str(k): {
                "accuracy": float(np.mean(logits[wrong & (kinds == k)] < 0)),
                "count": int((wrong & (kinds == k)).sum()),
            }
            for k in np.unique(kinds[wrong])
        }
    return result
