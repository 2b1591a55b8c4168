"""Sums over angles that divide the circle evenly, which are 0, and which of them an equation needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from dgl_mathtree.proof.product_sums.angle import Angle, angle_node, turns
from dgl_mathtree.proof.product_sums.polynomial import (
    Atom,
    Monomial,
    Polynomial,
    added,
    ordered,
    without_numbers,
)
from dgl_mathtree.proof.terms import Terms, _factors

SUMS = {
    f"circle-sums/{word}-{name}": (word, prime)
    for word in ("cos", "sin")
    for name, prime in zip(
        "three five seven eleven thirteen seventeen nineteen twenty-three".split(),
        (3, 5, 7, 11, 13, 17, 19, 23),
        strict=True,
    )
}
"""The laws, by the function and the number of angles."""
MOST_UNKNOWNS = 160


@dataclass(frozen=True)
class Use:
    """One use of a law: some of a term is replaced by the opposite of all other terms of the sum.

    Parameters
    ----------
    law : str
        Its name.
    prime : int
        The number of angles.
    atom : Atom
        The sine or cosine that is replaced.
    rest : Monomial
        What it is multiplied by.
    factor : Fraction
        How much of it is replaced.
    """

    law: str
    prime: int
    atom: Atom
    rest: Monomial
    factor: Fraction

    @property
    def monomial(self) -> Monomial:
        return ordered({**dict(self.rest), self.atom: 1})

    def terms(self) -> Iterator[tuple[Monomial, Fraction]]:
        """The terms that it becomes."""
        word, angle = self.atom
        for shift in _shifts(self.prime):
            yield ordered({**dict(self.rest), (word, angle.shifted(shift)): 1}), -self.factor

    def other(self, terms: Terms) -> int:
        """The right side of the law's instance."""
        word, angle = self.atom
        node, minus, pi = angle_node(terms, angle), terms.node("-1"), terms.node("pi")
        parts = []
        for shift in _shifts(self.prime):
            turn = terms.node("Mul", terms.number(shift), pi)
            parts.append(terms.node("Mul", minus, terms.node(word, terms.node("Add", node, turn))))
        return terms.total(parts)


def _shifts(prime: int) -> list[Fraction]:
    """The multiples of pi by which the other angles of a sum differ from the first."""
    return [sign * Fraction(2 * k, prime) for k in range(1, (prime + 1) // 2) for sign in (1, -1)]


def relations_for(terms: Terms, difference: Polynomial) -> list[Use] | None:
    """Uses of laws that make a sum 0, or None if there are none."""
    uses: list[Use] = []
    for rest, part in _by_rest(difference).items():
        found = _solved(terms, rest, part)
        if found is None:
            return None
        uses += found
    return uses


def _by_rest(p: Polynomial) -> dict[Monomial, Polynomial]:
    """The terms by what sines and cosines are multiplied by; numbers belong to cosines of 0."""
    found: dict[Monomial, Polynomial] = {}
    for monomial, value in p.items():
        rest = ordered({atom: power for atom, power in monomial if not isinstance(atom[1], Angle)})
        own = ordered({atom: power for atom, power in monomial if isinstance(atom[1], Angle)})
        found.setdefault(rest, {})[own] = value
    return found


def _vector(word: str, angle: Angle, terms: Terms) -> Polynomial:
    """A sine or cosine as a term with an angle in the range that is used."""
    sign = 1
    for turned in turns(terms, word, angle):
        word, angle, sign = turned.word, turned.angle, sign * turned.sign
    return without_numbers({(((word, angle), 1),): Fraction(sign)})


def _solved(terms: Terms, rest: Monomial, part: Polynomial) -> list[Use] | None:
    """Uses that make a linear sum 0: a linear system over the rational numbers."""
    candidates = _candidates(part)
    if candidates is None:
        return None
    columns = []
    for _, prime, (word, angle) in candidates:
        column: Polynomial = {}
        for shift in (Fraction(0), *_shifts(prime)):
            for monomial, value in _vector(word, angle.shifted(shift), terms).items():
                added(column, monomial, value)
        columns.append(column)
    factors = _combination(columns, part)
    if factors is None:
        return None
    return [
        Use(name, prime, atom, rest, factor)
        for (name, prime, atom), factor in zip(candidates, factors, strict=True)
        if factor
    ]


def _candidates(part: Polynomial) -> list[tuple[str, int, Atom]] | None:
    """The laws and angles that may be needed: for each angle of the sum and those that differ from it by fractions."""
    angles: dict[tuple[str, tuple[tuple[int, Fraction], ...]], set[Fraction]] = {}
    for monomial in part:
        for (word, angle), _ in monomial:
            angles.setdefault((word if angle.parts else "cos", angle.parts), set()).add(angle.turn)
    names = {key: name for name, key in SUMS.items()}
    found: list[tuple[str, int, Atom]] = []
    for (word, parts), used in angles.items():
        whole = lcm(*(turn.denominator for turn in used), 1)
        whole = whole * 2 if whole % 2 else whole
        primes = [prime for prime, _ in _factors(whole) if prime > 2] or [3]
        if any(("cos", prime) not in names for prime in primes):
            return None
        limit = Fraction(1, 2)
        for prime in primes:
            step = Fraction(1, lcm(whole, prime))
            turn = Fraction(0)
            while turn <= limit:
                found.append((names[word, prime], prime, (word, Angle(turn, parts))))
                turn += step
    return found if len(found) <= MOST_UNKNOWNS else None


def _combination(columns: list[Polynomial], target: Polynomial) -> list[Fraction] | None:
    """Multiples of some vectors whose sum is another one, with few that are not 0."""
    rows = sorted({m for column in (*columns, target) for m in column}, key=repr)
    matrix = [[column.get(row, Fraction(0)) for column in columns] + [target.get(row, Fraction(0))] for row in rows]
    pivots: list[int] = []
    at = 0
    for col in range(len(columns)):
        pivot = next((r for r in range(at, len(matrix)) if matrix[r][col]), None)
        if pivot is None:
            continue
        matrix[at], matrix[pivot] = matrix[pivot], matrix[at]
        lead = matrix[at][col]
        matrix[at] = [value / lead for value in matrix[at]]
        for r in range(len(matrix)):
            if r != at and matrix[r][col]:
                factor = matrix[r][col]
                matrix[r] = [a - factor * b for a, b in zip(matrix[r], matrix[at], strict=True)]
        pivots.append(col)
        at += 1
    if any(row[-1] for row in matrix[at:]):
        return None
    result = [Fraction(0)] * len(columns)
    for r, col in enumerate(pivots):
        result[col] = matrix[r][-1]
    return result
