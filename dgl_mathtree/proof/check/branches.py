"""Steps that rest on other chains: cases by sign, and injective functions applied to both sides."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from flint import arb, fmpq

from dgl_mathtree.language.vocabulary import is_variable
from dgl_mathtree.proof.check import ranges, rules
from dgl_mathtree.proof.check.balls import Values
from dgl_mathtree.proof.check.definedness import Definedness
from dgl_mathtree.proof.check.form import Relation, Step
from dgl_mathtree.proof.check.limits import Budget, ProofError
from dgl_mathtree.proof.check.nodes import Node, apply, mul, number, power, sub, variables_of
from dgl_mathtree.proof.check.ranges import Range, end
from dgl_mathtree.proof.check.region import Region
from dgl_mathtree.proof.check.signs import NEGATIVE, POSITIVE, ZERO

if TYPE_CHECKING:
    from dgl_mathtree.proof.check.checker import Checker

BOTH_SIDES = "both sides:"
EVERYWHERE = frozenset("exp sinh asinh atan tanh".split())
"""Functions that are defined and injective on all real numbers."""
MOST_TURNS = 4
_END = r"(-?[0-9]{1,9}(?:/[1-9][0-9]{0,8})?)"
_INTERVAL = re.compile(rf"{_END}\*pi (<=|<) both sides (<=|<) {_END}\*pi")


def holds_at(point: Mapping[str, Any], relation: Relation, budget: Budget) -> bool:
    """Whether a relation certainly holds at a point."""
    value = Values(point, budget).of(relation.node)
    if not isinstance(value, arb):
        return False
    sign = POSITIVE if value > 0 else NEGATIVE if value < 0 else ZERO if value.is_zero() else 0
    return bool(sign & relation.mask)


def check_cases(checker: Checker, step: Step, region: Region, defined: Definedness) -> None:
    """A step that is proved case by case, the cases being signs of one expression that cover all that it may have."""
    if not step.cases:
        raise ProofError(f"{step.name} has no cases")
    node = step.cases[0].relation.node
    if any(case.relation.node != node for case in step.cases):
        raise ProofError(f"{step.name} has cases that are not about one expression")
    if not variables_of(node) <= checker.names:
        raise ProofError(f"{step.name} has cases about a variable that the equation does not have")
    defined.require(node, step.name)
    covered = 0
    for case in step.cases:
        covered |= case.relation.mask
    if region.signs(node) & ~covered:
        raise ProofError(f"{step.name} has cases that do not cover everything")
    for k, case in enumerate(step.cases, 1):
        relation = case.relation
        zero = (
            frozenset([node.word])
            if relation.mask == ZERO and not node.args and is_variable(node.word)
            else frozenset()
        )
        points = [point for point in region.points if holds_at(point, relation, checker.budget)]
        inside = region.narrowed([(node, relation.mask)], zero, points)
        what = f"case {k} of {step.name}"
        checker.chain(case.steps, step.left, step.right, inside, defined.narrowed(inside), what)


def check_both_sides(checker: Checker, step: Step, region: Region, defined: Definedness) -> None:
    """left = right because F(a) = F(b), where F is injective on both, and a - b is once or twice left - right."""
    name = step.law.removeprefix(BOTH_SIDES).strip()
    if step.inner is None:
        raise ProofError(f"{step.name} has no chain below it")
    left, right = step.left, step.right
    if step.moved is not None:
        left, right = step.moved
        if not variables_of(left) | variables_of(right) <= checker.names:
            raise ProofError(f"{step.name} has sides with a variable that the equation does not have")
        for node in step.moved:
            defined.require(node, step.name)
        difference, own = sub(left, right), sub(step.left, step.right)
        if not any(rules.holds(region, difference, mul(number(times), own), ["algebra"]) for times in (1, 2)):
            raise ProofError(f"{step.name} has sides with another difference than its own")
    if not _injective(region, name, left, right):
        raise ProofError(f"{step.name}: {name} is not known to be injective where both sides are")
    if step.where is not None and not _lie_in(region, name, step.where, left, right):
        raise ProofError(f"{step.name}: that the sides lie where {step.where[:60]!r} says is not known")
    left, right = _applied(name, left), _applied(name, right)
    for node in (left, right):
        defined.require(node, step.name)
    checker.chain(step.inner, left, right, region, defined, f"the chain below {step.name}")


def _applied(name: str, node: Node) -> Node:
    if name in ("square", "cube"):
        return power(node, {"square": 2, "cube": 3}[name])
    return apply(name, node)


def _injective(region: Region, name: str, left: Node, right: Node) -> bool:
    if name in EVERYWHERE or name == "cube":
        return True
    signs = region.signs(left) | region.signs(right)
    if name == "ln":
        return signs == POSITIVE
    if name in ("square", "cosh"):
        return not (signs & NEGATIVE and signs & POSITIVE)
    if name not in ("sin", "cos", "tan", "cot"):
        return False
    sides = [region.range(node) for node in (left, right)]
    return any(all(side.within(_branch(name, turns)) for side in sides) for turns in range(-MOST_TURNS, MOST_TURNS + 1))


def _lie_in(region: Region, name: str, where: str, left: Node, right: Node) -> bool:
    """Whether the sides, on which a function is injective, lie in an interval that is given in words."""
    if where == "all real numbers":
        return name in EVERYWHERE or name == "cube"
    signs = region.signs(left) | region.signs(right)
    if where in ("both sides >= 0", "both sides > 0", "both sides of one sign"):
        refused = {"both sides >= 0": NEGATIVE, "both sides > 0": NEGATIVE | ZERO}.get(where, 0)
        return not signs & refused and not (signs & NEGATIVE and signs & POSITIVE)
    if where == f"both sides in an interval on which {name} is injective":
        return True
    found = _INTERVAL.fullmatch(where)
    if found is None:
        return False
    low, high = (end(0, fmpq(*map(int, found[k].split("/")))) for k in (1, 4))
    inside = ranges.Range(low, high, found[2] == "<", found[3] == "<")
    one_branch = any(inside.within(_branch(name, turns)) for turns in range(-MOST_TURNS, MOST_TURNS + 1))
    return one_branch and all(region.range(side).within(inside) for side in (left, right))


def _branch(name: str, turns: int) -> Range:
    """An interval of length pi on which a function is injective."""
    start = turns - (fmpq(1, 2) if name in ("sin", "tan") else fmpq(0))
    make = ranges.closed if name in ("sin", "cos") else ranges.opened
    return make(end(0, start), end(0, start + 1))
