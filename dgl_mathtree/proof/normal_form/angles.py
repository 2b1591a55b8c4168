"""Sine and cosine of sums and multiples of angles, and of inverse functions."""

from __future__ import annotations

from fractions import Fraction

from dgl_mathtree.proof.normal_form.cosines import cosine_and_sine
from dgl_mathtree.proof.normal_form.form import Form
from dgl_mathtree.proof.normal_form.powers import parts, rational_power, rationalized
from dgl_mathtree.proof.normal_form.ring import GENERATORS, ONE, Quotient, Unsettled, number

Turn = tuple[Quotient, Quotient]
"""The cosine and the sine of an angle."""
LARGEST_MULTIPLE = 72
HALF = Fraction(1, 2)


def turn(form: Form, a: Quotient) -> Turn:
    """The cosine and the sine of a value."""
    total: Turn = (number(1), number(0))
    for c, t in parts(form, rationalized(form, a)):
        if t.below == ONE and form.ring.of_kind(t.above, "pi") is not None:
            cosine, sine = cosine_and_sine(form, c)
            total = _together(form, total, (Quotient(cosine, ONE), Quotient(sine, ONE)))
        else:
            total = _together(form, total, _multiple(form, c, t))
    return total


def direction(form: Form, a: Quotient) -> Turn | None:
    """Positive multiples of the cosine and the sine of a sum of inverse functions and a multiple of pi: fewer roots.

    atan(u) is the direction of 1 + i*u, and half of it that of 1 + sqrt(1 + u^2) + i*u; likewise for asin.
    """
    ring = form.ring
    total: Turn = (number(1), number(0))
    for c, t in parts(form, a):
        if t.below != ONE:
            return None
        inverse = ring.of_kind(t.above, "asin", "atan")
        if ring.of_kind(t.above, "pi") is not None:
            cosine, sine = cosine_and_sine(form, c)
            total = _together(form, total, (Quotient(cosine, ONE), Quotient(sine, ONE)))
        elif inverse is None or c.denominator > 2 or abs(c) > LARGEST_MULTIPLE:
            return None
        else:
            u, flip = inverse.argument, 1 if inverse.kind == "atan" else -1
            root = rational_power(form, ring.add(number(1), ring.scale(flip, ring.multiply(u, u))), HALF)
            first = number(1) if inverse.kind == "atan" else root
            base = (first, u) if c.denominator == 1 else (ring.add(number(1), root), u)
            base = base if c > 0 else (base[0], ring.scale(-1, base[1]))
            for _ in range(abs(c.numerator)):
                total = _together(form, total, base)
    return total


def _together(form: Form, a: Turn, b: Turn) -> Turn:
    """The turn by the sum of two angles."""
    ring = form.ring
    cosine = ring.subtract(ring.multiply(a[0], b[0]), ring.multiply(a[1], b[1]))
    return cosine, ring.add(ring.multiply(a[0], b[1]), ring.multiply(a[1], b[0]))


def _multiple(form: Form, c: Fraction, t: Quotient) -> Turn:
    """The turn by c*t, as a multiple of the greatest common divisor of all such angles."""
    ring = form.ring
    name = ring.describe_quotient(t)
    unit = form.unit(f"angle{name}", c)
    n = int(c / unit)
    if abs(n) > LARGEST_MULTIPLE:
        raise Unsettled("large multiple of an angle")
    base = _inverse_angle(form, t, unit)
    if base is None:
        base = _free_angle(form, t, unit, name)
    result: Turn = (number(1), number(0))
    square, k = base, abs(n)
    while k:
        if k & 1:
            result = _together(form, result, square)
        k >>= 1
        if k:
            square = _together(form, square, square)
    return (result[0], ring.scale(-1, result[1])) if n < 0 else result


def _free_angle(form: Form, t: Quotient, unit: Fraction, name: str) -> Turn:
    ring = form.ring
    constant = ring.is_constant(t.above) and ring.is_constant(t.below)
    sine = GENERATORS[ring.generator("sin", t, unit, f"sin{unit}{name}", constant)]
    index = ring.generator("cos", t, unit, f"cos{unit}{name}", constant)
    if index not in ring.relations:
        ring.relate(index, 2, 1 - sine**2)
    return Quotient(GENERATORS[index], ONE), Quotient(sine, ONE)


def _inverse_angle(form: Form, t: Quotient, unit: Fraction) -> Turn | None:
    """The turn by unit times asin(u) or atan(u), both between -pi/2 and pi/2, for units n/2^k."""
    if t.below != ONE:
        return None
    generator = form.ring.of_kind(t.above, "asin", "atan")
    if generator is None:
        return None
    halvings = unit.denominator.bit_length() - 1
    if unit.denominator != 1 << halvings:
        return _fraction_of_inverse(form, t, unit) if unit.numerator == 1 else None
    form.kinds.add("inverse")
    base = inverse_turn(form, generator.kind, generator.argument)
    for _ in range(halvings):
        base = _half(form, base)
    result: Turn = (number(1), number(0))
    for _ in range(unit.numerator):
        result = _together(form, result, base)
    return result


def inverse_turn(form: Form, kind: str, u: Quotient) -> Turn:
    """The cosine and sine of asin(u) or atan(u)."""
    ring = form.ring
    if kind == "asin":
        below = ring.subtract(number(1), ring.multiply(u, u))
        return rational_power(form, below, HALF), u
    cosine = rational_power(form, ring.add(number(1), ring.multiply(u, u)), -HALF)
    return cosine, ring.multiply(u, cosine)


def _half(form: Form, base: Turn) -> Turn:
    """The turn by half an angle between -pi/2 and pi/2, whose cosine is positive."""
    ring = form.ring
    cosine = rational_power(form, ring.scale(HALF, ring.add(number(1), base[0])), HALF)
    return cosine, ring.multiply(base[1], ring.inverse(ring.scale(2, cosine)))


def _fraction_of_inverse(form: Form, t: Quotient, unit: Fraction) -> Turn | None:
    """The turn by asin(u)/m for an odd m: new generators with the relation that the m-fold sine is u."""
    ring = form.ring
    generator = ring.of_kind(t.above, "asin")
    m = unit.denominator
    if generator is None or m % 2 == 0 or m > 9 or generator.argument.below != ONE:
        return None
    name = ring.describe_quotient(t)
    turn_ = _free_angle(form, t, unit, name)
    index = ring.by_name[f"sin{unit}{name}"]
    if index not in ring.relations:
        multiple: Turn = (number(1), number(0))
        for _ in range(m):
            multiple = _together(form, multiple, turn_)
        sine = multiple[1].above  # a polynomial in the sine alone, of degree m
        lead = sine.leading_coefficient()
        ring.relate(index, m, GENERATORS[index] ** m - (sine - generator.argument.above) / lead)
    return turn_
