"""Semantic search: expressions whose vectors are nearest to that of a given one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.language import Equation, Expr, readable
from dgl_mathtree.language.mathml import formula
from dgl_mathtree.notebook import Record, Records
from dgl_mathtree.oracle import Oracle

LETTERS = ("x", "y", "z", "w")
"""The letters that stand for anything in known identities, in the order in which they take others' names."""


@dataclass(frozen=True)
class Neighbour(Record):
    """An expression that was found.

    Attributes
    ----------
    expression : Expr
        As it was given.
    cosine : float
        Of its vector and the other's.
    oracle : str
        The oracle's verdict on their equality.
    """

    expression: Expr
    cosine: float
    oracle: str

    def to_json(self) -> dict[str, object]:
        """The row that `mathtree nearest --json` prints."""
        return {"expression": readable(self.expression), "cosine": round(self.cosine, 6), "oracle": self.oracle}

    def cells(self) -> dict[str, object]:
        """The row of a notebook's table."""
        return {"expression": formula(self.expression), "cosine": f"{self.cosine:.3f}", "oracle": self.oracle}


def nearest(trained: TrainedVerifier, expression: Expr, among: Iterable[Expr], top: int = 5) -> Records[Neighbour]:
    """The expressions nearest to a given one, by the cosine of the model's vectors, the nearest first.

    Parameters
    ----------
    trained : TrainedVerifier
        A model that gives expressions vectors.
    expression : Expr
        What is looked for; it is not found itself.
    among : iterable of Expr
        Where to look, in words that the model knows.
    top : int
        How many are wanted.
    """
    others = [other for other in dict.fromkeys(among) if other != expression]
    names = trained.renaming_for(Equation(expression, expression), others)
    vectors = trained.embed([each.rename(names) for each in (expression, *others)])
    cosine = vectors[1:] @ vectors[0]
    best = np.argsort(-cosine, kind="stable")[:top].tolist()
    judged = Oracle(complex_plane=False).judge([Equation(expression, others[k]) for k in best])
    return Records(Neighbour(others[k], float(cosine[k]), j.verdict) for k, j in zip(best, judged, strict=True))


def in_letters_of(expression: Expr, among: Iterable[Expr]) -> list[Expr]:
    """Expressions of known identities in the variables of a given one, if it has not their first letters.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_expression
    >>> [str(e) for e in in_letters_of(parse_expression("cos(t)"), [parse_expression("sin(x)")])]
    ['sin(t)']
    """
    own = expression.variables
    if set(own) == set(LETTERS[: len(own)]):
        return list(among)
    names = dict(zip(LETTERS, (*own, *(letter for letter in LETTERS if letter not in own)), strict=False))
    return [other.rename(names) for other in among]
