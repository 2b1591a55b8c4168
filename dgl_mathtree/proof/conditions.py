"""Which lines of a proof are defined wherever the equation is, and which conditions make others so.

Each line of a proof must be defined at every point at which both sides of the equation are. Where that does not follow
from the equation, it may become a condition of the proof, but only one that removes a thin set of points: the zeros of
a meromorphic function that is not 0, or the points at which the base of a power with a varying exponent is not
positive.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from dgl_mathtree.arithmetic.arb_balls import own_precision, set_precision
from dgl_mathtree.arithmetic.operators import REALS
from dgl_mathtree.language import Expr
from dgl_mathtree.proof.facts import Facts
from dgl_mathtree.proof.laws import Condition, operator_requirements
from dgl_mathtree.proof.polynomial_signs import NONZERO, POSITIVE
from dgl_mathtree.proof.rules import Rewrite
from dgl_mathtree.proof.terms import Terms, is_letter

MEROMORPHIC = frozenset("Add Mul sin cos tan cot sec csc sinh cosh tanh coth sech csch exp".split())
POINTS = (Fraction(7, 5), Fraction(3, 11), Fraction(-13, 7), Fraction(29, 12))
"""Values of the variables at which a function is seen not to be 0, or not to be constant."""


class Definedness:
    """What a proof of an equation may assume.

    Parameters
    ----------
    terms : Terms
        Whose nodes are asked about.
    facts : Facts
        What is known of the equation's domain.
    """

    def __init__(self, terms: Terms, facts: Facts) -> None:
        self.terms = terms
        self.facts = facts
        self._needs: dict[int, frozenset[Condition] | None] = {}
        self._thin: dict[Condition, bool] = {}

    def needs(self, node: int) -> frozenset[Condition] | None:
        """The conditions under which a node is defined wherever the equation is; None where there are no such."""
        if node not in self._needs:
            found: list[Condition] = []
            for below in self.terms.subnodes(node):
                if below not in self.facts.defined and self.terms.children[below]:
                    found += self._own_needs(below)
            missing = [condition for condition in dict.fromkeys(found) if not self.facts.holds(condition)]
            self._needs[node] = frozenset(missing) if all(map(self.thin, missing)) else None
        return self._needs[node]

    def _own_needs(self, node: int) -> list[Condition]:
        """What the operator at the top of a node needs."""
        terms = self.terms
        if terms.word[node] == "Pow":
            base, exponent = terms.children[node]
            if terms.rational[exponent] is None:
                return [Condition(terms.expr(base), ">", Expr.leaf("0"))]
        return operator_requirements(terms.word[node], *map(terms.words, terms.children[node]))

    def of_rewrite(self, rewrite: Rewrite) -> frozenset[Condition] | None:
        """What using a law needs beyond the equation's domain; None where it may not be used."""
        missing: set[Condition] = set()
        for node in (rewrite.form, rewrite.replaced, rewrite.new):
            need = self.needs(node)
            if need is None:
                return None
            missing |= need
        letters = {self.terms.node(letter): node for letter, node in rewrite.bound}
        for condition in rewrite.rule.law.conditions:
            instance = self._instance(condition, letters)
            if not self.facts.holds(instance):
                if not self.thin(instance):
                    return None
                missing.add(instance)
        return frozenset(missing)

    def _instance(self, condition: Condition, letters: dict[int, int]) -> Condition:
        sides = [
            self.terms.expr(self.terms.replace_all(self.terms.read(side.words), letters))
            for side in (condition.left, condition.right)
        ]
        return Condition(sides[0], condition.relation, sides[1])

    def thin(self, condition: Condition) -> bool:
        """Whether a condition removes a thin set of points from the equation's domain."""
        if condition not in self._thin:
            self._thin[condition] = self._is_thin(condition)
        return self._thin[condition]

    def _is_thin(self, condition: Condition) -> bool:
        node, sign = self.facts._as_sign(condition)
        if sign == NONZERO:
            return self._meromorphic(node) and self._varies(node, zero=True)
        if sign != POSITIVE:
            return False
        terms = self.terms
        return any(
            terms.word[power] == "Pow"
            and terms.children[power][0] == node
            and self._meromorphic(terms.children[power][1])
            and self._varies(terms.children[power][1], zero=False)
            for power in self.facts.defined
        )

    def _meromorphic(self, node: int) -> bool:
        """Whether a node is a meromorphic function of its variables, of which logarithms of variables are some."""
        terms = self.terms
        for below in terms.subnodes(node):
            word, children = terms.word[below], terms.children[below]
            if word == "Pow":
                exponent = terms.rational[children[1]]
                if exponent is None or exponent.denominator != 1:
                    return not any(is_letter(terms.word[n]) for n in terms.subnodes(below))
            elif word == "log":
                plain = is_letter(terms.word[children[0]]) and terms.word[children[1]] == "e"
                if not plain and any(is_letter(terms.word[n]) for n in terms.subnodes(below)):
                    return False
            elif children and word not in MEROMORPHIC:
                return False
        return True

    def _varies(self, node: int, zero: bool) -> bool:
        """Whether a node is certainly not 0 at some point, or has certainly different values at two points."""
        values: list[Any] = []
        with own_precision():
            set_precision(128)
            for shift in range(len(POINTS)):
                value = self._value(node, shift)
                if isinstance(value, arb):
                    if zero and not value.contains(0):
                        return True
                    values.append(value)
            return not zero and any(not a.overlaps(b) for a in values for b in values)

    def _value(self, node: int, shift: int) -> Any:
        terms, values, letters = self.terms, {}, 0
        for below in terms.subnodes(node):
            word, children = terms.word[below], terms.children[below]
            if not children:
                if is_letter(word):
                    point = POINTS[(letters + shift) % len(POINTS)] + letters
                    values[below] = arb(fmpq(point.numerator, point.denominator))
                    letters += 1
                else:
                    values[below] = REALS.leaf(word)
                continue
            arguments = [values[child] for child in children]
            if not all(isinstance(value, arb) for value in arguments):
                return None
            function: Any = REALS.unary[word] if len(children) == 1 else REALS.binary[word]
            values[below] = function(*arguments, False)
        return values[node]
