"""Between which multiples of pi a value lies, from the ranges of inverse functions and balls of constants."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from dgl_mathtree.arithmetic.arb_balls import set_precision
from dgl_mathtree.proof.normal_form.enclosures import quotient_ball
from dgl_mathtree.proof.normal_form.form import Form
from dgl_mathtree.proof.normal_form.powers import parts
from dgl_mathtree.proof.normal_form.ring import ONE, Generator, Quotient, number
from dgl_mathtree.proof.normal_form.signs import quotient_sign

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Range:
    """An interval in units of pi; whether its ends are left out."""

    low: Fraction
    high: Fraction
    low_open: bool = False
    high_open: bool = False

    def __add__(self, other: Range) -> Range:
        return Range(
            self.low + other.low,
            self.high + other.high,
            self.low_open or other.low_open,
            self.high_open or other.high_open,
        )

    def scaled(self, c: Fraction) -> Range:
        if c >= 0:
            return Range(c * self.low, c * self.high, self.low_open, self.high_open)
        return Range(c * self.high, c * self.low, self.high_open, self.low_open)

    def within(self, low: Fraction | int, high: Fraction | int, *, closed: bool) -> bool:
        """Whether it lies between two numbers, which count only if `closed`."""
        above = self.low > low or (self.low == low and (closed or self.low_open))
        return above and (self.high < high or (self.high == high and (closed or self.high_open)))


def range_of(form: Form, a: Quotient) -> Range | None:
    """Bounds of a value that hold wherever the equation is defined."""
    ring = form.ring
    total = Range(Fraction(0), Fraction(0))
    for c, t in parts(form, a):
        inverse = ring.of_kind(t.above, "asin", "atan") if t.below == ONE else None
        if t.below == ONE and ring.of_kind(t.above, "pi") is not None:
            total += Range(c, c)
        elif inverse is not None:
            total += _inverse_range(form, inverse).scaled(c)
        elif ring.is_constant(t.above) and ring.is_constant(t.below):
            found = _constant_range(form, ring.scale(c, t))
            if found is None:
                return None
            total += found
        else:
            return None
    return total


def _inverse_range(form: Form, inverse: Generator) -> Range:
    """The range of asin or atan, as far as the sign of its argument and of 1 less its argument are known."""
    ring, facts, u = form.ring, form.facts, inverse.argument
    is_atan = inverse.kind == "atan"
    known = quotient_sign(ring, facts, u)
    low = Range(-HALF, HALF, is_atan, is_atan)
    if is_atan:
        above = quotient_sign(ring, facts, ring.subtract(number(1), u))
        below = quotient_sign(ring, facts, ring.add(number(1), u))
        if above > 0:
            low = Range(low.low, HALF / 2, True, above == 2)
        if below > 0:
            low = Range(-HALF / 2, low.high, below == 2, low.high_open)
    if known > 0:
        return Range(Fraction(0), low.high, known == 2, low.high_open)
    return Range(low.low, Fraction(0), low.low_open, known == -2) if known < 0 else low


def constant_range(form: Form, a: Quotient) -> Range | None:
    """Tight bounds of a constant."""
    if not (form.ring.is_constant(a.above) and form.ring.is_constant(a.below)):
        return None
    return _constant_range(form, a)


def _constant_range(form: Form, a: Quotient) -> Range | None:
    set_precision(128)
    ball = quotient_ball(form.ring, a) / arb.pi()
    if not ball.is_finite() or not abs(ball) < 10**6:
        return None
    scale = 2**40
    low, high = (ball.lower() * scale).floor().unique_fmpz(), (ball.upper() * scale).ceil().unique_fmpz()
    if low is None or high is None:
        return None
    return Range(Fraction(int(low), scale), Fraction(int(high), scale))
