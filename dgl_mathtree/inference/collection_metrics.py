"""How good a verifier is on a collection of equations that people wrote: overall, by subject, error and depth, on pairs
of a true equation and its near miss, and apart by what of them the training data holds: a duplicate, or their sides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.data.collections import Entry
from dgl_mathtree.inference.metrics import Floats, area_under_curve, calibration_error, right_answers, verdicts
from dgl_mathtree.inference.near_misses import Pair, near_misses
from dgl_mathtree.inference.trained_verifier import TrainedVerifier

Flags = NDArray[np.bool_]
SIDES = ("neither", "one", "both")
"""How many sides of an equation occur in the training data."""


def entry_scores(trained: TrainedVerifier, entries: Sequence[Entry]) -> Floats:
    """(entries,) logits; NaN where the parser or the model cannot read the equation."""
    logits = np.full(len(entries), np.nan)
    parsed = {k: entry.equation for k, entry in enumerate(entries) if entry.equation is not None}
    logits[list(parsed)], _ = trained.scores_of_readable(list(parsed.values()))
    return logits


def collection_metrics(logits: Floats, label: NDArray[Any]) -> dict[str, Any]:
    """What is classified correctly, where an equation that cannot be read (NaN) is classified incorrectly.

    Parameters
    ----------
    logits : numpy.ndarray
        (equations,), with NaN.
    label : numpy.ndarray
        (equations,), 1 for correct and 0 for incorrect.

    Returns
    -------
    dict
        ``accuracy``; ``recall``, the share of the correct ones that are accepted; ``specificity``, the share of the
        incorrect ones that are refused; ``auc`` and ``calibration_error``, of the readable ones; ``readable``, their
        number; ``count``. A share of nothing is None.

    Examples
    --------
    >>> found = collection_metrics(np.array([2.0, -1.0, np.nan, -3.0]), np.array([1, 1, 0, 0]))
    >>> found["accuracy"], found["recall"], found["specificity"], found["readable"]
    (0.5, 0.5, 0.5, 3)
    """
    label = np.asarray(label, dtype=np.int64)
    right, read = _right(logits, label), ~np.isnan(logits)
    probability = verdicts(logits[read]).probability
    return {
        "accuracy": _share(right),
        "recall": _share(right[label == 1]),
        "specificity": _share(right[label == 0]),
        "rejection": _share(right[label == 0]),  # its name in version 0.1.0
        "auc": area_under_curve(logits[read], label[read]),
        "calibration_error": calibration_error(probability, label[read]) if read.any() else None,
        "readable": int(read.sum()),
        "count": len(label),
    }


def headline_evaluation(
    of: Callable[[Flags], dict[str, Any]], count: int, twin: Flags | None, law: Flags | None
) -> dict[str, Any]:
    """Figures with and without equations that were seen in training or are laws: the headline is without.

    Parameters
    ----------
    of : callable
        Gives the figures of chosen equations.
    count : int
        The number of equations.
    twin, law : numpy.ndarray, optional
        (equations,) whether each has a duplicate in the training data, and among the laws; None if not known.

    Returns
    -------
    dict
        ``twins`` and ``laws``, apart ``with`` and ``without`` one, or None; ``headline``, without either, with the
        number ``left_out`` and ``known``, the kinds of duplicates that were looked for.
    """
    known = {name: flags for name, flags in (("training", twin), ("laws", law)) if flags is not None}
    seen = np.zeros(count, dtype=bool)
    for flags in known.values():
        seen |= flags
    return {
        "twins": None if twin is None else {"with": of(twin), "without": of(~twin)},
        "laws": None if law is None else {"with": of(law), "without": of(~law)},
        "headline": {**of(~seen), "left_out": int(seen.sum()), "known": list(known)},
    }


def collection_evaluation(
    logits: Floats,
    entries: Sequence[Entry],
    twin: Flags | None = None,
    sides: NDArray[np.int64] | None = None,
    law: Flags | None = None,
) -> dict[str, Any]:
    """`collection_metrics` of a collection, whole and in parts.

    Parameters
    ----------
    logits : numpy.ndarray
        (entries,), from `entry_scores`.
    entries : sequence of Entry
        The collection.
    twin : numpy.ndarray, optional
        (entries,) whether each has a duplicate in the training data; None if that is not known.
    sides : numpy.ndarray, optional
        (entries,) how many sides of each occur anywhere in the training data; None if that is not known.
    law : numpy.ndarray, optional
        (entries,) whether each is one of the laws that training data is made of; None if that is not known.

    Returns
    -------
    dict
        ``headline``, without entries that have a duplicate in the training data or among the laws
        (`headline_evaluation`); ``overall``; ``by_depth``, ``by_kind`` (subjects) and ``by_error`` (kinds of error:
        accuracy and count); ``pairs``, of near misses (`inference.near_misses`), ``all`` and those that differ in
        ``one_variable``; ``twins`` and ``laws``, apart ``with`` and ``without`` one, or None; ``sides``, apart where
        ``both``, ``one`` or ``neither`` occur in the training data, or None.
    """
    label = np.array([entry.label for entry in entries])
    subject = np.array([entry.subject for entry in entries])
    error = np.array([entry.error for entry in entries])
    depth = np.array([-1 if entry.equation is None else entry.equation.depth for entry in entries])
    right = _right(logits, label)

    def of(chosen: Flags) -> dict[str, Any]:
        return collection_metrics(logits[chosen], label[chosen])

    words = [None if entry.equation is None else entry.equation.words for entry in entries]
    pairs = near_misses(words, label.tolist(), subject.tolist())
    kinds = {kind: right[(label == 0) & (error == kind)] for kind in np.unique(error[label == 0]).tolist()}
    return {
        "overall": of(np.ones(len(label), dtype=bool)),
        "by_depth": {str(d): of(depth == d) for d in np.unique(depth[depth >= 0]).tolist()},
        "by_kind": {kind: of(subject == kind) for kind in np.unique(subject).tolist()},
        "by_error": {kind or "other": {"accuracy": _share(of_), "count": len(of_)} for kind, of_ in kinds.items()},
        "pairs": {
            "all": _pair_metrics(right, pairs),
            "one_variable": _pair_metrics(right, [pair for pair in pairs if pair.one_variable]),
        },
        **headline_evaluation(of, len(label), twin, law),
        "sides": None if sides is None else {name: of(sides == k) for k, name in enumerate(SIDES)},
    }


def _right(logits: Floats, label: NDArray[Any]) -> Flags:
    """Whether each is classified correctly; what cannot be read is not."""
    read = ~np.isnan(logits)
    return read & right_answers(np.where(read, logits, 0.0), label)


def _pair_metrics(right: Flags, pairs: Sequence[Pair]) -> dict[str, Any]:
    """How often both equations of a pair are classified correctly, and how often at least one."""
    both = np.array([right[pair.true] and right[pair.false] for pair in pairs], dtype=bool)
    either = np.array([right[pair.true] or right[pair.false] for pair in pairs], dtype=bool)
    return {"both_right": _share(both), "one_right": _share(either), "count": len(pairs)}


def _share(flags: Flags) -> float | None:
    return float(np.mean(flags)) if len(flags) else None
