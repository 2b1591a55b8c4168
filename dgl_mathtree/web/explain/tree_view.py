"""The two trees of an equation, node by node: what it stands for, its value, and the network's state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.inference.nearest import Neighbour
from dgl_mathtree.inference.node_states import prefix_order
from dgl_mathtree.language import Equation, Expr, Forest, infix, mathml
from dgl_mathtree.language.expr import subtree_ends
from dgl_mathtree.language.mathml import LETTERS, MINUS, function_name
from dgl_mathtree.language.vocabulary import ARITY, OPERATORS, is_number
from dgl_mathtree.oracle import evaluate_forest
from dgl_mathtree.oracle.verdict import nearest_float
from dgl_mathtree.web.explain.curves import Point, numbers

WRITTEN = 150
"""Nodes of a subexpression that is written out; a larger one is read off the whole equation."""
DIGITS = 5


@dataclass(frozen=True)
class State:
    """What the network holds at a node.

    Attributes
    ----------
    vector : numpy.ndarray
        (n,), h.
    stack : numpy.ndarray or None
        (slots, n), the top first.
    actions : numpy.ndarray or None
        (2 or 3,), the degrees of push, pop and no-op.
    """

    vector: NDArray[np.float64]
    stack: NDArray[np.float64] | None = None
    actions: NDArray[np.float64] | None = None

    @property
    def size(self) -> float:
        """The length of the vector."""
        return float(np.linalg.norm(self.vector))

    def to_json(self) -> dict[str, object]:
        """Numbers to five decimals."""
        facts: dict[str, object] = {"size": round(self.size, DIGITS), "vector": self.vector.round(DIGITS).tolist()}
        if self.stack is not None and self.actions is not None:
            facts["stack"] = self.stack.round(DIGITS).tolist()
            facts["actions"] = self.actions.round(DIGITS).tolist()
        return facts


@dataclass(frozen=True)
class Node:
    """A node of an equation's two trees.

    Attributes
    ----------
    id : int
        Its position in the equation's prefix order; 0 is the equality, which is no node of either tree.
    side : int
        0 for the left side, 1 for the right one.
    parent : int or None
        The node above it; None at the top of a side.
    children : tuple of int
        The nodes below it, in order.
    word : str
        An operator or a leaf.
    expression : Expr
        The subexpression, in the equation's own variables.
    depth, level : int
        How far below the top of its side it is, and how far above its lowest leaf: the step of the recursion at which
        the network computes it.
    value : float or None
        At the point of the explanation; None where it has none.
    state : State or None
        None for a network that has none.
    nearest : tuple of Neighbour
        Known expressions whose vectors are nearest.
    """

    id: int
    side: int
    parent: int | None
    children: tuple[int, ...]
    word: str
    expression: Expr
    depth: int
    level: int
    value: float | None
    state: State | None
    nearest: tuple[Neighbour, ...]

    def to_json(self) -> dict[str, object]:
        """Plain facts, the expression as text and as MathML whose nodes are numbered as the equation's."""
        written = self.expression.size <= WRITTEN
        return {
            "id": self.id,
            "side": self.side,
            "parent": self.parent,
            "children": list(self.children),
            "word": self.word,
            "label": label(self.word),
            "expression": infix(self.expression) if written else None,
            "mathml": mathml(self.expression, self.id) if written else None,
            "depth": self.depth,
            "level": self.level,
            "value": self.value,
            "state": None if self.state is None else self.state.to_json(),
            "nearest": [{**neighbour.to_json(), "mathml": mathml(neighbour.expression)} for neighbour in self.nearest],
        }


def label(word: str) -> str:
    """A word as it stands in a drawn tree.

    Examples
    --------
    >>> [label(word) for word in ("Add", "Mul", "asin", "theta_1", "-1/2")]
    ['+', '×', 'arcsin', 'θ_1', '−1/2']
    """
    if word == "Mul":
        return "×"
    if word in OPERATORS:
        return function_name(word) if OPERATORS[word].arity == 1 else OPERATORS[word].symbol
    if is_number(word):
        return word.replace("-", MINUS)
    stem = word.partition("_")[0].rstrip("0123456789")
    return LETTERS.get(stem, stem) + word[len(stem) :]


def nodes_of(
    equation: Equation,
    point: Point | None,
    states: Sequence[State | None],
    nearest: Sequence[tuple[Neighbour, ...]],
) -> tuple[Node, ...]:
    """The nodes of both sides in prefix order, the left side first.

    Parameters
    ----------
    equation : Equation
        What is explained.
    point : dict of str to Fraction, optional
        Where the nodes are evaluated.
    states, nearest : sequence
        Of each node, in prefix order.
    """
    words = equation.words
    ends, heights = subtree_ends(words), equation.heights()
    below = {at: _children(words, ends, at) for at in range(len(words))}
    above = {child: at for at, children in below.items() for child in children}
    depth = [-1] * len(words)
    for at in range(1, len(words)):
        depth[at] = depth[above[at]] + 1
    values = node_values(equation, point)
    expressions = equation.subexpressions()
    return tuple(
        Node(
            id=at,
            side=int(at >= ends[1]),
            parent=above[at] or None,
            children=below[at],
            word=words[at],
            expression=expressions[at - 1],
            depth=depth[at],
            level=heights[at],
            value=values[at - 1],
            state=states[at - 1],
            nearest=nearest[at - 1],
        )
        for at in range(1, len(words))
    )


def _children(words: Sequence[str], ends: Sequence[int], at: int) -> tuple[int, ...]:
    found, child = [], at + 1
    for _ in range(ARITY.get(words[at], 0)):
        found.append(child)
        child = ends[child]
    return tuple(found)


def node_values(equation: Equation, point: Point | None) -> list[float | None]:
    """The value of every node of both sides at a point, in prefix order; None where there is none.

    What cannot be told from 0 is 0: sin(pi) is not what rounding leaves of it.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> node_values(parse_equation("sin(pi) = 1/0"), {})
    [0.0, 3.141592653589793, None, 1.0, None, 0.0, -1.0]
    """
    if point is None:
        return [None] * (equation.size - 1)
    forest = Forest.of([equation])
    values, errors = evaluate_forest(forest, {name: np.array([nearest_float(value)]) for name, value in point.items()})
    with np.errstate(invalid="ignore"):
        values[np.abs(values) <= errors] = 0.0
    return numbers(values[prefix_order(forest.children, forest.equations[0].tolist()), 0])
