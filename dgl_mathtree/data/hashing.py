"""The hash that keys of equations are made of: the same on every machine and for every Python."""

from __future__ import annotations

from collections.abc import Callable

_PRIME_1, _PRIME_2, _PRIME_5 = 11400714785074694791, 14029467366897019727, 2870177450012600261
_WORD, _LANE = 2**64 - 1, 2**61 - 1


def spelled_out(numbers: tuple[int, ...]) -> int:
    """A hash of whole numbers, of any size and sign: 64 bits, signed.

    The rounds of xxHash's tail, each number first reduced modulo 2**61 - 1. These are the values that 64-bit CPython
    (3.8 to 3.13) gives for ``hash(numbers)``; data was made with them, and they are spelled out here so that it stays
    the same whatever `hash` becomes.

    Examples
    --------
    >>> spelled_out((27, 1000, 1001))
    539021095296702060
    """
    state = _PRIME_5
    for number in numbers:
        lane = number % _LANE if number >= 0 else -(-number % _LANE)
        state = (state + (lane if lane != -1 else -2) * _PRIME_2) & _WORD
        state = ((state << 31 & _WORD | state >> 33) * _PRIME_1) & _WORD
    state = (state + (len(numbers) ^ _PRIME_5 ^ 3527539)) & _WORD
    if state == _WORD:
        return 1546275796
    return state - (state >> 63 << 64)


_SAMPLES: tuple[tuple[int, ...], ...] = (
    *((), (0,), (-1,), (-2,), (27, 1000, 1001), (True, 2**61 - 1, 2**61), (-(2**63), 2**63 - 1)),
    tuple(range(-50, 50)),
    tuple(7**k * (-1) ** k for k in range(100)),
)


def chosen(own: Callable[[tuple[int, ...]], int]) -> Callable[[tuple[int, ...]], int]:
    """Python's own hash of a tuple, many times as fast, if it gives the same as `spelled_out`, else that."""
    return own if all(own(some) == spelled_out(some) for some in _SAMPLES) else spelled_out


mix = chosen(hash)
