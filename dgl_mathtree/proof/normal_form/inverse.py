"""Inverse functions: generators with a canonical sign, exact values, and inverse functions of what they invert."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from dgl_mathtree.arithmetic.arb_balls import set_precision
from dgl_mathtree.proof.normal_form.constants import vanishes
from dgl_mathtree.proof.normal_form.cosines import cosine_and_sine
from dgl_mathtree.proof.normal_form.enclosures import quotient_ball, whole_part
from dgl_mathtree.proof.normal_form.form import Form
from dgl_mathtree.proof.normal_form.powers import absolute, rationalized
from dgl_mathtree.proof.normal_form.ranges import HALF, range_of
from dgl_mathtree.proof.normal_form.ring import GENERATORS, ONE, Quotient, Unsettled, number
from dgl_mathtree.proof.normal_form.signs import quotient_sign

LARGEST_DENOMINATOR = 60


def inverse_function(form: Form, name: str, u: Quotient) -> Quotient:
    """asin, atan, asinh, acosh or atanh of a value."""
    ring = form.ring
    u = rationalized(form, u)
    if name == "acosh":
        if ring.equal(u, number(1)):
            form.kinds.add("value")
            return number(0)
    else:
        if u.above == 0:
            form.kinds.add("value")
            return number(0)
        if u.above.leading_coefficient() < 0:
            return ring.scale(-1, inverse_function(form, name, ring.scale(-1, u)))
    constant = ring.is_constant(u.above) and ring.is_constant(u.below)
    if constant and name in ("asin", "atan"):
        exact = _special_value(form, name, u)
        if exact is not None:
            form.kinds.add("value")
            return ring.scale(exact, form.pi())
    known = _negative(form, name, u)
    return known if known is not None else form.function(name, u)


def _negative(form: Form, name: str, u: Quotient) -> Quotient | None:
    """Minus the value at -u, if that is known already and the function is odd."""
    ring = form.ring
    if name != "acosh":
        for index, known in list(ring.generators.items()):
            if known.kind == name and ring.equal(known.argument, ring.scale(-1, u)):
                return Quotient(-GENERATORS[index], ONE)
    return None


def _special_value(form: Form, name: str, u: Quotient) -> Fraction | None:
    """The q with asin(u) = q*pi or atan(u) = q*pi, guessed from a ball and then shown."""
    ring = form.ring
    if any(ring.generators[i].kind not in ("root", "abs", "cospi") for p in u for i, n in enumerate(p.degrees()) if n):
        return None
    set_precision(64)
    ball = quotient_ball(ring, u)
    if name == "asin" and not abs(ball) < 1:
        guess = HALF if ball > 0 else -HALF
    else:
        angle = (ball.asin() if name == "asin" else ball.atan()) / arb.pi()
        if not angle.is_finite():
            return None
        guess = Fraction(float(angle.mid())).limit_denominator(LARGEST_DENOMINATOR)
        if not abs(angle - arb(guess.numerator) / guess.denominator) < arb(2) ** -40:
            return None
    try:
        cosine, sine = cosine_and_sine(form, guess)
    except Unsettled:
        return None
    difference = sine * u.below - u.above * (cosine if name == "atan" else ONE)
    inside = abs(guess) < HALF or name == "asin"
    return guess if inside and vanishes(ring, difference) else None


def inverse_of_sine(form: Form, v: Quotient) -> Quotient | None:
    """asin(sin(v)) = (-1)^k*(v - k*pi) for the k that brings v between -pi/2 and pi/2, if that is known."""
    k = _turns(form, v, closed=True)
    if k is None:
        return None
    rest = form.ring.subtract(v, form.ring.scale(k, form.pi()))
    form.kinds.add("inverse")
    return form.ring.scale(-1, rest) if k % 2 else rest


def inverse_of_tangent(form: Form, v: Quotient) -> Quotient | None:
    """atan(tan(v)) = v - k*pi."""
    k = _turns(form, v, closed=False)
    if k is None:
        return None
    form.kinds.add("inverse")
    return form.ring.subtract(v, form.ring.scale(k, form.pi()))


def _turns(form: Form, v: Quotient, *, closed: bool) -> int | None:
    ring = form.ring
    bounds = range_of(form, v)
    if bounds is not None:
        k = int((bounds.low + bounds.high) / 2 + HALF // 1)
        for whole in (k - 1, k, k + 1):
            if bounds.within(whole - HALF, whole + HALF, closed=closed):
                return whole
    if not (ring.is_constant(v.above) and ring.is_constant(v.below)):
        return None
    return whole_part(ring, ring.multiply(v, ring.inverse(form.pi())))


def inverse_of_cosh(form: Form, v: Quotient) -> Quotient:
    """acosh(cosh(v)) = |v|; where the sign of v is not known, a proof looks at both cases."""
    known = quotient_sign(form.ring, form.facts, v)
    form.kinds.add("inverse")
    if known:
        return v if known > 0 else form.ring.scale(-1, v)
    form.needs_cases = True
    return form.ring.quotient(absolute(form, v.above), absolute(form, v.below))
