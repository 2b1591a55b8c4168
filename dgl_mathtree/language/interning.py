"""Trees as arrays to distinct subexpressions as arrays, level by level, without a loop over nodes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.language.prefix_trees import PrefixTrees, stable_order

Array = NDArray[Any]
_LARGEST = 2**63 - 1
LARGE = 1 << 20
"""A count of nodes from which on places of few of them are found by a search, not in a table of all."""
DENSE = 10
"""Nodes are found by a table of all nodes where they are more than one in so many of them, else by a search."""


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
    return intern_nodes(trees.word, len(trees.words), trees.children, trees.height)


def intern_nodes(word: Array, words: int, children: Array, height: Array) -> Interned:
    """The distinct subtrees of trees given as arrays.

    Parameters
    ----------
    word : numpy.ndarray
        (nodes,) the number of each node's word.
    words : int
        How many words there are.
    children : numpy.ndarray
        (nodes, child_slots) the children of each node in order, -1 where there is none.
    height : numpy.ndarray
        (nodes,) the height of each node, 0 for leaves.

    Examples
    --------
    >>> below = np.array([[1, 2, 3], [-1, -1, -1], [-1, -1, -1], [-1, -1, -1]])
    >>> intern_nodes(np.array([2, 0, 1, 0]), 3, below, np.array([1, 0, 0, 0])).node.tolist()
    [2, 0, 1, 0]
    """
    node = np.full(len(word) + 1, -1, dtype=np.int64)  # a missing child, -1, is found there too
    if not len(word):
        return Interned(node[:0], node[:0])
    order = stable_order(height)
    edges = np.searchsorted(height[order], np.arange(height.max() + 2)).tolist()
    firsts, known = [], 0
    for start, end in pairwise(edges):
        level = order[start:end]
        own = word[level].astype(np.int64)
        keys = own if start == 0 else _node_keys(own, node[children[level]] + 1, known + 1, words)
        first, which = distinct(keys)
        node[level] = known + which
        firsts.append(level[first])
        known += len(first)
    return Interned(np.concatenate(firsts), node[:-1])


def _node_keys(word: Array, below: Array, bound: int, words: int) -> Array:
    """One number for each word with its children; the children are counted from 0 up to a bound."""
    keys, count = word, words  # keys are below the count
    for column in below.T:
        if count * bound > _LARGEST:
            found, keys = np.unique(keys, return_inverse=True)
            keys, count = keys.reshape(-1), len(found)
        keys, count = keys * bound + column, count * bound
    return keys


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


def ranges(offsets: Array, chosen: Array) -> Array:
    """The numbers from `offsets[k]` up to `offsets[k + 1]` for each k that is chosen, one after the other.

    Examples
    --------
    >>> ranges(np.array([0, 2, 5, 6]), np.array([2, 0])).tolist()
    [5, 0, 1]
    """
    starts, counts = offsets[chosen], offsets[chosen + 1] - offsets[chosen]
    ends = np.cumsum(counts)
    return np.asarray(np.repeat(starts - ends + counts, counts) + np.arange(counts.sum()))


def sorted_distinct(values: Array) -> Array:
    """The distinct values in ascending order: `numpy.unique`, faster for few.

    Examples
    --------
    >>> sorted_distinct(np.array([7, 3, 7, 5])).tolist()
    [3, 5, 7]
    """
    ordered = np.sort(values)
    return np.asarray(ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]])


def distinct_nodes(members: Array, count: int) -> tuple[Array, Callable[[Array], Array]]:
    """The distinct nodes among some of a count, in order; and what gives nodes their places, a missing child -1."""
    few = len(members) < count / DENSE
    if few:
        nodes = sorted_distinct(members)
    else:
        used = np.zeros(count, dtype=bool)
        used[members] = True
        nodes = np.flatnonzero(used).astype(np.int32)
    if few and count > LARGE:  # memory for all would cost more than the search
        return nodes, lambda some: np.where(some < 0, -1, np.searchsorted(nodes, some)).astype(np.int32)
    place = np.empty(count + 1, dtype=np.int32)  # of these nodes only, and at the end of a missing child
    place[nodes] = np.arange(len(nodes), dtype=np.int32)
    place[-1] = -1
    return nodes, place.take
