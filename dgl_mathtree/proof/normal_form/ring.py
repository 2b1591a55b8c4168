"""Quotients of polynomials with rational coefficients over generators, and the relations between generators.

A generator stands for a real function on the domain of the equation: a variable, pi, sin and cos of an angle, an
exponential, a root. A value is a quotient whose denominator is nonzero wherever both sides of the equation are defined:
denominators come from divisions in the equation itself, and every rewriting below keeps this true. So two values are
equal if the cross-multiplied difference reduces to 0 by the relations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import comb
from typing import Any, Final, NamedTuple

from flint import Ordering, fmpq, fmpq_mpoly_ctx, fmpz

SIZE: Final = 40
CONTEXT: Final = fmpq_mpoly_ctx.get([f"g{i}" for i in range(SIZE)], Ordering.lex)
GENERATORS: Final = CONTEXT.gens()
ONE: Final = CONTEXT.constant(1)
ZERO: Final = CONTEXT.constant(0)
TERMS: Final = 2500
"""The terms of the largest polynomial that is worked with."""
BITS: Final = 6000
"""The bits of the largest coefficient."""
WORK: Final = 120_000
"""What one question may cost, in terms of polynomials touched."""
Polynomial = Any
"""An `fmpq_mpoly`; python-flint has no types."""


class Unsettled(Exception):
    """The normal form does not say whether the equation holds."""


class Restart(Exception):
    """A finer unit of an angle, exponent or root is needed: read the equation again with it."""


class Quotient(NamedTuple):
    """A numerator and a denominator that is nowhere zero."""

    above: Polynomial
    below: Polynomial


@dataclass
class Budget:
    """Counted work; never the clock."""

    left: int = WORK

    def spend(self, amount: int) -> None:
        self.left -= amount
        if self.left < 0:
            raise Unsettled("out of budget")


@dataclass(frozen=True)
class Generator:
    """What a generator stands for.

    Parameters
    ----------
    kind : str
        ``var``, ``pi``, ``cospi`` (cos(pi/order)), ``sin``, ``cos`` and ``exp`` (of order times the argument), ``ln``
        and ``abs`` (of a polynomial), ``root`` (the order-th root of the absolute value of a polynomial), or the name
        of an inverse function; ``power`` and ``acot`` are compared by their arguments alone.
    argument : tuple of polynomials, polynomial or str
        What the function is applied to: a quotient, two of them for ``power``, or a polynomial; the name of a variable.
    order : Fraction
        See `kind`.
    name : str
        A text that says the same in every reading of the equation.
    constant : bool
        Whether it contains no variable.
    """

    kind: str
    argument: Any
    order: Fraction
    name: str
    constant: bool


def polynomials_in(generator: Generator) -> tuple[Polynomial, ...]:
    """The polynomials that a generator is a function of."""
    if generator.argument is None or isinstance(generator.argument, str):
        return ()
    return generator.argument if isinstance(generator.argument, tuple) else (generator.argument,)


def number(value: Fraction | int) -> Quotient:
    value = Fraction(value)
    return Quotient(CONTEXT.constant(fmpq(value.numerator, value.denominator)), ONE)


def fraction(value: Any) -> Fraction:
    value = fmpq(value)
    return Fraction(int(value.p), int(value.q))


def terms(p: Polynomial) -> Iterator[tuple[Fraction, Polynomial]]:
    """Coefficients and monomials."""
    for exponents, coefficient in p.to_dict().items():
        yield fraction(coefficient), CONTEXT.from_dict({exponents: 1})


def support(p: Polynomial) -> list[int]:
    """The generators that occur."""
    return [i for i, degree in enumerate(p.degrees()) if degree > 0]


def _monomials(size: int, n: int) -> int:
    """At most how many terms the n-th power of a sum of so many terms has, as far as that matters."""
    return comb(size + n - 1, n) if size < 40 and n < 200 else 10**9 if n > 3 else 0


@dataclass
class Ring:
    """The generators of one reading, their relations, and the arithmetic of quotients."""

    units: dict[str, Fraction]
    budget: Budget
    generators: dict[int, Generator] = field(default_factory=dict)
    by_name: dict[str, int] = field(default_factory=dict)
    relations: dict[int, tuple[int, Polynomial]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    """Polynomials, by their text, whose absolute value is 1 or -1 times themselves."""
    factors: dict[str, tuple[Fraction, list[tuple[Polynomial, int]]]] = field(default_factory=dict)

    def generator(self, kind: str, argument: Any, order: Fraction | int, name: str, constant: bool) -> int:
        """The index of a generator, new or made before. Later ones are larger in the order of monomials."""
        if name not in self.by_name:
            index = SIZE - 1 - len(self.generators)
            if index < 1:
                raise Unsettled("too many generators")
            self.generators[index] = Generator(kind, argument, Fraction(order), name, constant)
            self.by_name[name] = index
        return self.by_name[name]

    def relate(self, index: int, degree: int, value: Polynomial) -> None:
        """Generator^degree = value, a polynomial in earlier generators."""
        self.relations[index] = (degree, value)

    def is_constant(self, p: Polynomial) -> bool:
        """Whether a polynomial contains no variable."""
        return all(self.generators[i].constant for i in support(p))

    def of_kind(self, p: Polynomial, *kinds: str) -> Generator | None:
        """The generator that a polynomial is, if it is a single one of these kinds."""
        if len(p) == 1 and p.total_degree() == 1 and p.leading_coefficient() == 1:
            generator = self.generators[support(p)[0]]
            return generator if generator.kind in kinds else None
        return None

    def check(self, p: Polynomial) -> None:
        size = len(p)
        self.budget.spend(size + 1)
        if size > TERMS:
            raise Unsettled("too many terms")
        if size and max(fmpz(p.leading_coefficient().p).bit_length(), p.leading_coefficient().q.bit_length()) > BITS:
            raise Unsettled("large numbers")

    def reduce(self, p: Polynomial) -> Polynomial:
        """The remainder by the relations."""
        self.check(p)
        for index in sorted(self.relations):
            degree, value = self.relations[index]
            present = p.degrees()[index]
            if present >= degree:
                if present > 400:
                    raise Unsettled("large degree")
                self.budget.spend((int(present) - degree + 1) * len(p))
                _, p = divmod(p, GENERATORS[index] ** degree - value)
                self.check(p)
        return p

    def product(self, p: Polynomial, q: Polynomial) -> Polynomial:
        self.budget.spend(len(p) * len(q) // 8 + 1)
        if len(p) * len(q) > 400_000:
            raise Unsettled("too many terms")
        return p * q

    def quotient(self, above: Polynomial, below: Polynomial) -> Quotient:
        """Reduced, without a common factor, with 1 as leading coefficient below."""
        above, below = self.reduce(above), self.reduce(below)
        if below == 0:
            raise Unsettled("division by zero")
        if above == 0:
            return Quotient(ZERO, ONE)
        if not below.is_constant():
            above, below = self._without_common_factor(above, below)
        if below.is_constant():
            return Quotient(above / below.leading_coefficient(), ONE)
        above, below = self._without_roots(above, below)
        lead = below.leading_coefficient()
        return Quotient(above / lead, below / lead)

    def _without_common_factor(self, p: Polynomial, q: Polynomial) -> tuple[Polynomial, Polynomial]:
        self.budget.spend(4 * (len(p) + len(q)))
        divisor = p.gcd(q)
        if not divisor.is_constant():
            p, q = divmod(p, divisor)[0], divmod(q, divisor)[0]
        return p, q

    def _without_roots(self, above: Polynomial, below: Polynomial) -> tuple[Polynomial, Polynomial]:
        """Roots that are factors of the denominator go to the numerator: what divides something nonzero is nonzero."""
        for index in sorted(self.relations):
            degree, _ = self.relations[index]
            generator = self.generators[index]
            if generator.kind != "root" or below.degrees()[index] == 0:
                continue
            if all(exponents[index] for exponents in below.monoms()):
                missing = degree - min(exponents[index] for exponents in below.monoms())
                up = GENERATORS[index] ** missing
                above, below = self.reduce(above * up), self.reduce(below * up)
                above, below = self._without_common_factor(above, below)
        return above, below

    def add(self, a: Quotient, b: Quotient) -> Quotient:
        if a.below == b.below:
            return self.quotient(a.above + b.above, a.below)
        product = self.product
        return self.quotient(product(a.above, b.below) + product(b.above, a.below), product(a.below, b.below))

    def multiply(self, a: Quotient, b: Quotient) -> Quotient:
        return self.quotient(self.product(a.above, b.above), self.product(a.below, b.below))

    def scale(self, c: Fraction | int, a: Quotient) -> Quotient:
        c = Fraction(c)
        return Quotient(a.above * fmpq(c.numerator, c.denominator), a.below) if c else Quotient(ZERO, ONE)

    def subtract(self, a: Quotient, b: Quotient) -> Quotient:
        return self.add(a, self.scale(-1, b))

    def inverse(self, a: Quotient) -> Quotient:
        """1/a, for an a that the equation divides by."""
        return self.quotient(a.below, a.above)

    def power(self, a: Quotient, n: int) -> Quotient:
        """a^n; for a negative n, the equation divides by a."""
        if n < 0:
            return self.power(self.inverse(a), -n)
        result = number(1)
        if self.is_large(a, n):
            raise Unsettled("large power")
        square = a
        while n:
            if n & 1:
                result = self.multiply(result, square)
            n >>= 1
            if n:
                square = self.multiply(square, square)
        return result

    def is_large(self, a: Quotient, n: int) -> bool:
        """Whether a^n is too large to be multiplied out."""
        size, n = max(len(a.above), len(a.below)), abs(n)
        bits = max(int(c.p).bit_length() + int(c.q).bit_length() for part in a for c in (part.coeffs() or [fmpq(0)]))
        many = size > 1 and (n > 128 or _monomials(size, n) > 4 * TERMS)
        return n * bits > BITS or many or n * max(1, *a.above.degrees(), *a.below.degrees()) > 10_000

    def equal(self, a: Quotient, b: Quotient) -> bool:
        return bool(self.reduce(self.product(a.above, b.below) - self.product(b.above, a.below)) == 0)

    def rational(self, a: Quotient) -> Fraction | None:
        """The rational number that a value is, or None."""
        if not (a.above.is_constant() and a.below.is_constant()):
            return None
        return Fraction(0) if a.above == 0 else fraction(a.above.leading_coefficient() / a.below.leading_coefficient())

    def describe(self, p: Polynomial) -> str:
        """A text of a polynomial that is the same in every reading."""
        parts = []
        for exponents, coefficient in p.to_dict().items():
            names = sorted(f"{self.generators[i].name}^{n}" for i, n in enumerate(exponents) if n)
            parts.append(f"{coefficient}*" + "*".join(names))
        return "[" + "+".join(sorted(parts)) + "]"

    def describe_quotient(self, a: Quotient) -> str:
        return self.describe(a.above) + "/" + self.describe(a.below)
