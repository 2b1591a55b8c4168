"""Intervals that certainly hold the values of an expression, with exact ends a + b*pi.

Whether an end belongs to the interval is kept apart: asin is in [-pi/2, pi/2], atan in (-pi/2, pi/2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import arb, ctx, fmpq

from dgl_mathtree.proof.check.signs import ANY, NEGATIVE, POSITIVE, ZERO


@dataclass(frozen=True)
class End:
    """The number a + b*pi, of rational a and b."""

    a: Any
    b: Any

    def sign(self) -> int:
        """-1, 0 or 1; as pi is irrational, the number is 0 only if a and b are."""
        if self.b == 0 or self.a == 0 or (self.a > 0) == (self.b > 0):
            lead = self.a if self.b == 0 else self.b
            return int(lead > 0) - int(lead < 0)
        before, bits = ctx.prec, 64
        try:
            while True:
                ctx.prec = bits
                value = arb(self.a) + arb(self.b) * arb.pi()
                if value > 0:
                    return 1
                if value < 0:
                    return -1
                bits *= 2
        finally:
            ctx.prec = before

    def __add__(self, other: End) -> End:
        return End(self.a + other.a, self.b + other.b)

    def times(self, factor: Any) -> End:
        return End(self.a * factor, self.b * factor)

    def below(self, other: End) -> bool:
        return (self + other.times(-1)).sign() < 0


def end(a: Any, b: Any = 0) -> End:
    """The end a + b*pi."""
    return End(fmpq(a), fmpq(b))


@dataclass(frozen=True)
class Range:
    """An interval; an end that is None is infinite.

    Parameters
    ----------
    low, high : End, optional
        Its ends.
    low_open, high_open : bool
        Whether an end does not belong to it.
    """

    low: End | None = None
    high: End | None = None
    low_open: bool = True
    high_open: bool = True

    def within(self, other: Range) -> bool:
        """Whether it is a part of another one."""
        if other.low is not None:
            if self.low is None or self.low.below(other.low):
                return False
            if other.low_open and not self.low_open and self.low == other.low:
                return False
        if other.high is not None:
            if self.high is None or other.high.below(self.high):
                return False
            if other.high_open and not self.high_open and self.high == other.high:
                return False
        return True

    def meet(self, other: Range) -> Range:
        """What two intervals have in common."""
        low, low_open = self.low, self.low_open
        if other.low is not None and (low is None or low.below(other.low)):
            low, low_open = other.low, other.low_open
        elif other.low is not None and low == other.low:
            low_open = low_open or other.low_open
        high, high_open = self.high, self.high_open
        if other.high is not None and (high is None or other.high.below(high)):
            high, high_open = other.high, other.high_open
        elif other.high is not None and high == other.high:
            high_open = high_open or other.high_open
        return Range(low, high, low_open, high_open)

    def __add__(self, other: Range) -> Range:
        low = None if self.low is None or other.low is None else self.low + other.low
        high = None if self.high is None or other.high is None else self.high + other.high
        return Range(low, high, self.low_open or other.low_open, self.high_open or other.high_open)

    def times(self, factor: Any) -> Range:
        """Multiplied by a rational number."""
        if factor == 0:
            return Range(end(0), end(0), False, False)
        low = None if self.low is None else self.low.times(factor)
        high = None if self.high is None else self.high.times(factor)
        if factor > 0:
            return Range(low, high, self.low_open, self.high_open)
        return Range(high, low, self.high_open, self.low_open)

    def signs(self) -> int:
        """The signs that its numbers have."""
        mask = ANY
        if self.low is not None:
            sign = self.low.sign()
            if sign >= 0:
                mask &= ~NEGATIVE
            if sign > 0 or (sign == 0 and self.low_open):
                mask &= ~ZERO
        if self.high is not None:
            sign = self.high.sign()
            if sign <= 0:
                mask &= ~POSITIVE
            if sign < 0 or (sign == 0 and self.high_open):
                mask &= ~ZERO
        return mask


def of_signs(mask: int) -> Range:
    """The smallest interval of numbers with some signs."""
    low = None if mask & NEGATIVE else end(0)
    high = None if mask & POSITIVE else end(0)
    return Range(low, high, not mask & ZERO, not mask & ZERO)


def closed(low: End, high: End) -> Range:
    return Range(low, high, False, False)


def opened(low: End | None, high: End | None) -> Range:
    return Range(low, high, True, True)


HALF_PI, NEGATIVE_HALF_PI, NOTHING, WHOLE_PI = end(0, fmpq(1, 2)), end(0, fmpq(-1, 2)), end(0), end(0, 1)
EVERYTHING = Range()
OF_FUNCTION = {
    "sin": closed(end(-1), end(1)),
    "cos": closed(end(-1), end(1)),
    "asin": closed(NEGATIVE_HALF_PI, HALF_PI),
    "acos": closed(NOTHING, WHOLE_PI),
    "atan": opened(NEGATIVE_HALF_PI, HALF_PI),
    "acsc": closed(NEGATIVE_HALF_PI, HALF_PI),
    "asec": closed(NOTHING, WHOLE_PI),
    "acot": Range(NEGATIVE_HALF_PI, HALF_PI, True, False),
    "tanh": opened(end(-1), end(1)),
    "cosh": Range(end(1), None, False, True),
    "sech": Range(end(0), end(1), True, False),
    "exp": Range(end(0), None, True, True),
    "acosh": Range(end(0), None, False, True),
    "asech": Range(end(0), None, False, True),
}
"""The values of functions at any argument."""
