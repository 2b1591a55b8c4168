"""Checks a proof: its form, its domain, its conditions, and every step of its chains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import arb, fmpz

from dgl_mathtree.arithmetic.arb_balls import own_precision
from dgl_mathtree.proof.check import branches, conditions, named, rules
from dgl_mathtree.proof.check.balls import Values, differ
from dgl_mathtree.proof.check.definedness import Definedness, domain_facts
from dgl_mathtree.proof.check.form import Derivation, Step, read_proof
from dgl_mathtree.proof.check.limits import Budget, ProofError
from dgl_mathtree.proof.check.nodes import Node, fraction, is_literal, variables_of, walk
from dgl_mathtree.proof.check.polynomials import MoreGenerators
from dgl_mathtree.proof.check.region import Region
from dgl_mathtree.proof.check.sample import sample

ROOMS = (32, 96, 256)
LARGEST_ROOT_ORDER = 24


def check(proof: object) -> None:
    """Check a proof in its JSON form.

    Parameters
    ----------
    proof : mapping
        ``{"equation", "conditions", "steps"}``, as `mathtree prove --json` prints it.

    Raises
    ------
    ProofError
        If it is not a proof: the message names the step and the reason.

    Examples
    --------
    >>> check({"equation": "x + x = 2*x", "steps": [{"left": "x + x", "right": "2*x", "law": "algebra"}]})
    """
    derivation = read_proof(proof)
    with own_precision():
        try:
            _check(derivation)
        except RecursionError:
            raise ProofError("the proof is nested too deeply to be checked") from None


def _check(derivation: Derivation) -> None:
    budget = Budget()
    for room in ROOMS:
        checker = Checker(derivation, budget, room)
        try:
            checker.run()
            return
        except MoreGenerators:
            continue
        except ArithmeticError:
            # An impossible case, for example, in which a part of the equation itself divides by 0.
            raise ProofError(f"{checker.where} divides by 0, or has a number that is out of reach") from None
    raise ProofError("the proof has too many different functions to be checked")


class Checker:
    """Checks one proof.

    Parameters
    ----------
    derivation : Derivation
        The proof.
    budget : Budget
        What work is counted in.
    room : int
        The number of generators that its polynomials have room for.
    """

    def __init__(self, derivation: Derivation, budget: Budget, room: int) -> None:
        self.derivation, self.budget, self.room = derivation, budget, room
        self.order = _root_order(derivation)
        self.where = "the equation"
        self.names = variables_of(derivation.left) | variables_of(derivation.right)

    def run(self) -> None:
        """Check it.

        Raises
        ------
        ProofError
            If it is not a proof.
        """
        proof = self.derivation
        bare = Region([], frozenset(), [], self.budget, self.room, self.order)
        found = sample(proof.left, proof.right, bare)
        facts = domain_facts(bare, (proof.left, proof.right))
        domain = Region(facts, frozenset(), found.points, self.budget, self.room, self.order)
        conditions.check(domain, proof, found)
        given = [(relation.node, relation.mask) for relation in proof.conditions]
        points = [p for p in found.points if all(branches.holds_at(p, r, self.budget) for r in proof.conditions)]
        if not points:
            raise ProofError("the conditions hold at no point that was found in the equation's domain")
        region = domain.narrowed(given, frozenset(), points) if given else domain
        defined = Definedness(region, (proof.left, proof.right))
        self.chain(proof.steps, proof.left, proof.right, region, defined, "the proof")

    def chain(
        self, steps: Sequence[Step], left: Node, right: Node, region: Region, defined: Definedness, what: str
    ) -> None:
        """Check that steps lead from one expression to another."""
        here = left
        values = [Values(point, self.budget, rational=region.rational) for point in region.points]
        for step in steps:
            self.where = step.name
            if not variables_of(step.right) <= self.names:
                raise ProofError(f"{step.name} has a variable that the equation does not have")
            if step.left != here:
                raise ProofError(f"{step.name} does not start where {what} has come to")
            defined.require(step.right, step.name)
            self._look(step, values)
            self._step(step, region, defined)
            here = step.right
        if here != right:
            raise ProofError(f"{what} does not end at the right side")

    def _look(self, step: Step, values: Sequence[Values]) -> None:
        """Refuse a step whose sides certainly differ at a point of the region."""
        for at in values:
            a, b = at.of(step.left), at.of(step.right)
            if differ(a, b):
                raise ProofError(f"{step.name} is false {_place(at.point)}")
            if b is None:
                raise ProofError(f"{step.name} has a right side that is not defined {_place(at.point)}")

    def _step(self, step: Step, region: Region, defined: Definedness) -> None:
        names = [name.strip() for name in step.law.split(",")]
        if len(set(names)) < len(names):
            raise ProofError(f"{step.name} names a law twice")
        if step.law == "cases":
            branches.check_cases(self, step, region, defined)
        elif step.law.startswith(branches.BOTH_SIDES):
            branches.check_both_sides(self, step, region, defined)
        elif step.cases is not None or step.inner is not None:
            raise ProofError(f"{step.name} has a 'because', which {step.law!r} does not take")
        elif all(name in rules.READINGS for name in names):
            if not rules.holds(region, step.left, step.right, dict.fromkeys(names)):
                raise ProofError(f"{step.name} does not follow by {step.law}")
        else:
            named.check(step, names, region, defined)


def _place(point: Any) -> str:
    shown = ", ".join(f"{name} = {_number(value)}" for name, value in point.items())
    return f"at {shown}" if shown else "as a number"


def _number(value: arb) -> str:
    return repr(float(value.mid()))


def _root_order(derivation: Derivation) -> int:
    """The common denominator of the exponents in a proof, as far as it is small."""
    order = fmpz(2)
    nodes = [derivation.left, derivation.right]
    stack = list(derivation.steps)
    while stack:
        step = stack.pop()
        nodes += (step.left, step.right)
        stack += step.inner or []
        stack += [inner for case in step.cases or [] for inner in case.steps]
    for node in nodes:
        for part in walk(node):
            if part.word == "Pow" and is_literal(part.args[1]):
                finer = order.lcm(fraction(part.args[1].word).q)
                order = finer if finer <= LARGEST_ROOT_ORDER else order
    return int(order)
