"""What the network holds: the states at the nodes of an equation, and known expressions near them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np
import torch
from numpy.typing import NDArray

from dgl_mathtree.data.known_expressions import known_expressions
from dgl_mathtree.inference.nearest import LETTERS, Neighbour
from dgl_mathtree.inference.node_states import side_vectors
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.language import Equation, Expr, Forest
from dgl_mathtree.oracle import Oracle
from dgl_mathtree.web.explain.tree_view import WRITTEN, State

Floats = NDArray[np.float64]
ACTIONS = ("push", "pop", "no-op")
NEAREST = 3
MOST_LOOKED_UP, MOST_SETS = 120, 12
"""Different subexpressions whose neighbours are looked up, the smallest first, and different sets of variables in them:
known expressions are encoded for each set, and the oracle judges every neighbour."""


class Network:
    """A trained network, as far as one can look into it.

    Parameters
    ----------
    trained : TrainedVerifier
        Of any model; one that gives expressions no vectors has no states.
    """

    def __init__(self, trained: TrainedVerifier) -> None:
        self.trained = trained
        self.verifier, self.encoder = trained.network.as_network, trained.network.as_tree
        self.known = lru_cache(maxsize=32)(self._known)
        self._known_with = lru_cache(maxsize=64)(self._find_known)

    @property
    def kind(self) -> str:
        """``stack``, ``tree`` for a recursive network without a stack, ``sequence`` or ``none``."""
        if self.verifier is None:
            return "none"
        if self.encoder is None:
            return "sequence"
        return "stack" if "stack" in self.encoder.cell.parts else "tree"

    def to_json(self) -> dict[str, object]:
        """Which model it is, and what its states are made of."""
        facts: dict[str, object] = {"run": self.trained.name, "name": self.trained.model, "kind": self.kind}
        if self.verifier is not None and self.encoder is not None:
            parts = self.encoder.cell.parts
            facts |= {"root": self.verifier.head, "size": parts["h"][0]}
            if self.kind == "stack":
                facts |= {"slots": parts["stack"][0], "actions": list(ACTIONS[: parts["actions"][0]])}
        return facts

    def states(self, equation: Equation) -> list[State | None]:
        """The states at the nodes of both sides, in prefix order.

        A network that reads sequences has a vector for every subexpression, read by itself.
        """
        if self.verifier is None:
            return [None] * (equation.size - 1)
        if self.encoder is None:
            return [State(vector) for vector in self._vectors(self.trained.renamed(equation).subexpressions())]
        found = self.trained.states(equation)
        vectors = _array(found["h"])
        if self.kind != "stack":
            return [State(vector) for vector in vectors]
        parts = zip(vectors, _array(found["stack"]), _array(found["actions"]), strict=True)
        return [State(*each) for each in parts]

    def logits(self, left: Sequence[State], right: Sequence[State]) -> Floats:
        """(left, right) logits of all pairs of states, by the root's own comparison."""
        if self.verifier is None:
            raise TypeError(f"{self.trained.model} gives expressions no vectors")
        rows, columns = (self._tensor(states) for states in (left, right))
        with torch.no_grad():
            found = [self.verifier.compare(row, columns) for row in rows]
        return torch.stack(found).double().cpu().numpy()

    def _tensor(self, states: Sequence[State]) -> torch.Tensor:
        assert self.verifier is not None
        return torch.from_numpy(np.stack([state.vector for state in states])).to(self.verifier.beta)

    def nearest(self, equation: Equation, states: Sequence[State | None]) -> list[tuple[Neighbour, ...]]:
        """For every node the known expressions whose vectors are nearest to its own, in the equation's variables."""
        if self.verifier is None:
            return [()] * (equation.size - 1)
        back = {new: old for old, new in self.trained.renaming_for(equation).items()}
        own = self.trained.renamed(equation).subexpressions()
        found: dict[Expr, list[tuple[Expr, float]]] = {}
        sets: set[tuple[str, ...]] = set()
        for expression, state in sorted(zip(own, states, strict=True), key=lambda each: each[0].size):
            if expression in found or state is None or expression.size > WRITTEN or len(found) == MOST_LOOKED_UP:
                continue
            variables = tuple(sorted(expression.variables)[: len(LETTERS)])
            if variables in sets or len(sets) < MOST_SETS:
                sets.add(variables)
                found[expression] = self._near(expression, state, variables)
        rows = [(one, other) for one, near in found.items() for other, _ in near]
        judged = iter(Oracle(complex_plane=False).judge([Equation(one, other) for one, other in rows]))
        named = {
            one: tuple(Neighbour(other.rename(back), cosine, next(judged).verdict) for other, cosine in near)
            for one, near in found.items()
        }
        return [named.get(expression, ()) for expression in own]

    def _near(self, expression: Expr, state: State, variables: tuple[str, ...]) -> list[tuple[Expr, float]]:
        others, vectors = self.known(variables)
        if not others or state.size == 0:
            return []
        cosines = vectors @ (state.vector / state.size)
        best = [k for k in np.argsort(-cosines, kind="stable")[: NEAREST + 1].tolist() if others[k] != expression]
        return [(others[k], float(cosines[k])) for k in best[:NEAREST]]

    def _known(self, variables: tuple[str, ...]) -> tuple[list[Expr], Floats]:
        """Known expressions in any of some variables of the model's, and their vectors of length 1."""
        subsets = [some for count in range(len(variables) + 1) for some in combinations(variables, count)]
        parts = [(others, vectors) for others, vectors in map(self._known_with, subsets) if others]
        if not parts:
            return [], np.zeros((0, 0))
        return [each for others, _ in parts for each in others], np.concatenate([vectors for _, vectors in parts])

    def _find_known(self, variables: tuple[str, ...]) -> tuple[list[Expr], Floats]:
        """Those in all of some variables, which take the places of the first letters of known identities."""
        names = dict(zip(LETTERS, variables, strict=False))
        fitting = (each for each in known_expressions() if set(each.variables) == set(names))
        others = list(dict.fromkeys(each.rename(names) for each in fitting if self._reads(each.words, names)))
        vectors = self._vectors(others)
        return others, vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float64).tiny)

    def _vectors(self, expressions: Sequence[Expr]) -> Floats:
        """(expressions, n), in the model's own variables; `TrainedVerifier.embed` renames anew with every call."""
        assert self.verifier is not None
        return side_vectors(self.verifier, Forest.of_expressions(expressions))

    def _reads(self, words: Iterable[str], names: dict[str, str]) -> bool:
        return all(self.trained.network.knows(names.get(word, word)) for word in words)


def _array(tensor: torch.Tensor) -> Floats:
    return tensor.double().numpy()
