"""Ball arithmetic of any precision: the oracle's second stage, on the reals (Arb, by way of python-flint).

`operators` says which function computes which operator. Their last argument, `exact`, says whether what is next to the
edge of a domain is taken to be on it.

A value is a ball that certainly holds the true number, `None` where there certainly is no real one, or `OPEN` where the
precision does not tell. With more bits the open cases shrink to those where a number is exactly on the edge of a
domain. At the highest precision such a number is taken to be on the edge if it is nowhere near to losing its digits:
within 2^-800 of it, with no part so large or small that 1,024 bits could not tell it from the edge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from flint import arb, ctx, fmpq, fmpz

from dgl_mathtree.arithmetic.float_mode import trusted_floats

HIGHEST: Final = 1024
LADDER: Final = (64, 128, 256, 512, HIGHEST)
"""Bits of precision, tried in this order."""
LARGEST_EXPONENT: Final = 2**62
"""Exponents of at least this size are not taken for whole numbers."""
LARGEST_INTEGER: Final = 2**4096
"""Balls of at least this size are nowhere read as whole numbers."""


class _Open:
    """What is not known at this precision."""

    def __repr__(self) -> str:
        return "OPEN"


OPEN: Final = _Open()
Value = Any
"""An `arb`, None or OPEN; python-flint has no types."""

_EDGE: Final = arb(2) ** -800
LARGE, SMALL, SATURATED = arb(2) ** 400, arb(2) ** -400, arb(200)


def on_edge(gap: Any, exact: bool) -> bool:
    """Whether a gap, a ball around 0, is taken to be 0."""
    return bool(gap.is_zero() or (exact and gap.contains(0) and gap.rad() < _EDGE))


def arb_finite(x: Any) -> Value:
    """The ball, or OPEN where it is not finite."""
    return x if x.is_finite() else OPEN


def arb_inverse(x: Any, exact: bool) -> Value:
    """1 / x."""
    if x.contains(0):
        return None if on_edge(x, exact) else OPEN
    return arb_finite(1 / x)


def _in_unit(x: Any, exact: bool) -> int | _Open | None:
    """0 inside (-1, 1), the sign at its ends, None outside."""
    size = abs(x)
    if size < 1:
        return 0
    if size > 1:
        return None
    return (1 if x > 0 else -1) if on_edge(size - 1, exact) else OPEN


def arb_asin(x: Any, exact: bool) -> Value:
    side = _in_unit(x, exact)
    if not isinstance(side, int):
        return side
    return x.asin() if side == 0 else side * arb.pi() / 2


def arb_acos(x: Any, exact: bool) -> Value:
    side = _in_unit(x, exact)
    if not isinstance(side, int):
        return side
    return x.acos() if side == 0 else arb.pi() * (1 - side) / 2


def arb_atanh(x: Any, exact: bool) -> Value:
    side = _in_unit(x, exact)
    if not isinstance(side, int):
        return side
    return x.atanh() if side == 0 else None


def arb_acosh(x: Any, exact: bool) -> Value:
    if x > 1:
        return x.acosh()
    if x < 1:
        return None
    return arb(0) if on_edge(x - 1, exact) else OPEN


def arb_of_inverse(f: Callable[[Any, bool], Value]) -> Callable[[Any, bool], Value]:
    """The function x ↦ f(1 / x)."""

    def composed(x: Any, exact: bool) -> Value:
        inverted = arb_inverse(x, exact)
        return f(inverted, exact) if isinstance(inverted, arb) else inverted

    return composed


def arb_acot(x: Any, exact: bool) -> Value:
    if x.contains(0):
        return arb.pi() / 2 if on_edge(x, exact) else OPEN
    return (1 / x).atan()


def _ln(x: Any, exact: bool) -> Value:
    if x > 0:
        return x.log()
    return None if x < 0 or on_edge(x, exact) else OPEN


def arb_log(x: Any, base: Any, exact: bool) -> Value:
    above, below = _ln(x, exact), _ln(base, exact)
    if above is None or below is None:
        return None
    if above is OPEN or below is OPEN:
        return OPEN
    inverted = arb_inverse(below, exact)
    return above * inverted if isinstance(inverted, arb) else inverted


_HALF: Final = arb(0.5)


def nearest_integer(x: Any, limit: int = LARGEST_EXPONENT) -> Any:
    """The only integer that a ball holds, if there is just one and it is below a limit in size.

    FLINT ends the process where a ball is beyond 2 to the power of a machine word, or as close to 0.
    """
    if not abs(x) < limit:
        return None
    if abs(x) < _HALF:
        return fmpz(0) if x.contains(0) else None
    return x.unique_fmpz()


def integer(x: Any, exact: bool) -> int | None:
    """The integer that a ball stands for: itself, or the one that it is taken to be."""
    if x.is_integer() and abs(x) < LARGEST_EXPONENT:
        return int(x.unique_fmpz())
    if exact and abs(x) < LARGEST_EXPONENT and x.rad() < _EDGE:
        nearest = nearest_integer(x)
        return None if nearest is None else int(nearest)
    return None


def arb_whole_power(a: Any, n: int, exact: bool) -> Value:
    """a ^ n."""
    if n == 0:
        return arb(1)
    if n < 0 and a.contains(0):
        return None if on_edge(a, exact) else OPEN
    return arb_finite(a**n)


def arb_power(a: Any, b: Any, exact: bool) -> Value:
    n = integer(b, exact)
    if n is not None:
        return arb_whole_power(a, n, exact)
    if a > 0:
        return arb_finite(a**b)
    if a < 0:
        return OPEN if b.contains_integer() else None
    if on_edge(a, exact):
        return arb(0) if b > 0 else None if b < 0 else OPEN
    return OPEN


def arb_add(a: Any, b: Any, exact: bool) -> Value:
    """a + b, of real or complex balls."""
    return a + b


def arb_multiply(a: Any, b: Any, exact: bool) -> Value:
    """a * b, of real or complex balls."""
    return a * b


def method(ball: type, name: str) -> Callable[[Any, bool], Value] | None:
    """The function of Arb that has a name, for a type of balls (`arb` or `acb`); None if there is none."""
    call = getattr(ball, name, None)
    return None if call is None else lambda x, exact: arb_finite(call(x))


@lru_cache(maxsize=4096)
def leaf_fraction(word: str) -> Any:
    """A number's word as an exact fraction."""
    # By way of FLINT, which has no limit for the digits of a number as Python has.
    whole, _, below = word.partition("/")
    digits, _, decimals = whole.partition(".")
    return fmpq(fmpz(digits + decimals), fmpz(below) if below else fmpz(10) ** len(decimals))


