"""The points at which equations are looked at.

A point gives a value to every *place*: the first variable to appear in an equation has place 0, the next one place 1,
and so on, whatever they are called. Values are fractions with a small power of two below, so that each is a floating
point number exactly and can be printed and used as a witness.

The design is fixed: for every place it says in which cell (a narrow range of sizes, from near 0 to the thousands) and
with which sign each point lies. Any 48 points of it (a *round*) hold every cell once with either sign for each place,
and every pattern of signs of four places equally often. The seed only says where in its cell a point lies, so that it
has next to no say in a verdict.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# Sizes: near 0; on either side of 1, where the domains of inverse functions end; up to ten; tens; hundreds; thousands.
# Below each scale stands the power of two of the fractions there: about 12 bits, so that short products are exact.
SCALES: tuple[tuple[int, tuple[float, ...]], ...] = (
    (14, (0.002, 0.015, 0.08, 0.17, 0.35)),
    (12, (0.35, 0.5, 0.65, 0.8, 0.98)),
    (10, (1.02, 1.3, 1.6, 2.0, 2.5, 3.1)),
    (9, (3.2, 4.3, 5.7, 7.2, 9.5)),
    (6, (10.5, 20.0, 45.0, 95.0)),
    (4, (110.0, 300.0, 900.0)),
    (2, (1100.0, 3000.0, 9000.0)),
)
CELLS = tuple((low, high, bits) for bits, edges in SCALES for low, high in pairwise(edges))
ROUND = 2 * len(CELLS)
"""Points of a round: every cell, with either sign."""
LARGEST = max(high for _, high, _ in CELLS)
ORDINARY = 10.0
"""Numbers up to it, and down to its inverse, lie amid the cells; the neighbourhood of others is looked at besides."""

SEARCH_ROUNDS = 10
"""Rounds that are looked at besides where few points are defined."""
SPECIAL_POINTS = 96
NEAR_POINTS = 48
COMPLEX_POINTS = 24
_DESIGN = 20180430
"""Seeds what is the same for every seed: which cells meet at a point."""


@dataclass
class Points:
    """The points drawn with a seed.

    Parameters
    ----------
    seed : int
        Says where in its cell each point lies.

    Examples
    --------
    >>> points = Points(seed=0)
    >>> x, y = points.round(0, place=0), points.round(0, place=1)
    >>> x.shape, sorted({(bool(a < 0), bool(b < 0)) for a, b in zip(x, y)})
    ((48,), [(False, False), (False, True), (True, False), (True, True)])
    """

    seed: int = 0
    _known: dict[tuple[Any, ...], Array] = field(default_factory=dict, repr=False)

    def round(self, number: int, place: int) -> Array:
        """(48,) the values of a place in one round of the design."""
        key = "round", number, place
        if key not in self._known:
            cells, signs = _design(number, place)
            self._known[key] = signs * self._inside(cells, self._generator(0, number, place))
        return self._known[key]

    def ordinary_first(self) -> list[int]:
        """The points of the first round, those first whose first four places are all of ordinary size."""
        sizes = np.abs(np.log(np.abs(np.stack([self.round(0, place) for place in range(4)]))))
        return [int(k) for k in np.argsort(sizes.max(axis=0), kind="stable")]

    def search(self, place: int, apart: bool) -> Array:
        """(480,) the values of a place where more points are looked for.

        Parameters
        ----------
        apart : bool
            Whether each place has a cell of its own at each point; else all share it, as expressions need that are
            defined where all variables are small, or all are large.
        """
        rounds = [self.round(2 + k, place) for k in range(SEARCH_ROUNDS)]
        if not apart:
            for k in range(SEARCH_ROUNDS):
                cells, signs = _design(2 + k, 0)[0], _design(2 + k, place)[1]
                rounds[k] = signs * self._inside(cells, self._generator(1, k, place))
        return np.concatenate(rounds)

    def special(self, place: int) -> Array:
        """(96,) integers, half-integers, and some values of the usual kind, for a place."""
        fixed = np.random.default_rng([_DESIGN, 3, place])
        kinds = fixed.permutation(SPECIAL_POINTS) % 4
        rng = self._generator(2, 0, place)
        whole = rng.permutation(SPECIAL_POINTS) % 12 + 1.0
        half = rng.permutation(SPECIAL_POINTS) % 12 + 0.5
        usual = np.concatenate([self.round(0, place), self.round(1, place)])
        signs = fixed.choice([-1.0, 1.0], SPECIAL_POINTS)
        # A third of the points is whole, or whole and a half, for all places at once.
        together = np.arange(SPECIAL_POINTS) % 6
        kinds = np.where(together == 0, 0, np.where(together == 1, 2, kinds))
        return np.asarray(np.select([kinds <= 1, kinds == 2], [signs * whole, signs * half], usual))

    def near(self, numbers: Sequence[float], place: int, places: int, times: int = 1) -> Array:
        """(48 * times,) values near some numbers: at a third of the points for all places, at others for one.

        Parameters
        ----------
        numbers : sequence of float
            What an equation contains, not 0.
        place, places : int
            The place, and how many the equation has.
        """
        rng = self._generator(3, place, _code(numbers))
        index = np.arange(NEAR_POINTS * times)
        usual = np.resize(self.round(1, place)[rng.permutation(ROUND)], len(index))
        around = _around(numbers)
        fixed = np.random.default_rng([_DESIGN, 5, place])
        centre = np.resize(np.repeat(around, 2), len(index))[fixed.permutation(len(index))]
        sides = np.where(fixed.permutation(len(index)) % 2 == 0, 1.0, -1.0)
        size = np.abs(centre)
        widths = [0.03 * size, 0.001 * size, np.minimum(0.3, size / 4), np.ones(len(index))]
        steps = np.choose(rng.permutation(len(index)) % len(widths), widths)
        offset = sides * steps * rng.uniform(0.5, 1.5, len(index))
        chosen = (index % 3 == 0) | (index % (3 * places) // 3 == place)
        return np.where(chosen, _short(centre + offset), usual)

    def plane(self, place: int) -> Array:
        """(24,) complex values of a place, with parts of either sign and of several sizes."""
        key = "plane", place
        if key not in self._known:
            rng, fixed = self._generator(4, 0, place), np.random.default_rng([_DESIGN, 4, place])
            index = np.arange(COMPLEX_POINTS)
            sizes = np.array([[0.1, 0.8], [0.8, 2.0], [2.0, 4.5], [4.5, 12.0]])
            parts = []
            for shift in (0, 2):
                low, high = sizes[fixed.permutation(COMPLEX_POINTS) % len(sizes)].T
                sign = np.where(index >> ((place + shift) % 4) & 1, -1.0, 1.0)
                parts.append(sign * (np.floor(rng.uniform(low, high) * 256) + 0.5) / 256)
            self._known[key] = parts[0] + 1j * parts[1]
        return self._known[key]

    def _generator(self, *key: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, *key])

    def _inside(self, cells: Array, rng: np.random.Generator) -> Array:
        """Somewhere in each of some cells, an odd multiple of the cell's fraction: never a whole number or a half."""
        low, high, bits = np.array(CELLS)[cells].T
        unit = 2.0**-bits
        return np.asarray((2 * np.floor(rng.uniform(low, high) / unit / 2) + 1) * unit)


