"""Variables by their place: the first to appear in an equation, the second, and so on, whatever they are called."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.language.expr import Equation
from dgl_mathtree.language.forest import Forest, Ints
from dgl_mathtree.language.vocabulary import ARITY, is_variable

Names = tuple[str, ...]


def place_word(place: int) -> str:
    """The word of a place."""
    return f"x_{place}"


@dataclass(frozen=True)
class Placed:
    """Equations whose variables were renamed by place.

    Parameters
    ----------
    forest : Forest
        The equations, with the variables x_0, x_1, ... in the order in which they appear in each.
    names : list of tuple of str
        What the variables of each equation were called.
    """

    forest: Forest
    names: list[Names]

    def take(self, equations: NDArray[Any]) -> Placed:
        """Some of the equations."""
        return Placed(self.forest.take(equations), [self.names[k] for k in equations.tolist()])


def place(equations: Iterable[Equation]) -> Placed:
    """Equations with their variables by place."""
    variable: dict[str, bool] = dict.fromkeys(ARITY, False)
    renamings: dict[Names, dict[str, str]] = {}
    renamed, names = [], []
    for equation in equations:
        words = equation.words
        found = []
        for word in dict.fromkeys(words):
            if word not in variable:
                variable[word] = is_variable(word)
            if variable[word]:
                found.append(word)
        order = tuple(found)
        mapping = renamings.get(order)
        if mapping is None:
            mapping = renamings[order] = {name: place_word(k) for k, name in enumerate(order)}
        renamed.append(Equation._trusted(tuple(map(mapping.get, words, words))))
        names.append(order)
    return Placed(Forest.of(renamed), names)


def place_forest(forest: Forest) -> Placed:
    """A forest's equations with their variables by place.

    Equations with the same order of variables keep sharing their subexpressions; those with different ones do not.
    """
    orders, order_of = _orders(forest)
    left, right = order_of[forest.equations].T
    pairs, which = np.unique(np.stack([left, right], axis=1), axis=0, return_inverse=True)
    merged = [_merged(orders[a], orders[b]) for a, b in pairs.tolist()]
    words = (*forest.words, *(place_word(k) for k in range(max(map(len, merged), default=0))))
    ids = {word: k for k, word in enumerate(forest.words)}
    parts, starts, base = [], [], 0
    which = which.reshape(-1)
    for k, order in enumerate(merged):
        chosen = np.flatnonzero(which == k)
        part, nodes = forest.take_with_nodes(chosen)
        renaming = np.arange(len(forest.words), dtype=np.int32)
        renaming[[ids[name] for name in order]] = np.arange(len(order)) + len(forest.words)
        parts.append((chosen, part, renaming[part.word]))
        starts.append(base)
        base += len(nodes)
    names = [merged[k] for k in which.tolist()]
    return Placed(_joined(words, parts, starts), names)


def _orders(forest: Forest) -> tuple[list[Names], Ints]:
    """The orders in which variables appear in subexpressions, and the index of each node's among them."""
    orders: list[Names] = [()]
    index: dict[Names, int] = {(): 0}
    own = np.zeros(len(forest.words), dtype=np.int32)
    for k, word in enumerate(forest.words):
        if word not in ARITY and is_variable(word):
            own[k] = index.setdefault((word,), len(orders))
            orders.append((word,))
    found = np.zeros(len(forest) + 1, dtype=np.int32)  # a missing child, -1, has no variables
    for start, end in forest.level_bounds():
        if start == 0:
            found[:end] = own[forest.word[:end]]
            continue
        pairs, which = np.unique(found[forest.children[start:end]], axis=0, return_inverse=True)
        results = []
        for a, b in pairs.tolist():
            both = _merged(orders[a], orders[b])
            if both not in index:
                index[both] = len(orders)
                orders.append(both)
            results.append(index[both])
        found[start:end] = np.array(results, dtype=np.int32)[which.reshape(-1)]
    return orders, found[:-1]


def _merged(first: Names, second: Names) -> Names:
    return tuple(dict.fromkeys((*first, *second)))


def _joined(words: Names, parts: list[tuple[NDArray[Any], Forest, Ints]], starts: list[int]) -> Forest:
    """Forests side by side as one, their equations back in the order that they had."""
    if not parts:
        return Forest.of([])
    word = np.concatenate([renamed for _, _, renamed in parts]).astype(np.int32)
    height = np.concatenate([part.height for _, part, _ in parts])
    children = np.concatenate(
        [np.where(part.children >= 0, part.children + at, -1) for (_, part, _), at in zip(parts, starts, strict=True)]
    )
    order = np.argsort(height, kind="stable")
    rank = np.full(len(order) + 1, -1, dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    chosen = np.concatenate([some for some, _, _ in parts])
    back = np.argsort(chosen)
    equations = np.concatenate([part.equations + at for (_, part, _), at in zip(parts, starts, strict=True)])
    counts = np.concatenate([np.diff(part.offsets) for _, part, _ in parts])
    members = np.concatenate([part.members + at for (_, part, _), at in zip(parts, starts, strict=True)])
    begins = np.concatenate([[0], np.cumsum(counts)])[:-1][back]
    counts = counts[back]
    ends = np.cumsum(counts)
    members = members[np.repeat(begins - ends + counts, counts) + np.arange(counts.sum())]
    return Forest(
        words=words,
        word=word[order],
        children=rank[children[order]],
        height=height[order],
        equations=rank[equations[back]],
        offsets=np.concatenate([[0], ends]).astype(np.int64),
        members=rank[members],
    )
