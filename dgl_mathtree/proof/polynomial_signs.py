"""Signs of polynomials in the generators of a `CircleAlgebra`, from what is known of some of them.

Every answer is kept, a question that is already being asked is answered with "not known", and the work for one question
is counted: what costs too much is not decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from flint import fmpq

from dgl_mathtree.proof.algebra import GENERATOR_LIST, ONE, Undecided, coefficient, constant, size_limit
from dgl_mathtree.proof.circle_algebra import CircleAlgebra
from dgl_mathtree.proof.quadratics import square_and_gap

NONZERO, NONNEGATIVE, POSITIVE = 1, 2, 3
"""Signs; positive is both of the others."""
QUESTION_COST = 2000
"""The terms of polynomials that are looked at for one question."""
TOTAL_COST = 20_000
"""The same for all questions about one equation."""


class PolynomialSigns:
    """What is known of the signs of polynomials.

    Parameters
    ----------
    algebra : CircleAlgebra
        Which says what the generators stand for.
    """

    def __init__(self, algebra: CircleAlgebra) -> None:
        self.algebra = algebra
        self.known_nonzero: list[Any] = []
        self.above: list[tuple[Any, bool]] = []  # polynomials that are >= 0, and whether they are > 0
        self.cost = 0
        self._most = TOTAL_COST
        self._yes: set[tuple[str, int]] = set()
        self._no: set[tuple[str, int]] = set()
        self._asked: set[tuple[str, int]] = set()
        self._cut: set[tuple[str, int]] = set()
        self._generators: dict[int, int] = {}
        self._factors: dict[str, tuple[Any, list[tuple[Any, int]]]] = {}

    def start_question(self) -> None:
        """Count the work from here as that of one question."""
        self._most = min(self.cost + QUESTION_COST, TOTAL_COST)

    def _spend(self, polynomial: Any) -> None:
        self.cost += 1 + len(polynomial)
        if self.cost > self._most:
            raise Undecided("a costly question")

    def _decide(self, polynomial: Any, sign: int, answer: Callable[[], bool]) -> bool:
        """An answer that was given before, or a new one.

        "Not known" may rest on a question that was being asked at the time. All such answers are forgotten when that
        question turns out to have the answer yes.
        """
        key = str(polynomial), sign
        if key in self._yes:
            return True
        if key in self._no:
            return False
        if key in self._asked:
            self._cut.add(key)
            return False
        self._spend(polynomial)
        self._asked.add(key)
        try:
            result = answer()
        finally:
            self._asked.discard(key)
        (self._yes if result else self._no).add(key)
        if result and key in self._cut:
            self._forget()
        return result

    def factored(self, polynomial: Any) -> list[tuple[Any, int]]:
        """The irreducible factors of a polynomial."""
        size_limit(len(polynomial), 1)
        if polynomial == 0:
            raise Undecided("it is 0")
        return self._factorisation(polynomial)[1]

    def signed_factors(self, polynomial: Any) -> list[tuple[Any, int]]:
        """The constant and the irreducible factors of a polynomial."""
        unit, factors = self._factorisation(polynomial)
        return [(constant(Fraction(int(unit.p), int(unit.q))), 1), *factors]

    def _factorisation(self, polynomial: Any) -> tuple[Any, list[tuple[Any, int]]]:
        key = str(polynomial)
        if key not in self._factors:
            unit, factors = polynomial.factor()
            self._factors[key] = unit, list(factors)
        return self._factors[key]

    def _forget(self) -> None:
        """Forget what was not known."""
        self._no.clear()
        self._cut.clear()
        self._generators.clear()

    def learn(self, above: Any, below: Any, sign: int) -> None:
        """Note that a quotient has a sign wherever it is defined."""
        self.start_question()
        try:
            self._learn(above, below, sign)
        finally:
            self._forget()

    def _learn(self, above: Any, below: Any, sign: int) -> None:
        if sign & NONZERO:
            self._note_nonzero(above)
            for index, base in self.algebra.roots.items():  # a root that is not 0 is the root of what is not 0
                if above.degrees()[index] and _is_monomial(above):
                    self._note_nonzero(base[0])
        if sign & NONNEGATIVE:
            product = above * below  # the same sign, as the denominator is not 0
            strict = bool(sign & NONZERO)
            # A product with factors of known sign gives the sign of the rest, where those are not 0.
            rest = ONE
            for factor, times in [*self.factored(above), *self.factored(below)]:
                if times % 2 == 0 and (strict or self.nonzero(factor)):
                    continue
                if self.positive(factor, strict=True) or self.positive(-factor, strict=True):
                    continue
                rest = rest * factor ** (1 if times % 2 else 2)
            signed = rest if self._same_sign(product, rest) else -rest
            if (signed, strict) not in self.above:
                self.above.append((signed, strict))

    def _note_nonzero(self, polynomial: Any) -> None:
        self.known_nonzero += [factor for factor, _ in self.factored(polynomial) if factor not in self.known_nonzero]

    def _same_sign(self, product: Any, rest: Any) -> bool:
        """Whether the quotient of two polynomials, of which one divides the other, is positive rather than negative."""
        quotient, remainder = divmod(product, rest)
        if remainder != 0:
            raise Undecided("not a factor")
        sign = 1
        for factor, times in self.factored(quotient):
            if times % 2 and self.positive(-factor, strict=True):
                sign = -sign
        unit = self._factorisation(quotient)[0]
        return _sign(unit) * sign > 0

    def nonzero(self, polynomial: Any) -> bool:
        """Whether a polynomial is known not to be 0; roots in it are asked about what stands under them."""
        return self._decide(polynomial, NONZERO, lambda: self._factors_nonzero(polynomial))

    def _factors_nonzero(self, polynomial: Any) -> bool:
        return all(
            factor in self.known_nonzero
            or -factor in self.known_nonzero
            or factor in self.algebra.norms
            or self.positive(factor, strict=True)
            or self.positive(-factor, strict=True)
            or self._root_nonzero(factor)
            for factor, _ in self.factored(polynomial)
        )

    def _root_nonzero(self, factor: Any) -> bool:
        """Whether a factor is a root of what is not 0."""
        for index, base in self.algebra.roots.items():
            if _is_monomial(factor) and factor.degrees()[index]:
                return self.nonzero(base[0])
        return False

    def product_positive(self, factors: list[tuple[Any, int]], strict: bool) -> bool:
        """Whether a product is > 0, or >= 0 where that is not strict, from its factors and how often they occur."""
        sign = 1
        odd = ONE
        for factor, times in factors:
            if times % 2 == 0:
                if strict and not self.nonzero(factor):
                    return False
            elif factor.is_constant():
                sign *= _sign(factor.leading_coefficient())
            elif self.positive(factor, strict):
                continue
            elif self.positive(-factor, strict):
                sign = -sign
            else:
                odd = odd * factor
                size_limit(len(odd))
        if odd.is_constant():
            return sign > 0
        return self.positive(odd if sign > 0 else -odd, strict)

    def positive(self, polynomial: Any, strict: bool) -> bool:
        """Whether a polynomial is > 0, or >= 0 where that is not strict."""
        sign = POSITIVE if strict else NONNEGATIVE
        return self._decide(polynomial, sign, lambda: self._positive(polynomial, strict))

    def _positive(self, polynomial: Any, strict: bool) -> bool:
        if self._terms_positive(polynomial, strict) or polynomial in self.algebra.norms:
            return True
        for known, known_strict in self.above:
            ratio = polynomial.leading_coefficient() / known.leading_coefficient()
            for scale in {ratio, fmpq(1)}:
                if scale <= 0:
                    continue
                rest = polynomial - known * scale
                if rest == 0:
                    if known_strict or not strict or self._is_known_nonzero(polynomial):
                        return True
                elif self._terms_positive(rest, strict and not known_strict):
                    return True
        return self._root_exceeds(polynomial, strict) or any(
            self._terms_positive(a, True) and gap != 0 and self._terms_positive(gap, strict)
            for a, gap in square_and_gap(polynomial)
        )

    def _root_exceeds(self, polynomial: Any, strict: bool) -> bool:
        """Whether a polynomial is c*sqrt(u) + q with c^2*u > q^2, as x + sqrt(x^2 + 1) is."""
        half = self.algebra.order // 2
        degrees = polynomial.degrees()
        for index, (above, below) in self.algebra.roots.items():
            if degrees[index] != half or below != 1:
                continue
            root = GENERATOR_LIST[index] ** half
            scale = next((v for e, v in polynomial.to_dict().items() if e[index] == half and sum(e) == half), None)
            if scale is None or scale <= 0:
                continue
            rest = polynomial - root * scale
            if rest == 0 or rest.degrees()[index]:
                continue
            gap = above * scale * scale - rest * rest
            if gap != 0 and self._terms_positive(gap, strict):
                return True
        return False

    def _is_known_nonzero(self, polynomial: Any) -> bool:
        factors = self.factored(polynomial)
        return all(factor in self.known_nonzero or -factor in self.known_nonzero for factor, _ in factors)

    def _terms_positive(self, polynomial: Any, strict: bool) -> bool:
        """Whether all terms are >= 0, and one of them > 0 where that is strict."""
        some = not strict
        if any(value < 0 for value in polynomial.coeffs()):
            return False
        self._spend(polynomial)
        for exponents in polynomial.monoms():
            sign = self._monomial_sign(exponents)
            if sign == 0:
                return False
            some = some or sign == POSITIVE
        return some

    def _monomial_sign(self, exponents: Iterable[int]) -> int:
        """POSITIVE, NONNEGATIVE or 0 for not known."""
        result = POSITIVE
        for index, times in enumerate(exponents):
            if times == 0 or index in self.algebra.positive:
                continue
            if index in self.algebra.roots:
                strict = self.nonzero(self.algebra.roots[index][0])
            else:
                sign = self._generator_sign(index)
                if times % 2 and sign < NONNEGATIVE:
                    return 0
                strict = bool(sign & NONZERO)
            if not strict:
                result = NONNEGATIVE
        return result

    def _generator_sign(self, index: int) -> int:
        if index not in self._generators:
            self._generators[index] = self._sign_of_generator(index)
        return self._generators[index]

    def _sign_of_generator(self, index: int) -> int:
        key = next(key for key, found in self.algebra.index.items() if found == index)
        if key in ("pi", "e"):
            return POSITIVE
        g = GENERATOR_LIST[index]
        sign = 0
        if g in self.known_nonzero:
            sign |= NONZERO
        for known, strict in self.above:
            rest = g - known * (1 / known.leading_coefficient()) if known.degrees()[index] == 1 else None
            if rest is not None and _sign(known.leading_coefficient()) > 0 and (rest == 0 or rest.is_constant()):
                shift = coefficient(rest)
                if shift >= 0:
                    sign |= NONNEGATIVE | (NONZERO if strict or shift > 0 else 0)
        return sign


def _is_monomial(polynomial: Any) -> bool:
    return len(polynomial) == 1


def _sign(value: Any) -> int:
    return 1 if value > 0 else -1 if value < 0 else 0
