"""Balls that hold the values of constants, with as many bits as a question needs: signs and whole parts."""

from __future__ import annotations

from typing import Any, Final

from flint import arb, fmpq

from dgl_mathtree.arithmetic.arb_balls import LARGEST_INTEGER, nearest_integer, set_precision
from dgl_mathtree.proof.normal_form.ring import Generator, Polynomial, Quotient, Ring, Unsettled

PRECISIONS: Final = (64, 128, 256, 512, 1024, 2048)
"""Bits tried in this order; the caller restores the precision (`own_precision`)."""

_FUNCTIONS: Final = {
    name: getattr(arb, name) for name in ("sin", "cos", "exp", "asin", "atan", "asinh", "acosh", "atanh")
}


def polynomial_ball(ring: Ring, p: Polynomial) -> Any:
    """The ball of a polynomial in constant generators, at the precision that is set."""
    ring.budget.spend(5 * len(p) + 5)
    balls: dict[int, Any] = {}
    total = arb(0)
    for exponents, coefficient in p.to_dict().items():
        value = arb(fmpq(coefficient))
        for index, n in enumerate(exponents):
            if n:
                if index not in balls:
                    balls[index] = _generator_ball(ring, ring.generators[index])
                value *= balls[index] ** int(n)
        total += value
    return total


def quotient_ball(ring: Ring, a: Quotient) -> Any:
    return polynomial_ball(ring, a.above) / polynomial_ball(ring, a.below)


def _generator_ball(ring: Ring, generator: Generator) -> Any:
    kind, argument, order = generator.kind, generator.argument, generator.order
    if kind == "pi":
        return arb.pi()
    if kind == "cospi":
        return (arb.pi() / int(order)).cos()
    if kind in ("ln", "abs", "root"):
        size = abs(polynomial_ball(ring, argument))
        if kind == "abs":
            return size
        return size.log() if kind == "ln" else size.root(int(order))
    if kind in ("var", "power", "acot"):
        raise Unsettled("no ball")
    inner = quotient_ball(ring, argument)
    if kind in ("sin", "cos", "exp"):
        inner *= arb(fmpq(order.numerator, order.denominator))
    return _FUNCTIONS[kind](inner)


def constant_sign(ring: Ring, p: Polynomial) -> int:
    """1 or -1 for a constant that is certainly positive or negative, else 0 (which does not say that it is zero)."""
    for bits in PRECISIONS:
        set_precision(bits)
        ball = polynomial_ball(ring, p)
        if ball > 0:
            return 1
        if ball < 0:
            return -1
        if ball.is_finite() and abs(ball) < arb(2) ** -900:
            break
    return 0


def whole_part(ring: Ring, a: Quotient, offset: Any = 0) -> int | None:
    """The integer k with k - 1/2 < a + offset < k + 1/2 for a constant a, if a ball shows one."""
    for bits in PRECISIONS:
        set_precision(bits)
        ball = quotient_ball(ring, a) + offset
        if not ball.is_finite():
            continue
        k = nearest_integer((ball + arb(1) / 2).floor(), LARGEST_INTEGER)
        if k is not None and ball > arb(k) - arb(1) / 2 and ball < arb(k) + arb(1) / 2:
            return int(k)
    return None
