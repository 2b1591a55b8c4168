"""Derivations by product-to-sum laws.

Both sides are written as quotients of polynomials in sines and cosines. With the same denominator, the numerators
become sums of sines and cosines, each of an angle in one range, by laws for products, shifts and signs. Sums over
angles that divide the circle evenly are 0, and there are no other relations between sines and cosines of rational
angles.
"""

from __future__ import annotations

from collections.abc import Iterator

from dgl_mathtree.proof.algebra import ONE, Undecided, root_order
from dgl_mathtree.proof.product_sums.angle import Angle, angle_node, turns
from dgl_mathtree.proof.product_sums.equation_chain import MOST_STEPS, EquationChain
from dgl_mathtree.proof.product_sums.pairs import as_sum, next_pair
from dgl_mathtree.proof.product_sums.polynomial import (
    Monomial,
    NodeAlgebra,
    Polynomial,
    added,
    atom_node,
    divided,
    ordered,
    times,
    without_numbers,
    written,
)
from dgl_mathtree.proof.product_sums.relations import SUMS, relations_for
from dgl_mathtree.proof.product_sums.roots import ROOTS, as_cosines
from dgl_mathtree.proof.search import Goal
from dgl_mathtree.proof.shorten import Derivation
from dgl_mathtree.proof.step import Step
from dgl_mathtree.proof.terms import Terms, terms_for

MOST_TERMS = 40
MOST_WORDS = 6000
"""The words of all lines of a derivation that is still worth checking."""
QUOTIENTS = {"tan": "reciprocal/tan-quotient", "cot": "reciprocal/cot-quotient", "sec": "reciprocal/sec"}
QUOTIENTS["csc"] = "reciprocal/csc"
CIRCULAR = frozenset({"sin", "cos", *QUOTIENTS})
LAWS = frozenset(
    f"""{" ".join(QUOTIENTS.values())} power-reduction/sin power-reduction/cos power-reduction/product
    power-reduction/sin-cos power-reduction/cos-cos power-reduction/sin-sin parity/sin parity/cos shift/sin-pi
    shift/cos-pi shift/cos-supplement shift/sin-quarter shift/cos-quarter circular/sin-quarter-back
    circular/cos-quarter-back cofunction/sin""".split()
)


def derive_by_sums(goal: Goal, without: frozenset[str] = frozenset()) -> Iterator[Derivation]:
    """The derivation of a goal by sums of sines and cosines, if there is one.

    Parameters
    ----------
    goal : Goal
        What to derive.
    without : frozenset of str
        Names of laws that may not be used.
    """
    if not CIRCULAR.intersection((*goal.left, *goal.right)) or without & (LAWS | SUMS.keys() | ROOTS.keys()):
        return
    try:
        steps = _Deriving(goal).steps()
    except Undecided:
        return
    if steps is not None and len(steps) <= MOST_STEPS and sum(len(step.right.words) for step in steps) <= MOST_WORDS:
        yield Derivation(tuple(steps))


