"""Where the sides part: subexpressions of one side that the network takes for equal to some of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dgl_mathtree.explain.network import Network
from dgl_mathtree.explain.trees import WRITTEN, Node, State
from dgl_mathtree.expressions import Equation, Expr, Oracle, infix, mathml
from dgl_mathtree.tasks.verification import verdicts

MOST = 8


@dataclass(frozen=True)
class Pair:
    """Two subexpressions, one of each side, that the network takes for equal.

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


def pairs_of(network: Network, nodes: Sequence[Node]) -> tuple[Pair, ...]:
    """The pairs that the network is surest of, the surest first; none for a network without vectors.

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
            return ()
        places[node.side].setdefault(node.expression, []).append(node.id)
        states[node.side].setdefault(node.expression, node.state)
    left, right = (list(found) for found in places)
    logits = network.logits(list(states[0].values()), list(states[1].values()))
    logits[0, 0] = -np.inf  # the sides themselves come first in prefix order
    order = np.argsort(-logits, axis=None, kind="stable")
    chosen: list[tuple[int, int]] = []
    for at in order.tolist():
        i, j = divmod(at, len(right))
        if not verdicts(logits[i, j]).correct or len(chosen) == MOST:
            break
        if left[i] != right[j]:
            chosen.append((i, j))
    judged = Oracle(complex_plane=False).judge([Equation(left[i], right[j]) for i, j in chosen])
    return tuple(
        Pair(
            left[i],
            right[j],
            (tuple(places[0][left[i]]), tuple(places[1][right[j]])),
            float(verdicts(logits[i, j]).probability),
            judgement.verdict,
        )
        for (i, j), judgement in zip(chosen, judged, strict=True)
    )
