"""Roots of sums that are sums of roots: sqrt(5 + 2*sqrt(6)) = sqrt(2) + sqrt(3), (7 + 5*sqrt(2))^(1/3) = 1 + sqrt(2).

Candidates are found by formulas that may fail; what is returned has been multiplied out and is nonnegative.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import fmpq, fmpq_poly
from flint.utils.flint_exceptions import DomainError

from dgl_mathtree.proof.normal_form.form import Form
from dgl_mathtree.proof.normal_form.ring import (
    GENERATORS,
    ONE,
    Polynomial,
    Quotient,
    Unsettled,
    fraction,
    number,
    support,
)
from dgl_mathtree.proof.normal_form.signs import quotient_sign, sign

Root = Callable[[Form, Quotient, Fraction], Quotient]
LARGEST_TERMS = 12


def nested_root(form: Form, f: Polynomial, k: int, root: Root) -> Quotient | None:
    """A nonnegative value whose k-th power is |f|, if f is linear in a square root or absolute value."""
    if form.denesting <= 0 or len(f) < 2 or len(f) > LARGEST_TERMS or k > 9:
        return None
    ring = form.ring
    known = sign(ring, form.facts, f)
    if not known:
        return None
    f = f if known > 0 else -f
    form.denesting -= 1
    try:
        for index in support(f):
            degree, value = ring.relations.get(index, (0, None))
            if degree != 2 or ring.generators[index].kind not in ("root", "abs", "cospi") or f.degrees()[index] != 1:
                continue
            b = f.derivative(index)
            found = _candidate(form, f - b * GENERATORS[index], b, (index, value), k, root)
            if found is not None and _is_root(form, found, f, k):
                return found if quotient_sign(ring, form.facts, found) > 0 else ring.scale(-1, found)
    except Unsettled:
        return None
    finally:
        form.denesting += 1
    return None


def _is_root(form: Form, candidate: Quotient, f: Polynomial, k: int) -> bool:
    ring = form.ring
    known = quotient_sign(ring, form.facts, candidate)
    return (known > 0 or (known < 0 and k % 2 == 0)) and ring.equal(ring.power(candidate, k), Quotient(f, ONE))


def _candidate(
    form: Form, a: Polynomial, b: Polynomial, radical: tuple[int, Polynomial], k: int, root: Root
) -> Quotient | None:
    index, value = radical
    norm = form.ring.reduce(a * a - b * b * value)
    if k % 2:
        return _odd_root(form, a, b, index, norm, k)
    if k == 2:
        return _square_root(form, a, b, index, norm, root)
    return None


def _square_root(form: Form, a: Polynomial, b: Polynomial, index: int, norm: Polynomial, root: Root) -> Quotient | None:
    """sqrt(a + b*g) = sqrt((a + d)/2) + s*sqrt((a - d)/2) with d^2 = a^2 - b^2*g^2 and s the sign of b."""
    ring = form.ring
    d = number(0) if norm == 0 else _perfect_square_root(form, norm, root)
    if d is None:
        return None
    direction = sign(ring, form.facts, b)
    halves = []
    for flip in (1, -1):
        half = ring.scale(Fraction(1, 2), ring.add(Quotient(a, ONE), ring.scale(flip, d)))
        if quotient_sign(ring, form.facts, half) <= 0:
            return None
        exact = _exact_root(half) if flip < 0 and not direction else None
        halves.append(exact or root(form, half, Fraction(1, 2)))
    if direction:
        return ring.add(halves[0], ring.scale(1 if direction > 0 else -1, halves[1]))
    for flip in (1, -1):  # halves[1] is h instead of |h|: one of the two signs may fit everywhere
        candidate = ring.add(halves[0], ring.scale(flip, halves[1]))
        if ring.equal(ring.power(candidate, 2), ring.add(Quotient(a, ONE), Quotient(b * GENERATORS[index], ONE))):
            return candidate
    return None


def _exact_root(half: Quotient) -> Quotient | None:
    """A polynomial whose square is given, of either sign."""
    try:
        return Quotient(half.above.sqrt(), ONE) if half.below == ONE else None
    except DomainError:
        return None


def _perfect_square_root(form: Form, norm: Polynomial, root: Root) -> Quotient | None:
    """The root of the norm, if it is rational in the generators or the root of a number."""
    if sign(form.ring, form.facts, norm) <= 0:
        return None
    found = root(form, Quotient(norm, ONE), Fraction(1, 2))
    before = max(norm.degrees()) if not norm.is_constant() else 1
    return (
        found if len(found.above) <= 4 and len(support(found.above)) <= len(support(norm)) + 1 and before < 12 else None
    )


def _odd_root(form: Form, a: Polynomial, b: Polynomial, index: int, norm: Polynomial, k: int) -> Quotient | None:
    """p + q*g from its rational norm n and trace t: the Dickson polynomial D_k(t, n) = 2*a."""
    square = form.ring.relations[index][1]
    if not all(p.is_constant() for p in (a, b, norm, square)) or norm == 0:
        return None
    n = _rational_root(fraction(norm.leading_coefficient()), k)
    if n is None:
        return None
    first, second = fmpq_poly([2]), fmpq_poly([0, 1])
    n_exact = fmpq(n.numerator, n.denominator)
    for _ in range(k - 1):
        first, second = second, fmpq_poly([0, 1]) * second - n_exact * first
    trace_equation = second - (2 * a.leading_coefficient() if a != 0 else 0)
    for piece, _ in trace_equation.factor()[1]:
        if piece.degree() == 1:
            p = fraction(-piece[0] / piece[1]) / 2
            q = _rational_root((p * p - n) / fraction(square.leading_coefficient()), 2)
            if q is None:
                continue
            for flip in (1, -1):
                g = Quotient(GENERATORS[index], ONE)
                candidate = form.ring.add(number(p), form.ring.scale(flip * q, g))
                if form.ring.equal(form.ring.power(candidate, k), Quotient(a + b * GENERATORS[index], ONE)):
                    return candidate
    return None


def _rational_root(value: Fraction, k: int) -> Fraction | None:
    """The k-th root of a rational number, if it is rational."""
    if value < 0:
        found = _rational_root(-value, k) if k % 2 else None
        return None if found is None else -found
    roots = []
    for part in (value.numerator, value.denominator):
        low = _integer_root(part, k)
        if low**k != part:
            return None
        roots.append(low)
    return Fraction(*roots)


def _integer_root(n: int, k: int) -> int:
    """The largest integer whose k-th power is at most n."""
    if n < 2:
        return n
    x = 1 << -(-n.bit_length() // k)
    while True:
        better = ((k - 1) * x + n // x ** (k - 1)) // k
        if better >= x:
            return x
        x = better
