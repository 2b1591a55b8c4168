"""Ball arithmetic on the complex plane with principal branches; see `certified` for the reals.

A ball that lies across a branch cut gives one that holds the values of both sides, so that nothing is decided by noise.
At the highest precision, a part of a number that is taken to be 0 is made 0: then the number is on the cut, and the
conventions of `numerics` say which side it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import acb, arb

from dgl_mathtree.expressions.certified import LARGE, OPEN, SATURATED, SMALL, Field, Value, integer, leaf, on_edge


def _finite(z: Any) -> Value:
    return z if z.is_finite() else OPEN


def _inverse(z: Any, exact: bool) -> Value:
    if z.contains(0):
        return None if z.is_zero() else OPEN
    return _finite(1 / z)


def _of_inverse(f: Callable[[Any], Any], at_zero: Callable[[], Any] | None = None) -> Callable[[Any, bool], Value]:
    def composed(z: Any, exact: bool) -> Value:
        if at_zero is not None and z.is_zero():
            return at_zero()
        inverted = _inverse(z, exact)
        return _finite(f(inverted)) if isinstance(inverted, acb) else inverted

    return composed


def _method(name: str) -> Callable[[Any, bool], Value]:
    call = getattr(acb, name)
    return lambda z, exact: _finite(call(z))


def _log(z: Any, base: Any, exact: bool) -> Value:
    if z.is_zero() or base.is_zero():
        return None
    if z.contains(0) or base.contains(0):
        return OPEN
    inverted = _inverse(base.log(), exact)
    return z.log() * inverted if isinstance(inverted, acb) else inverted


def _whole_power(a: Any, n: int, exact: bool) -> Value:
    if n == 0:
        return acb(1)
    if n < 0 and a.contains(0):
        return None if a.is_zero() else OPEN
    return _finite(a**n)


def _power(a: Any, b: Any, exact: bool) -> Value:
    n = integer(b.real, exact) if b.imag.is_zero() else None
    if n is not None:
        return _whole_power(a, n, exact)
    if a.is_zero():
        return acb(0) if b.real > 0 else None if b.real < 0 else OPEN
    return OPEN if a.contains(0) else _finite((b * a.log()).exp())


_PLAIN = "sin cos tan csc sec cot sinh cosh tanh csch sech coth exp asin acos atan asinh acosh atanh".split()
_UNARY: dict[str, Callable[[Any, bool], Value]] = {
    **{name: _method(name) for name in _PLAIN},
    "acot": _of_inverse(acb.atan, lambda: acb(arb.pi() / 2)),
    "acoth": _of_inverse(acb.atanh, lambda: acb(0, arb.pi() / 2)),
    "acsc": _of_inverse(acb.asin),
    "asec": _of_inverse(acb.acos),
    "acsch": _of_inverse(acb.asinh),
    "asech": _of_inverse(acb.acosh),
}
_BINARY: dict[str, Callable[[Any, Any, bool], Value]] = {
    "Add": lambda a, b, exact: a + b,
    "Mul": lambda a, b, exact: a * b,
    "Pow": _power,
    "log": _log,
}


def _is_extreme(word: str, argument: Any, value: Any) -> bool:
    if word in ("tanh", "coth") and not argument.abs_upper() < SATURATED:
        return True
    return not value.abs_upper() < LARGE or (not value.contains(0) and not value.abs_lower() > SMALL)


def _on_axes(z: Any) -> Any:
    """The number with a part that is taken to be 0 made so."""
    real, imag = z.real, z.imag
    off = real.contains(0) and on_edge(real, True), imag.contains(0) and on_edge(imag, True)
    return acb(arb(0) if off[0] else real, arb(0) if off[1] else imag) if any(off) else z


PLANE = Field(
    number=lambda value: acb(complex(value)),
    leaf=lambda word: acb(leaf(word)),
    ball=acb,
    unary=_UNARY,
    binary=_BINARY,
    whole_power=_whole_power,
    is_extreme=_is_extreme,
    exactly=_on_axes,
)