def _code(numbers: Sequence[float]) -> int:
    """A number that depends on some numbers and nothing else."""
    return int.from_bytes(np.array(numbers).tobytes()[-8:], "little") % 2**32


def _design(number: int, place: int) -> tuple[Array, Array]:
    """Cells and signs of a place in a round: each cell once with either sign, and all patterns of four signs."""
    index = np.arange(ROUND)
    if place < 15:
        # Bits of the index for four places, parities of several of its bits for further ones.
        mask = (1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14, 15)[place]
        odd = np.array([(i % 16 & mask).bit_count() & 1 for i in range(ROUND)], dtype=bool)
    else:
        odd = np.random.default_rng([_DESIGN, 1, place]).permutation(ROUND) % 2 == 0
    rng = np.random.default_rng([_DESIGN, 2, number, place])
    cells = np.empty(ROUND, dtype=np.int64)
    for side in (odd, ~odd):
        cells[index[side]] = rng.permutation(len(CELLS))
    return cells, np.where(odd, -1.0, 1.0)


def _around(numbers: Sequence[float]) -> Array:
    """Where something may happen to an equation with these numbers: at them, their inverses, roots, sums, quotients."""
    themselves = [sign * n for n in numbers for sign in (1.0, -1.0)]
    others = [sign / n for n in numbers for sign in (1.0, -1.0)]
    others += [sign * math.sqrt(abs(n)) for n in numbers for sign in (1.0, -1.0)]
    for i, a in enumerate(numbers):
        for b in numbers[:i]:
            others += [a + b, a - b, a / b, b / a]
    # The numbers themselves have two thirds of the points.
    others = list(dict.fromkeys(others))[: max(4, 24 - len(themselves))]
    repeated = themselves * max(1, round(2 * len(others) / len(themselves)))
    kept = [n for n in (*repeated, *others) if 1e-9 < abs(n) < 1e15]
    return np.array(kept or [1.0])


def _short(values: Array) -> Array:
    """Values in 24 bits: exact fractions of moderate length."""
    mantissa, exponent = np.frexp(values)
    return np.asarray(np.ldexp(np.rint(mantissa * 2**24), exponent - 24))
