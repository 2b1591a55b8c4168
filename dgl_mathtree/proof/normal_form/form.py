"""The state of one reading of an equation: the ring, the facts, and which rules were used where."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm

from dgl_mathtree.proof.normal_form.ring import GENERATORS, ONE, Quotient, Restart, Ring, Unsettled
from dgl_mathtree.proof.normal_form.signs import Facts

LARGEST_DENOMINATOR = 720


@dataclass
class Form:
    """The state of one reading.

    Parameters
    ----------
    ring : Ring
        Generators and relations.
    facts : Facts
        What is known of signs.
    kinds : set of str
        The kinds of rules that were used since it was last emptied.
    opaque : bool
        Whether powers with variable exponents, and `acot` where its argument may be 0, are generators of their own.
        What is proved in this way needs no condition.
    grouped : bool
        Whether factors of unknown sign are kept together under roots.
    denesting : int
        How deep the search for roots of sums may still go.
    needs_cases : bool
        Whether a rule was used that is only written out case by case.
    """

    ring: Ring
    facts: Facts = field(default_factory=Facts)
    kinds: set[str] = field(default_factory=set)
    opaque: bool = False
    grouped: bool = False
    denesting: int = 2
    needs_cases: bool = False

    def pi(self) -> Quotient:
        return Quotient(GENERATORS[self.ring.generator("pi", None, 1, "pi", True)], ONE)

    def again(self) -> Form:
        """The state of a new reading in the same way."""
        ring = Ring(self.ring.units, self.ring.budget)
        return Form(ring, opaque=self.opaque, grouped=self.grouped)

    def function(self, kind: str, *arguments: Quotient) -> Quotient:
        """A function that is compared by its arguments: the generator of equal ones, or a new one."""
        ring = self.ring
        for index, known in list(ring.generators.items()):
            if known.kind == kind and all(
                ring.equal(Quotient(*known.argument[2 * k : 2 * k + 2]), value) for k, value in enumerate(arguments)
            ):
                return Quotient(GENERATORS[index], ONE)
        parts = Quotient(*arguments[0]) if len(arguments) == 1 else tuple(part for value in arguments for part in value)
        name = kind + "".join(ring.describe(part) for part in parts)
        index = ring.generator(kind, parts, 1, name, all(ring.is_constant(part) for part in parts))
        return Quotient(GENERATORS[index], ONE)

    def unit(self, key: str, coefficient: Fraction) -> Fraction:
        """The greatest common divisor of the coefficients of something; a finer one asks for a new reading."""
        coefficient = abs(coefficient)
        known = self.ring.units.get(key)
        if known is None:
            self.ring.units[key] = coefficient
            return coefficient
        finer = Fraction(
            gcd(known.numerator * coefficient.denominator, coefficient.numerator * known.denominator),
            known.denominator * coefficient.denominator,
        )
        if finer == known:
            return known
        if finer.denominator > LARGEST_DENOMINATOR:
            raise Unsettled("large denominators")
        self.ring.units[key] = finer
        raise Restart

    def order(self, key: str, denominator: int, largest: int) -> int:
        """The least common multiple of all denominators of a key; a larger one asks for a new reading."""
        known = int(self.ring.units.get(key, Fraction(1)))
        together = lcm(known, denominator)
        if together > largest:
            raise Unsettled("large denominators")
        if together != known:
            self.ring.units[key] = Fraction(together)
            raise Restart
        return together
