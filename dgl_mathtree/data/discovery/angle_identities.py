"""Identities of circular and hyperbolic functions: multiple angles up to six, powers in multiple angles, products and
sums of many terms, telescoping ones, sums of three angles, half angles."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from dgl_mathtree.data.discovery.many_variables import signed_sum
from dgl_mathtree.language.build import Pair, Term, add, div, mul, power, product, read_all, sub, total

ANGLES = read_all("x;x;x;x;x;y;t;a;2*x;x/2;x+y;x-y;3*x;x*y;pi*x;x+1;x/3;a+b;sqrt(x)")
LONGEST = 6
"""The largest multiple of an angle, and the largest power."""


@dataclass(frozen=True)
class Angles:
    """Circular functions, or hyperbolic ones, whose identities differ by signs."""

    rng: random.Random
    u: Term
    hyperbolic: bool

    def of(self, name: str, angle: Term) -> Term:
        return (name + "h" if self.hyperbolic else name, angle)

    def sin(self, k: int = 1) -> Term:
        return self.of("sin", multiple(k, self.u))

    def cos(self, k: int = 1) -> Term:
        return self.of("cos", multiple(k, self.u))

    def tan(self, k: int = 1) -> Term:
        return self.of("tan", multiple(k, self.u))

    def sign(self, k: int) -> int:
        """What goes with sin^(2k): (-1)^k for circular functions."""
        return 1 if self.hyperbolic else (-1) ** k


def multiple(k: int, u: Term) -> Term:
    """k*u; 6*x for 3*(2*x)."""
    if k == 1:
        return u
    if isinstance(u, tuple) and u[0] == "Mul" and isinstance(u[1], str) and u[1].isdigit():
        return ("Mul", str(k * int(u[1])), u[2])
    return mul(str(k), u)


def natural_power(base: Term, n: int) -> Term:
    return base if n == 1 else power(base, str(n))


def weighted(entries: list[tuple[int, list[Term]]]) -> Term:
    """The sum of integers times products; those that are 0 are left out."""
    return signed_sum(
        [(c, product([str(abs(c)), *parts] if abs(c) != 1 or not parts else parts)) for c, parts in entries]
    )


def _powers(pairs: list[tuple[Term, int]]) -> list[Term]:
    return [natural_power(base, n) for base, n in pairs if n]


def _ordered(f: Angles, entries: list[tuple[int, list[Term]]]) -> list[tuple[int, list[Term]]]:
    if f.rng.random() < 0.4:
        entries.reverse()
    return entries


def _multiple_angle(f: Angles) -> Pair:
    """cos(n*u) or sin(n*u) by de Moivre, or in powers of one function; tan(n*u)."""
    n = f.rng.randint(2, LONGEST)
    draw = f.rng.random()
    if draw < 0.2:
        return f.tan(n), _multiple_tangent(f, n)
    odd = int(f.rng.random() < 0.5)
    left = f.sin(n) if odd else f.cos(n)
    if draw < 0.55:
        terms = [
            (math.comb(n, k) * f.sign((k - odd) // 2), _powers([(f.cos(), n - k), (f.sin(), k)]))
            for k in range(odd, n + 1, 2)
        ]
        return left, weighted(_ordered(f, terms))
    return left, _in_one_function(f, n, odd)


def _multiple_tangent(f: Angles, n: int) -> Term:
    def part(odd: int) -> Term:
        return weighted(
            [(math.comb(n, k) * f.sign((k - odd) // 2), _powers([(f.tan(), k)])) for k in range(odd, n + 1, 2)]
        )

    return div(part(1), part(0))


def _in_one_function(f: Angles, n: int, odd: int) -> Term:
    """cos(n*u) in powers of cos(u), sin(n*u) as sin(u) times such, or as cos(u) times powers of sin(u)."""
    cosine = chebyshev(n - odd, second=bool(odd))
    parts = [(c, _powers([(f.cos(), k)])) for k, c in enumerate(cosine) if c]
    if not odd:
        if n % 2 == 0 and f.rng.random() < 0.5:
            return weighted(_ordered(f, _even_in_sine(f, cosine)))
        return weighted(_ordered(f, parts))
    if n % 2 and f.rng.random() < 0.6:  # sin(n*u) is then a polynomial in sin(u)
        swapped = [(c, _powers([(f.sin(), k + 1)])) for k, c in _even_terms(f, cosine)]
        return weighted(_ordered(f, swapped))
    if f.rng.random() < 0.4:
        return weighted(_ordered(f, [(c, [f.sin(), *powers]) for c, powers in parts]))
    return mul(f.sin(), weighted(_ordered(f, parts)))


def _even_terms(f: Angles, cosine: list[int]) -> list[tuple[int, int]]:
    """A polynomial in even powers of cos(u) as one in those of sin(u): exponents and coefficients."""
    result = [0] * len(cosine)
    for k, c in enumerate(cosine):
        for j in range(k // 2 + 1):
            result[2 * j] += c * math.comb(k // 2, j) * f.sign(j)
    return [(k, c) for k, c in enumerate(result) if c]


def _even_in_sine(f: Angles, cosine: list[int]) -> list[tuple[int, list[Term]]]:
    return [(c, _powers([(f.sin(), k)])) for k, c in _even_terms(f, cosine)]


def chebyshev(n: int, second: bool = False) -> list[int]:
    """The coefficients of the n-th Chebyshev polynomial, the constant first.

    Example:
        >>> chebyshev(3), chebyshev(2, second=True)
        ([0, -3, 0, 4], [-1, 0, 4])
    """
    before, now = [1], [0, 2 if second else 1]
    for _ in range(n):
        following = [0, *(2 * c for c in now)]
        for k, c in enumerate(before):
            following[k] -= c
        before, now = now, following
    return before


def _power_reduced(f: Angles) -> Pair:
    """cos(u)^n or sin(u)^n in multiples of the angle."""
    n = f.rng.randint(2, LONGEST)
    sine = f.rng.random() < 0.5
    terms: list[tuple[int, list[Term]]] = []
    for k in range(n // 2 + 1):
        m = n - 2 * k
        c = math.comb(n, k) if m else math.comb(n, k) // 2
        if sine:
            c *= (-1) ** k * (1 if f.hyperbolic else (-1) ** (n // 2))
        terms.append((c, [f.sin(m) if sine and n % 2 else f.cos(m)] if m else []))
    base, whole = f.sin() if sine else f.cos(), 2 ** (n - 1)
    top = weighted(_ordered(f, terms))
    if f.rng.random() < 0.3:
        return mul(str(whole), natural_power(base, n)), top
    return natural_power(base, n), div(top, str(whole))


def _product_of_three(f: Angles) -> Pair:
    """A product of cosines or sines of multiples as a sum, and the other way round."""
    count = f.rng.choice((2, 2, 3, 3))
    ks = [f.rng.randint(1, LONGEST) for _ in range(count)]
    names = [f.rng.choice(("sin", "cos")) for _ in ks]
    phases: dict[int, complex] = {0: 1}
    for k, name in zip(ks, names, strict=True):
        spread: dict[int, complex] = {}
        unit = 1 if f.hyperbolic or name == "cos" else 1j
        for m, c in phases.items():
            for step, sign in ((k, 1), (-k, 1 if name == "cos" else -1)):
                spread[m + step] = spread.get(m + step, 0) + c * sign / unit
        phases = spread
    sines = names.count("sin") % 2
    terms: list[tuple[int, list[Term]]] = []
    for m in sorted((m for m in phases if m >= 0), reverse=f.rng.random() < 0.5):
        c = phases[m] * (1 if f.hyperbolic or not sines else 1j)
        value = round(c.real) if m else round(c.real) // 2
        terms.append((value, [(f.sin if sines else f.cos)(m)] if m else []))
    left = product([f.of(name, multiple(k, f.u)) for k, name in zip(ks, names, strict=True)])
    right = weighted(terms)
    scale = 2 ** (count - 1)
    return (mul(str(scale), left), right) if f.rng.random() < 0.4 else (left, div(right, str(scale)))


def _telescoping_product(f: Angles) -> Pair:
    """cos(u)*cos(2u)*cos(4u) = sin(8u)/(8*sin(u)), and products of 1 + sec and the like."""
    n = f.rng.randint(2, 5)
    cosines = [f.cos(2**k) for k in range(n)]
    if f.rng.random() < 0.5:
        return product(cosines), div(f.sin(2**n), mul(str(2**n), f.sin()))
    if f.rng.random() < 0.5:
        return mul(f.sin(), product(cosines)), div(f.sin(2**n), str(2**n))
    secants = [add("1", ("sech" if f.hyperbolic else "sec", multiple(2 ** (k + 1), f.u))) for k in range(n - 1)]
    return product([f.tan(), *secants]), f.tan(2 ** (n - 1))


def _sum_of_multiples(f: Angles) -> Pair:
    """sin(u) + sin(2u) + ... in closed form; odd multiples; all of it over one sine."""
    n = f.rng.randint(2, 5)
    sine = f.rng.random() < 0.5
    odd = f.rng.random() < 0.5
    ks = [2 * k - 1 if odd else k for k in range(1, n + 1)]
    terms = total([f.sin(k) if sine else f.cos(k) for k in ks])
    if odd:
        above = power(f.sin(n), "2") if sine else f.sin(2 * n)
        return terms, div(above, f.sin() if sine else mul("2", f.sin()))
    half, whole = div(f.u, "2"), mul(str(n + 1), div(f.u, "2"))
    outer = f.of("sin", mul(str(n), half))
    return terms, div(mul(outer, f.of("sin" if sine else "cos", whole)), f.of("sin", half))


def _telescoping_sum(f: Angles) -> Pair:
    """Sums whose terms are differences: csc(2u) + csc(4u) = cot(u) - cot(4u), 1/(cos(ku)*cos((k+1)u)), tan(2^k*u)."""
    n = f.rng.randint(1, 3)
    h = "h" if f.hyperbolic else ""
    kind = f.rng.randrange(3)
    cot = ("cot" + h, f.u)
    last = ("cot" + h, multiple(2**n, f.u))
    if kind == 0:
        return total([("csc" + h, multiple(2**k, f.u)) for k in range(1, n + 1)]), sub(cot, last)
    if kind == 1:
        terms: list[Term] = [div("1", mul(f.cos(k), f.cos(k + 1))) for k in range(1, n + 2)]
        return total(terms), div(sub(f.tan(n + 2), f.tan()), f.sin())
    if f.hyperbolic:
        return add(cot, f.tan()), mul("2", ("coth", multiple(2, f.u)))
    return total([mul(str(2**k), f.tan(2**k)) if k else f.tan() for k in range(n)]), sub(cot, mul(str(2**n), last))


def _three_angles(f: Angles) -> Pair:
    """A function of the sum of two or three angles."""
    names = f.rng.sample(("x", "y", "z", "a", "b", "c"), 3)
    signs = [1, f.rng.choice((1, 1, -1)), f.rng.choice((1, 1, -1))]
    angle = weighted([(sign, [name]) for sign, name in zip(signs, names, strict=True)])
    if f.rng.random() < 0.25:
        t = [f.of("tan", name) for name in names]
        square = 1 if f.hyperbolic else -1
        top = weighted([(signs[k], [t[k]]) for k in range(3)] + [(square * math.prod(signs), t)])
        pairs = [(square * signs[i] * signs[j], [t[i], t[j]]) for i, j in ((0, 1), (1, 2), (0, 2))]
        return f.of("tan", angle), div(top, weighted([(1, []), *pairs]))
    odd = int(f.rng.random() < 0.5)
    terms: list[tuple[int, list[Term]]] = []
    for chosen in range(8):
        bits = [(chosen >> k) & 1 for k in range(3)]
        if sum(bits) % 2 == odd:
            c = f.sign((sum(bits) - odd) // 2) * math.prod(s for s, bit in zip(signs, bits, strict=True) if bit)
            terms.append((c, [f.of("sin" if bit else "cos", name) for name, bit in zip(names, bits, strict=True)]))
    f.rng.shuffle(terms)
    return f.of("sin" if odd else "cos", angle), weighted(terms)


def _half_angle(f: Angles) -> Pair:
    """Functions of u in the tangent of u/2, and of u/2 in those of u."""
    t, square = f.of("tan", div(f.u, "2")), -1 if not f.hyperbolic else 1
    t2 = power(t, "2")
    one_plus, one_minus = weighted([(1, []), (-square, [t2])]), weighted([(1, []), (square, [t2])])
    c, s = f.cos(), f.sin()
    above = sub("1", c) if not f.hyperbolic else sub(c, "1")
    pairs: list[Pair] = [
        (s, div(mul("2", t), one_plus)),
        (c, div(one_minus, one_plus)),
        (f.tan(), div(mul("2", t), one_minus)),
        (t, div(above, s)),
        (t, div(s, add("1", c))),
        (t2, div(above, add("1", c) if not f.hyperbolic else add(c, "1"))),
        (power(f.of("sin", div(f.u, "2")), "2"), div(above, "2")),
        (power(f.of("cos", div(f.u, "2")), "2"), div(add("1", c), "2")),
        (power(f.of("sin", div(f.u, "2")), "4"), div(power(above, "2"), "4")),
    ]
    return f.rng.choice(pairs)


FORMS: dict[str, tuple[float, Callable[[Angles], Pair]]] = {
    "multiple-angle": (3.0, _multiple_angle),
    "power-reduced": (1.2, _power_reduced),
    "product-to-sum": (1.6, _product_of_three),
    "telescoping-product": (0.7, _telescoping_product),
    "sum-of-multiples": (0.8, _sum_of_multiples),
    "telescoping-sum": (0.7, _telescoping_sum),
    "three-angles": (1.0, _three_angles),
    "half-angle": (1.0, _half_angle),
}


def angle_identity(rng: random.Random) -> tuple[str, Pair]:
    """The name of a form and an identity of it."""
    name = rng.choices(list(FORMS), [weight for weight, _ in FORMS.values()])[0]
    return name, FORMS[name][1](Angles(rng, rng.choice(ANGLES), rng.random() < 0.25))
