"""What a trained verifier gives back: plain records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from dgl_mathtree.language import Equation, Expr, readable
from dgl_mathtree.language.mathml import formula
from dgl_mathtree.language.vocabulary import ARITY
from dgl_mathtree.notebook import Record
from dgl_mathtree.oracle.verdict import stated
from dgl_mathtree.tables import Markup, as_cell, html_table


@dataclass(frozen=True)
class Answer(Record):
    """What a verifier says of an equation.

    Attributes
    ----------
    equation : Equation
        As it was given.
    probability : float
        That it is correct.
    verdict : str
        ``correct`` or ``incorrect``.
    """

    equation: Equation
    probability: float
    verdict: str

    def cells(self) -> dict[str, object]:
        """The row of a notebook's table."""
        return {"equation": formula(self.equation), "verdict": self.verdict, "probability": f"{self.probability:.1%}"}


def agree(verdict: str, oracle: str) -> bool | None:
    """Whether network and oracle agree; None where the oracle says neither true nor false.

    Examples
    --------
    >>> agree("correct", "true"), agree("correct", "false"), agree("correct", "branch")
    (True, False, None)
    """
    return {"true": verdict == "correct", "false": verdict == "incorrect"}.get(oracle)


ANSWER_WORDS = {"true": "holds", "false": "refuted"}


def answer_word(oracle: str, proved: bool, witnessed: bool = True) -> str:
    """What oracle and prover together say of an equation: ``proved``, ``holds`` (at all points that were tested),
    ``refuted``, ``branch``, ``undefined`` or ``undecided``.

    Parameters
    ----------
    oracle : str
        The oracle's verdict.
    proved : bool
        Whether there is a proof.
    witnessed : bool
        Whether there is a point at which the sides certainly differ: without it nothing is refuted.

    Examples
    --------
    >>> answer_word("true", True), answer_word("true", False), answer_word("false", False, witnessed=False)
    ('proved', 'holds', 'undecided')
    """
    if proved:
        return "proved"
    if oracle == "false" and not witnessed:
        return "undecided"
    return ANSWER_WORDS.get(oracle, oracle)


@dataclass(frozen=True)
class Filling(Record):
    """One way to fill a blank.

    Attributes
    ----------
    expression : Expr
        What is filled in.
    equation : Equation
        The whole equation then.
    probability : float
        That it is correct, by the model.
    oracle : str
        The oracle's verdict on it.
    class_ : object
        The class of equal candidates that the expression belongs to, by its number or by its file's name.
    proof : str, optional
        For ``true``, the method by which the equation was proved.
    conditions : tuple of str
        What the proof asks for beyond both sides being defined.
    witnessed : bool
        Whether there is a point at which the sides of the equation certainly differ.
    """

    expression: Expr
    equation: Equation
    probability: float
    oracle: str
    class_: object
    proof: str | None = None
    conditions: tuple[str, ...] = ()
    witnessed: bool = True

    @property
    def stated(self) -> str:
        """The oracle's verdict, and whether it is proved."""
        return stated(self.oracle, self.proof is not None, self.conditions, None)

    @property
    def answer(self) -> str:
        """What is known of it in a word, see `answer_word`."""
        return answer_word(self.oracle, self.proof is not None, self.witnessed)

    def to_json(self) -> dict[str, object]:
        """The row that `mathtree complete --json` prints."""
        return {
            "filling": readable(self.expression),
            "equation": readable(self.equation),
            "probability": round(self.probability, 6),
            "oracle": self.oracle,
            "class": self.class_,
            "answer": self.answer,
            "proof": self.proof,
            "conditions": list(self.conditions),
        }

    def cells(self) -> dict[str, object]:
        """The row of a notebook's table."""
        return {
            "filling": formula(self.expression),
            "probability": f"{self.probability:.1%}",
            "oracle": self.stated,
            "equation": formula(self.equation),
        }


@dataclass(frozen=True)
class NodeStates:
    """What a recursive network computed at every node of an equation's two sides.

    Attributes
    ----------
    expressions : tuple of Expr
        The nodes as expressions, in prefix order, the left side first.
    parts : mapping of str to torch.Tensor
        The parts of the states, (nodes, ...) each: ``h`` the vectors, and where the cell has them ``c`` the memories,
        ``stack`` the stacks (top first) and ``actions`` the stack's actions (push, pop and no-op).
    sides : tuple of int
        The nodes of the two sides.
    """

    expressions: tuple[Expr, ...]
    parts: Mapping[str, torch.Tensor]
    sides: tuple[int, int]

    def __getitem__(self, part: str) -> torch.Tensor:
        return self.parts[part]

    def __len__(self) -> int:
        return len(self.expressions)

    def _depths(self) -> list[int]:
        """How many nodes are above each."""
        depths, waiting = [], [0, 0]  # those of the nodes to come, the next one last
        for expression in self.expressions:
            depths.append(waiting.pop())
            waiting += [depths[-1] + 1] * ARITY.get(expression.word, 0)
        return depths

    def _repr_html_(self) -> str:
        sizes = {f"|{name}|": self.parts[name].norm(dim=1).tolist() for name in ("h", "c") if name in self.parts}
        actions = self.parts.get("actions", torch.zeros(len(self), 0))
        shares = actions.flatten(2).mean(dim=2) if actions.dim() > 2 else actions  # one of each component
        columns = {**sizes, **dict(zip(("push", "pop", "no-op"), shares.T.tolist(), strict=False))}
        rows: list[dict[str, object]] = []
        for node, (expression, depth) in enumerate(zip(self.expressions, self._depths(), strict=True)):
            shown = Markup(f'<span style="padding-left:{depth}em">{as_cell(formula(expression))}</span>')
            row = {"side": "left" if node < self.sides[1] else "right", "node": shown}
            rows.append({**row, **{name: f"{values[node]:.3f}" for name, values in columns.items()}})
        sizes_of = ", ".join(f"{name} {'×'.join(map(str, part.shape[1:]))}" for name, part in self.parts.items())
        return html_table(rows, f"{len(self)} nodes; of each {sizes_of}")
