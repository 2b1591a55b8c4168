"""Exponentials of sums, and logarithms of products."""

from __future__ import annotations

from fractions import Fraction

from dgl_mathtree.proof.normal_form.form import Form
from dgl_mathtree.proof.normal_form.learning import learn
from dgl_mathtree.proof.normal_form.powers import (
    absolute_power,
    exponential_power,
    factors,
    parts,
    rational_power,
    rationalized,
)
from dgl_mathtree.proof.normal_form.ring import GENERATORS, ONE, Polynomial, Quotient, Unsettled, number
from dgl_mathtree.proof.normal_form.signs import sign

HALF = Fraction(1, 2)
AREA = ("asinh", "acosh", "atanh")


def exponential(form: Form, a: Quotient) -> Quotient:
    """exp(a): a product over the terms of a."""
    ring = form.ring
    result = number(1)
    for c, t in parts(form, rationalized(form, a)):
        factor = _exponential_of_term(form, c, t)
        result = ring.multiply(result, factor)
    return result


def _exponential_of_term(form: Form, c: Fraction, t: Quotient) -> Quotient:
    if t.below == ONE:
        logarithm_ = form.ring.of_kind(t.above, "ln")
        if logarithm_ is not None:
            return absolute_power(form, logarithm_.argument, c)
        area = form.ring.of_kind(t.above, *AREA)
        if area is not None:
            form.kinds.add("inverse")
            return _exponential_of_area(form, area.kind, area.argument, c)
    return exponential_power(form, t, c)


def _exponential_of_area(form: Form, kind: str, u: Quotient, c: Fraction) -> Quotient:
    """exp(c*asinh(u)) and the like by the logarithms that these functions are."""
    ring = form.ring
    if kind == "atanh":
        ratio = ring.multiply(ring.add(number(1), u), ring.inverse(ring.subtract(number(1), u)))
        return rational_power(form, ratio, c / 2)
    square = ring.add(ring.multiply(u, u), number(1 if kind == "asinh" else -1))
    root = rational_power(form, square, HALF)
    # (u + root)*(root - u) = 1 for asinh, (u + root)*(u - root) = 1 for acosh
    inverse = ring.subtract(root, u) if kind == "asinh" else ring.subtract(u, root)
    base = ring.add(u, root) if c > 0 else inverse
    learn(ring, form.facts, base, ">")
    c = abs(c)
    return ring.power(base, int(c)) if c.denominator == 1 else rational_power(form, base, c)


def logarithm(form: Form, a: Quotient) -> Quotient:
    """ln(a) for a > 0: a sum over the factors of a."""
    if a.above == 0:
        raise Unsettled("the logarithm of zero")
    ring = form.ring
    result = number(0)
    for f, n in factors(form, a):
        result = ring.add(result, ring.scale(n, _of_absolute(form, f)))
    return result


def _of_absolute(form: Form, f: Polynomial) -> Quotient:
    """ln|f|."""
    ring = form.ring
    exponential_ = ring.of_kind(f, "exp")
    if exponential_ is not None:
        return ring.scale(exponential_.order, exponential_.argument)
    root = ring.of_kind(f, "root")
    if root is not None:
        return ring.scale(1 / root.order, _of_absolute(form, root.argument))
    absolute = ring.of_kind(f, "abs")
    if absolute is not None:
        return _of_absolute(form, absolute.argument)
    if f.leading_coefficient() < 0:
        f = -f
    known = sign(ring, form.facts, f)
    if known:
        ring.sizes[str(f)] = 1 if known > 0 else -1
    index = ring.generator("ln", f, 1, f"ln{ring.describe(f)}", ring.is_constant(f))
    return Quotient(GENERATORS[index], ONE)
