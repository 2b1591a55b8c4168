"""Quotients of polynomials over generators, with the relations that the generators obey.

The invariant on which all of the checker's algebra rests: a quotient N/D that stands for an expression has the
expression's value, and D is not 0, at *every* point at which the expression is defined. Sums, products and inverses
keep it, and so does cancelling a common factor g of N and D, because D = g*D' is not 0. Two expressions are equal where
both are defined if N1*D2 - N2*D1 is 0 there. Nothing is ever divided by but denominators that are known not to be 0, so
that zero divisors such as (|p| - p)*(|p| + p) = 0 do no harm.

A relation says lead*g^k = tail with a lead that is nowhere 0 on the domain. To reduce a polynomial P with it is to
replace lead^m*P by an equal polynomial: if that is 0, P is 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from flint import Ordering, fmpq, fmpq_mpoly_ctx

from dgl_mathtree.proof.check.limits import Budget, TooMuchWork

LARGEST_DEGREE = 20_000
MOST_PRODUCTS = 1_000_000
"""Products of terms in one multiplication."""
MOST_BITS = 12_000
"""Bits of a coefficient."""
GCD_TERMS, GCD_DEGREE = 400, 120
FACTOR_TERMS, FACTOR_DEGREE = 120, 40


class MoreGenerators(Exception):
    """The ring has no room for another generator."""


class Quotient(NamedTuple):
    """A numerator and a denominator, of type `fmpq_mpoly`."""

    num: Any
    den: Any


class Relation(NamedTuple):
    """lead*g^degree = tail, for a generator g and a lead that is nowhere 0."""

    degree: int
    lead: Any
    tail: Any


class Ring:
    """Polynomials with rational coefficients over generators that are taken one by one.

    Parameters
    ----------
    budget : Budget
        What products are counted in.
    room : int
        The number of generators it has room for.
    """

    def __init__(self, budget: Budget, room: int) -> None:
        self._context = fmpq_mpoly_ctx.get([f"g{k}" for k in range(room)], Ordering.lex)
        self._budget, self._room = budget, room
        self._taken = 0
        self.relations: dict[int, Relation] = {}
        self.zero, self.one = self._context.constant(0), self._context.constant(1)

    def take(self) -> int:
        """The index of a new generator."""
        if self._taken >= self._room:
            raise MoreGenerators
        self._taken += 1
        return self._taken - 1

    def upcoming(self) -> Any:
        """The generator that `take` gives next, for a relation of its own powers."""
        if self._taken >= self._room:
            raise MoreGenerators
        return self._context.gen(self._taken)

    def constant(self, value: Any) -> Quotient:
        return Quotient(self._context.constant(value), self.one)

    def polynomial(self, terms: dict[tuple[int, ...], Any]) -> Any:
        """The polynomial with some coefficients, by the exponents of the generators."""
        return self._context.from_dict(terms)

    def power_of(self, index: int, exponent: int) -> Quotient:
        """A generator to a whole power; with a negative one it must be known not to be 0."""
        if abs(exponent) > LARGEST_DEGREE:
            raise TooMuchWork("a power is too high to be checked")
        monomial = self._context.gen(index) ** abs(exponent)
        return self.make(monomial, self.one) if exponent >= 0 else self.make(self.one, monomial)

    def relate(self, index: int, degree: int, value: Quotient) -> None:
        """Let generator^degree be a quotient."""
        self.relations[index] = Relation(degree, value.den, value.num)

    def times(self, a: Any, b: Any) -> Any:
        """The product of two polynomials, within the budget."""
        terms = len(a) * len(b)
        if terms > MOST_PRODUCTS:
            raise TooMuchWork("a product of polynomials is too long to be checked")
        self._budget.spend(4 + terms)
        product = a * b
        if terms < 64 and product and height(product) > MOST_BITS:
            raise TooMuchWork("a number is too long to be checked")
        return product

    def make(self, num: Any, den: Any) -> Quotient:
        """The quotient of two polynomials, reduced and without common factors where that is cheap."""
        num, den = self.reduced(num), self.reduced(den)
        if num.is_zero():
            return Quotient(self.zero, self.one)
        if not den.is_constant():
            num, den = self._cancelled(num, den)
        if den.is_one():
            return Quotient(num, den)
        lead = den.leading_coefficient()
        return Quotient(num / lead, den / lead)

    def _cancelled(self, num: Any, den: Any) -> tuple[Any, Any]:
        large = len(num) * len(den) > GCD_TERMS or max(num.total_degree(), den.total_degree()) > GCD_DEGREE
        if large and len(den) > 1:
            return num, den
        self._budget.spend(20 + 4 * len(num) * len(den))
        common = num.gcd(den)
        return (num, den) if common.is_constant() else (num / common, den / common)

    def add(self, a: Quotient, b: Quotient) -> Quotient:
        if a.den == b.den:
            return self.make(a.num + b.num, a.den)
        if a.den.is_one():
            return self.make(self.times(a.num, b.den) + b.num, b.den)
        if b.den.is_one():
            return self.make(a.num + self.times(b.num, a.den), a.den)
        return self.make(self.times(a.num, b.den) + self.times(b.num, a.den), self.times(a.den, b.den))

    def mul(self, a: Quotient, b: Quotient) -> Quotient:
        return self.make(self.times(a.num, b.num), self.times(a.den, b.den))

    def neg(self, a: Quotient) -> Quotient:
        return Quotient(-a.num, a.den)

    def inverse(self, a: Quotient) -> Quotient:
        """The inverse of what is known not to be 0 on the domain.

        Raises
        ------
        ZeroDivisionError
            If it is 0 as a polynomial: what has it as a divisor is nowhere defined.
        """
        if a.num.is_zero():
            raise ZeroDivisionError
        return self.make(a.den, a.num)

    def power(self, a: Quotient, n: int) -> Quotient:
        """A whole power; a^0 is 1 whatever a is."""
        if n < 0:
            return self.power(self.inverse(a), -n)
        if n * max(a.num.total_degree(), a.den.total_degree(), 1) > LARGEST_DEGREE:
            raise TooMuchWork("a power is too high to be checked")
        if n > 1 and n * max(height(a.num), height(a.den)) > MOST_BITS:
            raise TooMuchWork("a number is too long to be checked")
        result, square = Quotient(self.one, self.one), a
        while n:
            if n & 1:
                result = self.mul(result, square)
            n >>= 1
            if n:
                square = self.mul(square, square)
        return result

    def reduced(self, p: Any, completely: bool = False) -> Any:
        """An equal polynomial in which generators with relations have low degrees.

        Parameters
        ----------
        p : fmpq_mpoly
            The polynomial.
        completely : bool
            Whether to use relations with a lead too: the result is then the polynomial times powers of leads.
        """
        if not self.relations or p.is_constant():
            return p
        for index in sorted(self.relations, reverse=True):
            relation = self.relations[index]
            if not completely and not relation.lead.is_one():
                continue
            while p.degrees()[index] >= relation.degree:
                p = self._replaced(p, index, relation)
        return p

    def _replaced(self, p: Any, index: int, relation: Relation) -> Any:
        self._budget.spend(60 * len(p))  # every term becomes a Python object
        parts: dict[int, dict[tuple[int, ...], Any]] = {}
        for exponents, coefficient in p.to_dict().items():
            times, rest = divmod(exponents[index], relation.degree)
            key = (*exponents[:index], rest, *exponents[index + 1 :])
            parts.setdefault(times, {})[key] = coefficient
        most = max(parts)
        total = self.zero
        for times in sorted(parts):
            part = self._context.from_dict(parts[times])
            factor = self._raised(relation.tail, times)
            if not relation.lead.is_one():
                factor = self.times(factor, self._raised(relation.lead, most - times))
            total += self.times(part, factor)
        return total

    def _raised(self, p: Any, n: int) -> Any:
        result = self.one
        for _ in range(n):
            result = self.times(result, p)
        return result

    def is_zero(self, p: Any) -> bool:
        """Whether a polynomial is certainly 0 on the domain."""
        return bool(self.reduced(p, completely=True).is_zero())

    def equal(self, a: Quotient, b: Quotient) -> bool:
        """Whether two quotients are certainly equal on the domain."""
        if a == b:
            return True
        return self.is_zero(self.times(a.num, b.den) - self.times(b.num, a.den))

    def divides(self, divisor: Any, p: Any) -> bool:
        """Whether a polynomial is a multiple of one that is 0 on the domain, up to the relations: then it is 0 too."""
        divisor, p = self.reduced(divisor), self.reduced(p)
        if p.is_zero() or divisor.is_constant() or len(p) * len(divisor) > GCD_TERMS:
            return bool(p.is_zero())
        self._budget.spend(20 + 4 * len(p) * len(divisor))
        return self.is_zero(p % divisor)

    def factors(self, p: Any) -> tuple[Any, list[tuple[Any, int]]]:
        """A rational number and irreducible factors with their exponents, whose product is a polynomial.

        A polynomial that is too large to be factored is its own factor.
        """
        if p.is_constant():
            return (p.leading_coefficient() if p else fmpq(0)), []
        self._budget.spend(40 * len(p))
        if len(p) > FACTOR_TERMS or p.total_degree() > FACTOR_DEGREE:
            lead = p.leading_coefficient()
            return lead, [(p / lead, 1)]
        constant, found = p.factor()
        result = []
        for factor, exponent in found:
            lead = factor.leading_coefficient()
            constant *= lead ** int(exponent)
            result.append((factor / lead, int(exponent)))
        return constant, result


def height(p: Any) -> int:
    """The length of the longest coefficient in bits."""
    return max((max(c.p.bit_length(), c.q.bit_length()) for c in p.coeffs()), default=0)
