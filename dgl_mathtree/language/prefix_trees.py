"""Many equations as arrays of their words, one node for every occurrence: what is renamed, and interned into a forest.

The words of each equation stand in reversed prefix order, so that children come before their parents: the left child of
a node is just before it, and the right child is the last node before it at which as many trees are open.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress, count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.language.vocabulary import ARITY, OPERATOR_NAMES

Array = NDArray[Any]
OPERATOR_IDS = {name: k for k, name in enumerate(OPERATOR_NAMES)}
_OPERATOR_ARITY = np.array([ARITY[name] for name in OPERATOR_NAMES], dtype=np.int8)


@dataclass(frozen=True, eq=False)
class PrefixTrees:
    """The words of equations, side by side.

    Attributes
    ----------
    words : tuple of str
        The words that may occur, operators first (all of them, in the vocabulary's order).
    word : numpy.ndarray
        (nodes,) index of each node's word in `words`: equation after equation, each in reversed prefix order (the right
        side, then the left one).
    offsets : numpy.ndarray
        (equations + 1,) where each equation starts.
    parts : int
        The trees of each equation: 2, or 1 where it is an expression that is both sides.

    Examples
    --------
    >>> trees = PrefixTrees.of([("Equality", "sin", "x", "Pow", "x", "2")])
    >>> [trees.words[k] for k in trees.word]
    ['2', 'x', 'Pow', 'x', 'sin']
    >>> trees.children.tolist(), trees.sides.tolist()
    ([[-1, -1], [-1, -1], [1, 0], [-1, -1], [3, -1]], [[4, 2]])
    """

    words: tuple[str, ...]
    word: Array
    offsets: Array
    parts: int = 2

    @classmethod
    def of(cls, equations: Iterable[Sequence[str]]) -> PrefixTrees:
        """The trees of equations given by their words in prefix order, ``Equality`` first."""
        return cls._of([words[:0:-1] for words in equations], parts=2)

    @classmethod
    def of_expressions(cls, expressions: Iterable[Sequence[str]]) -> PrefixTrees:
        """The trees of expressions given by their words in prefix order, each equal to itself.

        Examples
        --------
        >>> PrefixTrees.of_expressions([("sin", "x"), ("y",)]).sides.tolist()
        [[1, 1], [2, 2]]
        """
        return cls._of([words[::-1] for words in expressions], parts=1)

    @classmethod
    def _of(cls, reversed_words: Sequence[Sequence[str]], parts: int) -> PrefixTrees:
        ids: defaultdict[str, int] = defaultdict(count(len(OPERATOR_IDS)).__next__, OPERATOR_IDS)
        offsets = np.zeros(len(reversed_words) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, reversed_words), np.int64, len(reversed_words)), out=offsets[1:])
        found = map(ids.__getitem__, chain.from_iterable(reversed_words))
        word = np.fromiter(found, np.int32, int(offsets[-1]))
        return cls(tuple(ids), word, offsets, parts)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def equation(self) -> Array:
        """(nodes,) the equation that each node is in."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    @cached_property
    def arity(self) -> Array:
        """(nodes,) the number of children of each node."""
        table = np.zeros(len(self.words), dtype=np.int8)
        table[: len(_OPERATOR_ARITY)] = _OPERATOR_ARITY
        return table[self.word]

    @cached_property
    def _open(self) -> Array:
        """(nodes,) how many trees of its equation are complete, and not part of another, after each node."""
        total: Array = np.cumsum(1 - self.arity.astype(np.int64))
        return np.asarray(total - self.parts * self.equation)  # what the equations before have left

    @cached_property
    def children(self) -> Array:
        """(nodes, 2) the children of each node, -1 where there is none."""
        arity = self.arity
        children = np.full((len(arity), 2), -1, dtype=np.int64)
        above = np.flatnonzero(arity)
        children[above, 0] = above - 1
        # Among the nodes after which as many trees are open, the right child is the one before.
        order = stable_order(self._open)
        both = np.flatnonzero(arity[order] == 2)
        children[order[both], 1] = order[both - 1]
        return children

    @cached_property
    def sides(self) -> Array:
        """(equations, 2) the roots of the left and of the right side."""
        if self.parts == 1:
            return np.stack([self.offsets[1:] - 1] * 2, axis=1)
        first = np.flatnonzero(self._open == 1)
        right = first[np.searchsorted(first, self.offsets[1:]) - 1] if len(first) else np.zeros(0, dtype=np.int64)
        return np.stack([self.offsets[1:] - 1, right], axis=1)

    @cached_property
    def height(self) -> Array:
        """(nodes,) the depth of the subexpression at each node."""
        levels, level = [], np.unique(self.sides)
        right = np.ascontiguousarray(self.children[:, 1])
        while len(level := level[self.arity[level] > 0]):
            other = right[level]
            levels.append((level, other))
            level = np.concatenate([level - 1, other[other >= 0]])  # the left child stands just before
        height = np.zeros(len(self.word) + 1, dtype=np.int32)
        height[-1] = -1  # what a missing child, -1, is found to have
        for level, other in reversed(levels):
            height[level] = np.maximum(height[level - 1], height[other]) + 1
        return height[:-1]

    def take(self, equations: Array) -> PrefixTrees:
        """Some of the equations, given by index."""
        if np.array_equal(equations, np.arange(len(self))):
            return self
        starts, counts = self.offsets[equations], self.offsets[equations + 1] - self.offsets[equations]
        offsets = np.concatenate([[0], np.cumsum(counts)])
        node = np.repeat(starts - offsets[:-1], counts) + np.arange(offsets[-1])
        return PrefixTrees(self.words, self.word[node], offsets, self.parts)

    def trimmed(self) -> PrefixTrees:
        """The same trees with no words but those that occur, and the operators."""
        used = np.bincount(self.word, minlength=len(self.words)) > 0
        used[: len(OPERATOR_IDS)] = True
        words = tuple(compress(self.words, used.tolist()))
        return self.with_words(words, (np.cumsum(used, dtype=np.int32) - 1)[self.word])

    def with_words(self, words: tuple[str, ...], word: Array) -> PrefixTrees:
        """The same trees in other words, of which leaves stay leaves and operators what they are."""
        changed = PrefixTrees(words, word, self.offsets, self.parts)
        for name in ("equation", "arity", "_open", "children", "sides", "height"):
            if name in self.__dict__:
                changed.__dict__[name] = self.__dict__[name]
        return changed


def stable_order(keys: Array) -> Array:
    """The order of whole numbers, equal ones as they stand: those that fit into 16 bits are sorted by their digits."""
    if len(keys) and keys.min() >= -(2**15) and keys.max() < 2**15:
        keys = keys.astype(np.int16)
    return np.argsort(keys, kind="stable")
