"""What can be told of labels without looking at structure: the floors that the data card publishes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.corpus.splits import PARTS, TRAIN
from dgl_mathtree.expressions.vocabulary import OPERATORS

MOST_FITTED = 60_000
"""Training equations that the bag-of-words floors are fitted on at most."""


def floors(
    bags: NDArray[Any], words: Sequence[str], label: NDArray[Any], part: NDArray[Any]
) -> dict[str, dict[str, float]]:
    """Accuracy of the majority class and of logistic regression on bags of words, on every part.

    Parameters
    ----------
    bags : numpy.ndarray
        (equations, words) how often each word occurs in each equation.
    words : sequence of str
        What the columns count.
    label, part : numpy.ndarray
        (equations,) 1 for correct, and the index of the part in `PARTS`.

    Returns
    -------
    dict of str to dict of str to float
        By floor and part: ``majority``, and where train has both labels ``bag-of-operators`` and ``bag-of-words``.
    """
    parts = {name: part == k for k, name in enumerate(PARTS) if (part == k).any()}
    train = np.flatnonzero(part == PARTS.index(TRAIN))
    basis = label[train] if len(train) else label
    majority = int(2 * basis.sum() >= len(basis))
    found = {"majority": {name: share(label[rows] == majority) for name, rows in parts.items()}}
    if len(np.unique(label[train])) < 2:
        return found
    fitted = train[:: max(1, -(-len(train) // MOST_FITTED))]
    operators = [k for k, word in enumerate(words) if word in OPERATORS]
    for name, columns in (("bag-of-operators", operators), ("bag-of-words", list(range(len(words))))):
        found[name] = _regression(bags[:, columns], label, fitted, parts)
    return found


def _regression(
    bags: NDArray[Any], label: NDArray[Any], fitted: NDArray[Any], parts: Mapping[str, NDArray[Any]]
) -> dict[str, float]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    model.fit(bags[fitted], label[fitted])
    return {name: share(model.predict(bags[rows]) == label[rows]) for name, rows in parts.items()}


def share(hits: NDArray[Any]) -> float:
    """The share of hits, as cards give it."""
    return round(float(np.mean(hits)), 4)
