"""What is known of signs at every point at which both sides of an equation are defined.

Expressions are read as quotients of polynomials in which angles are points of the circle, sin = 2ST/(S^2 + T^2) and
cos = (S^2 - T^2)/(S^2 + T^2), and exponentials are powers of positive generators. These factor uniquely, so that a
factor of what is known not to be 0 is not 0: cos(x) != 0 gives 1 + sin(x) != 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from math import lcm

from dgl_mathtree.language import Expr
from dgl_mathtree.proof.algebra import Undecided
from dgl_mathtree.proof.circle_algebra import CircleAlgebra
from dgl_mathtree.proof.constant_signs import constant_sign, never_whole
from dgl_mathtree.proof.laws import Condition, requirements
from dgl_mathtree.proof.polynomial_signs import NONNEGATIVE, NONZERO, POSITIVE, PolynomialSigns
from dgl_mathtree.proof.terms import Terms


class Facts:
    """What holds at every point of an equation's domain, and under some more conditions.

    Parameters
    ----------
    terms : Terms
        Whose nodes are asked about.
    sides : iterable of int
        The sides of the equation.
    conditions : iterable of Condition
        What is assumed beside.
    order : int
        The common order of roots.
    """

    def __init__(
        self, terms: Terms, sides: Iterable[int], conditions: Iterable[Condition] = (), order: int = 2
    ) -> None:
        self.terms = terms
        self.sides = tuple(sides)
        self.conditions = tuple(conditions)
        denominators = [
            terms.rational[node].denominator  # type: ignore[union-attr]
            for node in terms.subnodes(*self.sides)
            if terms.rational[node] is not None
        ]
        self.algebra = CircleAlgebra(terms, order, min(lcm(1, *denominators), 4))
        self.signs = PolynomialSigns(self.algebra)
        self._answers: dict[tuple[int, int], bool] = {}
        self._learn()

    @cached_property
    def defined(self) -> frozenset[int]:
        """The nodes that are parts of the equation."""
        return frozenset(self.terms.subnodes(*self.sides))

    def _learn(self) -> None:
        needed = [c for side in self.sides for c in requirements(self.terms.words(side))]
        needed += [c for side in self.sides for c in self._consequences(side)]
        for _ in range(2):  # what is learnt first may help with what comes later
            for condition in [*needed, *self.conditions]:
                node, sign = self._as_sign(condition)
                if sign:
                    self._note(node, sign)

    def _consequences(self, side: int) -> list[Condition]:
        """What follows from what functions need of their arguments: -1 <= u <= 1 as two conditions, sinh(u) != 0."""
        relations = {"asin": ">=", "acos": ">=", "atanh": ">"}
        found: list[Condition] = []
        for node in self.terms.subnodes(side):
            word = self.terms.word[node]
            relation = relations.get(word)
            argument = self.terms.expr(self.terms.children[node][0]) if self.terms.children[node] else None
            if argument is None:
                continue
            if word == "Pow" and never_whole(self.terms, self.terms.children[node][1]):
                found.append(Condition(argument, ">=", Expr.leaf("0")))
            if word in ("coth", "csch"):
                found.append(Condition(Expr.apply("sinh", argument), "!=", Expr.leaf("0")))
            if word in ("asec", "acsc", "acoth"):
                found.append(Condition(argument, "!=", Expr.leaf("0")))
            if relation:
                found.append(Condition(argument, relation, Expr.leaf("-1")))
                found.append(Condition(argument, relation.replace(">", "<"), Expr.leaf("1")))
        return found

    def _as_sign(self, condition: Condition) -> tuple[int, int]:
        """A condition as a sign of one node."""
        left, right = self.terms.read(condition.left.words), self.terms.read(condition.right.words)
        if condition.relation in ("<", "<="):
            left, right = right, left
        node = left
        if self.terms.word[right] != "0":
            node = self.terms.node("Add", left, self.terms.node("Mul", self.terms.node("-1"), right))
        signs = {"!=": NONZERO, ">": POSITIVE, "<": POSITIVE, ">=": NONNEGATIVE, "<=": NONNEGATIVE}
        return node, signs[condition.relation]

    def _note(self, node: int, sign: int) -> None:
        try:
            above, below = self.algebra.read(node)
            if above == 0:
                return
            self._answers.clear()
            self.signs.learn(above, below, sign)
        except Undecided:
            return

    def holds(self, condition: Condition) -> bool:
        """Whether a condition is known to hold at every point."""
        node, sign = self._as_sign(condition)
        return self.has_sign(node, sign)

    def has_sign(self, node: int, sign: int) -> bool:
        """Whether a node is known to have a sign wherever it is defined."""
        key = node, sign
        if key not in self._answers:
            self._answers[key] = self._has_sign(node, sign)
        return self._answers[key]

    def _has_sign(self, node: int, sign: int) -> bool:
        value = constant_sign(self.terms, node)
        if value is not None:
            return value > 0 if sign == POSITIVE else value != 0 if sign == NONZERO else value >= 0
        self.signs.start_question()
        try:
            above, below = self.algebra.read(node)
            if above == 0:
                return sign == NONNEGATIVE
            if sign == NONZERO:
                return self.signs.nonzero(above)
            if self.signs.positive(above * below, sign == POSITIVE):
                return True
            factors = [*self.signs.signed_factors(above), *self.signs.signed_factors(below)[1:]]
            return self.signs.product_positive(factors, sign == POSITIVE)
        except Undecided:
            return False
