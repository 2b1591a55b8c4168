"""Labelled trees of any kind as a DGL data set."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch
from dgl.data import DGLDataset
from numpy.typing import NDArray

from dgl_mathtree.data.data_files import DataError
from dgl_mathtree.graphs import TreeArrays, TreeBatch, read_trees

Ints = NDArray[Any]


class TreeDataset(DGLDataset):  # type: ignore[misc]
    r"""Trees, or pairs of trees, with a label each.

    Its items are graphs, so that `dgl.dataloading.GraphDataLoader` takes it. `batch` makes batches several times as
    fast: trees are read once, identical subtrees are found once, and a batch is cut from arrays.

    Parameters
    ----------
    trees : sequence
        The trees, in any form that `dgl_mathtree.graphs.batch_trees` takes.
    labels : sequence
        (items,) a class, a whole number from 0; or a number to be predicted; or (items, outputs) such numbers.
    others : sequence, optional
        The second trees, for items that are pairs.
    operators, vocabulary, typed
        See `dgl_mathtree.graphs.batch_trees`.
    groups : sequence of int, optional
        (items,) a number for each item, such as its length: results are given for each of them, too.

    Attributes
    ----------
    trees : TreeArrays
        All trees; those of a pair follow each other.
    labels : torch.Tensor
        (items,) of int64 or float32, or (items, outputs) of float32.
    groups : numpy.ndarray or None
        (items,)
    per_item : int
        1, or 2 for pairs.

    Examples
    --------
    >>> data = TreeDataset([(0, 1, 2), (1, 2), 3], labels=[1, 0, 0])
    >>> graph, label = data[0]
    >>> graph.num_nodes(), sorted(graph.ndata), label.item()
    (3, ['op', 'symbol'], 1)
    >>> data.batch([2, 0]).num_nodes()
    4
    """

    def __init__(
        self,
        trees: Any,
        labels: Any,
        others: Any = None,
        *,
        operators: Sequence[str] | None = None,
        vocabulary: Sequence[str] | None = None,
        typed: bool = True,
        groups: Any = None,
    ) -> None:
        self.per_item = 1 if others is None else 2
        if others is not None:
            trees, others = list(trees), list(others)
            if len(trees) != len(others):
                raise DataError(f"there are {len(trees)} first trees and {len(others)} second ones")
            trees = [tree for pair in zip(trees, others, strict=True) for tree in pair]
        self._take(read_trees(trees, operators, vocabulary, typed=typed), labels, groups)
        # DGL wants a place for files, of which there are none.
        super().__init__(name="trees", raw_dir=".", verbose=False)

    def _take(self, trees: TreeArrays, labels: Any, groups: Any) -> None:
        self.trees = trees
        if trees.feat is not None and not bool(torch.isfinite(trees.feat).all()):
            raise DataError("the feature vectors of leaves must be finite: there are infinities or NaN among them")
        self.labels = _labels(labels)
        self.groups = None if groups is None else np.asarray(groups)
        for name, found in (("labels", self.labels), ("groups", self.groups)):
            if found is not None and len(found) * self.per_item != len(trees):
                raise DataError(f"there are {len(found)} {name} for {len(trees) // self.per_item} items")
        if self.groups is not None and (self.groups.ndim != 1 or self.groups.dtype.kind not in "iu"):
            raise DataError("groups must be one whole number for each item")

    @classmethod
    def pairs(cls, trees: Any, labels: Any, **names: Any) -> TreeDataset:
        """A data set of pairs from `trees`, a sequence of (first, second)."""
        firsts, seconds = zip(*trees, strict=True) if trees else ((), ())
        return cls(firsts, labels, seconds, **names)

    def _download(self) -> None:
        """Nothing: DGL would make its folder here."""

    def process(self) -> None:
        """Nothing: the trees are given."""

    def has_cache(self) -> bool:
        return False

    @cached_property
    def shared(self) -> TreeArrays:
        """The trees with one node for all identical subtrees."""
        return self.trees.shared()

    def batch(self, items: Sequence[int] | Ints, share: bool = True) -> TreeBatch:
        """A batch of some items, given by index.

        Parameters
        ----------
        items : sequence of int
            Which; the trees of a pair follow each other in the batch.
        share : bool
            Identical subtrees become one node; else every tree has nodes of its own.
        """
        return (self.shared if share else self.trees).batch(self._trees_of(items))

    def _trees_of(self, items: Sequence[int] | Ints) -> Ints:
        chosen = _indices(items)
        return (chosen[:, None] * self.per_item + np.arange(self.per_item)).reshape(-1)

    def subset(self, items: Sequence[int] | Ints) -> TreeDataset:
        """A data set of some items, given by index."""
        part = TreeDataset.__new__(TreeDataset)
        part.per_item = self.per_item
        chosen = _indices(items)
        groups = None if self.groups is None else self.groups[chosen]
        part._take(self.trees.take(self._trees_of(chosen))[0], self.labels[torch.from_numpy(chosen)], groups)
        DGLDataset.__init__(part, name="trees", raw_dir=".", verbose=False)
        return part

    @cached_property
    def checksum(self) -> str:
        """SHA-256 of the trees and their labels."""
        found = hashlib.sha256(f"{self.per_item} {self.labels.dtype} {tuple(self.labels.shape)}".encode())
        arrays = [self.trees.node_types, self.trees.word, self.trees.children, self.trees.roots, self.labels.numpy()]
        arrays += [] if self.trees.feat is None else [self.trees.feat.detach().numpy()]
        for array in arrays:
            found.update(f"{array.dtype} {array.shape}".encode() + np.ascontiguousarray(array).tobytes())
        return found.hexdigest()

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        if not -len(self) <= index < len(self):
            raise IndexError(f"there is no item {index}: there are {len(self)}")
        chosen = self._trees_of([int(index) % len(self)])
        return (*(self.trees.batch([tree]).graph for tree in chosen.tolist()), self.labels[index])

    def __len__(self) -> int:
        return len(self.labels)


def _indices(items: Sequence[int] | Ints) -> Ints:
    """Indices of items as an array."""
    found = np.asarray(items)
    if found.size and found.dtype.kind not in "iu":
        raise DataError(f"items are given by index, by whole numbers, not by {found.dtype}")
    return found.astype(np.int64, copy=False).reshape(-1)


def _labels(given: Any) -> torch.Tensor:
    """Labels as a tensor: classes of int64, or numbers of float32."""
    try:
        found = torch.as_tensor(given)
    except (TypeError, ValueError, RuntimeError):
        raise DataError("labels must be numbers: classes from 0 on, or values to be predicted") from None
    if found.dtype.is_complex or found.dim() not in (1, 2) or (found.dim() == 2 and not found.is_floating_point()):
        raise DataError(
            f"labels must be (items,) classes or numbers, or (items, outputs) numbers, not {tuple(found.shape)}"
        )
    if found.is_floating_point():
        if not bool(torch.isfinite(found).all()):
            raise DataError("labels must be finite")
        return found.float()
    if len(found) and int(found.min()) < 0:
        raise DataError(f"classes are counted from 0; there is a label {int(found.min())}")
    return found.long()
