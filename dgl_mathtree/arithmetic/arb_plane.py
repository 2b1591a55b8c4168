"""Ball arithmetic on the complex plane with principal branches; see `arb_balls` for the reals.

A ball that lies across a branch cut gives one that holds the values of both sides, so that nothing is decided by noise.
At the highest precision, a part of a number that is taken to be 0 is made 0: then the number is on the cut, and the
conventions, those of mpmath and SymPy, say which side it belongs to: on a cut along the real axis, log and powers take
the value from above; asin, acos and atanh take it from below for x > 1 and from above for x < -1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import acb, arb

from dgl_mathtree.arithmetic.arb_balls import LARGE, OPEN, SATURATED, SMALL, Value, arb_finite, integer, on_edge


def acb_inverse(z: Any, exact: bool) -> Value:
    """1 / z."""
    if z.contains(0):
        return None if z.is_zero() else OPEN
    return arb_finite(1 / z)


def acb_of_inverse(f: Callable[[Any], Any], at_zero: Callable[[], Any] | None = None) -> Callable[[Any, bool], Value]:
    """The function z ↦ f(1 / z), with its value at 0 if it has one."""

    def composed(z: Any, exact: bool) -> Value:
        if at_zero is not None and z.is_zero():
            return at_zero()
        inverted = acb_inverse(z, exact)
        return arb_finite(f(inverted)) if isinstance(inverted, acb) else inverted

    return composed


def acb_log(z: Any, base: Any, exact: bool) -> Value:
    if z.is_zero() or base.is_zero():
        return None
    if z.contains(0) or base.contains(0):
        return OPEN
    inverted = acb_inverse(base.log(), exact)
    return z.log() * inverted if isinstance(inverted, acb) else inverted


def acb_whole_power(a: Any, n: int, exact: bool) -> Value:
    """a ^ n."""
    if n == 0:
        return acb(1)
    if n < 0 and a.contains(0):
        return None if a.is_zero() else OPEN
    return arb_finite(a**n)


def acb_power(a: Any, b: Any, exact: bool) -> Value:
    n = integer(b.real, exact) if b.imag.is_zero() else None
    if n is not None:
        return acb_whole_power(a, n, exact)
    if a.is_zero():
        return acb(0) if b.real > 0 else None if b.real < 0 else OPEN
    return OPEN if a.contains(0) else arb_finite((b * a.log()).exp())


def acb_is_extreme(saturates: bool, argument: Any, value: Any) -> bool:
    """Whether digits that matter may be beyond the highest precision: very large or small, or next to a limit."""
    if saturates and not argument.abs_upper() < SATURATED:
        return True
    return not value.abs_upper() < LARGE or (not value.contains(0) and not value.abs_lower() > SMALL)


def on_axes(z: Any) -> Any:
    """The number with a part that is taken to be 0 made so."""
    real, imag = z.real, z.imag
    off = real.contains(0) and on_edge(real, True), imag.contains(0) and on_edge(imag, True)
    return acb(arb(0) if off[0] else real, arb(0) if off[1] else imag) if any(off) else z
