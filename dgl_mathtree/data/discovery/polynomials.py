"""Polynomials with integer coefficients in an expression, or homogeneous in two: products and their expansions,
quotients, completed squares, partial fractions."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from dgl_mathtree.language.build import Pair, Term, add, div, mul, neg, power, product, read_all, sub

Polynomial = list[int]  # coefficients, the constant first

ATOMS = read_all(
    "x;x;x;x;x;x;y;y;z;w;x^2;y^2;sin(x);cos(x);tan(x);sin(y);sec(x);cot(x);1/x;2^x;sqrt(x);x*y;csc(x);sqrt(y);exp(x);"
    "e^x;ln(x);sinh(x);cosh(x);tanh(x);x^3;log(x,2);x/y;atan(x);ln(y);3^x;cos(2*x);x^y;exp(y);cos(y);sinh(y);asin(x)"
)
LARGEST = 100
"""A coefficient at most."""


def _times(*factors: Polynomial) -> Polynomial:
    result = [1]
    for factor in factors:
        product_so_far = [0] * (len(result) + len(factor) - 1)
        for i, a in enumerate(result):
            for j, b in enumerate(factor):
                product_so_far[i + j] += a * b
        result = product_so_far
    return result


def _plus(p: Polynomial, q: Polynomial, sign: int = 1) -> Polynomial:
    longest = max(len(p), len(q))
    a, b = ([*side, *[0] * (longest - len(side))] for side in (p, q))
    return [x + sign * y for x, y in zip(a, b, strict=True)]


def _raised(base: Term, n: int) -> Term:
    """base^n; (x^2)^3 as x^6."""
    if isinstance(base, tuple) and base[0] == "Pow" and isinstance(base[2], str) and base[2] in ("2", "3"):
        return power(base[1], str(int(base[2]) * n))
    return power(base, str(n))


class _TooLargeError(Exception):
    """A coefficient that nobody would write down."""


class Letters(NamedTuple):
    """What a polynomial is in: an expression u, and a second one v if it is homogeneous."""

    u: Term
    v: Term | None
    rng: random.Random

    def spell(self, p: Polynomial) -> Term:
        """The polynomial as a sum, mostly from the highest power down."""
        terms = [(c, k) for k, c in reversed(list(enumerate(p))) if c]
        if any(abs(c) > LARGEST for c, _ in terms):
            raise _TooLargeError
        if not terms:
            return "0"
        if self.rng.random() < 0.25:
            terms.reverse()
        if terms[0][0] < 0 and self.rng.random() < 0.7:
            terms.sort(key=lambda entry: entry[0] < 0)
        first, *rest = [(self.monomial(abs(c), k, len(p) - 1), c > 0) for c, k in terms]
        result = first[0] if first[1] else neg(first[0])
        for term, positive in rest:
            result = add(result, term) if positive else sub(result, term)
        return result

    def monomial(self, c: int, k: int, degree: int) -> Term:
        powers = [(self.u, k)] if self.v is None else [(self.u, k), (self.v, degree - k)]
        parts: list[Term] = [base if n == 1 else _raised(base, n) for base, n in powers if n]
        return product([str(c), *parts] if c != 1 or not parts else parts)

    def linear(self) -> Polynomial:
        rng = self.rng
        a = rng.choice((1, 1, 1, 1, 1, 2, 2, 3, 4, 5))
        b = rng.choice((1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 10)) * rng.choice((1, -1))
        return [b, a] if rng.random() < 0.9 else [abs(b), -a]

    def signed_sum(self, a: Term, b: Term, sign: int) -> Term:
        return add(a, b) if sign > 0 else sub(a, b)


def _power_of_sum(f: Letters) -> Pair:
    n = f.rng.choice((2, 2, 2, 3))
    p = f.linear()
    return power(f.spell(p), str(n)), f.spell(_times(*[p] * n))


def _fourth_power(f: Letters) -> Pair:
    p = [f.rng.choice((1, -1, 2, -2)), 1]
    return power(f.spell(p), "4"), f.spell(_times(p, p, p, p))


def _factors(f: Letters) -> Pair:
    ps = [f.linear() for _ in range(f.rng.choice((2, 2, 2, 3)))]
    return product([f.spell(p) for p in ps]), f.spell(_times(*ps))


def _quadratic_factor(f: Letters) -> Pair:
    p, q = f.linear(), [f.linear()[0], f.rng.choice((0, 1, -1, 2, 3)), 1]
    return mul(f.spell(p), f.spell(q)), f.spell(_times(p, q))


def _sum_of_products(f: Letters) -> Pair:
    p, q, r = f.linear(), f.linear(), f.linear()
    sign = f.rng.choice((1, -1))
    left = f.signed_sum(mul(f.spell(p), f.spell(q)), power(f.spell(r), "2"), sign)
    return left, f.spell(_plus(_times(p, q), _times(r, r), sign))


def _common_factor(f: Letters) -> Pair:
    p = f.linear() if f.rng.random() < 0.6 else [*f.linear(), f.rng.choice((1, 2, 3))]
    c = f.rng.choice((1, 2, 3, 4, 5, 6, -1, -2, -3))
    degree = f.rng.choice((0, 0, 1, 2)) if c != 1 else f.rng.choice((1, 2))
    factor = [0] * degree + [c]
    outside = f._replace(v=None).spell(factor)
    if f.v is None:
        return mul(outside, f.spell(p)), f.spell(_times(factor, p))
    return mul(str(c), f.spell(p)), f.spell([c * a for a in p])


def _collected(f: Letters) -> Pair:
    p, q = f.linear(), f.linear()
    c, d, sign = f.rng.choice((1, 2, 3, 4, 5)), f.rng.choice((1, 2, 3, 4)), f.rng.choice((1, -1))
    left, right = (f.spell(side) if k == 1 else mul(str(k), f.spell(side)) for k, side in ((c, p), (d, q)))
    return f.signed_sum(left, right, sign), f.spell(_plus([c * a for a in p], [d * b for b in q], sign))


def _cancelled(f: Letters) -> Pair:
    p, q = f.linear(), f.linear()
    if f.rng.random() < 0.5:
        return div(f.spell(_times(p, q)), f.spell(p)), f.spell(q)
    r = f.linear()
    return div(f.spell(_times(p, q)), f.spell(_times(p, r))), div(f.spell(q), f.spell(r))


def _completed_square(f: Letters) -> Pair:
    h, k = f.rng.randint(1, 8) * f.rng.choice((1, -1)), f.rng.randint(-16, 16)
    left = power(f.spell([h, 1]), "2")
    if k:
        left = f.signed_sum(left, f.monomial(abs(k), 0, 2), k)
    return left, f.spell([h * h + k, 2 * h, 1])


def _geometric(f: Letters) -> Pair:
    n, a = f.rng.randint(2, 5), f.rng.choice((1, 1, 2, -1, -1, -2, 3))
    factor, binomial = [a ** (n - 1 - k) for k in range(n)], [-(a**n), *[0] * (n - 1), 1]
    if f.rng.random() < 0.5:
        return div(f.spell(binomial), f.spell([-a, 1])), f.spell(factor)
    return mul(f.spell([-a, 1]), f.spell(factor)), f.spell(binomial)


def _sum_of_fractions(f: Letters) -> Pair:
    a, b = f.rng.sample(range(-6, 7), 2)
    c, d = f.rng.choice((1, 1, 1, 2, 3, -1, -2, 4)), f.rng.choice((1, 1, 1, 2, 3, -1, -2))
    one, two = f.spell([a, 1]), f.spell([b, 1])
    below = mul(one, two) if f.rng.random() < 0.6 else f.spell(_times([a, 1], [b, 1]))
    left = f.signed_sum(div(str(c), one), div(str(abs(d)), two), d)
    return left, div(f.spell(_plus([c * b, c], [d * a, d])), below)


def _difference_of_fractions(f: Letters) -> Pair:
    a, b = sorted(f.rng.sample(range(-6, 7), 2))
    one, two = f.spell([a, 1]), f.spell([b, 1])
    above = f.monomial(b - a, 0, 1)
    return div(above, mul(one, two)), sub(div("1", one), div("1", two))


def _division_with_rest(f: Letters) -> Pair:
    a, b = f.rng.sample(range(-6, 7), 2)
    one = f.spell([a, 1])
    if f.rng.random() < 0.5:
        rest = div(f.monomial(abs(b - a), 0, 1), one)
        return div(f.spell([b, 1]), one), f.signed_sum("1", rest, b - a)
    r = f.rng.randint(1, 9) * f.rng.choice((1, -1))
    rest = div(f.monomial(abs(r), 0, 2), one)
    return div(f.spell(_plus(_times([a, 1], [b, 1]), [r, 0, 0])), one), f.signed_sum(f.spell([b, 1]), rest, r)


def _difference_quotient(f: Letters) -> Pair:
    x, h = f.rng.sample(["x", "y", "z", "w", "a", "t"], 2)
    kind = f.rng.randrange(4)
    moved = add(x, h) if f.rng.random() < 0.5 else sub(x, h)
    sign = 1 if moved[2] == h else -1
    if kind == 0:
        return div(sub(power(moved, "2"), power(x, "2")), h), f.signed_sum(h, mul("2", x), sign)
    if kind == 1:
        return div(sub(div("1", moved), div("1", x)), h), div(str(-sign), mul(x, moved))
    k = str(f.rng.randint(2, 9))
    if kind == 2:
        return div(sub(mul(k, moved), mul(k, x)), h), str(sign * int(k))
    return sub(power(moved, "2"), power(h, "2")), f.signed_sum(power(x, "2"), mul("2", mul(x, h)), sign)


FORMS: dict[str, tuple[float, Callable[[Letters], Pair]]] = {
    "power": (3.0, _power_of_sum),
    "fourth-power": (0.6, _fourth_power),
    "factors": (4.0, _factors),
    "quadratic-factor": (1.0, _quadratic_factor),
    "sum-of-products": (1.0, _sum_of_products),
    "common-factor": (2.0, _common_factor),
    "collected": (2.0, _collected),
    "cancelled": (2.0, _cancelled),
    "completed-square": (1.2, _completed_square),
    "geometric": (1.0, _geometric),
    "sum-of-fractions": (1.6, _sum_of_fractions),
    "difference-of-fractions": (0.9, _difference_of_fractions),
    "division-with-rest": (1.4, _division_with_rest),
    "difference-quotient": (0.25, _difference_quotient),
}


def polynomial(rng: random.Random) -> tuple[str, Pair] | None:
    """The name of a form and an identity of it, or None if this draw has too large numbers."""
    u, v = rng.sample(ATOMS, 2)
    if u == v:
        return None
    letters = Letters(u, v if rng.random() < 0.35 else None, rng)
    name = rng.choices(list(FORMS), [weight for weight, _ in FORMS.values()])[0]
    try:
        return name, FORMS[name][1](letters)
    except _TooLargeError:
        return None