class _Deriving:
    """One derivation."""

    def __init__(self, goal: Goal) -> None:
        self.terms = terms = terms_for(goal.left, goal.right)
        self.roots = terms.read(goal.left), terms.read(goal.right)
        self.chains = [EquationChain(terms, root) for root in self.roots]
        self.algebra = NodeAlgebra(terms, root_order(terms, *self.roots))

    def steps(self) -> list[Step] | None:
        """The steps from the left side to the right side."""
        for chain in self.chains:
            self._quotients(chain)
        as_cosines(self.terms, self.chains)
        read = [self.algebra.read(chain.here) for chain in self.chains]
        below = [self.algebra.polynomial(den) for _, den in read]
        above = [self.algebra.polynomial(num) for num, _ in read]
        same = read[0][1] == read[1][1]
        if not same:
            above = [times(above[0], below[1]), times(above[1], below[0])]
        divisors = [] if read[0][1] == ONE and same else [written(self.terms, p) for p in below[: 1 if same else 2]]
        divisors = [node for node in divisors if self.terms.word[node] != "1"]
        self.below = self.terms.product(divisors) if divisors else None
        sums = [self._linear(chain, p) for chain, p in zip(self.chains, above, strict=True)]
        if not self._relate(sums[0], sums[1]):
            return None
        first, second = self.chains
        second_steps = second.steps(backwards=True)
        if first.here != second.here:
            first.go(second.here)
        return first.steps() + second_steps

    def _whole(self, numerator: int) -> int:
        """The numerator over the common denominator."""
        terms = self.terms
        if self.below is None:
            return numerator
        return terms.node("Mul", numerator, terms.node("Pow", self.below, terms.node("-1")))

    def _quotients(self, chain: EquationChain) -> None:
        """Write tan, cot, sec and csc as quotients."""
        terms = self.terms
        for node in list(terms.subnodes(chain.here)):
            law = QUOTIENTS.get(terms.word[node])
            if law is None:
                continue
            argument = terms.children[node][0]
            sine, cosine = terms.node("sin", argument), terms.node("cos", argument)
            minus = terms.node("-1")
            parts = {"tan": (sine, cosine), "cot": (cosine, sine), "sec": (None, cosine), "csc": (None, sine)}
            over, under = parts[terms.word[node]]
            new = terms.node("Pow", under, minus)
            chain.go(terms.replace(chain.here, node, new if over is None else terms.node("Mul", over, new)), law)

    def _linear(self, chain: EquationChain, p: Polynomial) -> Polynomial:
        """Lead a chain from a polynomial to a sum without products of sines and cosines."""
        p = self._turned(chain, p)
        while True:
            pair = next_pair(p)
            if pair is None:
                return p
            p = self._turned(chain, self._product(chain, p, pair))
            if len(p) > MOST_TERMS:
                raise Undecided("too many terms")

    def _product(self, chain: EquationChain, p: Polynomial, pair: Monomial) -> Polynomial:
        """Replace a product by a sum, in all terms that have it."""
        terms = self.terms
        law, form, sum_node, total = as_sum(terms, pair)
        numerator = written(terms, p, (pair, form))
        chain.go(self._whole(numerator))
        chain.go(self._whole(terms.replace(numerator, form, sum_node)), law)
        result: Polynomial = {}
        for monomial, value in p.items():
            count, rest = divided(monomial, pair)
            product = {ordered(rest): value}
            for _ in range(count):
                product = times(product, total)
            for other, factor in product.items():
                added(result, other, factor)
        return result

    def _turned(self, chain: EquationChain, p: Polynomial) -> Polynomial:
        """Bring all angles into one range."""
        terms = self.terms
        for atom in sorted({atom for monomial in p for atom, _ in monomial}, key=lambda a: atom_node(terms, a)):
            word, angle = atom
            if not isinstance(angle, Angle):
                continue
            for turned in turns(terms, word, angle):
                here = (((word, angle), 1),)
                new = ((turned.word, turned.angle), 1)
                form = terms.node(word, turned.form)
                target = terms.node(turned.word, angle_node(terms, turned.angle))
                other = target if turned.sign > 0 else terms.node("Mul", terms.node("-1"), target)
                if any((word, angle) in dict(monomial) for monomial in p):
                    numerator = _with_form(terms, p, here[0][0], form)
                    chain.go(self._whole(numerator))
                    chain.go(self._whole(terms.replace(numerator, form, other)), turned.law)
                p = _substituted(p, here[0][0], new[0], turned.sign)
                word, angle = turned.word, turned.angle
        p = without_numbers(p)
        chain.go(self._whole(written(terms, p)))
        return p

    def _relate(self, left: Polynomial, right: Polynomial) -> bool:
        """Lead the left chain to the right sum by sums over angles that divide the circle evenly."""
        difference = dict(left)
        for monomial, value in right.items():
            added(difference, monomial, -value)
        if not difference:
            return True
        uses = relations_for(self.terms, difference)
        if uses is None:
            return False
        terms, chain, p = self.terms, self.chains[0], left
        for use in uses:
            rest = {use.monomial: use.factor}
            others = dict(p)
            added(others, use.monomial, -use.factor)
            form = atom_node(terms, use.atom)
            split = [written(terms, others)] if others else []
            kept = written(terms, rest)
            chain.go(self._whole(terms.total([*split, kept])))
            instance = use.other(terms)
            chain.go(self._whole(terms.total([*split, terms.replace(kept, form, instance)])), use.law)
            for monomial, value in use.terms():
                added(others, monomial, value)
            p = self._turned(chain, others)
        return p == right


def _with_form(terms: Terms, p: Polynomial, atom: tuple[str, Angle], form: int) -> int:
    """A polynomial with one atom written in another way, in all powers."""
    return terms.replace(written(terms, p), atom_node(terms, atom), form)


def _substituted(p: Polynomial, old: tuple[str, Angle], new: tuple[str, Angle], sign: int) -> Polynomial:
    """A polynomial with an atom replaced by another one, perhaps its negative."""
    result: Polynomial = {}
    for monomial, value in p.items():
        rest = dict(monomial)
        power = rest.pop(old, 0)
        if power:
            rest[new] = rest.get(new, 0) + power
        added(result, ordered(rest), value * sign**power)
    return result