def leaf(word: str) -> Any:
    """A number or constant, at the precision that is set."""
    if word == "pi":
        return arb.pi()
    if word == "e":
        return arb.const_e()
    return arb(leaf_fraction(word))


def arb_is_extreme(saturates: bool, argument: Any, value: Any) -> bool:
    """Whether digits that matter may be beyond the highest precision: very large or small, or next to a limit."""
    if saturates and not abs(argument) < SATURATED:
        return True
    size = abs(value)
    return not size < LARGE or (not value.contains(0) and not size > SMALL)


@dataclass(frozen=True)
class Field:
    """The functions of ball arithmetic over one kind of numbers.

    Parameters
    ----------
    number, leaf : callable
        The ball of a point's value, and of a leaf's word.
    ball : type
        What its values are: a node has a value of this type, or None, or OPEN.
    unary, binary : dict of str to callable
        The operators. The last argument says whether what is next to an edge is taken to be on it.
    whole_power : callable
        `Pow` with an exponent that is known to be a whole number.
    is_extreme : callable
        Of a word, its first argument and its value: whether digits that matter may be beyond the highest precision.
    exactly : callable
        What is done to a value at the highest precision, if no part of it is extreme.
    """

    number: Callable[[Any], Any]
    leaf: Callable[[str], Any]
    ball: type
    unary: dict[str, Callable[[Any, bool], Value]]
    binary: dict[str, Callable[[Any, Any, bool], Value]]
    whole_power: Callable[[Any, int, bool], Value]
    is_extreme: Callable[[str, Any, Any], bool]
    exactly: Callable[[Any], Any]

    def has(self, operator: str) -> bool:
        """Whether there is ball arithmetic for an operator; what has none is judged in floating point alone."""
        return operator in self.unary or operator in self.binary


def set_precision(bits: int) -> None:
    """Compute balls with this many bits from now on; setting it is slow, so it is left where it is needed again."""
    if ctx.prec != bits:
        ctx.prec = bits


@contextmanager
def own_precision() -> Iterator[None]:
    """Within it the precision may be set, and floating point is in the mode of IEEE 754; afterwards as it was."""
    before = ctx.prec
    try:
        with trusted_floats():
            yield
    finally:
        set_precision(before)
