"""Calibration: the head's scale and constant, fitted so that logits are probabilities.

Every source of the data counts the same, and in each of them the true equations as much as the false ones. Otherwise
the source with the most equations, and the odds at which it was drawn, would decide how sure a verifier is of equations
that come from none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from dgl_mathtree.inference.metrics import Floats, calibration_error, verdicts
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.nn import EquationVerifier

if TYPE_CHECKING:
    from dgl_mathtree.data.dataset import EquationDataset

SMALLEST_SCALE = 0.1
"""The least that a fitted head multiplies similarities with."""
FEWEST = 100
"""True equations, and false ones, that a source must have to count by itself; the others are taken together."""


def calibrate(network: EquationVerifier, data: EquationDataset, even: bool = True) -> dict[str, Any]:
    """Fit the head of a network to some equations, read as `TrainedVerifier` reads them.

    Parameters
    ----------
    network : EquationVerifier
        Its scale, if its head has one, and its constant are set; they do not depend on what they were.
    data : EquationDataset
        Equations that it was not trained on.
    even : bool
        Whether sources and labels count the same; if not, every equation does.

    Returns
    -------
    dict
        Under ``calibration``: ``scale``, ``beta``, the expected ``calibration_error`` on the equations as they are and
        the ``even_error`` with the weights of the fit, each ``before`` and ``after``. Nothing, and nothing is changed,
        if all equations have one label.
    """
    label = data.label.numpy()
    if len(np.unique(label)) < 2:
        return {}
    weights = even_weights(data.source, label) if even else np.ones(len(label))
    logits = TrainedVerifier(network, "", "the network").score_forest(data.forest)
    scale = 1.0 if network.scale is None else network.scale.item()
    before = _facts(network, logits, label, weights)
    similarity = (logits - network.beta.item()) / scale
    with torch.no_grad():
        if network.scale is not None:
            scale = max(_slope(similarity, label, weights), SMALLEST_SCALE)  # what is alike must not count as different
            network.scale.fill_(scale)
        network.beta.fill_(_best_shift(scale * similarity, label, weights))
    after = _facts(network, scale * similarity + network.beta.item(), label, weights)
    return {"calibration": {name: {"before": before[name], "after": after[name]} for name in after}}


def even_weights(source: Sequence[str], label: NDArray[Any]) -> Floats:
    """(equations,) weights, 1 on average, by which all sources count the same, and both labels in each.

    Examples
    --------
    >>> even_weights(["law"] * 300 + ["class"] * 400, np.array([1] * 100 + [0] * 200 + [1, 0] * 200))[[0, 299, 699]]
    array([1.75 , 0.875, 0.875])
    """
    groups = 2 * np.unique(np.asarray(source), return_inverse=True)[1] + label
    counts = np.bincount(groups, minlength=2 * (int(groups.max()) // 2 + 1)).reshape(-1, 2)
    few = counts.min(axis=1) < FEWEST
    place = np.where(few, 0, np.cumsum(~few))  # the small ones are group 0
    groups = 2 * place[groups // 2] + label
    _, number, counts = np.unique(groups, return_inverse=True, return_counts=True)
    weights: Floats = len(label) / (len(counts) * counts[number])
    return weights


def _facts(network: EquationVerifier, logits: Floats, label: NDArray[Any], weights: Floats) -> dict[str, float | None]:
    probability = verdicts(logits).probability
    return {
        "scale": None if network.scale is None else network.scale.item(),
        "beta": network.beta.item(),
        "calibration_error": calibration_error(probability, label),
        "even_error": calibration_error(probability, label, weights),
    }


def _slope(similarity: Floats, label: NDArray[Any], weights: Floats) -> float:
    """What similarities are multiplied with in the best logits."""
    from sklearn.linear_model import LogisticRegression  # takes long to load, and most commands do without it

    size = float(similarity.std()) or 1.0
    fitted = LogisticRegression(C=1e6, tol=1e-8).fit(similarity[:, None] / size, label, weights)
    return float(fitted.coef_[0, 0]) / size


def _best_shift(similarity: Floats, label: NDArray[Any], weights: Floats) -> float:
    """The constant that, added to the similarities, makes them the best logits, by Newton's method."""
    beta = 0.0
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(similarity + beta, -50, 50)))
        step = float((weights * (label - p)).sum() / max((weights * p * (1 - p)).sum(), 1e-6))
        beta += max(-2.0, min(2.0, step))
        if abs(step) < 1e-9:
            break
    return beta
