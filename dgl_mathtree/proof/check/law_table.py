"""The named laws as the checker uses them: two sides, the letters, and the conditions under which they hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from dgl_mathtree.language import Expr
from dgl_mathtree.proof.check.nodes import ZERO, Node, node_of, sub
from dgl_mathtree.proof.check.signs import RELATIONS
from dgl_mathtree.proof.laws import all_laws


@dataclass(frozen=True)
class Law:
    """A law.

    Parameters
    ----------
    name : str
        ``group/name``.
    left, right : Node
        Its sides.
    letters : frozenset of str
        What stands for any expression.
    conditions : tuple of (Node, int)
        Expressions in the letters and the signs that they must have.
    """

    name: str
    left: Node
    right: Node
    letters: frozenset[str]
    conditions: tuple[tuple[Node, int], ...] = ()

    @property
    def is_identity(self) -> bool:
        """Whether it is x = x."""
        return self.left == self.right


@lru_cache(maxsize=4096)
def law_of(name: str) -> Law | None:
    """The law of a name, None if there is none."""
    law = all_laws().get(name)
    if law is None:
        return None
    conditions = tuple(
        (_difference(condition.left, condition.right), RELATIONS[condition.relation]) for condition in law.conditions
    )
    return Law(name, node_of(law.left), node_of(law.right), law.letters, conditions)


def law_table() -> dict[str, Law]:
    """All laws by name."""
    return {name: law for name in all_laws() if (law := law_of(name)) is not None}


def _difference(left: Expr, right: Expr) -> Node:
    a, b = node_of(left.words), node_of(right.words)
    return a if b == ZERO else sub(a, b)
