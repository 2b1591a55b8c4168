"""Arithmetic with a running error bound, over arrays of real numbers.

A `Ball` is an array of computed values with, for each, a bound on its distance from the true value. Every
function here takes balls to balls: it propagates the bounds of its arguments and adds its own rounding, so
that whoever compares two results can tell round-off from a difference. A value that is certainly undefined (outside
the real domain, or exactly at a pole) is NaN with a NaN for its bound. One of which that cannot be told is *open*: NaN
with an infinite bound. So are values at the edge of a domain but for their error, and those that overflow or
underflow; nothing is ever moved into a domain. Complex numbers are left to `arb_plane`.

Conventions, those of mpmath and SymPy:

- 0^0 = 1; 0^b = 0 for b > 0 and a pole for b < 0.
- log(x, b) = log(x) / log(b), undefined for b = 1.
- acot(x) = atan(1/x) with acot(0) = pi/2, so its range is (-pi/2, pi/2]; asec(x) = acos(1/x);
  acsc(x) = asin(1/x); acoth, asech and acsch likewise from 1/x.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

UNIT = 2.0**-52
"""One unit in the last place of 1.0."""
LIBRARY = 4.0
"""Units that an elementary function may be off, relative to its value: what vectorised libraries promise."""
EXACT_INTEGERS = 2.0**53
TINY = 2.0**-1022
"""Below it numbers lose their digits: a result so small, unless it is exactly 0, is open."""


class Ball(NamedTuple):
    """Values and a bound on the distance of each from the truth."""

    value: Array
    error: Array


def settle(ball: Ball) -> Ball:
    """Make whatever is not finite NaN: it stays open or undefined as it is, and what overflowed becomes open."""
    value, error = ball
    unknown = ~np.isfinite(value + error)
    if not unknown.any():
        return ball
    undefined = np.isnan(value) & np.isnan(error)
    return Ball(np.where(unknown, np.nan, value), np.where(unknown, np.where(undefined, np.nan, np.inf), error))


def rounded(value: Array, error: Array, units: float = 1.0) -> Ball:
    """The ball with the rounding of its own last operation added."""
    return Ball(value, error + units * UNIT * np.abs(value))


def _is_integer(x: Array) -> Array:
    return np.asarray(x == np.rint(x))


def ball_add(a: Ball, b: Ball) -> Ball:
    """a + b. Exact sums (of integers, of opposites) add no error: rounding is known exactly (Knuth's two-sum)."""
    total = a.value + b.value
    shadow = total - a.value
    rounding = np.abs((a.value - (total - shadow)) + (b.value - shadow))
    return Ball(total, a.error + b.error + rounding)


def _is_short(x: Array) -> Array:
    """Whether a value has no more than 24 significant bits, so that the product of two such is exact."""
    return np.asarray(np.asarray(x, dtype=np.float32) == x)


def multiply(a: Ball, b: Ball) -> Ball:
    """a * b. Products with 0 and ±1 and of numbers with few digits add no error."""
    product = a.value * b.value
    size_a, size_b = np.abs(a.value), np.abs(b.value)
    size = np.abs(product)
    exact = (size_a == 1) | (size_b == 1) | (_is_short(a.value) & _is_short(b.value))
    rounding = np.where(exact, 0.0, UNIT * size)
    bound = size_a * b.error + size_b * a.error + a.error * b.error + rounding
    lost = (size < TINY) & (size_a > 0) & (size_b > 0)
    return _opened(Ball(product, bound), lost) if lost.any() else Ball(product, bound)


def _opened(ball: Ball, where: Array) -> Ball:
    """The ball with some values open."""
    return Ball(np.where(where, np.nan, ball.value), np.where(where, np.inf, ball.error))


def carried(ball: Ball, *parts: Ball) -> Ball:
    """The ball, open where one of the parts that it was made from is open."""
    error = ball.error
    for part in parts:
        error = np.where(np.isinf(part.error), np.inf, error)
    return Ball(ball.value, error)


def ball_inverse(x: Ball) -> Ball:
    """1 / x; open where x may be 0, undefined where it is."""
    value, error = x
    size = np.abs(value)
    result = 1.0 / value
    bound = error / size / (size - error) * (1.0 + LIBRARY * UNIT)  # in this order, lest it overflow
    ball = rounded(result, bound)
    exact = _is_short(value) & _is_short(result) & (value * result == 1)
    ball = Ball(ball.value, np.where((error == 0) & exact, 0.0, ball.error))
    unclear = ((size <= error) & (error > 0)) | (np.abs(result) < TINY) | (np.isinf(result) & (size > 0))
    ball = _opened(ball, unclear) if unclear.any() else ball
    pole = (size == 0) & (error == 0)
    return Ball(np.where(pole, np.nan, ball.value), np.where(pole, np.nan, ball.error)) if pole.any() else ball


def ball_quotient(a: Ball, b: Ball) -> Ball:
    """a / b."""
    divisor = ball_inverse(b)
    return carried(multiply(a, divisor), divisor)


def exp(x: Ball) -> Ball:
    value = np.exp(x.value)
    ball = rounded(value, np.abs(value) * np.expm1(x.error), LIBRARY)
    return _opened(ball, (np.abs(value) < TINY) | np.isinf(value))


def _circular(function: Callable[[Array], Array], x: Ball) -> Ball:
    """sin or cos: their slope is at most 1."""
    return rounded(function(x.value), np.minimum(x.error, 2.0), LIBRARY)


def sin(x: Ball) -> Ball:
    return _circular(np.sin, x)


def cos(x: Ball) -> Ball:
    return _circular(np.cos, x)


def tan(x: Ball) -> Ball:
    return ball_quotient(sin(x), cos(x))


def csc(x: Ball) -> Ball:
    return ball_inverse(sin(x))


def sec(x: Ball) -> Ball:
    return ball_inverse(cos(x))


def cot(x: Ball) -> Ball:
    return ball_quotient(cos(x), sin(x))


def _hyperbolic(function: Callable[[Array], Array], x: Ball) -> Ball:
    """sinh or cosh: their slope is at most cosh(x)."""
    value = function(x.value)
    ball = rounded(value, np.cosh(np.abs(x.value)) * np.expm1(x.error), 2 * LIBRARY)
    overflow = np.isinf(value)
    return _opened(ball, overflow) if overflow.any() else ball


def sinh(x: Ball) -> Ball:
    return _hyperbolic(np.sinh, x)


def cosh(x: Ball) -> Ball:
    return _hyperbolic(np.cosh, x)


def tanh(x: Ball) -> Ball:
    return rounded(np.tanh(x.value), x.error, LIBRARY)


def csch(x: Ball) -> Ball:
    below = sinh(x)
    return carried(ball_inverse(below), below)


def sech(x: Ball) -> Ball:
    below = cosh(x)
    return carried(ball_inverse(below), below)


def coth(x: Ball) -> Ball:
    return ball_inverse(tanh(x))


def monotone(f: Callable[[Array], Array], x: Ball, low: float = -np.inf, high: float = np.inf) -> Ball:
    """A function increasing or decreasing on [low, high], its error read off at the ends of the ball.

    A value outside the domain is undefined, and one that its error may take over the edge is open. So is one at which
    the function has a pole, unless the value is exact: then it is undefined.
    """
    value, error = x
    result = f(np.clip(value, low, high))
    reach = np.where(error > 0, error + UNIT * np.abs(value), 0.0)
    above = np.abs(f(np.clip(value + reach, low, high)) - result)
    below = np.abs(f(np.clip(value - reach, low, high)) - result)
    ball = rounded(result, np.maximum(above, below), LIBRARY)
    outside = (value + reach < low) | (value - reach > high)
    pole = ~np.isfinite(result) & (reach == 0)
    edge = ~outside & ((value - reach < low) | (value + reach > high))
    ball = _opened(ball, edge | (~np.isfinite(ball.error) & ~np.isnan(value)))
    undefined = outside | (pole & ~np.isnan(value))
    return Ball(np.where(undefined, np.nan, ball.value), np.where(undefined, np.nan, ball.error))


def asin(x: Ball) -> Ball:
    return monotone(np.arcsin, x, -1.0, 1.0)


def acos(x: Ball) -> Ball:
    return monotone(np.arccos, x, -1.0, 1.0)


def atan(x: Ball) -> Ball:
    return monotone(np.arctan, x)


def asinh(x: Ball) -> Ball:
    return monotone(np.arcsinh, x)


def acosh(x: Ball) -> Ball:
    return monotone(np.arccosh, x, low=1.0)


def atanh(x: Ball) -> Ball:
    return monotone(np.arctanh, x, -1.0, 1.0)


def _of_inverse(f: Callable[[Ball], Ball], x: Ball) -> Ball:
    """f(1 / x)."""
    inverted = settle(ball_inverse(x))
    return carried(f(inverted), inverted)


def acsc(x: Ball) -> Ball:
    return _of_inverse(asin, x)


def asec(x: Ball) -> Ball:
    return _of_inverse(acos, x)


def acot(x: Ball) -> Ball:
    """atan(1 / x), and π/2 at 0, which the detour over 1/x leaves out."""
    ball, zero = _of_inverse(atan, x), (x.value == 0) & (x.error == 0)
    return Ball(np.where(zero, np.pi / 2, ball.value), np.where(zero, UNIT * (np.pi / 2), ball.error))


def acsch(x: Ball) -> Ball:
    return _of_inverse(asinh, x)


def asech(x: Ball) -> Ball:
    return _of_inverse(acosh, x)


def acoth(x: Ball) -> Ball:
    # Not over 1/x: close to 1 it would lose the digits that matter.
    size = monotone(lambda t: 0.5 * np.log1p(2.0 / (t - 1.0)), Ball(np.abs(x.value), x.error), low=1.0)
    return Ball(np.copysign(size.value, x.value), size.error)


def ln(x: Ball) -> Ball:
    """The natural logarithm; open where x may be 0."""
    return monotone(np.log, x, low=0.0)


def log(x: Ball, base: Ball) -> Ball:
    """log(x) / log(base)."""
    above, below = ln(x), ln(base)
    ratio = ball_quotient(above, below)
    known = ~((np.isnan(above.value) & np.isnan(above.error)) | (np.isnan(below.value) & np.isnan(below.error)))
    return Ball(ratio.value, np.where(known, carried(ratio, above, below).error, np.nan))


def square(a: Ball) -> Ball:
    """a ^ 2."""
    result = a.value * a.value
    bound = (2.0 * np.abs(a.value) + a.error) * a.error + np.where(_is_short(a.value), 0.0, UNIT * result)
    lost = (result < TINY) & (a.value != 0)
    return _opened(Ball(result, bound), lost) if lost.any() else Ball(result, bound)


def root(a: Ball) -> Ball:
    """The square root."""
    ball = monotone(np.sqrt, a, low=0.0)
    exact = (a.error == 0) & _is_short(ball.value) & (ball.value * ball.value == a.value)
    return Ball(ball.value, np.where(exact, 0.0, ball.error))


def ball_power(a: Ball, b: Ball) -> Ball:
    """a ^ b."""
    ball = _general_power(a, b)
    one = (b.value == 0) & (b.error == 0) & ~np.isnan(a.value)
    return Ball(np.where(one, 1.0, ball.value), np.where(one, 0.0, ball.error)) if one.any() else ball


def _general_power(a: Ball, b: Ball) -> Ball:
    size = np.abs(a.value)
    nearest = np.rint(b.value)
    whole = (b.value == nearest) & (b.error == 0)
    maybe_whole = np.abs(b.value - nearest) <= b.error
    maybe_zero = size <= a.error
    zero = (size == 0) & (a.error == 0)
    negative = (a.value < 0) & ~maybe_zero
    result = np.power(size, b.value)

    reach = np.where(a.error > 0, a.error + UNIT * size, 0.0)
    above = np.abs(np.power(size + reach, b.value) - result)
    below = np.abs(np.power(np.maximum(size - reach, 0.0), b.value) - result)
    bound = np.maximum(above, np.where(maybe_zero & (a.value < 0), 2 * result + above, below))
    if np.any(b.error > 0):
        logarithm = np.abs(np.log(np.where(size == 0, 1.0, size)))
        bound = bound + (result + bound) * np.expm1(b.error * (logarithm + a.error / np.where(maybe_zero, 1.0, size)))

    exact = (a.error == 0) & (b.error == 0) & (result < EXACT_INTEGERS)
    rooted = (b.value == 0.5) & _is_integer(result) & (result * result == size)
    exact &= (_is_integer(a.value) & (whole & (b.value >= 0))) | rooted | (size == 1)
    bound = bound + np.where(exact, 0.0, LIBRARY * UNIT * result)
    result = np.where((a.value < 0) & whole & (np.mod(nearest, 2) == 1), -result, result)
    # A base that may be 0 has a power that is known only if the exponent is a positive integer, or the base is 0 for
    # certain; a negative one has none unless the exponent is an integer.
    unclear = (maybe_zero & ~zero & ~(whole & (b.value > 0))) | (zero & (np.abs(b.value) <= b.error) & (b.error > 0))
    unclear |= (negative & ~whole & maybe_whole) | (~zero & ((np.abs(result) < TINY) | np.isinf(result)))
    undefined = (negative & ~maybe_whole) | (zero & (b.value < -b.error))
    known = ~(np.isnan(a.value) | np.isnan(b.value))
    ball = _opened(Ball(result, bound), (unclear | np.isnan(bound)) & known)
    undefined &= known
    return Ball(np.where(undefined, np.nan, ball.value), np.where(undefined, np.nan, ball.error))
