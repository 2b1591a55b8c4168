"""Batches cut from a forest in C: to the bit those of `dgl_mathtree.graphs.batch_graph`, in a fraction of the time."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray

from dgl_mathtree.graphs.batch import EquationBatch, batch_graph, types_of_words
from dgl_mathtree.graphs.plan import LevelPlan
from dgl_mathtree.language import Forest
from dgl_mathtree.nn.drivers.native import library

LARGEST = 1 << 22
"""Nodes of a forest that is looked through for every batch: a bit for each."""
COUNTS = slice(14, 20)
"""The fields of Cut in csrc/interface.h that come out as numbers."""
KINDS = [np.dtype(np.int64)] + [np.dtype(np.int32)] * 5
"""Of the arrays of a forest."""
_FORESTS: WeakKeyDictionary[Forest, tuple[int, ...]] = WeakKeyDictionary()


def cut_batch(forest: Forest, equations: Sequence[int] | NDArray[Any], operators: tuple[str, ...]) -> EquationBatch:
    """A batch of a forest's equations; for the parameters see `dgl_mathtree.graphs.batch_graph`.

    What C does not answer to (indices from the end, masks, forests not made by this package) is left to that function.
    """
    chosen = np.asarray(equations)
    if chosen.dtype == np.int64 and chosen.ndim == 1 and len(chosen) and len(forest) <= LARGEST:
        try:
            found = _cut(forest, np.ascontiguousarray(chosen), operators)
        except library.LibraryError:
            found = None
        if found is not None:
            return found
    return batch_graph(forest, equations, operators=operators)


def _address(array: NDArray[Any]) -> int:
    return array.__array_interface__["data"][0]  # type: ignore[no-any-return]


def _addresses(forest: Forest) -> tuple[int, ...]:
    """Where the arrays of a forest are, if they are as C reads them; or nothing."""
    known = _FORESTS.get(forest)
    if known is None:
        arrays: list[NDArray[Any]] = [
            forest.offsets, forest.members, forest.word, forest.children, forest.height, forest.equations
        ]  # fmt: skip
        good = all(a.flags.c_contiguous for a in arrays) and [a.dtype for a in arrays] == KINDS
        lengths = len(forest.offsets) - len(forest.equations), len(forest.children), len(forest.height)
        good = good and lengths == (1, len(forest), len(forest)) and forest.children.shape[1:] == (2,)
        known = tuple(map(_address, arrays)) if good else ()
        _FORESTS[forest] = known
    return known


def _cut(forest: Forest, chosen: NDArray[Any], operators: tuple[str, ...]) -> EquationBatch | None:
    addresses, cut = _addresses(forest), library.load_library().cut
    if not addresses:
        return None
    count, types = len(chosen), types_of_words(forest.words, operators)
    offsets = forest.offsets  # C refuses an index that is out of range
    room = max(int((offsets.take(chosen + 1, mode="clip") - offsets.take(chosen, mode="clip")).sum()), 0)
    small, large = np.empty(3 * room, dtype=np.int32), np.empty(13 * room + 4 * count, dtype=np.int64)
    at, base = [room * k for k in (0, 1, 2, 3, 4, 6, 7, 8, 12, 13)], _address(large)
    at.append(at[-1] + 2 * count)
    table = array("q", (
        count, len(forest.equations), len(forest.members), len(forest), len(forest.words), room,
        _address(chosen), *addresses, _address(types), *[0] * 6,
        _address(small), _address(small) + 4 * room, *(base + 8 * start for start in at),
    ))  # fmt: skip
    if cut(table.buffer_info()[0]):
        return None
    n, leaves, segments, most_type, ones, twos = table[COUNTS]
    sizes = n, n, n, n, 2 * n, n, leaves, 4 * segments, segments, 2 * count, 2 * count
    word, node_types, order, row, children, row_types, leaf_words, parts, heights, sides, side_rows = (
        large[start : start + size] for start, size in zip(at, sizes, strict=True)
    )
    arrays = order, row, children.reshape(-1, 2), row_types
    plan = LevelPlan.of_segments(arrays, leaves, parts.reshape(-1, 4), heights).trusted()
    plan.__dict__.update(most=(most_type, 2 if twos else 1 if ones else 0), edges=ones + 2 * twos)
    plan.__dict__["rows_by_arity"] = MappingProxyType({arity: rows for arity, rows in ((1, ones), (2, twos)) if rows})
    own = small[room : room + 2 * n].reshape(-1, 2)
    return EquationBatch(
        node_types, word, own, plan, small[:n], torch.from_numpy(sides.reshape(-1, 2)), forest.words, operators
    ).with_rows(side_rows, leaf_words)
