"""Arithmetic with a running error bound, over arrays of real or complex numbers.

A `Ball` is an array of computed values with, for each, a bound on its distance from the true value. Every
function here takes balls to balls: it propagates the bounds of its arguments and adds its own rounding, so
that whoever compares two results can tell round-off from a difference. A value that is undefined (outside the
real domain, at a pole, or so close to one that the bound cannot exclude it) is NaN.

One function serves both worlds: on real arrays it is the real function (NaN outside its domain), on complex
arrays the principal branch. Conventions, those of mpmath and SymPy:

- 0^0 = 1; 0^b = 0 for b > 0 and a pole for b < 0.
- log(x, b) = log(x) / log(b), undefined for b = 1.
- acot(x) = atan(1/x) with acot(0) = pi/2, so its range is (-pi/2, pi/2]; asec(x) = acos(1/x);
  acsc(x) = asin(1/x); acoth, asech and acsch likewise from 1/x.
- On a branch cut along the real axis, log and powers take the value from above; asin, acos and atanh take
  it from below for x > 1 and from above for x < -1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

UNIT = 2.0**-52
"""One unit in the last place of 1.0: the rounding allowed to an elementary function, relative to its value."""
EXACT_INTEGERS = 2.0**53
TINY = 2.0**-1022
"""Below it numbers lose their digits: a result so small, unless it is exactly 0, is taken as undefined."""


class Ball(NamedTuple):
    """Values and a bound on the distance of each from the truth."""

    value: Array
    error: Array


def settle(ball: Ball) -> Ball:
    """Make whatever is not finite NaN, and put complex values that may be real (or imaginary) on the axis.

    A value within its error of an axis is taken to lie on it: a random point hits the neighbourhood of an
    axis only when the true value is on it, and then the sign of the noise must not choose the branch.
    """
    value, error = ball
    if np.iscomplexobj(value):
        real, imag = value.real.copy(), value.imag.copy()
        off_real, off_imag = np.abs(real) <= error, np.abs(imag) <= error
        error = error + np.where(off_real, np.abs(real), 0.0) + np.where(off_imag, np.abs(imag), 0.0)
        real[off_real] = 0.0
        imag[off_imag] = 0.0
        value = real + 1j * imag
    undefined = ~(np.isfinite(value) & np.isfinite(error))
    return Ball(np.where(undefined, np.nan, value), np.where(undefined, np.nan, error))


def rounded(value: Array, error: Array, units: float = 1.0) -> Ball:
    """The ball with the rounding of its own last operation added."""
    return Ball(value, error + units * UNIT * np.abs(value))


def _is_integer(x: Array) -> Array:
    if np.iscomplexobj(x):
        return np.asarray((x.imag == 0) & (x.real == np.rint(x.real)))
    return np.asarray(x == np.rint(x))


def _is_unit(x: Array) -> Array:
    """Whether multiplying by x is exact: ±1, and ±i."""
    if np.iscomplexobj(x):
        return np.asarray(((np.abs(x.real) == 1) & (x.imag == 0)) | ((x.real == 0) & (np.abs(x.imag) == 1)))
    return np.asarray(np.abs(x) == 1)


def _sum_residual(a: Array, b: Array, total: Array) -> Array:
    """What rounding took from a + b, exactly (Knuth's two-sum)."""
    shadow = total - a
    return np.asarray(np.abs((a - (total - shadow)) + (b - shadow)))


def add(a: Ball, b: Ball) -> Ball:
    """a + b. Exact sums (of integers, of opposites) add no error."""
    total = a.value + b.value
    if np.iscomplexobj(total):
        rounding = _sum_residual(a.value.real, b.value.real, total.real)
        rounding = rounding + _sum_residual(a.value.imag, b.value.imag, total.imag)
    else:
        rounding = _sum_residual(a.value, b.value, total)
    return Ball(total, a.error + b.error + rounding)


def multiply(a: Ball, b: Ball) -> Ball:
    """a * b. Products with 0 and ±1 and small products of integers add no error."""
    product = a.value * b.value
    size_a, size_b = np.abs(a.value), np.abs(b.value)
    size = size_a * size_b
    exact = _is_unit(a.value) | _is_unit(b.value) | (size_a == 0) | (size_b == 0)
    exact |= (size < EXACT_INTEGERS) & _is_integer(a.value) & _is_integer(b.value)
    rounding = np.where(exact, 0.0, (2.0 if np.iscomplexobj(product) else 1.0) * UNIT * size)
    lost = (size < TINY) & (size_a > 0) & (size_b > 0)
    bound = size_a * b.error + size_b * a.error + a.error * b.error + rounding
    return Ball(np.where(lost, np.nan, product), bound)


def inverse(x: Ball) -> Ball:
    """1 / x; NaN where x may be 0."""
    value, error = x
    size = np.abs(value)
    result = 1.0 / value
    bound = error / size / (size - error)  # in this order, lest it overflow
    ball = rounded(np.where((size <= error) | (np.abs(result) < TINY), np.nan, result), bound, 2.0)
    return Ball(ball.value, np.where((error == 0) & _is_unit(value), 0.0, ball.error))


def exp(x: Ball) -> Ball:
    value = np.exp(x.value)
    value = np.where(np.abs(value) < TINY, np.nan, value)
    return rounded(value, np.abs(value) * np.expm1(x.error), 2.0)


def _circular(function: Callable[[Array], Array], x: Ball) -> Ball:
    """sin or cos: their slope is at most 1 on the reals and cosh(|Im z|) off them."""
    value = function(x.value)
    if np.iscomplexobj(value):
        return rounded(value, x.error * np.cosh(np.abs(x.value.imag) + x.error), 4.0)
    return rounded(value, np.minimum(x.error, 2.0), 2.0)


def sin(x: Ball) -> Ball:
    return _circular(np.sin, x)


def cos(x: Ball) -> Ball:
    return _circular(np.cos, x)


def tan(x: Ball) -> Ball:
    return multiply(sin(x), inverse(cos(x)))


def csc(x: Ball) -> Ball:
    return inverse(sin(x))


def sec(x: Ball) -> Ball:
    return inverse(cos(x))


def cot(x: Ball) -> Ball:
    return multiply(cos(x), inverse(sin(x)))


def _hyperbolic(function: Callable[[Array], Array], x: Ball) -> Ball:
    """sinh or cosh: their slope is at most cosh(|Re z|)."""
    size = np.abs(x.value.real)
    return rounded(function(x.value), np.cosh(size) * np.expm1(x.error), 4.0)


def sinh(x: Ball) -> Ball:
    return _hyperbolic(np.sinh, x)


def cosh(x: Ball) -> Ball:
    return _hyperbolic(np.cosh, x)


def tanh(x: Ball) -> Ball:
    if np.iscomplexobj(x.value):
        return multiply(sinh(x), inverse(cosh(x)))
    return rounded(np.tanh(x.value), x.error, 2.0)


def csch(x: Ball) -> Ball:
    return inverse(sinh(x))


def sech(x: Ball) -> Ball:
    return inverse(cosh(x))


def coth(x: Ball) -> Ball:
    return inverse(tanh(x))


def monotone(f: Callable[[Array], Array], x: Ball, low: float = -np.inf, high: float = np.inf) -> Ball:
    """A real function increasing or decreasing on [low, high], its error read off at the ends of the ball.

    A value outside the domain by no more than its error is moved to the edge: the true one may lie there.
    """
    value, error = x
    inside = (value >= low - error) & (value <= high + error)
    result = f(np.clip(value, low, high))
    reach = np.where(error > 0, error + UNIT * np.abs(value), 0.0)
    above = np.abs(f(np.clip(value + reach, low, high)) - result)
    below = np.abs(f(np.clip(value - reach, low, high)) - result)
    return rounded(np.where(inside, result, np.nan), np.maximum(above, below), 2.0)


def ln(x: Ball) -> Ball:
    """The natural logarithm; NaN where x may be 0."""
    if not np.iscomplexobj(x.value):
        return monotone(np.log, x, low=0.0)
    value, error = x
    size = np.abs(value)
    result = np.log(value.real + 0.0 + 1j * (value.imag + 0.0))
    bound = np.where(size <= error, np.nan, -np.log1p(-error / size))
    return rounded(result, bound + UNIT, 2.0)


def log(x: Ball, base: Ball) -> Ball:
    """log(x) / log(base)."""
    return multiply(ln(x), inverse(ln(base)))


def power(a: Ball, b: Ball) -> Ball:
    """a ^ b."""
    ball = _complex_power(a, b) if np.iscomplexobj(a.value) else _real_power(a, b)
    one = (b.value == 0) & (b.error == 0)
    known = ~(np.isnan(a.value) | np.isnan(b.value))
    value = np.where(one, 1.0, ball.value)
    return Ball(np.where(known, value, np.nan), np.where(one, 0.0, ball.error))


def _real_power(a: Ball, b: Ball) -> Ball:
    size = np.abs(a.value)
    nearest = np.rint(b.value)
    integral = np.abs(b.value - nearest) <= b.error
    maybe_zero = size <= a.error
    negative = (a.value < 0) & ~maybe_zero
    # A negative base has a real power only if the exponent is, as far as can be told, an integer.
    exponent = np.where(integral & (a.value < 0), nearest, b.value)
    result = np.power(size, exponent)
    undefined = (negative & ~integral) | (maybe_zero & (b.value <= b.error)) | ((result < TINY) & ~maybe_zero)

    reach = np.where(a.error > 0, a.error + UNIT * size, 0.0)
    above = np.abs(np.power(size + reach, exponent) - result)
    below = np.abs(np.power(np.maximum(size - reach, 0.0), exponent) - result)
    bound = np.maximum(above, np.where(maybe_zero, result, below))
    if np.any(b.error > 0):
        logarithm = np.abs(np.log(np.where(size == 0, 1.0, size))) + np.where(negative, np.pi, 0.0)
        bound = bound + (result + bound) * np.expm1(b.error * logarithm)

    exact = (a.error == 0) & (b.error == 0) & (result < EXACT_INTEGERS)
    whole = _is_integer(a.value) & (integral & (b.value >= 0))
    root = (b.value == 0.5) & (result * result == size) & _is_integer(result)
    exact &= whole | root | (size == 1)
    result = np.where((a.value < 0) & integral & (np.mod(nearest, 2) == 1), -result, result)
    # A base that may be 0 and was computed below it: of its non-integer power only the bound is known.
    result = np.where(maybe_zero & (a.value < 0) & ~integral, 0.0, result)
    return Ball(np.where(undefined, np.nan, result), bound + np.where(exact, 0.0, 2 * UNIT * np.abs(result)))


def _complex_power(a: Ball, b: Ball) -> Ball:
    size = np.abs(a.value)
    maybe_zero = size <= a.error
    general = exp(multiply(b, ln(a)))
    vanishes = maybe_zero & (b.value.real > b.error)
    at_zero = np.power(size + a.error, np.where(vanishes, b.value.real - b.error, 1.0))
    value = np.where(vanishes, 0.0, np.where(maybe_zero, np.nan, general.value))
    return Ball(value, np.where(vanishes, at_zero, general.error))
