"""The closing test: are two expressions the same quotient of polynomials, once functions are opaque?

Equal applications of a function are one generator, and arguments are compared by the same algebra. Relations between
generators: sin^2 + cos^2 = 1, cosh^2 - sinh^2 = 1, and a root to the power of its order is what stands under it. Two
expressions that close are equal at every point at which both are defined: quotients are compared by multiplying with
each other's denominators, which are not 0 there, and nothing else is divided by.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, gcd, lcm
from typing import Any

from flint import fmpq, fmpq_mpoly_ctx

from dgl_mathtree.proof.terms import Terms, _factors, is_letter

GENERATORS = 64
MOST_BITS = 100_000
"""The size of a power's coefficients."""
MOST_TERMS = 1500
"""The terms of a polynomial; what would have more is not decided."""
LARGEST_EXPONENT = 64
LARGEST_ORDER = 60
_RING: Any = fmpq_mpoly_ctx.get([f"g{k}" for k in range(GENERATORS)], "lex")
GENERATOR_LIST = _RING.gens()
ONE, ZERO = _RING.constant(1), _RING.constant(0)
Quotient = tuple[Any, Any]
"""Numerator and denominator."""


class Undecided(Exception):
    """Raised where a computation is too large, or has no meaning."""


def constant(value: Fraction | int) -> Any:
    """A number as a polynomial."""
    exact = Fraction(value)
    return _RING.constant(fmpq(exact.numerator, exact.denominator))


class Algebra:
    """Reads nodes as quotients of polynomials over generators.

    Parameters
    ----------
    terms : Terms
        Whose nodes are read.
    order : int
        The common order of all roots: sqrt(x) is the third power of x^(1/6) if the order is 6.
    """

    def __init__(self, terms: Terms, order: int = 2) -> None:
        self.terms = terms
        self.order = order
        self.index: dict[Any, int] = {}
        self.relations: list[tuple[int, int, Any, Any]] = []  # generator^power = numerator/denominator
        self.quotients: dict[int, Quotient] = {}

    def closes(self, left: int, right: int) -> bool:
        """Whether two nodes are equal by algebra; False also where that is not decided."""
        if left == right:
            return True
        try:
            a, b = self.read(left), self.read(right)
            size_limit(len(a[0]) * len(b[1]) + len(b[0]) * len(a[1]), 40)
            above, _ = self.reduced((a[0] * b[1] - b[0] * a[1], ONE))
            return bool(above == 0)
        except Undecided:
            return False

    def read(self, node: int) -> Quotient:
        """The quotient of a node; `Undecided` where it is too large or divides by 0."""
        found = self.quotients.get(node)
        if found is None:
            for below in self.terms.subnodes(node):
                if below not in self.quotients:
                    self.quotients[below] = self._read(below)
            found = self.quotients[node]
        return found

    def _read(self, node: int) -> Quotient:
        terms = self.terms
        rational = terms.rational[node]
        if rational is not None:
            return constant(rational), ONE
        word, children = terms.word[node], terms.children[node]
        if not children:
            return self.generator(word), ONE
        parts = [self.quotients[child] for child in children]
        if word == "Add":
            return self.add(*parts)
        if word == "Mul":
            return self.reduced((parts[0][0] * parts[1][0], parts[0][1] * parts[1][1]))
        if word == "Pow":
            return self.power(parts[0], parts[1], node)
        return self.function(word, parts)

    def function(self, word: str, parts: list[Quotient]) -> Quotient:
        """A function of quotients, as a generator."""
        key = tuple(map(self.key, parts))
        if word in ("sin", "cos", "sinh", "cosh"):
            suffix = "h" if word.endswith("h") else ""
            sine, cosine = f"sin{suffix}", f"cos{suffix}"
            fresh = (cosine, key) not in self.index
            s, c = self.generator((sine, key)), self.generator((cosine, key))
            if fresh:
                self.relations.append((self.index[cosine, key], 2, 1 + s * s if suffix else 1 - s * s, ONE))
            return (s if word == sine else c), ONE
        return self.generator((word, key)), ONE

    def key(self, quotient: Quotient) -> str:
        """A text that tells quotients apart."""
        return f"{quotient[0]}/{quotient[1]}"

    def generator(self, key: Any) -> Any:
        """The generator of a key, a new one if there is none."""
        if key not in self.index:
            if len(self.index) >= GENERATORS:
                raise Undecided("too many generators")
            # Later generators come first in the order of monomials, so that relations reduce to earlier ones.
            self.index[key] = GENERATORS - 1 - len(self.index)
        return GENERATOR_LIST[self.index[key]]

    def add(self, a: Quotient, b: Quotient) -> Quotient:
        if a[1] == b[1]:
            return self.reduced((a[0] + b[0], a[1]))
        size_limit(len(a[0]) * len(b[1]) + len(b[0]) * len(a[1]), 20)
        return self.reduced((a[0] * b[1] + b[0] * a[1], a[1] * b[1]))

    def whole_power(self, a: Quotient, exponent: int) -> Quotient:
        if exponent < 0:
            if a[0] == 0:
                raise Undecided("division by 0")
            a, exponent = (a[1], a[0]), -exponent
        if exponent > LARGEST_EXPONENT:
            raise Undecided("a large exponent")
        for part in a:
            size_limit(comb(exponent + len(part) - 1, exponent) if len(part) > 1 else 1)
            if exponent * max((_bits(value) for value in part.coeffs()), default=0) > MOST_BITS:
                raise Undecided("a large number")
        return self.reduced((a[0] ** exponent, a[1] ** exponent))

    def power(self, base: Quotient, exponent: Quotient, node: int) -> Quotient:
        if not (exponent[1] == 1 and (exponent[0] == 0 or exponent[0].is_constant())):
            return self.generator(("Pow", self.key(base), self.key(exponent))), ONE
        value = coefficient(exponent[0])
        if value.denominator == 1:
            return self.whole_power(base, int(value))
        if self.order % value.denominator or abs(value) > LARGEST_EXPONENT or base[0] == 0:
            return self.generator(("Pow", self.key(base), self.key(exponent))), ONE
        return self.whole_power(self.root(base), int(value * self.order))

    def root(self, base: Quotient) -> Quotient:
        """The root of a quotient, of the common order: of its rational content, and of the rest as a generator."""
        content = positive_content(base[0])  # the denominator is monic up to a positive number
        rest = base[0] / fmpq(content.numerator, content.denominator), base[1]
        result = self.root_of_number(content)
        if rest[0] == 1 and rest[1] == 1:
            return result
        key = "root", self.key(rest)
        fresh = key not in self.index
        g = self.generator(key)
        if fresh:
            self.relations.append((self.index[key], self.order, *rest))
        return self.reduced((result[0] * g, result[1]))

    def root_of_number(self, number: Fraction) -> Quotient:
        above, below = ONE, ONE
        for prime, times in [*_factors(number.numerator), *((p, -k) for p, k in _factors(number.denominator))]:
            whole, rest = divmod(times, self.order)
            if whole > 0:
                above = above * prime**whole
            elif whole:
                below = below * prime**-whole
            if rest:
                key = "root of", prime
                fresh = key not in self.index
                g = self.generator(key)
                if fresh:
                    self.relations.append((self.index[key], self.order, constant(prime), ONE))
                above = above * g**rest
        return self.reduced((above, below))

    def reduced(self, a: Quotient) -> Quotient:
        """The quotient in lowest terms, modulo the relations."""
        above, below = self._modulo(a[0], a[1])
        below, above = self._modulo(below, above)
        if below == 0:
            raise Undecided("division by 0")
        size_limit(len(above))
        size_limit(len(below))
        if above == 0:
            return ZERO, ONE
        if not below.is_constant():
            common = above.gcd(below)
            if not common.is_constant():
                above, below = divmod(above, common)[0], divmod(below, common)[0]
        # The denominator's rational content goes, its sign too: -1/(1 - x) is 1/(x - 1).
        lead = below.leading_coefficient()
        return above / lead, below / lead

    def _modulo(self, above: Any, below: Any) -> Quotient:
        """A quotient whose numerator is reduced by the relations."""
        changed = bool(self.relations)
        while changed:
            changed = False
            degrees = above.degrees()
            for index, power, top, bottom in reversed(self.relations):
                if degrees[index] < power:
                    continue
                changed = True
                if bottom == 1:
                    above = divmod(above, GENERATOR_LIST[index] ** power - top)[1]
                else:
                    above, below = _substituted(above, below, (index, power, top, bottom))
                size_limit(len(above))
                degrees = above.degrees()
        return above, below


