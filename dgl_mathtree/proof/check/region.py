"""A region: the points of an equation's domain at which conditions and the current case hold, and what is known there.

Facts are sign sets of expressions. They are read by plain algebra, taken apart into irreducible factors, and what each
factor may be is narrowed until nothing changes: a sign of a factor is excluded only if no signs of the others would
give a product that the fact allows. So p*q >= 0 with q >= 0 says nothing of p, and p^2*q >= 0 nothing of q.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product as choices
from typing import Any

from flint import arb

from dgl_mathtree.proof.check import constants, implications, intervals, multiples, sign_rules
from dgl_mathtree.proof.check.balls import Values, differ, has_variable
from dgl_mathtree.proof.check.limits import Budget
from dgl_mathtree.proof.check.nodes import Node, fraction, inverse, is_literal, mul, walk
from dgl_mathtree.proof.check.ranges import Range
from dgl_mathtree.proof.check.reader import Reader
from dgl_mathtree.proof.check.signs import ANY, NEGATIVE, NONZERO, POSITIVE, ZERO, of_number, product, whole_power

MOST_FACTORS = 6
ROUNDS = 6


class Region:
    """Where the steps of a chain are to hold.

    Parameters
    ----------
    facts : sequence of (Node, int)
        Expressions that are defined throughout the region, and the signs that they have there.
    zeros : frozenset of str
        Variables that are 0 throughout the region.
    points : sequence of mapping
        Sample points of the region, to tell expressions apart by their values; may be empty.
    budget : Budget
        What work is counted in.
    room, root_order : int
        The generators there is room for, and the common denominator of the exponents in the proof.
    """

    def __init__(
        self,
        facts: Sequence[tuple[Node, int]],
        zeros: frozenset[str],
        points: Sequence[Mapping[str, Any]],
        budget: Budget,
        room: int,
        root_order: int,
    ) -> None:
        self.facts, self.zeros, self.points = list(facts), zeros, list(points)
        self.budget, self.room, self.root_order = budget, room, root_order
        self.samples = [Values(point, budget, rational=self.rational) for point in self.points[:3]]
        self._constant_values = [Values({}, budget, bits) for bits in (128, 512, 2048)]
        self._readers: dict[frozenset[str], Reader] = {}
        self._rationals: dict[Node, Any] = {}
        self.base = self.reader()
        self.known: dict[str, int] = {}
        self.polynomials: dict[str, Any] = {}
        self._settled: dict[str, int] = {}
        self._products: dict[frozenset[str], int] = {}
        self._signs: dict[Node, int] = {}
        self.follow_depth = 0
        self._simplifier: Reader | None = Reader(self, frozenset({"sign"}))
        self._ranges: dict[Node, Range] = {}
        self._learn()

    def narrowed(self, facts: Sequence[tuple[Node, int]], zeros: frozenset[str], points: Sequence[Any]) -> Region:
        """The part of the region where further facts hold."""
        return Region([*self.facts, *facts], self.zeros | zeros, points, self.budget, self.room, self.root_order)

    def reader(self, *rules: str) -> Reader:
        """The reader by some rules; plain algebra without any."""
        key = frozenset(rules)
        if key not in self._readers:
            self._readers[key] = Reader(self, key)
        return self._readers[key]

    def agree(self, a: Node, b: Node) -> bool:
        """Whether two expressions may be equal, as far as their values at the sample points tell."""
        return not any(differ(values.of(a), values.of(b)) for values in self.samples)

    def ratio(self, a: Node, b: Node) -> Any:
        """The simple fraction that two expressions may have as their quotient, as far as a sample point tells."""
        if not self.samples:
            return None
        above, below = self.samples[0].of(a), self.samples[0].of(b)
        if not isinstance(above, arb) or not isinstance(below, arb) or below.contains(0):
            return None
        return multiples.simple_fraction(above / below)

    def ball(self, node: Node) -> Any:
        """A ball for an expression without variables that does not hold 0, if one is found; else any ball, or None."""
        value: Any = None
        for values in self._constant_values:
            value = values.of(node)
            if isinstance(value, arb) and not value.contains(0):
                return value
        return value if isinstance(value, arb) else None

    # Signs

    def signs(self, node: Node) -> int:
        """The signs that an expression may have in the region, where it is defined."""
        found = self._signs.get(node)
        if found is not None:
            return found
        self._signs[node] = ANY  # while it is being found out
        self.budget.spend(8)
        mask = ANY if has_variable(node) else constants.sign(self, node)
        if mask in (NEGATIVE, ZERO, POSITIVE):
            self._signs[node] = mask
            return mask
        mask &= sign_rules.structural(self, node)
        if mask not in (NEGATIVE, ZERO, POSITIVE):
            mask &= self._by_factors(node)
        if mask & (mask - 1):
            mask &= self.range(node).signs()
        self._signs[node] = mask
        return mask

    def has_signs(self, node: Node, mask: int) -> bool:
        """Whether an expression certainly has one of some signs: by its own sign, or as a multiple of a fact."""
        if not self.signs(node) & ~mask:
            return True
        if any(not self.signs(other) & ~mask for other in implications.rewritten(self.base, node)):
            return True
        value = self.rational(node)
        if value is not None:
            return not of_number(value) & ~mask
        return not multiples.signs_by_exponentials(self, node) & ~mask or multiples.follows(self, node, mask)

    def rational(self, node: Node) -> Any:
        """The rational number that an expression is throughout the region, or None."""
        if is_literal(node):
            return fraction(node.word)
        if node not in self._rationals:
            if not node.args:
                return None
            self._rationals[node] = None  # while it is being found out
            self._rationals[node] = multiples.rational(self, node)
        return self._rationals[node]

    def range(self, node: Node) -> Range:
        """An interval that holds the values of an expression in the region, where it is defined."""
        found = self._ranges.get(node)
        if found is None:
            self._ranges[node] = Range()
            self.budget.spend(8)
            found = self._ranges[node] = intervals.interval(self, node)
        return found

    def simplified(self, node: Node) -> Node | None:
        """An expression with absolute values resolved where signs are known, if that changes it."""
        if not any(part.word == "Pow" and part.args[1].word == "1/2" for part in walk(node)):
            return None
        if self._simplifier is None:
            return None  # it is in the middle of a reading
        reader, self._simplifier = self._simplifier, None
        try:
            num, den = reader.quotient(node)
        except ZeroDivisionError:
            return None
        finally:
            self._simplifier = reader
        found = reader.expression_of(num)
        if not den.is_one():
            found = mul(found, inverse(reader.expression_of(den)))
        return found if found != node and found.size <= 2 * node.size else None

    def _by_factors(self, node: Node) -> int:
        num, den = self.base.read(node)
        return product(self.polynomial_signs(num), self.polynomial_signs(den) & NONZERO)

    def polynomial_signs(self, p: Any) -> int:
        """The signs of a polynomial in the generators of plain algebra."""
        constant, factors = self.base.ring.factors(p)
        mask = of_number(constant)
        for factor, times in factors:
            mask = product(mask, whole_power(self.factor_signs(factor), times))
        odd = frozenset(str(factor) for factor, times in factors if times % 2)
        if mask & (mask - 1) and len(odd) > 1 and odd in self._products:
            together = product(of_number(constant), self._products[odd])
            for factor, times in factors:
                if times % 2 == 0:
                    together = product(together, whole_power(self.factor_signs(factor), times))
            mask &= together
        return mask

    def factor_signs(self, p: Any) -> int:
        """The signs of an irreducible factor: what the facts say, and what its terms show."""
        key = str(p)
        settled = self._settled.get(key)
        if settled is not None:
            return settled
        known = self._settled[key] = self.known.get(key, ANY)
        if known & (known - 1):
            known &= sign_rules.of_polynomial(self, p)
        self._settled[key] = known
        return known

    # Facts

    def _learn(self) -> None:
        base, products = self.base, []
        for node, mask in self._implied():
            try:
                num, den = base.read(node)
            except ZeroDivisionError:
                continue
            constant, above = base.ring.factors(num)
            _, below = base.ring.factors(den)
            factors = [(p, k) for p, k in above] + [(p, -k) for p, k in below]
            if not factors or len(factors) > MOST_FACTORS:
                continue
            for p, times in factors:
                if times < 0 or not mask & ZERO:
                    self._narrow(p, NONZERO)
            products.append((factors, product(of_number(constant), mask)))
            odd = [str(p) for p, k in factors if k % 2]
            if len(odd) > 1 and (not mask & ZERO or len(odd) == len(factors)):
                # Even powers of what is not 0 do not change the sign.
                key = frozenset(odd)
                self._products[key] = self._products.get(key, ANY) & products[-1][1]
        for _ in range(ROUNDS):
            before = dict(self.known)
            for factors, mask in products:
                self._apply(factors, mask)
                self._forget()
            if self.known == before:
                break
        self._forget()

    def _implied(self) -> list[tuple[Node, int]]:
        """The facts, what follows from them by their structure, and the same with angles expanded."""
        found: dict[tuple[Node, int], None] = {}
        for node, mask in self.facts:
            try:
                for part, signs in implications.implied(self.base, node, mask):
                    found[part, signs] = None
                    for other in implications.rewritten(self.base, part):
                        found.update(dict.fromkeys(implications.implied(self.base, other, signs)))
            except ZeroDivisionError:
                continue
        return list(found)

    def _forget(self) -> None:
        """Find signs out again, as more is known."""
        self._settled.clear()
        self._signs.clear()
        self._ranges.clear()

    def _narrow(self, p: Any, mask: int) -> None:
        key = str(p)
        self.polynomials[key] = p
        self.known[key] = self.known.get(key, ANY) & mask

    def _apply(self, factors: Sequence[tuple[Any, int]], mask: int) -> None:
        """Exclude the signs of each factor that no signs of the others make agree with the product's."""
        bits = (NEGATIVE, ZERO, POSITIVE)
        self.budget.spend(3 ** len(factors))
        possible = [self.factor_signs(p) for p, _ in factors]
        left = [0] * len(factors)
        for choice in choices(*([bit for bit in bits if some & bit] for some in possible)):
            result = POSITIVE
            for bit, (_, times) in zip(choice, factors, strict=True):
                result = product(result, whole_power(bit, times))
            if result & mask:
                left = [some | bit for some, bit in zip(left, choice, strict=True)]
        for (p, _), some in zip(factors, left, strict=True):
            self._narrow(p, some)
