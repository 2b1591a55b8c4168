"""Where the sides part: subexpressions of one side that the network takes for equal to some of the other, or nearly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dgl_mathtree.inference.metrics import verdicts
from dgl_mathtree.language import Equation, Expr, infix, mathml
from dgl_mathtree.oracle import Oracle
from dgl_mathtree.web.explain.network_view import Network
from dgl_mathtree.web.explain.tree_view import WRITTEN, Node, State

MOST, CLOSEST = 8, 3


@dataclass(frozen=True)
class SidePair:
    """Two subexpressions, one of each side, that the network has compared.

    Attributes
    ----------
    left, right : Expr
        The subexpressions; they are not the same, nor are they the two sides.
    nodes : tuple of two tuples of int
        Where they stand on the left, and on the right.
    probability : float
        That they are equal, by the network.
    oracle : str
        The oracle's verdict.
    """

    left: Expr
    right: Expr
    nodes: tuple[tuple[int, ...], tuple[int, ...]]
    probability: float
    oracle: str

    def to_json(self) -> dict[str, object]:
        """Plain facts."""
        sides = {
            name: {
                "expression": infix(expression),
                "mathml": mathml(expression) if expression.size <= WRITTEN else None,
                "nodes": list(nodes),
            }
            for name, expression, nodes in zip(("left", "right"), (self.left, self.right), self.nodes, strict=True)
        }
        return {**sides, "probability": round(self.probability, 6), "oracle": self.oracle}


class Pairs(NamedTuple):
    """Subexpressions of the two sides that belong together, the surest first.

    Attributes
    ----------
    equal : tuple of SidePair
        Those that the network takes for equal, `MOST` of them at most.
    closest : tuple of SidePair
        Of the others, those that it finds the most alike, each expression in one pair at most; `CLOSEST` pairs at most,
        and a leaf only where a side has nothing else.
    """

    equal: tuple[SidePair, ...] = ()
    closest: tuple[SidePair, ...] = ()


def pairs_of(network: Network, nodes: Sequence[Node]) -> Pairs:
    """The pairs of different subexpressions, one of each side; none for a network without vectors.

    Parameters
    ----------
    network : Network
        Whose root compares the vectors.
    nodes : sequence of Node
        Of an equation, with their states.
    """
    places: list[dict[Expr, list[int]]] = [{}, {}]
    states: list[dict[Expr, State]] = [{}, {}]
    for node in nodes:
        if node.state is None:
            return Pairs()
        places[node.side].setdefault(node.expression, []).append(node.id)
        states[node.side].setdefault(node.expression, node.state)
    left, right = (list(found) for found in places)
    logits = network.logits(list(states[0].values()), list(states[1].values()))
    order = [divmod(at, len(right)) for at in np.argsort(-logits, axis=None, kind="stable").tolist()]
    # The sides themselves come first in prefix order.
    other = [(i, j) for i, j in order if (i, j) != (0, 0) and left[i] != right[j]]
    equal = [(i, j) for i, j in other if verdicts(logits[i, j]).correct]
    alike = [(i, j) for i, j in other[len(equal) :] if _tells(left[i], left[0]) and _tells(right[j], right[0])]
    chosen = [*equal[:MOST], *_each_once(alike)[:CLOSEST]]
    judged = Oracle(complex_plane=False).judge([Equation(left[i], right[j]) for i, j in chosen])
    found = tuple(
        SidePair(
            left[i],
            right[j],
            (tuple(places[0][left[i]]), tuple(places[1][right[j]])),
            float(verdicts(logits[i, j]).probability),
            judgement.verdict,
        )
        for (i, j), judgement in zip(chosen, judged, strict=True)
    )
    taken = min(len(equal), MOST)
    return Pairs(found[:taken], found[taken:])


def _tells(expression: Expr, side: Expr) -> bool:
    """Whether a likeness of this subexpression tells something: a leaf is like many, and counts as a whole side."""
    return expression.size > 1 or side.size == 1


def _each_once(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The pairs of which neither member was in one before."""
    lefts: set[int] = set()
    rights: set[int] = set()
    found = []
    for i, j in pairs:
        if i not in lefts and j not in rights:
            lefts.add(i)
            rights.add(j)
            found.append((i, j))
    return found
