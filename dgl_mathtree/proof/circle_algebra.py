"""Quotients of polynomials in which angles are points of the circle and exponentials are powers.

With sin = 2ST/(S^2 + T^2) and cos = (S^2 - T^2)/(S^2 + T^2), polynomials in sin and cos factor uniquely.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dgl_mathtree.proof.algebra import ONE, Algebra, Quotient, Undecided, coefficient, constant
from dgl_mathtree.proof.terms import Terms

LARGEST_MULTIPLE = 12
"""The multiple of an angle or exponent that is expanded."""


class CircleAlgebra(Algebra):
    """Reads sin, cos, exp and their relatives by points of the circle and by positive generators."""

    def __init__(self, terms: Terms, order: int, denominator: int) -> None:
        super().__init__(terms, order)
        self.denominator = denominator
        self.positive: set[int] = set()
        self.roots: dict[int, Quotient] = {}
        self.norms: list[Any] = []

    def function(self, word: str, parts: list[Quotient]) -> Quotient:
        if word in ("sin", "cos", "tan", "cot", "sec", "csc"):
            return self._ratio(word, *self._circle(parts[0]))
        if word in ("sinh", "cosh", "tanh", "coth", "sech", "csch"):
            e = self._exponential(parts[0])
            square = self.reduced((e[0] * e[0], e[1] * e[1]))
            below = self.reduced((2 * e[0] * e[1], e[1] * e[1]))
            s = self.over(self.add(square, (constant(-1), ONE)), below)
            c = self.over(self.add(square, (ONE, ONE)), below)
            return self._ratio(word.removesuffix("h"), s, c)
        if word == "exp":
            return self._exponential(parts[0])
        return super().function(word, parts)

    def over(self, a: Quotient, b: Quotient) -> Quotient:
        if b[0] == 0:
            raise Undecided("division by 0")
        return self.reduced((a[0] * b[1], a[1] * b[0]))

    def _ratio(self, word: str, s: Quotient, c: Quotient) -> Quotient:
        one = (ONE, ONE)
        above, below = {
            "sin": (s, one),
            "cos": (c, one),
            "tan": (s, c),
            "cot": (c, s),
            "sec": (one, c),
            "csc": (one, s),
        }[word]
        return self.over(above, below)

    def root(self, base: Quotient) -> Quotient:
        before = set(self.index)
        result = super().root(base)
        for key in set(self.index) - before:
            if key[0] == "root":
                self.roots[self.index[key]] = base
            else:
                self.positive.add(self.index[key])
        return result

    def power(self, base: Quotient, exponent: Quotient, node: int) -> Quotient:
        number = base[0].is_constant() and base[1] == 1 and coefficient(base[0]) > 0
        is_e = "e" in self.index and base == (self.generator("e"), ONE)
        if (number or is_e) and not (exponent[0] == 0 or exponent[0].is_constant()):
            index_before = set(self.index)
            result = super().power(base, exponent, node)
            self.positive |= {self.index[key] for key in set(self.index) - index_before}
            return result
        return super().power(base, exponent, node)

    def _pieces(self, argument: Quotient) -> list[tuple[Fraction, str]]:
        """An argument as a sum of multiples of monomials; as itself where it is not a polynomial."""
        if argument[1] != 1:
            return [(Fraction(1), self.key(argument))]
        return [
            (Fraction(int(value.p), int(value.q)), str(exponents)) for exponents, value in argument[0].to_dict().items()
        ]

    def _multiple(self, value: Fraction) -> int:
        times = value * self.denominator
        if times.denominator != 1 or abs(times) > LARGEST_MULTIPLE:
            raise Undecided("a large multiple")
        return int(times)

    def _circle(self, argument: Quotient) -> tuple[Quotient, Quotient]:
        """sin and cos of an argument."""
        sine, cosine = (constant(0), ONE), (ONE, ONE)
        for value, piece in self._pieces(argument):
            times = self._multiple(value)
            s, t = self.generator(("S", piece)), self.generator(("T", piece))
            norm = s * s + t * t  # never 0: (s, t) is a point of the circle
            self.norms.append(norm)
            a, b = ONE, constant(0)  # (s + it)^(2*times)
            for _ in range(2 * abs(times)):
                a, b = a * s - b * t, a * t + b * s
            below = norm ** abs(times)
            c, d = self.reduced((a, below)), self.reduced((b if times > 0 else -b, below))
            sine, cosine = (
                self.add(self._times(sine, c), self._times(cosine, d)),
                self.add(self._times(cosine, c), self._times(sine, (-d[0], d[1]))),
            )
        return sine, cosine

    def _times(self, a: Quotient, b: Quotient) -> Quotient:
        return self.reduced((a[0] * b[0], a[1] * b[1]))

    def _exponential(self, argument: Quotient) -> Quotient:
        result = ONE, ONE
        for value, piece in self._pieces(argument):
            g = self.generator(("E", piece))
            self.positive.add(self.index["E", piece])
            result = self._times(result, self.whole_power((g, ONE), self._multiple(value)))
        return result
