"""Equations that one might suppose to hold, labelled by the oracle: rules of powers and inverse functions on the wrong
branch, functions taken to be linear, multiplicative, even or odd."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

from dgl_mathtree.language.build import Pair, Term, add, div, mul, neg, power, read_all, sub

BASES = read_all("x;x;x;y;t;x+y;x-1;x+1;1-x;2*x;-x;x-y;sin(x);cos(x);ln(x);x^3;2-x;x*y;tan(x);x^2;a-b;exp(x);3*x-2;1/x")
EXPONENTS = ("2", "3", "4", "1/2", "1/3", "-1", "6", "1/4", "-2", "2/3", "3/2")


def _power_of_power(rng: random.Random) -> Pair:
    """(u^p)^q = u^(p*q), and roots of products as products of roots: often wrong where u < 0."""
    u, v = rng.sample(BASES, 2)
    p, q = rng.sample(EXPONENTS, 2)
    if rng.random() < 0.5:
        p, q = rng.choice(("2", "2", "4", "6", "-2")), rng.choice(("1/2", "1/2", "1/4", "3/2"))
    exponent = str(Fraction(p) * Fraction(q))
    right = u if exponent == "1" else power(u, exponent)
    draw = rng.random()
    if draw < 0.6:
        return power(power(u, p), q), right
    if draw < 0.8:
        return power(mul(power(u, p), v), q), mul(right, power(v, q))
    return power(mul(u, v), q), mul(power(u, q), power(v, q))


def _square_completed(rng: random.Random) -> Pair:
    """sqrt(x^2 - 2*x + 1) = x - 1: true on one side only."""
    a, b = rng.choice(("x", "y", "t", "a")), str(rng.randint(1, 6))
    if rng.random() < 0.4:
        b = rng.choice(("z", "w", "b", "c"))
    c = str(2 * int(b)) if b.isdigit() else None
    middle = mul(c, a) if c else mul("2", mul(a, b))
    last = str(int(b) ** 2) if b.isdigit() else power(b, "2")
    plus = rng.random() < 0.5
    join, other = (add, sub) if plus else (sub, add)
    inside = add(join(power(a, "2"), middle), last)
    right = join(a, b) if rng.random() < 0.8 else other(a, b)
    return power(inside, "1/2"), right if rng.random() < 0.8 else power(power(right, "2"), "1/2")


def _function_undone(rng: random.Random) -> Pair:
    """asin(sin(u)) = u, ln(u^2) = 2*ln(u), acosh(cosh(u)) = u, atan(u) + atan(v) = atan((u + v)/(1 - u*v))."""
    u, v = rng.sample(BASES, 2)
    name = rng.choice(("sin", "cos", "tan", "cosh", "sinh", "tanh", "sec", "cot", "csc"))
    sign = rng.choice((1, 1, -1))
    pairs: list[Pair] = [
        (("a" + name, (name, u)), u),
        (("a" + name, (name, u)), u),
        (("log", power(u, "2"), "e"), mul("2", ("log", u, "e"))),
        (("log", mul(u, v), "e"), add(("log", u, "e"), ("log", v, "e"))),
        (add(("atan", u), ("atan", v)), ("atan", div(add(u, v), sub("1", mul(u, v))))),
        (mul("2", ("asin", u)), ("asin", mul("2", mul(u, power(sub("1", power(u, "2")), "1/2"))))),
        (mul("2", ("acos", u)), ("acos", sub(mul("2", power(u, "2")), "1"))),
        (add(("atan", u), ("atan", div("1", u))), div("pi", "2")),
        (("a" + name, (name, add(u, mul("2", "pi")))), u),
        (power(sub("1", power((name, u), "2")), "1/2"), ({"sin": "cos", "cos": "sin"}.get(name, name), u)),
        (power(add("1", power(("tan", u), "2")), "1/2"), ("sec", u)),
        (power(div(sub("1", ("cos", u)), "2"), "1/2"), ("sin", div(u, "2"))),
    ]
    a, b = rng.choice(pairs)
    return a, b if sign > 0 or rng.random() < 0.5 else neg(b)


FUNCTIONS: list[Callable[[Term], Term]] = [
    *((lambda u, name=name: (name, u)) for name in "sin cos tan exp sinh cosh tanh asin acos atan sec asinh".split()),
    *((lambda u: ("log", u, "e")),) * 4,
    *((lambda u: power(u, "1/2")),) * 4,
    *((lambda u: power(u, "2")),) * 2,
    *((lambda u, n=n: power(u, n)) for n in ("3", "1/3", "-1", "4", "3/2")),
    *((lambda u, b=b: power(b, u)) for b in ("2", "e")),
    *((lambda u, b=b: ("log", u, b)) for b in ("2", "10")),
]


def _linear(rng: random.Random) -> Pair:
    """f(u + v) = f(u) + f(v), f(u*v) = f(u)*f(v), f(2*u) = 2*f(u), f(-u) = -f(u), f(1/u) = 1/f(u), f(u^2) = f(u)^2."""
    f = rng.choice(FUNCTIONS)
    u, v = rng.sample(BASES, 2)
    if rng.random() < 0.5:
        u, v = rng.sample(("x", "y", "z", "a", "b"), 2)
    n = str(rng.randint(2, 9))
    v = n if rng.random() < 0.1 else v
    cases: list[Pair] = [
        (f(add(u, v)), add(f(u), f(v))),
        (f(add(u, v)), add(f(u), f(v))),
        (f(sub(u, v)), sub(f(u), f(v))),
        (f(mul(u, v)), mul(f(u), f(v))),
        (f(div(u, v)), div(f(u), f(v))),
        (f(mul(n, u)), mul(n, f(u))),
        (f(div(u, n)), div(f(u), n)),
        (f(neg(u)), neg(f(u))),
        (f(neg(u)), f(u)),
        (f(div("1", u)), div("1", f(u))),
        (f(power(u, "2")), power(f(u), "2")),
        (f(add(add(power(u, "2"), power(v, "2")), mul("2", mul(u, v)))), add(f(power(u, "2")), f(power(v, "2")))),
        (f(add(power(u, "2"), power(v, "2"))), f(power(add(u, v), "2"))),
        (f(mul(u, v)), add(f(u), f(v))),
        (f(add(u, v)), mul(f(u), f(v))),
        (f(sub(u, v)), f(sub(v, u))),
    ]
    return rng.choice(cases)


FORMS: dict[str, tuple[float, Callable[[random.Random], Pair]]] = {
    "power-of-power": (1.5, _power_of_power),
    "square-completed": (0.7, _square_completed),
    "linear": (2.6, _linear),
    "function-undone": (1.6, _function_undone),
}


def supposed(rng: random.Random) -> tuple[str, Pair]:
    """The name of a form and an equation of it, which may be right or wrong."""
    name = rng.choices(list(FORMS), [weight for weight, _ in FORMS.values()])[0]
    return name, FORMS[name][1](rng)
