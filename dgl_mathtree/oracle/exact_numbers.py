"""Real numbers of which more is known than a ball: exact fractions, multiples of pi, bounds, and distances from 0.

A ball of any precision cannot show that two numbers are equal. What is kept beside it here can: the number itself if it
is rational or a rational multiple of pi, bounds that hold whatever the precision (`tanh(u) < 1`), and for algebraic
numbers a *separation bound*, the least size that the number has unless it is 0. Where none of these settles whether a
number is 0, it may be *taken* to be 0, and everything computed from it says so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from flint import arb, ctx, fmpq, fmpz

from dgl_mathtree.arithmetic.arb_balls import nearest_integer

LONGEST: Final = 60_000
"""Bits of the fractions that are kept."""
DEEPEST: Final = 100_000.0
"""Bits of the separation bounds that are used."""
TAKEN_FROM: Final = 2048
"""From this number of bits on, a number that looks like 0 may be taken to be 0."""
LARGEST_CIRCLE: Final = 10**6
"""Sines and cosines of finer parts of the circle have no separation bound."""
ONE, ZERO = fmpq(1), fmpq(0)


class End(NamedTuple):
    """An end of the range of a number, and whether the number is never there."""

    at: Any
    strict: bool


class Algebraic(NamedTuple):
    """What a separation bound needs: the number is U / L with algebraic integers U and L.

    Parameters
    ----------
    above, below : float
        Binary logarithms of bounds on all conjugates of U and of L.
    roots : frozenset of (int, int)
        The roots that occur: the node and its degree.
    circle : int
        All cosines and sines that occur are those of whole multiples of 2 pi over this number.
    """

    above: float
    below: float
    roots: frozenset[tuple[int, int]] = frozenset()
    circle: int = 1

    def joined(self, other: Algebraic, above: float, below: float) -> Algebraic:
        circle = int(fmpz(self.circle).lcm(fmpz(other.circle)))
        return Algebraic(above, below, self.roots | other.roots, circle)

    @property
    def separation(self) -> float:
        """The number is 0, or its size is above 2 to the power of minus this."""
        if self.circle > LARGEST_CIRCLE:
            return float("inf")
        degree = float(int(fmpz(self.circle).euler_phi()))
        for _, k in self.roots:
            degree *= k
        return (degree - 1) * max(self.above, 0.0) + max(self.below, 0.0) + 4


@dataclass(frozen=True, slots=True)
class Number:
    """A real number.

    Parameters
    ----------
    ball : arb
        It certainly holds the number; it may be infinitely wide.
    rational, turns : fmpq, optional
        The number, or the number divided by pi, where that is known exactly.
    algebraic : Algebraic, optional
        How near to 0 it can be.
    low, high : End, optional
        Bounds that do not depend on the precision.
    taken : bool
        Whether it rests on something that was taken to be on an edge.
    extreme : bool
        Whether digits that matter may be beyond this precision: something in it is very large, very small, or very
        close to a limit.
    """

    ball: Any
    rational: Any = None
    turns: Any = None
    algebraic: Algebraic | None = None
    low: End | None = None
    high: End | None = None
    taken: bool = False
    extreme: bool = False


class Sign(NamedTuple):
    """The sign of a number, None where it is not known; whether the number is at least (1) or at most (-1) 0."""

    sign: int | None
    weak: int = 0
    taken: bool = False


def from_rational(value: Any) -> Number:
    """An exact fraction."""
    p, q = value.p, value.q
    long = max(p.bit_length(), q.bit_length())
    known = Algebraic(float(max(p.bit_length(), 1)), float(q.bit_length()))
    end = End(value, False)
    return Number(arb(value), value, None, known, end, end, extreme=long > ctx.prec // 4)


def from_turns(value: Any, taken: bool = False) -> Number:
    """A rational multiple of pi."""
    if value == 0:
        return replace(from_rational(ZERO), taken=taken)
    return Number(arb.pi() * value, turns=value, taken=taken)


def made(number: Number, *parts: Number) -> Number | None:
    """A number with what it inherits from its parts noted; None if nothing is known of it at all."""
    ball = number.ball
    if number.rational is not None:
        return replace(number, taken=any(part.taken for part in parts))
    if not ball.is_finite() and number.low is None and number.high is None:
        return None
    size = abs(ball)
    quarter = ctx.prec // 4
    far = not size < arb(2) ** quarter or (not ball.contains(0) and not size > arb(2) ** -quarter)
    return replace(
        number,
        taken=number.taken or any(part.taken for part in parts),
        extreme=number.extreme or far or any(part.extreme for part in parts),
    )


def sign_of(number: Number) -> Sign:
    """The sign of a number, by all that is known of it."""
    exact = number.rational if number.rational is not None else number.turns
    if exact is not None:
        return Sign((exact > 0) - (exact < 0), taken=number.taken)
    ball, low, high = number.ball, number.low, number.high
    if ball > 0 or (low is not None and (low.at > 0 or (low.at == 0 and low.strict))):
        return Sign(1, taken=number.taken)
    if ball < 0 or (high is not None and (high.at < 0 or (high.at == 0 and high.strict))):
        return Sign(-1, taken=number.taken)
    weak = 1 if low is not None and low.at >= 0 else -1 if high is not None and high.at <= 0 else 0
    if not ball.is_finite():
        return Sign(None, weak, number.taken)
    if number.algebraic is not None:
        depth = number.algebraic.separation
        if depth < DEEPEST:
            tiny = ball.abs_upper() < arb(2) ** -int(depth + 1)
            return Sign(0 if tiny else None, weak, number.taken)
    if ctx.prec >= TAKEN_FROM and not number.extreme and ball.abs_upper() < arb(2) ** -(3 * ctx.prec // 4):
        return Sign(0, weak, True)
    return Sign(None, weak, number.taken)


def exact_sum(a: Number, b: Number) -> Number | None:
    if a.rational is not None and b.rational is not None and _short(a, b):
        return made(from_rational(a.rational + b.rational), a, b)
    turns = a.turns + b.turns if a.turns is not None and b.turns is not None else None
    if turns is not None:
        return made(from_turns(turns), a, b)
    if a.rational == 0:
        return made(b, a)
    if b.rational == 0:
        return made(a, b)
    algebraic = None
    if a.algebraic is not None and b.algebraic is not None:
        x, y = a.algebraic, b.algebraic
        algebraic = x.joined(y, max(x.above + y.below, x.below + y.above) + 1, x.below + y.below)
    return made(Number(a.ball + b.ball, None, None, algebraic, _sum(a.low, b.low), _sum(a.high, b.high)), a, b)


def exact_product(a: Number, b: Number) -> Number | None:
    if a.rational is not None and b.rational is not None and _short(a, b):
        return made(from_rational(a.rational * b.rational), a, b)
    for x, y in ((a, b), (b, a)):
        if x.rational == 0:
            return made(from_rational(ZERO), x, y)
        if x.rational is not None and y.turns is not None:
            return made(from_turns(x.rational * y.turns), x, y)
        if x.rational is not None and x.rational == 1:
            return made(y, x)
    algebraic = None
    if a.algebraic is not None and b.algebraic is not None:
        p, q = a.algebraic, b.algebraic
        algebraic = p.joined(q, p.above + q.above, p.below + q.below)
    low, high = _product(a, b)
    return made(Number(a.ball * b.ball, None, None, algebraic, low, high), a, b)


def scaled(a: Number, factor: Any) -> Number | None:
    return exact_product(a, from_rational(factor))


def shifted(a: Number, by: Any) -> Number | None:
    return exact_sum(a, from_rational(by))


def inverted(a: Number) -> Number | None:
    """1 / a, of a number that is not 0."""
    if a.rational is not None:
        return made(from_rational(1 / a.rational), a)
    algebraic = a.algebraic
    if algebraic is not None:
        algebraic = algebraic._replace(above=algebraic.below, below=algebraic.above)
    low, high = _inverted_ends(a, sign_of(a).sign)
    return made(Number(1 / a.ball, None, None, algebraic, low, high), a)


def _inverted_ends(a: Number, sign: int | None) -> tuple[End | None, End | None]:
    """Bounds of 1 / a, of a number with a known sign."""
    near, far = (a.low, a.high) if sign == 1 else (a.high, a.low)
    zero = End(ZERO, True)
    outer = (
        End(1 / near.at, near.strict) if near is not None and near.at != 0 and (near.at > 0) == (sign == 1) else None
    )
    inner = End(1 / far.at, far.strict) if far is not None and far.at != 0 else zero
    return (inner, outer) if sign == 1 else (outer, inner)


def exact_root(a: Number, power: Any, node: int) -> Number | None:
    """a to a rational power that is not whole, of a number above 0."""
    p, q = int(power.p), int(power.q)
    if a.rational is not None and abs(p) < 64 and q < 1000:
        exact = _exact_root(a.rational, q)
        if exact is not None:
            return made(from_rational(exact**p), a)
    ball = a.ball.sqrt() if (p, q) == (1, 2) else a.ball ** arb(power)
    algebraic = None
    if a.algebraic is not None and q <= 64 and abs(p) <= 64:
        x = a.algebraic
        above = (x.above + (q - 1) * x.below) / q
        algebraic = Algebraic(above * abs(p), x.below * abs(p), x.roots | {(node, q)}, x.circle)
        if p < 0:
            algebraic = algebraic._replace(above=algebraic.below, below=algebraic.above)
    return made(Number(ball, None, None, algebraic, End(ZERO, True)), a)


def whole_power(a: Number, n: int) -> Number | None:
    """a to a whole power other than 0, of a number that is not 0 if the power is negative."""
    if a.rational is not None and abs(n) * max(a.rational.p.bit_length(), a.rational.q.bit_length()) < LONGEST:
        return made(from_rational(a.rational**n), a)
    algebraic = None
    if a.algebraic is not None and abs(n) < 10_000:
        x = a.algebraic
        algebraic = x._replace(above=x.above * abs(n), below=x.below * abs(n))
        if n < 0:
            algebraic = algebraic._replace(above=algebraic.below, below=algebraic.above)
    sign = sign_of(a)
    low = high = None
    if n % 2 == 0 or sign.sign == 1:
        low = End(ZERO, sign.sign in (1, -1) and not sign.taken)
    elif sign.sign == -1:
        high = End(ZERO, not sign.taken)
    elif sign.weak == 1:
        low = End(ZERO, False)
    return made(Number(a.ball**n, None, None, algebraic, low, high), a)


def rational_near(ball: Any, most: int = 24) -> Any:
    """The fraction with a small denominator that a ball holds, if there is one."""
    for q in range(1, most + 1):
        nearest = nearest_integer(ball * q)
        if nearest is not None:
            return fmpq(nearest, q)
    return None


def _exact_root(value: Any, k: int) -> Any:
    if value < 0 or max(value.p.bit_length(), value.q.bit_length()) > LONGEST:
        return None
    p, q = value.p.root(k), value.q.root(k)
    return fmpq(p, q) if p**k == value.p and q**k == value.q else None


def _short(a: Number, b: Number) -> bool:
    return bool(sum(x.rational.p.bit_length() + x.rational.q.bit_length() for x in (a, b)) < LONGEST)


def _sum(a: End | None, b: End | None) -> End | None:
    return None if a is None or b is None else End(a.at + b.at, a.strict or b.strict)


def _product(a: Number, b: Number) -> tuple[End | None, End | None]:
    """Bounds of a product: by a fraction, or by the signs of its factors."""
    for x, y in ((a, b), (b, a)):
        if x.rational is not None:
            low = None if y.low is None else End(y.low.at * x.rational, y.low.strict)
            high = None if y.high is None else End(y.high.at * x.rational, y.high.strict)
            return (low, high) if x.rational > 0 else (high, low)
    first, second = sign_of(a), sign_of(b)
    if first.taken or second.taken:
        return None, None
    signs = [s.sign or s.weak for s in (first, second)]
    if 0 in signs or 0 in (first.sign, second.sign):
        return None, None
    end = End(ZERO, first.sign is not None and second.sign is not None)
    return (end, None) if signs[0] == signs[1] else (None, end)
