"""Many expressions as one set of arrays, in which every distinct subexpression stands once.

A forest is built once and then only read. Its nodes are ordered by height, so children come before their parents and
the nodes of one height are neighbours: evaluating, batching and slicing are passes over arrays.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dgl_mathtree.expressions.tree import Equation, Expr, Words
from dgl_mathtree.expressions.vocabulary import ARITY, EQUALITY, OPERATORS

Ints = NDArray[np.int32]

_OPERATOR_IDS = {name: k for k, name in enumerate(OPERATORS)}


class ForestBuilder:
    """Interns expressions and equations one by one; `build` turns what was added into a `Forest`."""

    def __init__(self) -> None:
        self._words = dict(_OPERATOR_IDS)
        self._nodes: dict[Any, int] = {}
        self._rows: list[tuple[int, int, int, int]] = []  # word, left, right, height
        self._equations: list[tuple[int, int]] = []

    def _intern(self, words: Words) -> list[int]:
        """The nodes of the trees that the words spell side by side, the last tree first."""
        nodes, rows = self._nodes, self._rows
        stack: list[int] = []
        arity_of = ARITY.get
        for word in reversed(words):
            arity = arity_of(word, 0)
            key: Any
            if arity == 0:
                key = word
            elif arity == 2:
                key = (word, stack.pop(), stack.pop())
            else:
                key = (word, stack.pop())
            node = nodes.get(key)
            if node is None:
                node = nodes[key] = len(rows)
                rows.append(self._row(word, key if arity else ()))
            stack.append(node)
        return stack

    def _row(self, word: str, key: tuple[Any, ...]) -> tuple[int, int, int, int]:
        word_id = self._words.setdefault(word, len(self._words))
        if not key:
            return word_id, -1, -1, 0
        left = key[1]
        right = key[2] if len(key) == 3 else -1
        height = self._rows[left][3]
        if right >= 0:
            height = max(height, self._rows[right][3])
        return word_id, left, right, height + 1

    def add(self, equation: Equation) -> None:
        right, left = self._intern(equation.words[1:])
        self._equations.append((left, right))

    def add_expression(self, expression: Expr) -> None:
        """Add an expression that is no side of an equation."""
        self._intern(expression.words)

    def build(self) -> Forest:
        rows = np.array(self._rows, dtype=np.int32).reshape(-1, 4)
        order = np.argsort(rows[:, 3], kind="stable")
        rank = np.empty(len(order) + 1, dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        rank[-1] = -1  # what a missing child, -1, is mapped to
        rows = rows[order]
        equations = np.array(self._equations, dtype=np.int32).reshape(-1, 2)
        return Forest(tuple(self._words), rows[:, 0].copy(), rank[rows[:, 1:3]], rows[:, 3].copy(), rank[equations])


@dataclass(frozen=True, eq=False)
class Forest:
    """Distinct subexpressions as arrays, and equations as pairs of them.

    Attributes:
        words: the words that occur, operators first (all of them, in the vocabulary's order).
        word: (nodes,) index of each node's word in `words`.
        children: (nodes, 2) ids of the children, -1 where there is none.
        height: (nodes,) depth of the subexpression; ids are ordered by it.
        equations: (equations, 2) ids of the left and right sides.

    Example:
        >>> from dgl_mathtree.expressions import parse_equation
        >>> forest = Forest.of([parse_equation("sin(x) + sin(x) = 2*sin(x)")])
        >>> [str(forest.expression(node)) for node in range(len(forest))]
        ['x', '2', 'sin(x)', '2*sin(x)', 'sin(x) + sin(x)']
    """

    words: tuple[str, ...]
    word: Ints
    children: Ints
    height: Ints
    equations: Ints

    @classmethod
    def of(cls, equations: Iterable[Equation]) -> Forest:
        """The forest of some equations, in their order."""
        builder = ForestBuilder()
        for equation in equations:
            builder.add(equation)
        return builder.build()

    def __len__(self) -> int:
        return len(self.word)

    @property
    def is_operator(self) -> NDArray[np.bool_]:
        """(nodes,) whether a node is an operator."""
        return np.asarray(self.word < len(OPERATORS))

    @cached_property
    def _members(self) -> tuple[NDArray[np.int64], Ints]:
        """For every equation the ids of its distinct subexpressions, ascending: offsets and values."""
        count = max(len(self), 1)
        owner = np.repeat(np.arange(len(self.equations), dtype=np.int64), 2)
        level = np.unique(owner * count + self.equations.reshape(-1))
        levels = []
        while len(level):
            levels.append(level)
            owner, node = np.divmod(level, count)
            below = self.children[node]
            present = below >= 0
            level = np.unique(np.repeat(owner, 2)[present.reshape(-1)] * count + below[present])
        pairs = np.unique(np.concatenate(levels)) if levels else np.zeros(0, dtype=np.int64)
        owner, node = np.divmod(pairs, count)
        offsets = np.searchsorted(owner, np.arange(len(self.equations) + 1))
        return offsets, node.astype(np.int32)

    def take(self, equations: ArrayLike) -> Forest:
        """The forest of some of the equations, given by index: what a batch is made of."""
        chosen = np.asarray(equations, dtype=np.int64).reshape(-1)
        offsets, values = self._members
        starts, counts = offsets[chosen], offsets[chosen + 1] - offsets[chosen]
        shift = np.repeat(starts - np.cumsum(counts) + counts, counts)
        nodes = np.unique(values[shift + np.arange(len(shift))])
        below = self.children[nodes]
        children = np.where(below >= 0, np.searchsorted(nodes, below), -1).astype(np.int32)
        sides = np.searchsorted(nodes, self.equations[chosen]).astype(np.int32)
        return Forest(self.words, self.word[nodes], children, self.height[nodes], sides)

    def expression(self, node: int) -> Expr:
        """The expression that a node stands for."""
        return Expr._trusted(self._spell(int(node)))

    def equation(self, index: int) -> Equation:
        """The equation at an index."""
        left, right = self.equations[index]
        return Equation._trusted((EQUALITY, *self._spell(int(left)), *self._spell(int(right))))

    def _spell(self, node: int) -> Words:
        spelled, stack = [], [node]
        while stack:
            node = stack.pop()
            spelled.append(self.words[self.word[node]])
            left, right = self.children[node]
            if right >= 0:
                stack.append(int(right))
            if left >= 0:
                stack.append(int(left))
        return tuple(spelled)
