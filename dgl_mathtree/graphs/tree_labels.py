"""The labels of nodes in plain trees: types and symbols by number or by name, and leaves as feature vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dgl_mathtree.graphs.plan_check import GraphError

Ints = NDArray[Any]
Names = Sequence[str] | None
LARGEST = 1 << 62
"""Numbers of symbols are at most this: sums with them must stay whole."""
VECTOR = (np.ndarray, torch.Tensor)
"""What a feature vector is."""


def label_numbers(labels: Iterable[Any], names: Names, what: str, argument: str) -> Ints:
    """The numbers of node types or symbols, given by number or by name."""
    labels = list(labels)
    if names is not None:
        numbers = {name: k for k, name in enumerate(names)}
        if len(numbers) < len(names):
            raise GraphError(f"the {argument} has a name twice: {', '.join(names)}")
        try:
            return np.fromiter(map(numbers.__getitem__, labels), np.int64, len(labels))
        except (KeyError, TypeError):
            wrong = next(each for each in labels if not isinstance(each, str) or each not in numbers)
            raise GraphError(f"{what} {wrong!r:.60} is not among the {argument} {', '.join(names)}") from None
    try:
        found = np.asarray(labels) if labels else np.zeros(0, dtype=np.int64)
    except (ValueError, TypeError, RuntimeError):  # numbers beside what has numbers in it
        found = np.empty(0, dtype=object)
    if found.dtype.kind not in "iu" or found.ndim != 1:
        wrong = next((each for each in labels if not isinstance(each, (int, np.integer)) or each is True), labels[0])
        raise GraphError(f"{what} {wrong!r:.60} is not a whole number: give {argument}=[...] if it is a name")
    if found.min(initial=0) < 0:
        raise GraphError(f"{what} {int(found.min())} is below 0")
    if found.max(initial=0) > LARGEST:
        raise GraphError(f"{what} {int(found.max())} is above {LARGEST}")
    return found.astype(np.int64, copy=False)


def label_vectors(leaves: Sequence[Any]) -> torch.Tensor:
    """(leaves, f): feature vectors one below the other."""
    for leaf in leaves:
        if not isinstance(leaf, VECTOR) or leaf.ndim != 1 or leaf.shape != leaves[0].shape:
            first = f"a vector of {leaves[0].shape[0]} numbers" if leaves[0].ndim == 1 else "of another shape"
            raise GraphError(
                f"all leaves must be feature vectors of one size: the first is {first}, another {leaf!r:.60}"
            )
    try:
        found = torch.stack([torch.as_tensor(leaf) for leaf in leaves])
    except (TypeError, ValueError, RuntimeError) as error:
        raise GraphError(f"feature vectors must hold numbers, on one device: {error!s:.100}") from None
    if found.is_complex():
        raise GraphError("feature vectors must hold real numbers, not complex ones")
    return found if found.is_floating_point() else found.to(torch.get_default_dtype())
