"""Many expressions as one set of arrays, in which every distinct subexpression stands once.

A forest is built once and then only read. Its nodes are ordered by height, so children come before their parents and
the nodes of one height are neighbours: evaluating, batching and slicing are passes over arrays.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.language.expr import Equation, Expr, Words
from dgl_mathtree.language.interning import distinct_nodes, intern, ranges
from dgl_mathtree.language.prefix_trees import OPERATOR_IDS, PrefixTrees
from dgl_mathtree.language.vocabulary import ARITY, EQUALITY, OPERATORS

Ints = NDArray[np.int32]


class ForestBuilder:
    """Interns expressions and equations one by one; `build` turns what was added into a `Forest`."""

    def __init__(self) -> None:
        self._words = dict(OPERATOR_IDS)
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
    >>> from dgl_mathtree.language import parse_equation
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
        >>> from dgl_mathtree.language.vocabulary import OPERATOR_NAMES
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

    @classmethod
    def of_expressions(cls, expressions: Iterable[Expr]) -> Forest:
        """The forest of some expressions, each an equation with itself.

        Examples
        --------
        >>> str(Forest.of_expressions([Expr(["sin", "x"])]).equation(0))
        'sin(x) = sin(x)'
        """
        return cls.of_trees(PrefixTrees.of_expressions(expression.words for expression in expressions))

    @classmethod
    def of_trees(cls, trees: PrefixTrees) -> Forest:
        """The forest of equations given as arrays: that of `of`, but for words that the trees only might have.

        Examples
        --------
        >>> trees = PrefixTrees.of([("Equality", "sin", "x", "sin", "x")])
        >>> str(Forest.of_trees(trees).equation(0))
        'sin(x) = sin(x)'
        """
        first, node = intern(trees)
        pairs = np.sort(trees.equation * len(first) + node)
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # each equation's nodes, each once
        owner = pairs // max(len(first), 1)
        below = trees.children[first]
        return cls(
            words=trees.words,
            word=trees.word[first].astype(np.int32),
            children=np.where(below >= 0, node[below], -1).astype(np.int32),
            height=trees.height[first].astype(np.int32),
            equations=node[trees.sides].astype(np.int32),
            offsets=np.searchsorted(owner, np.arange(len(trees) + 1)),
            members=(pairs - owner * len(first)).astype(np.int32),
        )

    def trees(self, equations: Sequence[int] | NDArray[Any]) -> PrefixTrees:
        """Some of the equations, given by index, with a node for every occurrence of a subexpression.

        Examples
        --------
        >>> forest = Forest.of_trees(PrefixTrees.of([("Equality", "sin", "x", "sin", "x")]))
        >>> len(forest), len(forest.trees([0]).word)
        (2, 4)
        """
        sides = self.equations[np.asarray(equations, dtype=np.int64)]
        sizes = self.sizes[sides]
        offsets = np.concatenate([[0], np.cumsum(sizes.sum(axis=1))])
        node = np.empty(offsets[-1], dtype=np.int32)
        # A tree takes the places up to that of its root: first what is below on the right, then what is on the left.
        level = sides.reshape(-1)
        place = np.stack([offsets[1:], offsets[:-1] + sizes[:, 1]], axis=1).reshape(-1) - 1
        while len(level):
            node[place] = level
            left, right = self.children[level].T
            second = place - 1 - self.sizes[left]
            place = np.concatenate([place[left >= 0] - 1, second[right >= 0]])
            level = np.concatenate([left[left >= 0], right[right >= 0]])
        return PrefixTrees(self.words, self.word[node], offsets)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """(nodes,) the number of nodes of each subexpression as a tree."""
        found = np.zeros(len(self) + 1, dtype=np.int64)  # a missing child, -1, has none
        for start, end in self.levels():
            found[start:end] = 1 + found[self.children[start:end]].sum(axis=1)
        return found[:-1]

    def levels(self) -> Iterator[tuple[int, int]]:
        """Where the nodes of each height start and end, from the leaves up."""
        if len(self):
            edges = np.searchsorted(self.height, np.arange(self.height[-1] + 2)).tolist()
            yield from pairwise(edges)

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
        chosen = self._indices(equations)
        members = self.members_of(chosen)
        ends = np.cumsum(self.offsets[chosen + 1] - self.offsets[chosen])
        nodes, local = distinct_nodes(members, len(self))
        part = Forest(
            words=self.words,
            word=self.word.take(nodes),
            children=local(self.children.take(nodes, axis=0)),
            height=self.height.take(nodes),
            equations=local(self.equations.take(chosen, axis=0)),
            offsets=np.concatenate([[0], ends]),
            members=local(members),
        )
        return part, nodes

    def cut(self, equations: Sequence[int] | NDArray[Any]) -> tuple[Ints, Ints, Ints]:
        """What a graph of some equations needs of `take_with_nodes`, in less time.

        Returns
        -------
        nodes : numpy.ndarray
            (nodes,) their ids here.
        children : numpy.ndarray
            (nodes, 2) their children among them, -1 where there is none.
        sides : numpy.ndarray
            (equations, 2) the left and right sides among them.
        """
        chosen = self._indices(equations)
        nodes, local = distinct_nodes(self.members_of(chosen), len(self))
        return nodes, local(self.children.take(nodes, axis=0)), local(self.equations.take(chosen, axis=0))

    def _indices(self, equations: Sequence[int] | NDArray[Any]) -> NDArray[Any]:
        """Equations that are given by index or by a mask as indices from 0 on."""
        chosen = np.asarray(equations, dtype=None if len(equations) else np.int64)
        if chosen.dtype == np.bool_:
            return np.flatnonzero(chosen)
        if len(chosen) and (chosen.min() < 0 or chosen.max() >= len(self.equations)):
            chosen = np.arange(len(self.equations))[chosen]  # counts from the end, or is an error
        return chosen

    def members_of(self, equations: NDArray[Any]) -> Ints:
        """The `members` of some equations, given by index, equation after equation."""
        return np.asarray(self.members[ranges(self.offsets, equations)])

    def level_bounds(self) -> Iterator[tuple[int, int]]:
        """Where the nodes of each height start and end, from the leaves up."""
        if len(self):
            yield from pairwise(np.searchsorted(self.height, np.arange(self.height[-1] + 2)).tolist())

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
