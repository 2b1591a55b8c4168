"""Many expressions as one set of arrays, in which every distinct subexpression stands once.

A forest is built once and then only read. Its nodes are ordered by height, so children come before their parents and
the nodes of one height are neighbours: evaluating, batching and slicing are passes over arrays.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.expressions.tree import Equation, Expr, Words
from dgl_mathtree.expressions.vocabulary import ARITY, EQUALITY, OPERATORS

Ints = NDArray[np.int32]

_OPERATOR_IDS = {name: k for k, name in enumerate(OPERATORS)}


class ForestBuilder:
    """Interns expressions and equations one by one; `build` turns what was added into a `Forest`."""

    def __init__(self) -> None:
        self._words = dict(_OPERATOR_IDS)
        self._nodes: dict[Any, int] = {}
        self._rows = array("i")  # word, left, right, height of each node
        self._equations = array("i")
        self._members = array("i")
        self._ends = array("q", [0])

    def _intern(self, words: Words) -> tuple[list[int], list[int]]:
        """The nodes of the trees that the words spell side by side, the last tree first; and all nodes below them."""
        nodes, rows = self._nodes, self._rows
        stack: list[int] = []
        below: list[int] = []
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
                node = nodes[key] = len(nodes)
                rows.extend(self._row(word, key if arity else ()))
            stack.append(node)
            below.append(node)
        return stack, below

    def _row(self, word: str, key: tuple[Any, ...]) -> tuple[int, int, int, int]:
        word_id = self._words.setdefault(word, len(self._words))
        if not key:
            return word_id, -1, -1, 0
        left = key[1]
        right = key[2] if len(key) == 3 else -1
        height = self._rows[4 * left + 3]
        if right >= 0:
            height = max(height, self._rows[4 * right + 3])
        return word_id, left, right, height + 1

    def add(self, equation: Equation) -> None:
        (right, left), below = self._intern(equation.words[1:])
        self._equations.extend((left, right))
        self._members.extend(set(below))
        self._ends.append(len(self._members))

    def add_expression(self, expression: Expr) -> None:
        """Add an expression that is no side of an equation."""
        self._intern(expression.words)

    def build(self) -> Forest:
        rows = np.array(self._rows, dtype=np.int32).reshape(-1, 4)
        return Forest.from_nodes(
            words=tuple(self._words),
            word=rows[:, 0],
            children=rows[:, 1:3],
            height=rows[:, 3],
            equations=np.array(self._equations, dtype=np.int32).reshape(-1, 2),
            offsets=np.array(self._ends, dtype=np.int64),
            members=np.array(self._members, dtype=np.int32),
        )


@dataclass(frozen=True, eq=False)
class Forest:
    """Distinct subexpressions as arrays, and equations as pairs of them.

    Attributes
    ----------
    words : tuple of str
        The words that occur, operators first (all of them, in the vocabulary's order).
    word : numpy.ndarray
        (nodes,) index of each node's word in `words`.
    children : numpy.ndarray
        (nodes, 2) ids of the children, -1 where there is none.
    height : numpy.ndarray
        (nodes,) depth of the subexpression; ids are ordered by it.
    equations : numpy.ndarray
        (equations, 2) ids of the left and right sides.
    offsets : numpy.ndarray
        (equations + 1,) where each equation's nodes start in `members`.
    members : numpy.ndarray
        The ids of every equation's distinct subexpressions, equation after equation.

    Examples
    --------
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
    offsets: NDArray[np.int64]
    members: Ints

    @classmethod
    def of(cls, equations: Iterable[Equation]) -> Forest:
        """The forest of some equations, in their order."""
        builder = ForestBuilder()
        for equation in equations:
            builder.add(equation)
        return builder.build()

    @classmethod
    def from_nodes(
        cls,
        words: tuple[str, ...],
        word: NDArray[Any],
        children: NDArray[Any],
        height: NDArray[Any],
        equations: NDArray[Any],
        offsets: NDArray[np.int64],
        members: NDArray[Any],
    ) -> Forest:
        """A forest from nodes in any order, numbered as they stand; they are sorted by height.

        Parameters
        ----------
        words : tuple of str
            The words that occur, operators first.
        word : numpy.ndarray
            (nodes,) index of each node's word.
        children : numpy.ndarray
            (nodes, 2) the children's numbers, -1 where there is none.
        height : numpy.ndarray
            (nodes,) depth of the subexpression.
        equations : numpy.ndarray
            (equations, 2) the numbers of the left and right sides.
        offsets : numpy.ndarray
            (equations + 1,) where each equation's nodes start in `members`.
        members : numpy.ndarray
            The numbers of every equation's distinct subexpressions, equation after equation.

        Examples
        --------
        >>> from dgl_mathtree.expressions.vocabulary import OPERATOR_NAMES
        >>> words = (*OPERATOR_NAMES, "x")
        >>> sine, x = words.index("sin"), words.index("x")
        >>> arrays = [[sine, x], [[1, -1], [-1, -1]], [1, 0], [[0, 1]], [0, 2], [0, 1]]
        >>> str(Forest.from_nodes(words, *map(np.array, arrays)).equation(0))
        'sin(x) = x'
        """
        order = np.argsort(height, kind="stable")
        rank = np.empty(len(order) + 1, dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        rank[-1] = -1  # what a missing child, -1, is mapped to
        return cls(
            words=words,
            word=word[order].astype(np.int32),
            children=rank[children[order]],
            height=height[order].astype(np.int32),
            equations=rank[equations],
            offsets=offsets,
            members=rank[members],
        )

    def __len__(self) -> int:
        return len(self.word)

    @property
    def is_operator(self) -> NDArray[np.bool_]:
        """(nodes,) whether a node is an operator."""
        return np.asarray(self.word < len(OPERATORS))

    def take(self, equations: Sequence[int] | NDArray[Any]) -> Forest:
        """The forest of some of the equations, given by index or by a mask: what a batch is made of."""
        return self.take_with_nodes(equations)[0]

    def take_with_nodes(self, equations: Sequence[int] | NDArray[Any]) -> tuple[Forest, Ints]:
        """`take`, and for each of its nodes the id that it has here."""
        chosen = np.asarray(equations, dtype=None if len(equations) else np.int64)
        if chosen.dtype == np.bool_:
            chosen = np.flatnonzero(chosen)
        elif len(chosen) and (chosen.min() < 0 or chosen.max() >= len(self.equations)):
            chosen = np.arange(len(self.equations))[chosen]  # counts from the end, or is an error
        members = self.members_of(chosen)
        ends = np.cumsum(self.offsets[chosen + 1] - self.offsets[chosen])
        nodes = np.unique(members)
        local = np.searchsorted(nodes, np.concatenate([self.children[nodes].reshape(-1), members])).astype(np.int32)
        below, places = local[: 2 * len(nodes)].reshape(-1, 2), local[2 * len(nodes) :]
        part = Forest(
            words=self.words,
            word=self.word[nodes],
            children=np.where(self.children[nodes] >= 0, below, np.int32(-1)),
            height=self.height[nodes],
            equations=np.searchsorted(nodes, self.equations[chosen]).astype(np.int32),
            offsets=np.concatenate([[0], ends]),
            members=places,
        )
        return part, nodes

    def members_of(self, equations: NDArray[Any]) -> Ints:
        """The `members` of some equations, given by index, equation after equation."""
        starts, counts = self.offsets[equations], self.offsets[equations + 1] - self.offsets[equations]
        ends = np.cumsum(counts)
        return np.asarray(self.members[np.repeat(starts - ends + counts, counts) + np.arange(counts.sum())])

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
