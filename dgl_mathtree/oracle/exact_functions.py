"""The inverse functions on numbers of which more is known than a ball, and the table of all functions of one argument.

Results are as in `exact_powers`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from flint import arb, fmpq

from dgl_mathtree.arithmetic.arb_balls import OPEN
from dgl_mathtree.oracle.exact_numbers import ONE, ZERO, End, Number, Sign, from_rational, from_turns, made, sign_of
from dgl_mathtree.oracle.exact_powers import HALF, QUARTER, Result, exact_exp, inverse, no_value, or_open, side_of
from dgl_mathtree.oracle.exact_waves import WAVES

# --- inverse functions ------------------------------------------------------------------------------------------------

_ASINES: dict[Any, Any] = {ZERO: ZERO, HALF: fmpq(1, 6), -HALF: fmpq(-1, 6), ONE: HALF, -ONE: -HALF}


def _edges(x: Number) -> tuple[Sign, Sign]:
    """The signs of 1 - x and 1 + x."""
    up, down = side_of(x, -ONE), side_of(x, ONE)
    return Sign(None if up.sign is None else -up.sign, -up.weak, up.taken), down


def _asin(x: Number) -> Result:
    if x.rational is not None and x.rational in _ASINES:
        return from_turns(_ASINES[x.rational], x.taken)
    top, bottom = _edges(x)
    for edge in (top, bottom):
        if edge.sign == -1:
            return no_value(edge)
    for edge, value in ((top, HALF), (bottom, -HALF)):
        if edge.sign == 0:
            return from_turns(value, edge.taken or x.taken)
    positive = x.rational is not None and x.rational > 0
    low = End(x.rational, True) if positive else None
    if top.sign == 1 == bottom.sign:
        return or_open(made(Number(x.ball.asin(), low=low), x))
    if 1 not in (top.sign, top.weak) or 1 not in (bottom.sign, bottom.weak) or not x.ball.is_finite():
        return OPEN
    ends = [arb(-1) if x.ball.lower() < -1 else x.ball.lower(), arb(1) if x.ball.upper() > 1 else x.ball.upper()]
    if not all(abs(end) <= 1 for end in ends):
        return OPEN
    return or_open(made(Number(ends[0].asin().union(ends[1].asin())), x))


def _acos(x: Number) -> Result:
    other = _asin(x)
    if not isinstance(other, Number):
        return other
    if other.turns is not None or other.rational == 0:
        return from_turns(HALF - (other.turns if other.turns is not None else ZERO), other.taken)
    inside = abs(x.ball) < 1
    ball = x.ball.acos() if inside else arb.pi() / 2 - other.ball
    return or_open(made(Number(ball, low=End(ZERO, bool(inside))), x))


def _atanh(x: Number) -> Result:
    if x.rational == 0:
        return x
    edges = _edges(x)
    for edge in edges:
        if edge.sign in (-1, 0):
            return no_value(edge)
    if any(edge.sign is None for edge in edges):
        return OPEN
    low = End(x.rational, True) if x.rational is not None and x.rational > 0 else None
    return or_open(made(Number(x.ball.atanh(), low=low), x))


def _acosh(x: Number) -> Result:
    edge = side_of(x, -ONE)
    if edge.sign == -1:
        return no_value(edge)
    if edge.sign == 0:
        return replace(from_rational(ZERO), taken=edge.taken)
    if edge.sign == 1 and x.ball > 1:
        return or_open(made(Number(x.ball.acosh(), low=End(ZERO, True)), x))
    if (edge.sign == 1 or edge.weak == 1) and x.ball.is_finite() and x.ball.upper() >= 1:
        return or_open(made(Number(arb(0).union(x.ball.upper().acosh()), low=End(ZERO, edge.sign == 1)), x))
    return OPEN


def _atan(x: Number) -> Result:
    if x.rational is not None and x.rational in (ZERO, ONE, -ONE):
        return from_turns(x.rational * QUARTER, x.taken)
    sign = sign_of(x).sign
    low = End(ZERO, True) if sign == 1 else None
    high = End(ZERO, True) if sign == -1 else None
    if sign == 1 and x.rational is not None:
        high = End(x.rational, True)
    return or_open(made(Number(x.ball.atan(), low=low, high=high), x))


def _asinh(x: Number) -> Result:
    if x.rational == 0:
        return x
    sign = sign_of(x).sign
    low, high = (End(ZERO, True) if sign == 1 else None), (End(ZERO, True) if sign == -1 else None)
    if sign == 1 and x.rational is not None:
        high = End(x.rational, True)
    return or_open(made(Number(x.ball.asinh(), low=low, high=high), x))


def _acot(x: Number) -> Result:
    sign = sign_of(x)
    if sign.sign == 0:
        return from_turns(HALF, sign.taken)
    over = inverse(x)
    return _atan(over) if isinstance(over, Number) else over


def _of_inverse(f: Callable[[Number], Result]) -> Callable[[Number], Result]:
    def function(x: Number) -> Result:
        over = inverse(x)
        return f(over) if isinstance(over, Number) else over

    return function


UNARY: dict[str, Callable[[Number], Result]] = {
    "exp": exact_exp,
    **WAVES,
    "asin": _asin,
    "acos": _acos,
    "atan": _atan,
    "asinh": _asinh,
    "acosh": _acosh,
    "atanh": _atanh,
    "acot": _acot,
    "acsc": _of_inverse(_asin),
    "asec": _of_inverse(_acos),
    "acsch": _of_inverse(_asinh),
    "asech": _of_inverse(_acosh),
    "acoth": _of_inverse(_atanh),
}
