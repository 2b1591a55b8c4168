"""Trees as arrays to distinct subexpressions as arrays, level by level, without a loop over nodes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.language.prefix_trees import PrefixTrees, stable_order

Array = NDArray[Any]
_LARGEST = 2**63 - 1


class Interned(NamedTuple):
    """The distinct subexpressions of trees, by height and then by where they first occur.

    Attributes
    ----------
    first : numpy.ndarray
        (distinct,) the node of the trees at which each occurs first.
    node : numpy.ndarray
        (nodes,) the distinct subexpression at each node of the trees.
    """

    first: Array
    node: Array


def intern(trees: PrefixTrees) -> Interned:
    """The distinct subexpressions of some trees.

    Examples
    --------
    >>> found = intern(PrefixTrees.of([("Equality", "sin", "x", "sin", "x")]))
    >>> found.first.tolist(), found.node.tolist()
    ([0, 1], [0, 1, 0, 1])
    """
    count, height = len(trees.word), trees.height
    node = np.full(count + 1, -1, dtype=np.int64)  # a missing child, -1, is found there too
    if not count:
        return Interned(node[:0], node[:0])
    order = stable_order(height)
    edges = np.searchsorted(height[order], np.arange(height.max() + 2)).tolist()
    firsts, known = [], 0
    for start, end in pairwise(edges):
        level = order[start:end]
        word = trees.word[level].astype(np.int64)
        keys = word if start == 0 else _pair_keys(word, node[trees.children[level]] + 1, known + 1, len(trees.words))
        first, which = distinct(keys)
        node[level] = known + which
        firsts.append(level[first])
        known += len(first)
    return Interned(np.concatenate(firsts), node[:-1])


def _pair_keys(word: Array, below: Array, bound: int, words: int) -> Array:
    """One number for each word and pair of children; the children are counted from 0 up to a bound."""
    if words * bound * bound <= _LARGEST:
        return (word * bound + below[:, 0]) * bound + below[:, 1]
    _, pair = np.unique(below[:, 0] * bound + below[:, 1], return_inverse=True)
    return word * len(pair) + pair.reshape(-1)


def distinct(keys: Array) -> tuple[Array, Array]:
    """Where each distinct key stands first, in the order of these places, and for every key which of them is its own.

    Examples
    --------
    >>> first, which = distinct(np.array([7, 3, 7, 5]))
    >>> first.tolist(), which.tolist()
    ([0, 1, 3], [0, 1, 0, 2])
    """
    if not len(keys):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    ordered, order = _sorted(keys)
    new = np.empty(len(keys), dtype=bool)
    new[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    first = order[new]
    rank = np.empty(len(first), dtype=np.int64)
    by_place = np.argsort(first)
    rank[by_place] = np.arange(len(first))
    which = np.empty(len(keys), dtype=np.int64)
    which[order] = rank[np.cumsum(new) - 1]
    return first[by_place], which


def _sorted(keys: Array) -> tuple[Array, Array]:
    """The keys in order, equal ones as they stand, and where they stood."""
    bits = len(keys).bit_length()
    if keys.min() < 0 or int(keys.max()) >> (63 - bits):
        order = np.argsort(keys, kind="stable")
        return keys[order], order
    # A key and its place as one number: plain numbers are sorted several times as fast as places by their keys.
    both = np.sort((keys << bits) | np.arange(len(keys)))
    return both >> bits, both & ((1 << bits) - 1)
