"""Sets of signs: which of negative, zero and positive a number may be, as a mask of three bits.

Strict and weak inequalities are kept apart throughout: `NONNEGATIVE` has the bit `ZERO`, `POSITIVE` has not.
"""

from __future__ import annotations

NEGATIVE, ZERO, POSITIVE = 1, 2, 4
NONPOSITIVE, NONZERO, NONNEGATIVE = NEGATIVE | ZERO, NEGATIVE | POSITIVE, ZERO | POSITIVE
ANY = 7
RELATIONS = {">": POSITIVE, ">=": NONNEGATIVE, "<": NEGATIVE, "<=": NONPOSITIVE, "!=": NONZERO, "=": ZERO}
_VALUES = {NEGATIVE: -1, ZERO: 0, POSITIVE: 1}
_MASKS = {-1: NEGATIVE, 0: ZERO, 1: POSITIVE}


def _members(mask: int) -> list[int]:
    return [value for bit, value in _VALUES.items() if mask & bit]


_PRODUCT = [[0] * 8 for _ in range(8)]
_SUM = [[0] * 8 for _ in range(8)]
_SQUARE = [0] * 8
for _a in range(8):
    for _x in _members(_a):
        _SQUARE[_a] |= _MASKS[_x * _x]
    for _b in range(8):
        for _x in _members(_a):
            for _y in _members(_b):
                _PRODUCT[_a][_b] |= _MASKS[_x * _y]
                _SUM[_a][_b] |= ANY if _x * _y < 0 else _MASKS[max(-1, min(1, _x + _y))]


def product(a: int, b: int) -> int:
    """The signs of products of numbers with signs a and b."""
    return _PRODUCT[a][b]


def total(a: int, b: int) -> int:
    """The signs of sums."""
    return _SUM[a][b]


def negated(a: int) -> int:
    """The signs of negatives."""
    return _PRODUCT[NEGATIVE][a]


def whole_power(a: int, n: int) -> int:
    """The signs of whole powers, where they are defined."""
    if n == 0:
        return POSITIVE
    if n < 0:
        a &= NONZERO
    return _SQUARE[a] if n % 2 == 0 else a


def of_number(value: object) -> int:
    """The sign of a rational number."""
    return POSITIVE if value > 0 else NEGATIVE if value < 0 else ZERO  # type: ignore[operator]
