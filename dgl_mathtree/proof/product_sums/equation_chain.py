"""A chain of expressions that starts at one side of an equation."""

from __future__ import annotations

from dgl_mathtree.proof.algebra import Undecided
from dgl_mathtree.proof.step import ALGEBRA, Step
from dgl_mathtree.proof.terms import Terms

MOST_STEPS = 80
"""The steps of a derivation that is still worth checking."""


class EquationChain:
    """Steps from one side."""

    def __init__(self, terms: Terms, root: int) -> None:
        self.terms = terms
        self.places: list[tuple[int, str]] = [(root, "")]

    @property
    def here(self) -> int:
        return self.places[-1][0]

    def go(self, node: int, law: str = ALGEBRA) -> None:
        """Go on to an expression by a law."""
        if node != self.here:
            self.places.append((node, law))
        if len(self.places) > MOST_STEPS:
            raise Undecided("too many steps")

    def steps(self, backwards: bool = False) -> list[Step]:
        """The steps, or those from the end to the start."""
        found = []
        for (before, _), (after, law) in zip(self.places, self.places[1:], strict=False):
            sides = (after, before) if backwards else (before, after)
            found.append(Step(self.terms.expr(sides[0]), self.terms.expr(sides[1]), law))
        return found[::-1] if backwards else found
