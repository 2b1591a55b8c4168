"""Whether an algebraic number is 0, decided by a bound for how small it could be if it were not.

Write the number as U/L with algebraic integers U and L. If U is not 0, the product of its conjugates is a nonzero
integer, so |U| >= u^(1 - d) for a bound u >= 1 of all conjugates and the degree d of a field that holds U. A
ball below that bound over that of L shows that the number is 0. Bounds are kept as whole numbers of bits, rounded up.
"""

from __future__ import annotations

from math import lcm
from typing import NamedTuple

from flint import arb, fmpq

from dgl_mathtree.arithmetic.arb_balls import set_precision
from dgl_mathtree.proof.normal_form.enclosures import polynomial_ball
from dgl_mathtree.proof.normal_form.ring import CONTEXT, ZERO, Polynomial, Ring, support

LARGEST_DEGREE = 4096
MOST_BITS = 30_000
ALGEBRAIC = frozenset({"root", "abs", "cospi"})


class _Bits(NamedTuple):
    """Bits of bounds for the conjugates of a numerator and of a denominator."""

    above: int
    below: int


def vanishes(ring: Ring, p: Polynomial) -> bool:
    """Whether a polynomial in the generators is certainly 0 because its coefficients, algebraic numbers, are."""
    p = ring.reduce(p)
    if p == 0:
        return True
    pieces: dict[tuple[int, ...], Polynomial] = {}
    algebraic = {i: _is_algebraic(ring, i) for i in support(p)}
    for exponents, coefficient in p.to_dict().items():
        free = tuple(0 if algebraic.get(i) else n for i, n in enumerate(exponents))
        bound = tuple(n if algebraic.get(i) else 0 for i, n in enumerate(exponents))
        pieces[free] = pieces.get(free, ZERO) + CONTEXT.from_dict({bound: coefficient})
    return len(pieces) <= 40 and all(_is_zero(ring, piece) for piece in pieces.values())


def _is_algebraic(ring: Ring, index: int) -> bool:
    generator = ring.generators[index]
    if not generator.constant or generator.kind not in ALGEBRAIC:
        return False
    return generator.kind == "cospi" or all(_is_algebraic(ring, i) for i in support(generator.argument))


def _is_zero(ring: Ring, p: Polynomial) -> bool:
    if p == 0:
        return True
    if p.is_constant():
        return False
    set_precision(128)
    if not polynomial_ball(ring, p).contains(0):
        return False
    indices: set[int] = set()
    above, below = _bits(ring, p, indices)
    degree = 1
    for index in indices:
        degree *= ring.relations[index][0]
    bits = (degree - 1) * above + below
    if degree > LARGEST_DEGREE or bits > MOST_BITS:
        return False
    ring.budget.spend(100 + bits)
    set_precision(bits + 64 + 8 * len(p))
    return bool(abs(polynomial_ball(ring, p)) < arb(2) ** -bits)


def _bits(ring: Ring, p: Polynomial, indices: set[int]) -> _Bits:
    """Bounds of a polynomial in algebraic generators, which are noted in `indices`."""
    degrees = p.degrees()
    bounds = {index: _generator_bits(ring, index, indices) for index in support(p)}
    coefficients = [fmpq(c) for c in p.coeffs()]
    common = lcm(*(int(c.q) for c in coefficients))
    below = common.bit_length() + sum(int(degrees[i]) * bound.below for i, bound in bounds.items())
    above = 0
    for exponents, c in zip(p.monoms(), coefficients, strict=True):
        size = abs(int(c.p) * (common // int(c.q))).bit_length()
        for i, bound in bounds.items():
            size += int(exponents[i]) * bound.above + int(degrees[i] - exponents[i]) * bound.below
        above = max(above, size)
    return _Bits(above + len(coefficients).bit_length(), below)


def _generator_bits(ring: Ring, index: int, indices: set[int]) -> _Bits:
    """Bounds of 2*cos(pi/m), an algebraic integer, over 2, and of roots: (U*L^(k-1))^(1/k) over L for that of U/L."""
    generator = ring.generators[index]
    indices.add(index)
    if generator.kind == "cospi":
        return _Bits(1, 1)
    above, below = _bits(ring, generator.argument, indices)
    if generator.kind == "abs":
        return _Bits(above, below)
    order = int(generator.order)
    return _Bits(-(-(above + (order - 1) * below) // order), below)
