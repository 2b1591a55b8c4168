"""Sines and cosines of rational multiples of pi, as polynomials in one cos(pi/M), and the square roots among them."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Final

from flint import fmpz_poly

from dgl_mathtree.proof.normal_form.form import Form
from dgl_mathtree.proof.normal_form.ring import CONTEXT, GENERATORS, ONE, ZERO, Polynomial, Ring

KEY: Final = "cospi"
LARGEST: Final = 240
SIMPLE: Final = 24
"""Angles that are multiples of pi/12 have values in square roots of 2 and 3, which read better."""
_USES: Final = {2: (1, 3, 5), 3: (1, 2, 5)}
_PRIMES: Final = {2: 4, 3: 6, 5: 5, 7: 14, 11: 22, 13: 13, 17: 17}
"""sqrt(p) is a sum of cosines of multiples of pi/(this number)."""


def cosine_and_sine(form: Form, q: Fraction) -> tuple[Polynomial, Polynomial]:
    """cos(q*pi) and sin(q*pi)."""
    if q.denominator <= 2:
        return [(ONE, ZERO), (ZERO, ONE), (-ONE, ZERO), (ZERO, -ONE)][int(2 * q) % 4]
    m = form.order(KEY, lcm(2, 2 * q.denominator), LARGEST)
    if SIMPLE % m == 0:
        return _in_radicals(form.ring, q), _in_radicals(form.ring, Fraction(1, 2) - q)
    return _cosine(form.ring, m, q), _cosine(form.ring, m, Fraction(1, 2) - q)


def _in_radicals(ring: Ring, q: Fraction) -> Polynomial:
    """cos(q*pi) for multiples of pi/12, with sqrt(2) and sqrt(3)."""
    k = int(q * 12) % 24
    k = min(k, 24 - k)
    if k > 6:
        return -_in_radicals(ring, 1 - q)
    if k in (0, 4, 6):
        return ring.reduce(ONE / {0: 1, 4: 2}[k]) if k != 6 else ZERO
    roots = {p: GENERATORS[square_root_generator(ring, CONTEXT.constant(p))] for p in (2, 3) if k in _USES[p]}
    if k in (2, 3):
        return roots[3 if k == 2 else 2] / 2
    return ring.reduce(roots[2] * (roots[3] + (1 if k == 1 else -1)) / 4)


def square_root_generator(ring: Ring, prime: Polynomial) -> int:
    """The generator of the square root of a prime, as `powers` makes it."""
    index = ring.generator("root", prime, 2, f"root2{ring.describe(prime)}", True)
    if index not in ring.relations:
        ring.relate(index, 2, prime)
    return index


def _base(ring: Ring, m: int) -> int:
    """The generator cos(pi/m), with the minimal polynomial of its double as relation."""
    index = ring.generator("cospi", None, m, f"cospi{m}", True)
    if index not in ring.relations:
        minimal = fmpz_poly.cos_minpoly(2 * m)
        degree = minimal.degree()
        double = 2 * GENERATORS[index]
        value = ZERO
        for k in range(degree):
            value -= double**k * int(minimal[k])
        ring.relate(index, degree, value / 2**degree)
    return index


def _cosine(ring: Ring, m: int, q: Fraction) -> Polynomial:
    k = int(q * m) % (2 * m)
    k = min(k, 2 * m - k)
    index = _base(ring, m)
    chebyshev = fmpz_poly.chebyshev_t(k)
    p = ZERO
    for power in range(chebyshev.degree() + 1):
        if chebyshev[power]:
            p += GENERATORS[index] ** power * int(chebyshev[power])
    return ring.reduce(p)


def square_root_of_prime(form: Form, prime: int) -> Polynomial | None:
    """sqrt(p) in the field of cosines, if the equation has such cosines; Gauss's sum."""
    known = form.ring.units.get(KEY)
    if (
        known is None
        or SIMPLE % int(known) == 0
        or prime not in _PRIMES
        or lcm(int(known), 2 * _PRIMES[prime]) > LARGEST
    ):
        return None
    m = form.order(KEY, 2 * _PRIMES[prime], LARGEST)
    if prime == 2:
        return 2 * _cosine(form.ring, m, Fraction(1, 4))
    offset = Fraction(0) if prime % 4 == 1 else Fraction(1, 2)  # a sum of sines for p = 3 mod 4
    total = ZERO
    for k in range(prime):
        total += _cosine(form.ring, m, offset - Fraction(2 * k * k, prime))
    return form.ring.reduce(total)
