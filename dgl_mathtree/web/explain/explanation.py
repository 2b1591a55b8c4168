"""All that can be said of an equation: verdicts, curves, trees and pairs; of one with a blank, the ranking."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import cycle
from typing import Any

from dgl_mathtree.errors import InputError
from dgl_mathtree.inference.records import Answer, Filling, agree
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.language import Equation, infix, latex, mathml, parse_blank, parse_equation, parse_question
from dgl_mathtree.language.vocabulary import BLANK
from dgl_mathtree.oracle import Judgement, Oracle
from dgl_mathtree.oracle.witnesses import SIMPLE, simplified
from dgl_mathtree.proof import NoProof, Proof, prove
from dgl_mathtree.proof.derivation import proof_json
from dgl_mathtree.web.explain.curves import Curves, Point, curves, shown_point
from dgl_mathtree.web.explain.network_view import Network
from dgl_mathtree.web.explain.proof_view import derivation_json
from dgl_mathtree.web.explain.side_pairs import Pairs, pairs_of
from dgl_mathtree.web.explain.tree_view import Node, nodes_of
from dgl_mathtree.web.explain.trust import Trust, trust

MOST_NODES = 2000
"""Nodes of an equation that is explained."""
TOP = 10
"""Fillings of a blank that are shown."""


class ExplainError(InputError):
    """An equation that is too large to be explained."""


@dataclass(frozen=True)
class Explanation:
    """What network and oracle say of an equation, and what that rests on.

    Attributes
    ----------
    equation : Equation
        As it was given.
    model : dict
        Which model it is (``run``, ``name``) and what its states are made of (``kind``, ``root``, ``size``, ``slots``,
        ``actions``).
    answer : Answer
        The network's.
    judgement : Judgement
        The oracle's, its witnesses at simple points where there are such.
    point : tuple of str and dict, or None
        ``witness`` or ``example``, and the point at which the nodes have their values.
    curves : Curves or None
        Both sides along the first variable; None without variables, and where neither side has a value.
    nodes : tuple of Node
        Of both trees, in prefix order.
    pairs : Pairs
        Subexpressions of the two sides that the network takes for equal, and others that it finds the most alike.
    proof : Proof, NoProof or None
        A proof of the equation, or why there is none; None if it was not asked for.
    """

    equation: Equation
    model: dict[str, Any]
    answer: Answer
    judgement: Judgement
    point: tuple[str, Point] | None
    curves: Curves | None
    nodes: tuple[Node, ...]
    pairs: Pairs
    proof: Proof | NoProof | None = None

    @property
    def trust(self) -> Trust:
        """Whom to believe, and why."""
        if not isinstance(self.proof, Proof):
            return trust(self.answer, self.judgement)
        proved = replace(self.judgement, proof=self.proof.method, conditions=self.proof.conditions)
        return trust(self.answer, proved)

    def to_json(self) -> dict[str, Any]:
        """The object that `mathtree explain --json` prints; docs/explain.md lists its fields."""
        point = None
        if self.point is not None:
            point = {"kind": self.point[0], "values": {name: str(value) for name, value in self.point[1].items()}}
        return {
            **_header(self.equation, self.model),
            "verdict": self.answer.verdict,
            "probability": round(self.answer.probability, 6),
            "oracle": self.judgement.to_json(),
            "agree": agree(self.answer.verdict, self.judgement.verdict),
            "trust": self.trust._asdict(),
            "point": point,
            "curves": None if self.curves is None else self.curves.to_json(),
            "sides": [node.id for node in self.nodes if node.parent is None],
            "nodes": [node.to_json() for node in self.nodes],
            "pairs": [pair.to_json() for pair in self.pairs.equal],
            "closest": [pair.to_json() for pair in self.pairs.closest],
            "proof": None if self.proof is None else proof_json(self.proof),
            "derivation": None if self.proof is None else derivation_json(self.proof),
        }

    def _repr_html_(self) -> str:
        from dgl_mathtree.web.explain.explain_page import frame

        return frame(self)


@dataclass(frozen=True)
class Completion:
    """How a blank is filled, and why the first filling is judged as it is.

    Attributes
    ----------
    equation : Equation
        With its blank.
    model : dict
        As in `Explanation`.
    fillings : tuple of Filling
        The best, the best first.
    best : Explanation or None
        Of the equation with the first filling.
    """

    equation: Equation
    model: dict[str, Any]
    fillings: tuple[Filling, ...]
    best: Explanation | None

    def to_json(self) -> dict[str, Any]:
        """The object that `mathtree explain --json` prints for an equation with a blank."""
        return {
            **_header(self.equation, self.model),
            "fillings": [{**each.to_json(), "mathml": mathml(each.expression)} for each in self.fillings],
            "best": None if self.best is None else self.best.to_json(),
        }

    def _repr_html_(self) -> str:
        from dgl_mathtree.web.explain.explain_page import frame

        return frame(self)


def _header(equation: Equation, model: dict[str, Any]) -> dict[str, Any]:
    return {
        "equation": infix(equation),
        "latex": latex(equation),
        "mathml": mathml(equation, display="block"),
        "depth": equation.depth,
        "size": equation.size,
        "variables": list(equation.variables),
        "model": model,
    }


class Explainer:
    """Explains equations by one network; what it has looked up once it keeps.

    Parameters
    ----------
    trained : TrainedVerifier
        The network.

    Examples
    --------
    >>> from dgl_mathtree import load
    >>> found = Explainer(load()).explain("sqrt(x^2) = x")
    >>> found.judgement.verdict, found.point
    ('branch', ('witness', {'x': Fraction(-1, 4)}))
    """

    def __init__(self, trained: TrainedVerifier) -> None:
        self.network = Network(trained)

    def explain(self, equation: str | Equation, proof: bool = False) -> Explanation:
        """All facts about an equation.

        Parameters
        ----------
        equation : str or Equation
            Without a blank, in words that the network knows, of no more than `MOST_NODES` nodes.
        proof : bool
            Whether to look for a proof too, which may take seconds.
        """
        read = _sized(parse_equation(equation) if isinstance(equation, str) else equation)
        (answer,) = self.network.trained.verify(read)
        judgement = simplified(read, Oracle(thorough=True).judge([read])[0])  # as `prove` asks it
        point = shown_point(read, judgement)
        held = dict(zip(read.variables, cycle(SIMPLE))) if point is None else point[1]
        drawn = curves(read, held, (judgement.witness, judgement.agreement))
        states = self.network.states(read)
        nodes = nodes_of(read, None if point is None else point[1], states, self.network.nearest(read, states))
        pairs = pairs_of(self.network, nodes)
        found = prove(read) if proof else None
        if isinstance(found, Proof) and not found.conditions:
            judgement = replace(judgement, proof=found.method)
        return Explanation(read, self.network.to_json(), answer, judgement, point, drawn, nodes, pairs, found)

    def complete(self, equation: str | Equation, top: int = TOP, proof: bool = False) -> Completion:
        """The ranking of what may fill the blank of an equation, and all facts about the first of it."""
        blank = _sized(parse_blank(equation) if isinstance(equation, str) else equation)
        fillings = tuple(self.network.trained.complete(blank, top=top))
        best = self.explain(fillings[0].equation, proof) if fillings else None
        return Completion(blank, self.network.to_json(), fillings, best)


def explain(equation: str | Equation, trained: TrainedVerifier, proof: bool = True) -> Explanation | Completion:
    """All facts about an equation, or about the completion of one with a blank.

    Parameters
    ----------
    equation : str or Equation
        With or without a blank, in words that the network knows.
    trained : TrainedVerifier
        The network.
    proof : bool
        Whether to look for a proof too, which may take seconds.

    Examples
    --------
    >>> from dgl_mathtree import load
    >>> explain("x + x = 2*x", load()).to_json()["oracle"]["verdict"]
    'true'
    """
    explainer = Explainer(trained)
    read = parse_question(equation) if isinstance(equation, str) else equation
    return explainer.complete(read, proof=proof) if BLANK in read.words else explainer.explain(read, proof)


def _sized(equation: Equation) -> Equation:
    if equation.size > MOST_NODES:
        raise ExplainError(f"the equation has {equation.size} nodes: at most {MOST_NODES} can be explained")
    return equation