def _substituted(above: Any, below: Any, relation: tuple[int, int, Any, Any]) -> Quotient:
    """A quotient in whose numerator a power of a generator is replaced by a quotient."""
    index, power, top, bottom = relation
    most = above.degrees()[index] // power
    size_limit(len(top) ** most * len(bottom) ** most, 20)
    total = ZERO
    for exponents, value in above.to_dict().items():
        times, rest = divmod(exponents[index], power)
        monomial = list(exponents)
        monomial[index] = rest
        total += _RING.from_dict({tuple(monomial): value}) * top**times * bottom ** (most - times)
    return total, below * bottom**most


def _bits(value: Any) -> int:
    return max(int(value.p).bit_length(), int(value.q).bit_length())


def size_limit(size: int, factor: int = 1) -> None:
    """Give up on polynomials with too many terms."""
    if size > MOST_TERMS * factor:
        raise Undecided("too many terms")


def coefficient(polynomial: Any) -> Fraction:
    """The value of a constant polynomial."""
    if polynomial == 0:
        return Fraction(0)
    value = polynomial.leading_coefficient()
    return Fraction(int(value.p), int(value.q))


def positive_content(polynomial: Any) -> Fraction:
    """The positive number by which a polynomial has coprime whole coefficients."""
    values = polynomial.coeffs()
    above = gcd(*(int(value.p) for value in values))
    return Fraction(above, lcm(*(int(value.q) for value in values)))


def root_order(terms: Terms, *nodes: int) -> int:
    """The common order of the roots in some expressions, 2 if that is too large."""
    order = 2
    for node in terms.subnodes(*nodes):
        exponent = terms.rational[terms.children[node][1]] if terms.word[node] == "Pow" else None
        if exponent is not None:
            order = lcm(order, exponent.denominator)
    return order if order <= LARGEST_ORDER else 2


def variables_of(terms: Terms, *nodes: int) -> set[str]:
    """The variables in some expressions."""
    return {terms.word[node] for node in terms.subnodes(*nodes) if is_letter(terms.word[node])}
