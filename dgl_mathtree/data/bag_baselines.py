"""What can be told of labels without looking at structure: the baselines of the data card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.data.splits import PARTS, TRAIN
from dgl_mathtree.language.vocabulary import OPERATORS

MOST_FITTED = 60_000
"""Training equations that the bag-of-words baselines are fitted on at most."""


CHUNK = 50_000
"""Equations that are counted at a time."""


@dataclass(frozen=True)
class Bags:
    """How often words occur in equations, counted where it is asked for: all of it might not fit into memory.

    Attributes
    ----------
    tokens : numpy.ndarray
        The words of all equations one after another, as places in `words`.
    offsets : numpy.ndarray
        (equations + 1,) where each begins.
    words : list of str
        What is counted.

    Examples
    --------
    >>> bags = Bags(np.array([0, 1, 1, 0, 2]), np.array([0, 3, 5]), ["=", "x", "1"])
    >>> bags.of(np.array([1, 0])).tolist()
    [[1.0, 0.0, 1.0], [1.0, 2.0, 0.0]]
    >>> bags.total(np.array([True, True])).tolist()
    [2, 2, 1]
    """

    tokens: NDArray[Any]
    offsets: NDArray[np.int64]
    words: list[str]

    def of(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """(rows, words) the counts of some equations."""
        width = max(len(self.words), 1)
        lengths = np.diff(self.offsets)[rows]
        before = np.cumsum(lengths) - lengths
        places = np.arange(lengths.sum()) + np.repeat(self.offsets[rows] - before, lengths)
        cells = np.repeat(np.arange(len(rows)) * width, lengths) + self.tokens[places]
        return np.bincount(cells, minlength=len(rows) * width).reshape(-1, width).astype(np.float32)

    def total(self, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        """(words,) the counts of some equations together."""
        found = np.zeros(len(self.words), dtype=np.int64)
        for start in range(0, len(chosen), CHUNK):
            offsets, rows = self.offsets[start : start + CHUNK + 1], chosen[start : start + CHUNK]
            tokens = self.tokens[offsets[0] : offsets[-1]][np.repeat(rows, np.diff(offsets))]
            found += np.bincount(tokens, minlength=len(found))
        return found


def floors(bags: Bags, label: NDArray[Any], part: NDArray[Any]) -> dict[str, dict[str, float]]:
    """Accuracy of the majority class and of logistic regression on bags of words, on every part.

    Parameters
    ----------
    bags : Bags
        The words of the equations.
    label, part : numpy.ndarray
        (equations,) 1 for correct, and the index of the part in `PARTS`.

    Returns
    -------
    dict of str to dict of str to float
        By baseline and part: ``majority``, and where train has both labels ``bag-of-operators`` and ``bag-of-words``.
    """
    parts = {name: part == k for k, name in enumerate(PARTS) if (part == k).any()}
    train = np.flatnonzero(part == PARTS.index(TRAIN))
    basis = label[train] if len(train) else label
    majority = int(2 * basis.sum() >= len(basis))
    found = {"majority": {name: share(label[rows] == majority) for name, rows in parts.items()}}
    if len(np.unique(label[train])) < 2:
        return found
    fitted = train[:: max(1, -(-len(train) // MOST_FITTED))]
    operators = [k for k, word in enumerate(bags.words) if word in OPERATORS]
    for name, columns in (("bag-of-operators", operators), ("bag-of-words", list(range(len(bags.words))))):
        found[name] = _regression(bags, columns, label, fitted, parts)
    return found


def _regression(
    bags: Bags,
    columns: Sequence[int],
    label: NDArray[Any],
    fitted: NDArray[Any],
    parts: Mapping[str, NDArray[Any]],
) -> dict[str, float]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    model.fit(bags.of(fitted)[:, columns], label[fitted])
    chunks = np.split(np.arange(len(label)), range(CHUNK, len(label), CHUNK))
    said = np.concatenate([model.predict(bags.of(rows)[:, columns]) for rows in chunks])
    return {name: share(said[rows] == label[rows]) for name, rows in parts.items()}


def share(hits: NDArray[Any]) -> float:
    """The share of hits, as cards give it."""
    return round(float(np.mean(hits)), 4)
