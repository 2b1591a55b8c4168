"""The circular and hyperbolic functions on numbers of which more is known than a ball; results as in `exact_powers`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from flint import arb, ctx, fmpq

from dgl_mathtree.arithmetic.arb_balls import OPEN
from dgl_mathtree.oracle.exact_numbers import (
    LARGEST_CIRCLE,
    ONE,
    ZERO,
    Algebraic,
    End,
    Number,
    exact_product,
    from_rational,
    made,
    sign_of,
)
from dgl_mathtree.oracle.exact_powers import HALF, Result, inverse, no_value, or_open

# --- circular functions -----------------------------------------------------------------------------------------------

_COSINES: dict[Any, Any] = {
    fmpq(0): ONE, fmpq(1, 3): HALF, HALF: ZERO, fmpq(2, 3): -HALF, fmpq(1): -ONE,
}  # fmt: skip
"""The cosines of rational multiples of pi that are rational, from 0 to pi."""


def _cos_of_turns(t: Any, taken: bool) -> Number:
    t = abs(t) - 2 * (abs(t) / 2).floor()
    t = 2 - t if t > 1 else t
    if t in _COSINES:
        return replace(from_rational(_COSINES[t]), taken=taken)
    circle = int((t / 2).q)
    known = Algebraic(1.0, 1.0, frozenset(), circle) if circle < LARGEST_CIRCLE else None
    return Number(arb.cos_pi_fmpq(t), None, None, known, End(-ONE, True), End(ONE, True), taken)


def _cos(x: Number) -> Result:
    if x.turns is not None or x.rational == 0:
        return _cos_of_turns(x.turns if x.turns is not None else ZERO, x.taken)
    strict = x.rational is not None
    return or_open(made(Number(x.ball.cos(), low=End(-ONE, strict), high=End(ONE, strict)), x))


def _sin(x: Number) -> Result:
    if x.turns is not None or x.rational == 0:
        return _cos_of_turns(x.turns - HALF if x.turns is not None else HALF, x.taken)
    strict = x.rational is not None
    low, high = End(-ONE, strict), End(ONE, strict)
    if strict and 0 < x.rational <= 1:
        low, high = End(ZERO, True), End(x.rational, True)
    elif strict and -1 <= x.rational < 0:
        low, high = End(x.rational, True), End(ZERO, True)
    return or_open(made(Number(x.ball.sin(), low=low, high=high), x))


def _quotient(a: Result, b: Result) -> Result:
    if not isinstance(a, Number) or not isinstance(b, Number):
        return a if not isinstance(a, Number) else b
    over = inverse(b)
    return or_open(exact_product(a, over)) if isinstance(over, Number) else over


def _circular(name: str, above: Callable[[Number], Result] | None, below: Callable[[Number], Result]) -> Any:
    def function(x: Number) -> Result:
        if x.turns is not None or x.rational == 0:
            top = above(x) if above is not None else from_rational(ONE)
            return _quotient(top, below(x))
        value = getattr(x.ball, name)()
        if value.is_finite():
            low = End(x.rational, True) if name == "tan" and x.rational is not None and 0 < x.rational <= 1 else None
            return or_open(made(Number(value, low=low), x))
        sign = sign_of(below(x))
        return no_value(sign) if sign.sign == 0 else OPEN

    return function


# --- hyperbolic functions ---------------------------------------------------------------------------------------------


def _saturates(x: Number) -> bool:
    return not abs(x.ball) < ctx.prec // 8


def _sinh(x: Number) -> Result:
    if x.rational == 0:
        return x
    sign = sign_of(x).sign
    low = End(x.rational if x.rational is not None else ZERO, True) if sign == 1 else None
    high = End(x.rational if x.rational is not None else ZERO, True) if sign == -1 else None
    return or_open(made(Number(x.ball.sinh(), low=low, high=high), x))


def _cosh(x: Number) -> Result:
    if x.rational == 0:
        return made(from_rational(ONE), x)
    return or_open(made(Number(x.ball.cosh(), low=End(ONE, sign_of(x).sign in (1, -1))), x))


def _tanh(x: Number) -> Result:
    if x.rational == 0:
        return x
    sign = sign_of(x).sign
    low, high = End(ZERO if sign == 1 else -ONE, True), End(ZERO if sign == -1 else ONE, True)
    if x.rational is not None and 0 < x.rational < 1:
        high = End(x.rational, True)
    return or_open(made(Number(x.ball.tanh(), low=low, high=high, extreme=_saturates(x)), x))


def _sech(x: Number) -> Result:
    if x.rational == 0:
        return made(from_rational(ONE), x)
    high = End(ONE, sign_of(x).sign in (1, -1))
    return or_open(made(Number(x.ball.sech(), low=End(ZERO, True), high=high), x))


def _pole_at_zero(name: str, least: Any) -> Callable[[Number], Result]:
    def function(x: Number) -> Result:
        sign = sign_of(x)
        if sign.sign is None:
            return OPEN
        if sign.sign == 0:
            return no_value(sign)
        low, high = (End(least, True), None) if sign.sign == 1 else (None, End(-least, True))
        saturated = name == "coth" and _saturates(x)
        return or_open(made(Number(getattr(x.ball, name)(), low=low, high=high, extreme=saturated), x))

    return function


WAVES: dict[str, Callable[[Number], Result]] = {
    "sin": _sin,
    "cos": _cos,
    "tan": _circular("tan", _sin, _cos),
    "cot": _circular("cot", _cos, _sin),
    "sec": _circular("sec", None, _cos),
    "csc": _circular("csc", None, _sin),
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": _tanh,
    "sech": _sech,
    "coth": _pole_at_zero("coth", ONE),
    "csch": _pole_at_zero("csch", ZERO),
}
