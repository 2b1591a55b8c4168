"""Verification: scores of equations, and how good they are, overall and by depth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from dgl_mathtree.language import Forest
from dgl_mathtree.language.prefix_trees import PrefixTrees
from dgl_mathtree.nn import Verifier
from dgl_mathtree.tables import html_table

CHUNK = 1000
"""Equations that are scored together."""
BINS = 15
"""Of the calibration error."""
VERDICTS = ("incorrect", "correct")
"""What an equation with the label 0 is called, and one with the label 1."""

Floats = NDArray[np.float64]


def score(verifier: Verifier, forest: Forest) -> Floats:
    """(equations,) logits of all equations of a forest; the verifier is left in the mode it was in."""
    return _logits(verifier, ((forest, chunk) for chunk in _chunks(len(forest.equations))))


def score_trees(verifier: Verifier, trees: PrefixTrees) -> Floats:
    """(equations,) logits of equations given as arrays, in words that the verifier knows; as `score`."""
    forests = (Forest.of_trees(trees.take(chunk)) for chunk in _chunks(len(trees)))
    return _logits(verifier, ((forest, np.arange(len(forest.equations))) for forest in forests))


def _chunks(count: int) -> Iterator[NDArray[np.int64]]:
    for at in range(0, count, CHUNK):
        yield np.arange(at, min(at + CHUNK, count))


@torch.no_grad()
def _logits(verifier: Verifier, parts: Iterable[tuple[Forest, NDArray[np.int64]]]) -> Floats:
    """The logits of some equations of forests, each part in one batch."""
    training = verifier.training
    verifier.eval()
    try:
        # All of them are read from the device at once: reading waits.
        logits = [verifier(verifier.batch(forest, chunk)) for forest, chunk in parts]
    finally:
        verifier.train(training)
    return torch.cat(logits).cpu().double().numpy() if logits else np.zeros(0)


def majority_share(label: NDArray[Any]) -> float:
    """The accuracy of always giving the more frequent of the labels 0 and 1.

    Examples
    --------
    >>> majority_share(np.array([1, 0, 1, 1]))
    0.75
    """
    share = float(np.mean(label))
    return max(share, 1 - share)


class Verdicts(NamedTuple):
    """What logits say.

    Attributes
    ----------
    correct : numpy.ndarray
        (equations,) whether each is judged correct.
    probability : numpy.ndarray
        (equations,) that each is correct.
    """

    correct: NDArray[np.bool_]
    probability: Floats

    @property
    def names(self) -> list[str]:
        """``correct`` or ``incorrect`` for each."""
        return [VERDICTS[correct] for correct in self.correct.tolist()]


def verdicts(logits: Floats) -> Verdicts:
    """The verdicts and probabilities that logits stand for, without overflow: the one place where this is settled.

    Parameters
    ----------
    logits : numpy.ndarray
        (equations,)

    Examples
    --------
    >>> verdicts(np.array([-1e6, 0.0])).names, verdicts(np.array([-1e6, 0.0])).probability.tolist()
    (['incorrect', 'correct'], [0.0, 0.5])
    """
    return Verdicts(logits >= 0, np.exp(-np.logaddexp(0, -logits)))


def right_answers(logits: Floats, label: NDArray[Any]) -> NDArray[np.bool_]:
    """(equations,) whether each is judged as its label says, 1 for correct and 0 for incorrect."""
    return np.asarray(verdicts(logits).correct == (np.asarray(label) == 1))


def accuracy(logits: Floats, label: NDArray[Any]) -> float:
    """The share of equations that are classified correctly."""
    return float(np.mean(right_answers(logits, label)))


def metrics(logits: Floats, label: NDArray[Any]) -> dict[str, Any]:
    """Accuracy, precision and recall (positive is correct), area under the ROC curve, calibration error and count.

    Where there is one class only, the area is None; precision is 0 where nothing is judged correct, and recall where
    nothing is.

    Examples
    --------
    >>> metrics(np.array([2.0, -1.0, 1.0, -3.0]), np.array([1, 1, 0, 0]))["accuracy"]
    0.5
    """
    label = np.asarray(label, dtype=np.int64)
    found = verdicts(logits)
    accepted, correct = int(found.correct.sum()), int(label.sum())
    both = int((found.correct & (label == 1)).sum())
    return {
        "accuracy": accuracy(logits, label),
        "precision": both / accepted if accepted else 0.0,
        "recall": both / correct if correct else 0.0,
        "auc": area_under_curve(logits, label),
        "calibration_error": calibration_error(found.probability, label),
        "count": len(label),
    }


def area_under_curve(logits: Floats, label: NDArray[Any]) -> float | None:
    """The area under the ROC curve: how often a correct equation scores above an incorrect one, ties by half.

    Parameters
    ----------
    logits : numpy.ndarray
        (equations,)
    label : numpy.ndarray
        (equations,) 1 for correct, 0 for incorrect. Where there is one class only, there is no area.

    Examples
    --------
    >>> area_under_curve(np.array([2.0, 1.0, 1.0, -3.0]), np.array([1, 1, 0, 0]))
    0.875
    """
    _, which = np.unique(logits, return_inverse=True)
    correct = np.bincount(which, label == 1).astype(np.int64)
    wrong = np.bincount(which, label == 0).astype(np.int64)
    pairs = int(correct.sum()) * int(wrong.sum())
    below = np.cumsum(wrong) - wrong
    return int((correct * (2 * below + wrong)).sum()) / (2 * pairs) if pairs else None


def calibration_error(probability: Floats, label: NDArray[np.int64], weights: Floats | None = None) -> float:
    """Expected calibration error: how far the mean probability is from the share of correct ones, over equal bins.

    Parameters
    ----------
    probability : numpy.ndarray
        (equations,) that each is correct.
    label : numpy.ndarray
        (equations,) 1 for correct, 0 for incorrect.
    weights : numpy.ndarray, optional
        (equations,) what each counts; all the same by default.

    Examples
    --------
    >>> calibration_error(np.array([0.9, 0.9, 0.1, 0.1]), np.array([1, 1, 0, 1]))
    0.25
    """
    bins = np.minimum((probability * BINS).astype(np.int64), BINS - 1)
    weights = np.ones(len(label)) if weights is None else weights
    gaps = np.bincount(bins, weights * (probability - label), minlength=BINS)
    return float(np.abs(gaps).sum() / weights.sum())


class Evaluation(dict[str, Any]):
    """How good scores are: ``overall``, ``by_depth`` and ``by_kind``, as in `metrics.json`."""

    def _repr_html_(self) -> str:
        shown = {"all": self["overall"], **self["by_depth"]}
        names = ("accuracy", "precision", "recall")
        rows = [
            {"depth": depth, "equations": found["count"], **{name: f"{found[name]:.1%}" for name in names}}
            for depth, found in shown.items()
        ]
        return html_table(rows)


def evaluation(
    logits: Floats, label: NDArray[Any], depth: NDArray[Any], kind: Sequence[str] | None = None
) -> Evaluation:
    """`metrics` overall and for each depth, and the accuracy on each kind of incorrect equation."""
    depth = np.asarray(depth)
    result = Evaluation(
        overall=metrics(logits, label),
        by_depth={str(d): metrics(logits[depth == d], label[depth == d]) for d in np.unique(depth).tolist()},
    )
    if kind is not None:
        kinds, wrong = np.asarray(kind), np.asarray(label) == 0
        result["by_kind"] = {
            str(k): {
                "accuracy": accuracy(logits[wrong & (kinds == k)], label[wrong & (kinds == k)]),
                "count": int((wrong & (kinds == k)).sum()),
            }
            for k in np.unique(kinds[wrong])
        }
    return result
