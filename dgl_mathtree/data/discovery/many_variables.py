"""Polynomials with integer coefficients in several letters, beside the terms that spell them."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any, NamedTuple

from dgl_mathtree.language.build import Term, add, mul, neg, power, product, sub, total

Monomial = tuple[int, ...]
Coefficients = dict[Monomial, int]
LARGEST = 1000
"""A coefficient at most."""
MOST_TERMS = 16
"""Terms of an expansion at most."""


class TooLargeError(Exception):
    """An identity with numbers or sums that nobody would write down."""


class Known(NamedTuple):
    """A term and the polynomial that it is."""

    term: Term
    value: Coefficients

    def __add__(self, other: tuple[object, ...]) -> Known:
        assert isinstance(other, Known)
        return Known(add(self.term, other.term), poly_sum(self.value, other.value))

    def __sub__(self, other: Known) -> Known:
        return Known(sub(self.term, other.term), poly_sum(self.value, other.value, -1))

    def __mul__(self, other: object) -> Known:
        assert isinstance(other, Known)
        return Known(mul(self.term, other.term), poly_product(self.value, other.value))

    def __pow__(self, n: int) -> Known:
        value = self.value
        for _ in range(n - 1):
            value = poly_product(value, self.value)
        if isinstance(self.term, str) and len(value) == 1 and not any(next(iter(value))):
            return Known(str(next(iter(value.values()))), value)
        return self if n == 1 else Known(power(self.term, str(n)), value)


def signed_sum(parts: list[tuple[Any, Term]]) -> Term:
    """The sum of terms with the signs of numbers; those with 0 are left out."""
    result: Term = "0"
    for c, part in parts:
        if c and result == "0":
            result = part if c > 0 else neg(part)
        elif c:
            result = add(result, part) if c > 0 else sub(result, part)
    return result


def poly_sum(p: Coefficients, q: Coefficients, factor: int = 1) -> Coefficients:
    result = dict(p)
    for monomial, c in q.items():
        result[monomial] = result.get(monomial, 0) + factor * c
    return {monomial: c for monomial, c in result.items() if c}


def poly_product(p: Coefficients, q: Coefficients) -> Coefficients:
    result: Coefficients = {}
    for a, c in p.items():
        for b, d in q.items():
            key = tuple(x + y for x, y in zip(a, b, strict=True))
            result[key] = result.get(key, 0) + c * d
    if len(result) > 60:
        raise TooLargeError
    return {monomial: c for monomial, c in result.items() if c}


def divided(p: Coefficients, q: Coefficients) -> Coefficients | None:
    """p/q, or None if there is a rest.

    Example:
        >>> divided({(2, 0): 1, (0, 2): -1}, {(1, 0): 1, (0, 1): -1})
        {(1, 0): 1, (0, 1): 1}
    """
    first = max(q)
    quotient: Coefficients = {}
    rest = dict(p)
    while rest:
        top = max(rest)
        key = tuple(x - y for x, y in zip(top, first, strict=True))
        c, left = divmod(rest[top], q[first])
        if left or min(key) < 0:
            return None
        quotient[key] = c
        rest = poly_sum(rest, {tuple(x + y for x, y in zip(m, key, strict=True)): d for m, d in q.items()}, -c)
    return quotient


@dataclass(frozen=True)
class Ring:
    """Polynomials in some letters, which may be any expressions."""

    letters: tuple[Term, ...]
    rng: random.Random

    def letter(self, k: int) -> Known:
        monomial = tuple(int(i == k) for i in range(len(self.letters)))
        return Known(self.letters[k], {monomial: 1})

    def number(self, c: int) -> Known:
        return Known(str(c), {(0,) * len(self.letters): c} if c else {})

    def linear(self, letters: list[int], constant: float = 0.0, largest: int = 1) -> Known:
        """A sum of letters with small coefficients, and with a chance a number."""
        rng = self.rng
        value: Coefficients = {}
        for k in letters:
            c = rng.choice((1, 1, 1, -1, -1)) * (rng.randint(1, largest) if rng.random() < 0.4 else 1)
            value[next(iter(self.letter(k).value))] = c
        if rng.random() < constant:
            value[(0,) * len(self.letters)] = rng.choice((1, 1, 2, 3, 4, 5, -1, -1, -2, -3, -4, -5))
        if max(value.values()) < 0:
            value = {m: -c for m, c in value.items()}
        return self.spelled(value)

    def monomial(self, monomial: Monomial, c: int) -> Term:
        parts: list[Term] = []
        for letter, n in zip(self.letters, monomial, strict=True):
            if n:
                parts.append(letter if n == 1 else _raised(letter, n))
        return product([str(c), *parts] if c != 1 or not parts else parts)

    def spelled(self, p: Coefficients) -> Known:
        """The polynomial as a sum: by degree, by a letter, or in any order."""
        if len(p) > MOST_TERMS or any(abs(c) > LARGEST for c in p.values()):
            raise TooLargeError
        if not p:
            return Known("0", {})
        rng = self.rng
        entries = sorted(p.items(), key=lambda entry: (-sum(entry[0]), [-n for n in entry[0]]))
        draw = rng.random()
        if draw < 0.15:
            entries.reverse()
        elif draw < 0.3:
            rng.shuffle(entries)
        elif draw < 0.45:
            entries.sort(reverse=True)
        if entries[0][1] < 0 and rng.random() < 0.7:
            entries.sort(key=lambda entry: entry[1] < 0)
        return Known(signed_sum([(c, self.monomial(monomial, abs(c))) for monomial, c in entries]), p)

    def collected(self, p: Coefficients, letter: int) -> Known:
        """The polynomial as one in a letter, its coefficients in brackets."""
        if not p:
            return Known("0", p)
        by_power: dict[int, Coefficients] = {}
        for monomial, c in p.items():
            rest = tuple(0 if k == letter else n for k, n in enumerate(monomial))
            by_power.setdefault(monomial[letter], {})[rest] = c
        parts = []
        for n, coefficients in sorted(by_power.items(), reverse=self.rng.random() < 0.8):
            coefficient = self.spelled(coefficients).term
            raised = self.letters[letter] if n == 1 else _raised(self.letters[letter], n)
            parts.append(coefficient if n == 0 else raised if coefficient == "1" else mul(coefficient, raised))
        return Known(total(parts), p)

    def nested(self, p: Coefficients) -> Known:
        """The polynomial, of one letter, as brackets in brackets: x*(x*(x + 3) + 3) + 1."""
        coefficients = [p.get((n,), 0) for n in range(max(p)[0] + 1)]
        term: Term = str(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            term = self.letters[0] if term == "1" else mul(self.letters[0], term)
            term = term if c == 0 else add(term, str(c)) if c > 0 else sub(term, str(-c))
        return Known(term, p)

    def factored(self, p: Coefficients) -> Known | None:
        """The polynomial as a product of a number, letters, sums and differences of them, and what is left."""
        found: list[tuple[Coefficients, int]] = []
        content = math.gcd(*p.values())
        rest = {monomial: c // content for monomial, c in p.items()}
        for candidate in self._factors():
            n = 0
            while (quotient := divided(rest, candidate)) is not None and len(rest) > 0 and rest != quotient:
                rest, n = quotient, n + 1
            if n:
                found.append((candidate, n))
        if not found:
            return None
        if max(rest) == (0,) * len(self.letters):
            content, rest = content * next(iter(rest.values())), {}
        spelled = [(self.spelled(q).term, n) for q, n in found]
        parts: list[Term] = [term if n == 1 else _raised(term, n) for term, n in spelled]
        parts += [self.spelled(rest).term] if rest else []
        self.rng.shuffle(parts)
        term = product(parts)
        return Known(term if content == 1 else mul(str(content), term), p)

    def _factors(self) -> list[Coefficients]:
        one = [self.letter(k).value for k in range(len(self.letters))]
        pairs = [(a, b) for k, a in enumerate(one) for b in one[k + 1 :]]
        found = [*one, *(poly_sum(a, b, -1) for a, b in pairs), *(poly_sum(a, b) for a, b in pairs)]
        if len(one) > 2:
            total: Coefficients = {}
            for a in one:
                total = poly_sum(total, a)
            found.append(total)
        return found


def _raised(base: Term, n: int) -> Term:
    """base^n; (x^2)^3 as x^6."""
    if isinstance(base, tuple) and base[0] == "Pow" and isinstance(base[2], str) and base[2] in ("2", "3"):
        return power(base[1], str(int(base[2]) * n))
    return power(base, str(n))
