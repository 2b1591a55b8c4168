"""Sums, products, powers, exponentials and logarithms of numbers of which more is known than a ball.

A result is a `Number`, `None` where there certainly is none, `TAKEN` where there is none if something was rightly taken
to be on an edge, or `OPEN` where this precision does not tell. See `float_balls` for the conventions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from flint import arb, fmpq, fmpz

from dgl_mathtree.arithmetic.arb_balls import LARGEST_EXPONENT, OPEN, nearest_integer
from dgl_mathtree.oracle.exact_numbers import (
    LONGEST,
    ONE,
    ZERO,
    End,
    Number,
    Sign,
    exact_product,
    exact_root,
    exact_sum,
    from_rational,
    from_turns,
    inverted,
    made,
    rational_near,
    shifted,
    sign_of,
    whole_power,
)


class _Taken:
    """There is no value, if something was correctly taken to be on an edge."""

    def __repr__(self) -> str:
        return "TAKEN"


TAKEN: Final = _Taken()
Result = Any
"""A Number, None, TAKEN or OPEN."""
HALF, QUARTER = fmpq(1, 2), fmpq(1, 4)


def or_open(number: Number | None) -> Result:
    return OPEN if number is None else number


def no_value(sign: Sign) -> Result:
    return TAKEN if sign.taken else None


def side_of(x: Number, by: Any) -> Sign:
    """The sign of x + by."""
    moved = shifted(x, by)
    return Sign(None) if moved is None else sign_of(moved)


# --- powers -----------------------------------------------------------------------------------------------------------


def _whole(b: Number) -> tuple[int | Any | None, bool]:
    """The whole number that an exponent is, None if it is not one, OPEN if that is not known; and if it was taken."""
    if b.rational is not None:
        whole = b.rational.q == 1 and abs(b.rational.p) < LARGEST_EXPONENT
        if b.rational.q == 1 and not whole:
            return OPEN, False
        return (int(b.rational.p) if whole else None), b.taken
    if b.turns is not None or not b.ball.contains_integer():
        return (None, b.taken) if b.ball.is_finite() else (OPEN, False)
    nearest = nearest_integer(b.ball)
    if nearest is None:
        return OPEN, False
    sign = side_of(b, fmpq(-nearest))
    if sign.sign is None:
        return OPEN, False
    return (int(nearest) if sign.sign == 0 else None), sign.taken


def exact_power(a: Number, b: Number, node: int = -1) -> Result:
    n, taken = _whole(b)
    if n is OPEN:
        if sign_of(a).sign in (0, 1):
            return _real_power(a, b, node)
        return OPEN
    noted = replace(b, taken=b.taken or taken)
    if n is not None:
        if n == 0:
            return made(from_rational(ONE), noted)
        if n < 0:
            sign = sign_of(a)
            if sign.sign == 0:
                return no_value(Sign(0, 0, sign.taken or taken))
            if sign.sign is None:
                return OPEN
        found = whole_power(a, n)
        return OPEN if found is None else replace(found, taken=found.taken or noted.taken)
    return _real_power(a, noted, node)


def _real_power(a: Number, b: Number, node: int) -> Result:
    sign = sign_of(a)
    if sign.sign == -1:
        return no_value(Sign(-1, 0, sign.taken or b.taken))
    if sign.sign == 1:
        if b.rational is not None and b.rational.q != 1:
            return or_open(exact_root(a, b.rational, node))
        ball = a.ball**b.ball
        return or_open(made(Number(ball, low=_least_power(a, b, ball)), a, b))
    exponent = sign_of(b)
    if sign.sign == 0:
        if exponent.sign == 1:
            return made(replace(from_rational(ZERO), taken=True) if sign.taken else from_rational(ZERO), a, b)
        return no_value(Sign(0, 0, sign.taken or b.taken)) if exponent.sign == -1 else OPEN
    if sign.weak == 1 and exponent.sign == 1 and a.ball.is_finite():
        top = a.ball.abs_upper() ** b.ball
        return or_open(made(Number(arb(0).union(top), low=End(ZERO, False)), a, b))
    return OPEN


def _least_power(a: Number, b: Number, ball: Any) -> End:
    """What a power of a number above 0 is certainly above, given its ball."""
    base, exponent = side_of(a, -ONE), sign_of(b)
    known = not base.taken and not exponent.taken and base.sign == exponent.sign and base.sign in (1, -1)
    if not known:
        return End(ZERO, True)
    if ball.is_finite():
        return End(ONE, True)
    # a^b = exp(b log(a)) is above 1 + b log(a), also where b is known by a bound alone.
    size = b.ball if b.ball.is_finite() or b.low is None or base.sign != 1 else arb(b.low.at)
    return End(1 + _step_below(a.ball.log() * size), True)


def inverse(a: Number) -> Result:
    sign = sign_of(a)
    if sign.sign is None:
        return OPEN
    return or_open(inverted(a)) if sign.sign else no_value(sign)


# --- logarithms and exponentials --------------------------------------------------------------------------------------


def _ln(x: Number) -> Result:
    sign = sign_of(x)
    if sign.sign is None:
        return OPEN
    if sign.sign < 1:
        return no_value(sign)
    if x.rational == 1:
        return made(from_rational(ZERO), x)
    high = End(x.rational - 1, True) if x.rational is not None else None
    low = End(ZERO, True) if x.low is not None and (x.low.at > 1 or (x.low.at == 1 and x.low.strict)) else None
    return or_open(made(Number(x.ball.log(), low=low, high=high), x))


def logarithm(x: Number, base: Number, natural: bool = False) -> Result:
    above = _ln(x)
    if natural or not isinstance(above, Number):
        return above
    below = _ln(base)
    if not isinstance(below, Number):
        return below
    one = side_of(base, -ONE)
    if one.sign == 0:
        return no_value(one)
    if one.sign is None:
        return OPEN
    if x.rational is not None and base.rational is not None:
        ratio = above.ball / below.ball
        near = rational_near(ratio)
        if near is not None and _is_power(base.rational, near, x.rational):
            return made(from_rational(near), x, base)
    return or_open(made(Number(above.ball / below.ball), above, below))


def _is_power(base: Any, exponent: Any, value: Any) -> bool:
    """Whether a fraction is another one to a rational power."""
    p, q = int(exponent.p), int(exponent.q)
    long = max(base.height_bits() * abs(p), value.height_bits() * q)
    return bool(long < LONGEST and base**p == value**q)


_STEPS = (1, 100, 10**6, 10**18, 10**100, 10**1000)


def _step_below(ball: Any) -> Any:
    """A whole number that a ball is above, 0 if there is none of the usual ones."""
    return fmpq(max((step for step in _STEPS if ball > step), default=0))


def exact_exp(x: Number) -> Result:
    if x.rational == 0:
        return made(from_rational(ONE), x)
    low, high = End(ZERO, True), None
    if x.rational is not None:
        low = End(max(ZERO, x.rational + 1), True)
        high = End(ONE, True) if x.rational < 0 else None
    elif x.ball > 0:
        low = End(1 + _step_below(x.ball), True)
    if x.low is not None and x.low.at + 1 > low.at:
        low = End(x.low.at + 1, True)
    if high is None and x.high is not None and x.high.at < 0:  # exp(-u) < 1 / (1 + u)
        high = End(1 / (1 - x.high.at), True)
    return or_open(made(Number(x.ball.exp(), low=low, high=high), x))


def constant(word: str, fraction: Any) -> Number:
    """A leaf: pi, e or a number."""
    if word == "pi":
        return from_turns(ONE)
    if word == "e":
        return Number(arb.const_e(), low=End(fmpq(2), True), high=End(fmpq(3), True))
    return from_rational(fraction)


def sum_or_open(a: Number, b: Number) -> Result:
    return or_open(exact_sum(a, b))


def product_or_open(a: Number, b: Number) -> Result:
    return or_open(exact_product(a, b))


def exact_fraction(value: Any) -> Any:
    """A Python fraction in exact arithmetic."""
    return fmpq(fmpz(value.numerator), fmpz(value.denominator))
