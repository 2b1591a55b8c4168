"""Identities between constants: arithmetic that must be right, sums of arctangents, inverse functions at numbers and
out of their range, cos and sin of p*pi/q, nested radicals, logarithms of products."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction

from dgl_mathtree.data.discovery.angle_identities import natural_power
from dgl_mathtree.data.discovery.many_variables import signed_sum
from dgl_mathtree.data.discovery.number_identities import LARGEST, fraction_word, pi_multiple
from dgl_mathtree.data.discovery.surds import Surd, fraction_term, root_of
from dgl_mathtree.language.build import Pair, Term, add, div, mul, neg, power, product, sub, total

MOST_TURNS = 12
"""The largest number whose functions are brought back into range."""
QUARTER = math.pi / 4


def _signed(parts: list[tuple[int, Term]]) -> Term:
    """The sum of integers times terms."""
    return signed_sum([(c, term if abs(c) == 1 else mul(str(abs(c)), term)) for c, term in parts])


def _sum_of_integers(rng: random.Random) -> Pair | None:
    """Sums, products and powers of integers up to 1,000, with up to six terms."""
    kind = rng.randrange(6)
    if kind == 0:
        a, b = rng.randint(2, 60), rng.randint(2, 60)
        return mul(str(a), str(b)), str(a * b)
    if kind == 1:
        values = [
            rng.randint(1, rng.choice((20, 99, 400))) * rng.choice((1, 1, 1, -1)) for _ in range(rng.randint(2, 6))
        ]
        values[0] = abs(values[0])
        return _signed([(1 if v > 0 else -1, str(abs(v))) for v in values]), str(sum(values))
    if kind == 2:
        n, k = rng.randint(2, 6), rng.choice((1, 1, 2, 2, 3))
        first = rng.randint(1, 9 if k < 3 else 4)
        terms = [natural_power(str(first + i), k) for i in range(n)]
        return total(terms), str(sum((first + i) ** k for i in range(n)))
    if kind == 3:
        parts = [(rng.randint(1, 12), rng.randint(1, 12)) for _ in range(rng.randint(2, 4))]
        signs = [1, *(rng.choice((1, 1, -1)) for _ in parts[1:])]
        left = _signed([(s, mul(str(a), str(b))) for s, (a, b) in zip(signs, parts, strict=True)])
        return left, str(sum(s * a * b for s, (a, b) in zip(signs, parts, strict=True)))
    if kind == 4:
        factors = [rng.choice((2, 2, 2, 3, 3, 5, 7, 11, 13)) for _ in range(rng.randint(2, 7))]
        counts = {p: factors.count(p) for p in sorted(set(factors))}
        return str(math.prod(factors)), product([natural_power(str(p), n) for p, n in counts.items()])
    a, b, c = rng.randint(1, 20), rng.randint(1, 20), rng.randint(1, 20)
    sign = rng.choice((1, -1))
    middle = add(str(a), str(b)) if sign > 0 else sub(str(a), str(b))
    other = natural_power(str(c), 2) if rng.random() < 0.4 else str(c)
    factor = c * c if other != str(c) else c
    return mul(middle, other), str((a + sign * b) * factor)


def _sum_of_fractions(rng: random.Random) -> Pair | None:
    """Sums of common fractions, unit fractions and telescoping ones."""
    n = rng.randint(2, 5)
    if rng.random() < 0.35:
        first = rng.randint(1, 6)
        terms = [div("1", mul(str(first + i), str(first + i + 1))) for i in range(n)]
        return total(terms), fraction_word(Fraction(1, first) - Fraction(1, first + n))
    values = [Fraction(rng.randint(1, 9), rng.choice((2, 3, 4, 5, 6, 8, 9, 10, 12, 15))) for _ in range(n)]
    signs = [1, *(rng.choice((1, 1, -1)) for _ in values[1:])]
    value = sum((s * v for s, v in zip(signs, values, strict=True)), Fraction(0))
    return _signed([(s, fraction_word(v)) for s, v in zip(signs, values, strict=True)]), fraction_word(value)


def _turned(value: Fraction, name: str = "atan") -> tuple[Term, float]:
    """atan of a fraction, spelled as one or as acot of its inverse."""
    if name == "acot":
        return ("acot", fraction_word(1 / value)), math.atan(value)
    return ("atan", fraction_word(value)), math.atan(value)


def _arctangents(rng: random.Random) -> Pair | None:
    """m*atan(1/a) + n*atan(1/b) + ... = k*pi/4 + atan(p/q): the last angle is what is left, exactly."""
    count = rng.choice((1, 1, 2, 2, 3))
    real, imaginary, angle = 1, 0, 0.0
    parts: list[tuple[int, Term]] = []
    for _ in range(count):
        value = (
            Fraction(1, rng.randint(2, 12)) if rng.random() < 0.65 else Fraction(rng.randint(1, 6), rng.randint(1, 9))
        )
        m = rng.choice((1, 1, 1, 2, 2, 3, 4)) * rng.choice((1, 1, -1))
        term, turn = _turned(value, "acot" if rng.random() < 0.12 else "atan")
        parts.append((m, term))
        angle += m * turn
        p, q = value.numerator, value.denominator
        for _ in range(abs(m)):
            step = p if m > 0 else -p
            real, imaginary = real * q - imaginary * step, real * step + imaginary * q
    quarters = rng.choice((0, round(angle / QUARTER), 1))
    for _ in range(quarters % 8):
        real, imaginary = real + imaginary, imaginary - real
    if not real or abs(angle - quarters * QUARTER) >= 2 * QUARTER:
        return None
    rest = Fraction(imaginary, real)
    if max(abs(rest.numerator), rest.denominator) > LARGEST:
        return None
    left = _signed(parts)
    whole = pi_multiple(Fraction(quarters, 4))
    if not rest:
        return left, whole
    last, _ = _turned(abs(rest))
    if rng.random() < 0.5:
        moved = sub(left, last) if rest > 0 else add(left, last)
        return moved, whole
    if quarters == 0:
        return left, last if rest > 0 else neg(last)
    return left, add(whole, last) if rest > 0 else sub(whole, last)


def _out_of_range(rng: random.Random) -> Pair | None:
    """asin(sin(2)) = pi - 2, acos(cos(5)) = 2*pi - 5, and the same at fractions and at multiples of pi."""
    draw = rng.random()
    if draw < 0.4:
        turns = Fraction(rng.randint(-3 * MOST_TURNS, 3 * MOST_TURNS), rng.choice((3, 4, 5, 6, 7, 8, 9, 10, 12)))
        inner, value, whole = pi_multiple(turns), float(turns) * math.pi, None
    else:
        whole = Fraction(
            rng.randint(1, MOST_TURNS) if draw < 0.75 else rng.randint(1, 30),
            1 if draw < 0.75 else rng.choice((2, 3, 4)),
        )
        whole *= rng.choice((1, 1, 1, -1))
        inner, value, turns = fraction_word(whole), float(whole), Fraction(0)
    name = rng.choice(("sin", "cos", "tan", "sin", "cos"))
    if name == "cos":
        periods = round(value / (2 * math.pi))
        sign, offset = (1, -2 * periods) if value >= 2 * math.pi * periods else (-1, 2 * periods)
    else:
        halves = round(value / math.pi)
        sign, offset = (-1, halves) if name == "sin" and halves % 2 else (1, -halves)
    if whole is None:
        return ("a" + name, (name, inner)), pi_multiple(sign * turns + offset)
    right: Term = fraction_word(sign * whole)
    if offset:
        right = sub(pi_multiple(Fraction(offset)), fraction_word(whole)) if sign < 0 else _shifted(whole, offset)
    return ("a" + name, (name, inner)), right


def _shifted(whole: Fraction, offset: int) -> Term:
    number, turn = fraction_word(whole), pi_multiple(Fraction(abs(offset)))
    if offset < 0:
        return sub(number, turn)
    return sub(turn, fraction_word(-whole)) if whole < 0 else add(number, turn)


def _right_triangle(rng: random.Random) -> Pair | None:
    """sin(acos(3/5)) = 4/5, tan(asin(1/3)), cos(2*atan(1/2)): a function at an inverse one, as a root."""
    p, q = rng.randint(1, 12), rng.randint(2, 13)
    if rng.random() < 0.5 and p != q:
        p, q = min(p, q), max(p, q)
    name = rng.choice(("asin", "acos", "atan", "atan"))
    if name != "atan" and p >= q:
        return None
    x = Fraction(p, q)
    square = {"asin": x * x, "acos": 1 - x * x, "atan": x * x / (1 + x * x)}[name]
    sine, cosine, angle = root_of(square), root_of(1 - square), (name, fraction_word(x))
    kind = rng.randrange(6)
    if kind < 3:
        value = (sine, cosine, sine / cosine)[kind]
        return (("sin", "cos", "tan")[kind], angle), value.term()
    if kind == 3:
        return ("cos", mul("2", angle)), fraction_term(1 - 2 * square)
    if kind == 4:
        return ("sin", mul("2", angle)), (sine * cosine * Surd.of(2)).term()
    return ("cos", div(angle, "2")), power(div(add("1", cosine.term()), "2"), "1/2")


def _hyperbolic_at_logarithm(rng: random.Random) -> Pair | None:
    """sinh(ln(2)) = 3/4, atanh(1/3) = ln(2)/2, acosh(5/4) = ln(2)."""
    x = Fraction(rng.randint(2, 9), rng.choice((1, 1, 1, 2, 3)))
    if x <= 1:
        return None
    half = rng.random() < 0.3
    values = {"sinh": (x - 1 / x) / 2, "cosh": (x + 1 / x) / 2, "tanh": (x * x - 1) / (x * x + 1)}
    name = rng.choice(list(values))
    logarithm: Term = ("log", fraction_word(x), "e")
    value = fraction_word(values[name])
    if rng.random() < 0.5:
        return (name, logarithm), value
    if name == "tanh" and half:
        return ("atanh", fraction_word((x - 1) / (x + 1))), div(logarithm, "2")
    return ("a" + name, value), logarithm


def _logarithms(rng: random.Random) -> Pair | None:
    """Logarithms of products of primes as sums, and sums of logarithms as one."""
    base = rng.choice(("e", "e", "e", "2", "10", "3"))
    parts = {p: rng.choice((1, 1, 2, 3, -1, -2)) for p in rng.sample((2, 3, 5, 7, 11, 13), rng.choice((1, 2, 2, 3)))}
    value = math.prod((Fraction(p) ** n for p, n in parts.items()), start=Fraction(1))
    if max(value.numerator, value.denominator) > LARGEST:
        return None
    spread = _signed([(n, ("log", str(p), base)) for p, n in sorted(parts.items(), key=lambda entry: entry[1] < 0)])
    whole: Term = ("log", fraction_word(value), base)
    kind = rng.randrange(5)
    if kind < 3:
        return whole, spread
    if kind == 3:
        factor = Fraction(rng.randint(2, 30), rng.choice((1, 1, 1, 2, 3)))
        both = factor * value
        if max(both.numerator, both.denominator) > LARGEST:
            return None
        return add(("log", fraction_word(factor), base), whole), ("log", fraction_word(both), base)
    p, (m, n) = rng.choice((2, 3, 5, 7)), (rng.randint(1, 6), rng.randint(2, 6))
    if p ** max(m, n) > LARGEST:
        return None
    if rng.random() < 0.5:
        return div(("log", str(p**m), "e"), ("log", str(p**n), "e")), fraction_word(Fraction(m, n))
    return ("log", str(p**m), str(p**n)), fraction_word(Fraction(m, n))


FORMS: dict[str, tuple[float, Callable[[random.Random], Pair | None]]] = {
    "integers": (2.0, _sum_of_integers),
    "fractions": (1.0, _sum_of_fractions),
    "arctangents": (1.8, _arctangents),
    "out-of-range": (1.4, _out_of_range),
    "right-triangle": (1.3, _right_triangle),
    "hyperbolic-at-logarithm": (0.7, _hyperbolic_at_logarithm),
    "logarithms": (1.3, _logarithms),
}
