"""Points of an equation's domain: each is certainly inside, with an open box around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import arb

from dgl_mathtree.arithmetic.arb_balls import set_precision
from dgl_mathtree.proof.check.balls import BITS, WANTED, Values, around, candidates, exactly, has_variable, numbers_in
from dgl_mathtree.proof.check.domain import parts, requirements
from dgl_mathtree.proof.check.limits import ProofError
from dgl_mathtree.proof.check.nodes import Node, number, replace, variables_of
from dgl_mathtree.proof.check.region import Region

ENOUGH_TRIED = 160
"""Candidates after which fewer points than wanted are enough."""


@dataclass(frozen=True)
class Sample:
    """Points at which an equation is defined.

    Parameters
    ----------
    points : list of dict
        The points, of exact balls.
    names : list of str
        The variables.
    """

    points: list[dict[str, Any]]
    names: list[str]


def sample(left: Node, right: Node, bare: Region) -> Sample:
    """Points at which both sides are certainly defined, with an open box around each.

    Parameters
    ----------
    left, right : Node
        The sides.
    bare : Region
        A region without facts: what follows in it follows without assuming that anything is defined.

    Raises
    ------
    ProofError
        If there is none: a proof about such an equation would say nothing.
    """
    names = sorted(variables_of(left) | variables_of(right))
    numbers = sorted(set(numbers_in(left)) | set(numbers_in(right)))
    points: list[dict[str, Any]] = []
    left, right = (_folded(side, bare) for side in (left, right))
    for tried, candidate in enumerate(candidates(names, numbers)):
        if len(points) >= WANTED or (points and tried >= ENOUGH_TRIED):
            break
        values = Values(around(candidate), bare.budget, rational=bare.rational)
        if isinstance(values.of(left), arb) and isinstance(values.of(right), arb):
            set_precision(BITS)
            points.append(exactly(candidate))
    if not points and not names and _defined_number(left, bare) and _defined_number(right, bare):
        points.append({})
    if not points:
        raise ProofError("no open set of points was found on which the equation is defined: a proof would say nothing")
    return Sample(points, names)


def _folded(node: Node, bare: Region) -> Node:
    """An expression with those of its parts as numbers that have no variable and are certainly rational and defined."""

    def change(part: Node) -> Node | None:
        if not part.args or has_variable(part):
            return None
        value = bare.rational(part) if _defined_number(part, bare) else None
        return None if value is None else number(value)

    return replace(node, change)


def _defined_number(node: Node, bare: Region) -> bool:
    """Whether an expression without variables is certainly defined, by balls of more bits or exactly on an edge."""
    for part in parts(node):
        if bare.ball(part) is not None:
            continue
        try:
            needed = requirements(part, bare.base.constant, lambda _: None)
        except ZeroDivisionError:
            return False
        if part.word == "Pow" and not needed and bare.base.constant(part.args[1]) is None:
            return False
        if any(bare.signs(inner) & ~mask for inner, mask in needed):
            return False
    return True
