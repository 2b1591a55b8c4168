"""Identities of fractions: partial fractions with two to four poles, telescoping sums and products, interpolation sums,
quotients of expansions."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction

from dgl_mathtree.data.discovery.many_variables import Known, Ring, TooLargeError, signed_sum
from dgl_mathtree.language.build import Pair, Term, add, div, mul, power, product, read_all, sub, total

LETTERS = read_all("x;x;x;x;y;t;a;2*x;x^2;sin(x);exp(x)")


def _moved(u: Term, k: int) -> Term:
    return u if k == 0 else add(u, str(k)) if k > 0 else sub(u, str(-k))


def _over(c: Fraction, below: Term) -> Term:
    bottom = below if c.denominator == 1 else mul(str(c.denominator), below)
    return div(str(abs(c.numerator)), bottom)


def _numerator(poles: list[int], values: list[Fraction]) -> tuple[list[int], int]:
    """What stands above the product of all x + pole in the sum of value/(x + pole), and an integer it is divided by."""
    top = [Fraction(0)] * len(poles)
    for c, own in zip(values, poles, strict=True):
        part = [c]
        for q in poles:
            if q != own:
                part = [a * q + b for a, b in zip([*part, Fraction(0)], [Fraction(0), *part], strict=True)]
        top = [a + b for a, b in zip(top, part, strict=True)]
    shared = math.lcm(*(c.denominator for c in top))
    return [int(c * shared) for c in top], shared


def _residues(poles: list[int]) -> list[Fraction]:
    """Those of the fraction with 1 above."""
    return [Fraction(1, math.prod(q - p for q in poles if q != p)) for p in poles]


def _partial_fractions(rng: random.Random) -> Pair | None:
    """A fraction with a product below, as a sum of simple ones."""
    u = rng.choice(LETTERS)
    poles = rng.sample(range(-5, 6), rng.choice((2, 2, 3, 3, 4)))
    values = [Fraction(rng.choice((1, 1, 2, 3, 4, -1, -1, -2, -3)), rng.choice((1, 1, 1, 2))) for _ in poles]
    if rng.random() < 0.4:
        values = _residues(poles)
    top, shared = _numerator(poles, values)
    if max(map(abs, top)) > 300 or not any(top):
        return None
    ring = Ring((u,), rng)
    above = ring.spelled({(k,): c for k, c in enumerate(top) if c}).term
    factors = [_moved(u, p) for p in poles]
    below = product(factors)
    if rng.random() < 0.3 and len(poles) < 4:
        expanded = Known("1", {(0,): 1})
        for p in poles:
            expanded = expanded * (ring.letter(0) + ring.number(p))
        below = ring.spelled(expanded.value).term
    below = below if shared == 1 else mul(str(shared), below)
    return div(above, below), signed_sum([(c, _over(c, factor)) for c, factor in zip(values, factors, strict=True)])


def _telescoping_sum(rng: random.Random) -> Pair | None:
    """1/(x*(x + 1)) + 1/((x + 1)*(x + 2)) + ... = n/(x*(x + n))."""
    u, n, step = rng.choice(LETTERS), rng.randint(2, 5), rng.choice((1, 1, 1, 2, 3))
    first = rng.choice((0, 0, 0, 1, 2, -1))
    terms: list[Term] = [
        div(str(step), mul(_moved(u, k), _moved(u, k + step))) for k in range(first, first + n * step, step)
    ]
    last = first + n * step
    if rng.random() < 0.5:
        return total(terms), sub(div("1", _moved(u, first)), div("1", _moved(u, last)))
    return total(terms), div(str(n * step), mul(_moved(u, first), _moved(u, last)))


def _telescoping_product(rng: random.Random) -> Pair | None:
    """(1 + 1/x)*(1 + 1/(x + 1))*... = (x + n)/x; (1 + x)*(1 + x^2)*(1 + x^4) = (x^8 - 1)/(x - 1)."""
    u, n = rng.choice(LETTERS), rng.randint(2, 4)
    if rng.random() < 0.4 and not (isinstance(u, tuple) and u[0] == "Pow"):
        factors = [add("1", u if k == 0 else power(u, str(2**k))) for k in range(n)]
        top = sub(power(u, str(2**n)), "1")
        if rng.random() < 0.5:
            return mul(sub(u, "1"), product(factors)), top
        return product(factors), div(top, sub(u, "1"))
    plus = rng.random() < 0.6
    first = rng.choice((0, 0, 1, 2)) + (not plus)
    join = add if plus else sub
    product_of = product([join("1", div("1", _moved(u, k))) for k in range(first, first + n)])
    if rng.random() < 0.25:
        product_of = product([div(_moved(u, k + 1), _moved(u, k)) for k in range(first, first + n)])
        plus = True
    return product_of, div(_moved(u, first + n if plus else first - 1), _moved(u, first if plus else first + n - 1))


def _interpolation(rng: random.Random) -> Pair | None:
    """a^k/((a - b)*(a - c)) + ... = 0, 1, a + b + c, ...: sums over three letters."""
    a, b, c = rng.sample(("x", "y", "z", "a", "b", "c"), 3)
    k = rng.choice((0, 1, 2, 2, 3, 3, 4))

    def raised(letter: str) -> Term:
        return "1" if k == 0 else letter if k == 1 else power(letter, str(k))

    terms: list[Term] = [div(raised(p), mul(sub(p, q), sub(p, r))) for p, q, r in ((a, b, c), (b, c, a), (c, a, b))]
    if rng.random() < 0.4:
        terms[1] = div(raised(b), mul(sub(b, a), sub(b, c)))
        terms[2] = div(raised(c), mul(sub(c, a), sub(c, b)))
    squares = total([power(letter, "2") for letter in (a, b, c)])
    products = total([mul(a, b), mul(b, c), mul(c, a)])
    return total(terms), {0: "0", 1: "0", 2: "1", 3: total([a, b, c]), 4: add(squares, products)}[k]


def _sum_over_product(rng: random.Random) -> Pair | None:
    """Fractions in several letters over a common denominator, and continued fractions."""
    a, b, c = rng.sample(("x", "y", "z", "a", "b", "c", "t"), 3)
    k = str(rng.randint(2, 9))
    pairs: list[Pair] = [
        (
            total([div("1", a), div("1", b), div("1", c)]),
            div(total([mul(a, b), mul(b, c), mul(c, a)]), product([a, b, c])),
        ),
        (add(div(a, b), div(b, a)), div(add(power(a, "2"), power(b, "2")), mul(a, b))),
        (
            sub(div(a, sub(a, b)), div(b, add(a, b))),
            div(add(power(a, "2"), power(b, "2")), sub(power(a, "2"), power(b, "2"))),
        ),
        (add("1", div("1", add("1", div("1", a)))), div(add(mul("2", a), "1"), add(a, "1"))),
        (add(a, div("1", add(b, div("1", c)))), div(total([product([a, b, c]), a, c]), add(mul(b, c), "1"))),
        (add(div(a, mul(b, c)), div(b, mul(a, c))), div(add(power(a, "2"), power(b, "2")), product([a, b, c]))),
        (sub(div(k, sub(a, k)), div(k, add(a, k))), div(str(2 * int(k) ** 2), sub(power(a, "2"), str(int(k) ** 2)))),
        (div(add(div("1", a), div("1", b)), sub(div("1", a), div("1", b))), div(add(b, a), sub(b, a))),
        (add(div("1", mul(a, add(a, b))), div("1", mul(b, add(a, b)))), div("1", mul(a, b))),
        (div(sub(power(a, "3"), power(b, "3")), sub(a, b)), total([power(a, "2"), mul(a, b), power(b, "2")])),
    ]
    return rng.choice(pairs)


def _quotient(rng: random.Random) -> Pair | None:
    """A polynomial in two letters divided by one of its factors."""
    ring = Ring(tuple(rng.sample(("x", "y", "a", "b", "t"), 2)), rng)
    p, q = (ring.linear([0, 1], 0.3, 3) for _ in range(2))
    r = ring.linear([rng.randrange(2)], 1.0, 3)
    try:
        if rng.random() < 0.4:
            return div(ring.spelled((p * q * r).value).term, p.term), ring.spelled((q * r).value).term
        return div(ring.spelled((p * q).value).term, ring.spelled((p * r).value).term), div(q.term, r.term)
    except TooLargeError:
        return None


FORMS: dict[str, tuple[float, Callable[[random.Random], Pair | None]]] = {
    "partial-fractions": (1.6, _partial_fractions),
    "telescoping-fractions": (0.8, _telescoping_sum),
    "telescoping-factors": (0.7, _telescoping_product),
    "interpolation": (0.5, _interpolation),
    "fractions-in-letters": (0.8, _sum_over_product),
    "quotient": (0.9, _quotient),
}
