"""What a trained verifier gives back: plain records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from dgl_mathtree.expressions import Equation, Expr, infix


@dataclass(frozen=True)
class Answer:
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


@dataclass(frozen=True)
class Filling:
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
    """

    expression: Expr
    equation: Equation
    probability: float
    oracle: str
    class_: object

    def to_json(self) -> dict[str, object]:
        """The row that `mathtree complete --json` prints."""
        return {
            "filling": infix(self.expression),
            "equation": infix(self.equation),
            "probability": round(self.probability, 6),
            "oracle": self.oracle,
            "class": self.class_,
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
