"""The inverse circular and hyperbolic functions on balls; the conventions are those of `numerics`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dgl_mathtree.expressions.numerics import LIBRARY, UNIT, Array, Ball, carried, inverse, monotone, rounded, settle


def _branched(f: Callable[[Array], Array], x: Ball, square: float, pole: bool, from_real: bool) -> Ball:
    """A complex inverse function with branch points where z² = square.

    Args:
        pole: the branch points are poles (atan, atanh) and not roots (asin, acos, asinh, acosh).
        from_real: its cuts run along the real axis, else along the imaginary one.
    """
    value, error = x
    real, imag = value.real.copy(), value.imag.copy()
    # numpy reads the side of a cut from the sign of a zero: give it the sign that mpmath's convention has.
    if from_real:
        imag = np.where(imag == 0, np.copysign(0.0, -real), imag)
    else:
        real = np.where(real == 0, np.copysign(0.0, imag), real)
    placed = np.empty_like(value)
    placed.real, placed.imag = real, imag
    gap = np.abs(square - value * value)
    drift = 2.0 * np.abs(value) * error + error * error
    far = drift < gap / 2
    if pole:
        bound = np.where(far, 2.0 * error / gap, np.nan)
    else:
        near = 3.0 * np.sqrt(error * (1.0 + np.abs(value)))
        bound = np.where(far, 1.5 * error / np.sqrt(gap), near)
    return rounded(f(placed), bound, 2 * LIBRARY)


def asin(x: Ball) -> Ball:
    if np.iscomplexobj(x.value):
        return _branched(np.arcsin, x, 1.0, pole=False, from_real=True)
    return monotone(np.arcsin, x, -1.0, 1.0)


def acos(x: Ball) -> Ball:
    if np.iscomplexobj(x.value):
        return _branched(np.arccos, x, 1.0, pole=False, from_real=True)
    return monotone(np.arccos, x, -1.0, 1.0)


def atan(x: Ball) -> Ball:
    if np.iscomplexobj(x.value):
        return _branched(np.arctan, x, -1.0, pole=True, from_real=False)
    return monotone(np.arctan, x)


def asinh(x: Ball) -> Ball:
    if np.iscomplexobj(x.value):
        return _branched(np.arcsinh, x, -1.0, pole=False, from_real=False)
    return monotone(np.arcsinh, x)


def acosh(x: Ball) -> Ball:
    if np.iscomplexobj(x.value):
        value, error = x
        above = Ball(np.where(value.imag == 0, value.real + 0j, value), error)
        return _branched(np.arccosh, above, 1.0, pole=False, from_real=False)
    return monotone(np.arccosh, x, low=1.0)


def atanh(x: Ball) -> Ball:
    if np.iscomplexobj(x.value):
        return _branched(np.arctanh, x, 1.0, pole=True, from_real=True)
    return monotone(np.arctanh, x, -1.0, 1.0)


def _of_inverse(f: Callable[[Ball], Ball], x: Ball) -> Ball:
    """f(1 / x)."""
    inverted = settle(inverse(x))
    return carried(f(inverted), inverted)


def acsc(x: Ball) -> Ball:
    return _of_inverse(asin, x)


def asec(x: Ball) -> Ball:
    return _of_inverse(acos, x)


def acot(x: Ball) -> Ball:
    return _with_value_at_zero(_of_inverse(atan, x), x, np.pi / 2)


def acsch(x: Ball) -> Ball:
    return _of_inverse(asinh, x)


def asech(x: Ball) -> Ball:
    return _of_inverse(acosh, x)


def acoth(x: Ball) -> Ball:
    if np.iscomplexobj(x.value):
        return _with_value_at_zero(_of_inverse(atanh, x), x, 0.5j * np.pi)
    # Not over 1/x: close to 1 it would lose the digits that matter.
    size = monotone(lambda t: 0.5 * np.log1p(2.0 / (t - 1.0)), Ball(np.abs(x.value), x.error), low=1.0)
    return Ball(np.copysign(size.value, x.value), size.error)


def _with_value_at_zero(ball: Ball, x: Ball, at_zero: complex) -> Ball:
    """Set the value where x is exactly 0, which the detour over 1/x leaves out."""
    zero = (x.value == 0) & (x.error == 0)
    return Ball(np.where(zero, at_zero, ball.value), np.where(zero, UNIT * np.abs(at_zero), ball.error))
