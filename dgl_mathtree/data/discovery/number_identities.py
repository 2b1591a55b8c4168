"""Identities between numbers: arithmetic, roots, and circular functions at multiples of pi."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction

from dgl_mathtree.language.build import Pair, Term, add, div, mul, neg, power, sub

LARGEST, LARGEST_DENOMINATOR = 1100, 64
ROOTS = (2, 3, 5, 6, 7, 10)
BASES = (2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, -2, -3, -1)
EXPONENTS = (2, 3, 2, 4, -1, -2, 5, 6, 8, 10)
ODD_ABOUT_PI = ("cos", "sec", "tan", "cot")


def fraction_word(value: Fraction | int) -> str:
    value = Fraction(value)
    return str(value.numerator) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


def _operand(rng: random.Random) -> Fraction:
    if rng.random() < 0.6:
        return Fraction(rng.randint(-20, 20) if rng.random() < 0.4 else rng.randint(0, 20))
    q = rng.choice((2, 3, 4, 5, 6, 8, 10))
    return Fraction(rng.randint(1, q + 3), q)


def _calculation(rng: random.Random) -> tuple[Term, Fraction]:
    values = a, b, c = _operand(rng), _operand(rng), _operand(rng)
    x, y, z = map(fraction_word, values)
    calculations: list[tuple[Term, Fraction]] = [
        (add(x, y), a + b),
        (sub(x, y), a - b),
        (mul(x, y), a * b),
        (sub(add(x, y), z), a + b - c),
        (add(mul(x, y), z), a * b + c),
        (mul(x, add(y, z)), a * (b + c)),
    ]
    if b:
        calculations += [(div(x, y), a / b), (div(add(x, z), y), (a + c) / b)]
    return rng.choice(calculations)


def arithmetic(rng: random.Random) -> Pair | None:
    """Sums, products, quotients, powers and logarithms of integers and common fractions."""
    draw = rng.random()
    if draw < 0.7:
        left, value = _calculation(rng)
    elif draw < 0.85:
        base, n = rng.choice(BASES), rng.choice(EXPONENTS)
        left, value = power(str(base), str(n)), Fraction(base) ** n
    else:
        base, n = rng.choice((2, 3, 4, 5, 6, 10)), rng.choice((2, 3, -1, -2, 4, 0, 1, 5))
        left, value = ("log", fraction_word(Fraction(base) ** n), str(base)), Fraction(n)
    if isinstance(left, str) or abs(value) > LARGEST or value.denominator > LARGEST_DENOMINATOR:
        return None
    return left, fraction_word(value)


def radical(rng: random.Random) -> Pair | None:
    """Roots simplified, multiplied, added, and denominators made rational."""
    m, n = rng.sample(ROOTS, 2)
    j, k = rng.randint(2, 12), rng.randint(2, 7)
    root = power(str(m), "1/2")
    pairs: list[Pair] = [
        (power(str(k * k * m), "1/2"), mul(str(k), root)),
        (power(str(j * j), "1/2"), str(j)),
        (mul(root, power(str(n), "1/2")), power(str(m * n), "1/2")),
        (add(mul(str(j), root), mul(str(k), root)), mul(str(j + k), root)),
        (sub(mul(str(j), root), power(str(k * k * m), "1/2")), mul(str(j - k), root) if j != k else "0"),
        (div(str(j), root), div(mul(str(j), root), str(m))),
        (mul(add(str(j), root), sub(str(j), root)), str(j * j - m)),
        (power(add(str(k), root), "2"), add(str(k * k + m), mul(str(2 * k), root))),
        (power(str(k**3), "1/3"), str(k)),
        (div(power(str(m * n), "1/2"), root), power(str(n), "1/2")),
    ]
    if j * j != m:
        pairs.append((div("1", sub(str(j), root)), div(add(str(j), root), str(j * j - m))))
    return rng.choice(pairs)


def circular_value(rng: random.Random) -> Pair | None:
    """A function at a multiple of pi, moved by periods and symmetries."""
    q = rng.choice((1, 2, 3, 4, 6, 5, 8, 12))
    p = rng.randint(1, 3 * q)
    name = rng.choice(("sin", "cos", "tan", "cot", "sec", "csc"))
    if rng.random() < 0.5:
        right = (name, _angle(q - p, q))
        return (name, _angle(p, q)), neg(right) if name in ODD_ABOUT_PI else right
    period = q if name in ("tan", "cot") else 2 * q
    return (name, _angle(p, q)), (name, _angle(p + rng.choice((-1, 1)) * period, q))


def pi_multiple(turn: Fraction) -> Term:
    """A fraction of pi.

    Example:
        >>> pi_multiple(Fraction(-2, 3))
        ('Mul', '-2', ('Mul', 'pi', ('Pow', '3', '-1')))
    """
    return _angle(turn.numerator, turn.denominator)


def _angle(p: int, q: int) -> Term:
    """p/q of pi."""
    shared = math.gcd(p, q)
    p, q = p // shared, q // shared
    if p == 0:
        return "0"
    top: Term = "pi" if abs(p) == 1 else ("Mul", str(abs(p)), "pi")
    term = top if q == 1 else div(top, str(q))
    return term if p > 0 else neg(term)


FORMS: dict[str, tuple[float, Callable[[random.Random], Pair | None]]] = {
    "arithmetic": (1.6, arithmetic),
    "radical": (0.8, radical),
    "circular-value": (0.5, circular_value),
}
