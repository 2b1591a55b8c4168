"""Polynomials in sines and cosines of angles and in other expressions, and their texts."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dgl_mathtree.proof.algebra import Algebra, Undecided
from dgl_mathtree.proof.product_sums.angle import Angle, angle_node, read_angle
from dgl_mathtree.proof.terms import Terms

Atom = tuple[str, Any]
"""``sin`` or ``cos`` and an angle, or ``node`` and a node."""
Monomial = tuple[tuple[Atom, int], ...]
Polynomial = dict[Monomial, Fraction]
RATIONAL_COSINES = {Fraction(0): Fraction(1), Fraction(1, 3): Fraction(1, 2), Fraction(1, 2): Fraction(0)}
"""Cosines of multiples of pi that are numbers."""


class NodeAlgebra(Algebra):
    """The algebra of a search, which also knows the expression of each generator."""

    def __init__(self, terms: Terms, order: int = 2) -> None:
        super().__init__(terms, order)
        self.nodes: dict[int, int] = {}

    def _read(self, node: int) -> Any:
        before = len(self.index)
        found = super()._read(node)
        if len(self.index) > before:
            self._note(node, found)
        return found

    def _note(self, node: int, found: Any) -> None:
        """Note what new generators stand for, as far as that is simple."""
        terms = self.terms
        word = terms.word[node]
        for key, index in self.index.items():
            if index in self.nodes:
                continue
            if isinstance(key, tuple) and key[0] == "root of" and self.order == 2:
                self.nodes[index] = terms.node("Pow", terms.number(key[1]), terms.node("1/2"))
            elif isinstance(key, tuple) and key[0] in ("sin", "cos", "sinh", "cosh"):
                self.nodes[index] = terms.node(key[0], terms.children[node][0])
            elif found == (self.generator(key), 1) and word not in ("Add", "Mul"):
                self.nodes[index] = node

    def polynomial(self, p: Any) -> Polynomial:
        """A polynomial with atoms for generators; `Undecided` where a generator has no simple expression."""
        result: Polynomial = {}
        for exponents, value in p.to_dict().items():
            monomial: dict[Atom, int] = {}
            for index, power in enumerate(exponents):
                if power:
                    if index not in self.nodes:
                        raise Undecided("a generator without an expression")
                    atom = self._atom(self.nodes[index])
                    monomial[atom] = monomial.get(atom, 0) + int(power)
            key = ordered(monomial)
            result[key] = result.get(key, Fraction(0)) + Fraction(int(value.p), int(value.q))
        return {key: value for key, value in result.items() if value}

    def _atom(self, node: int) -> Atom:
        word = self.terms.word[node]
        if word in ("sin", "cos"):
            return word, read_angle(self.terms, self.terms.children[node][0])
        return "node", node


def ordered(monomial: Mapping[Atom, int]) -> Monomial:
    """The factors of a monomial in one order."""
    return tuple(sorted(((atom, power) for atom, power in monomial.items() if power), key=_rank))


def _rank(factor: tuple[Atom, int]) -> tuple[Any, ...]:
    (word, what), power = factor
    return (word, (what.parts, what.turn) if isinstance(what, Angle) else ((), what), power)


def added(p: Polynomial, monomial: Monomial, value: Fraction) -> None:
    """Add a term to a polynomial, in place."""
    total = p.get(monomial, Fraction(0)) + value
    if total:
        p[monomial] = total
    else:
        p.pop(monomial, None)


def times(p: Polynomial, q: Polynomial) -> Polynomial:
    """The product of two polynomials."""
    result: Polynomial = {}
    for a, x in p.items():
        for b, y in q.items():
            monomial = dict(a)
            for atom, power in b:
                monomial[atom] = monomial.get(atom, 0) + power
            added(result, ordered(monomial), x * y)
    return result


def without_numbers(p: Polynomial) -> Polynomial:
    """A polynomial with cosines that are numbers as numbers."""
    result: Polynomial = {}
    for monomial, value in p.items():
        rest: dict[Atom, int] = {}
        for (word, what), power in monomial:
            known = None
            if isinstance(what, Angle) and not what.parts:
                known = RATIONAL_COSINES.get(what.turn) if word == "cos" else Fraction(0) if what.turn == 0 else None
            if known is None:
                rest[word, what] = power
            else:
                value *= known**power
        added(result, ordered(rest), value)
    return result


def atom_node(terms: Terms, atom: Atom) -> int:
    """The expression of an atom."""
    word, what = atom
    return terms.node(word, angle_node(terms, what)) if isinstance(what, Angle) else int(what)


def divided(monomial: Monomial, factor: Monomial) -> tuple[int, dict[Atom, int]]:
    """How often a factor is in a monomial, and what is left without it."""
    rest = dict(monomial)
    count = min(rest.get(atom, 0) // power for atom, power in factor)
    for atom, power in factor:
        if atom in rest:
            rest[atom] -= count * power
    return count, rest


def written(terms: Terms, p: Polynomial, special: tuple[Monomial, int] | None = None) -> int:
    """The expression of a polynomial; a factor that many of its terms share may have an expression of its own."""
    parts = []
    for monomial, value in p.items():
        factors = [] if value == 1 and monomial else [terms.number(value)]
        rest = dict(monomial)
        times_in, rest = divided(monomial, special[0]) if special is not None else (0, rest)
        if special is not None and times_in:
            factors.append(special[1] if times_in == 1 else terms.node("Pow", special[1], terms.number(times_in)))
        for atom, power in rest.items():
            if power:
                node = atom_node(terms, atom)
                factors.append(node if power == 1 else terms.node("Pow", node, terms.number(power)))
        parts.append(terms.product(factors))
    return terms.total(parts)
