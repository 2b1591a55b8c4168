"""The lines along which typed equations are looked at, and the points on them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.oracle.critical_points import Line

Array = NDArray[Any]
JITTER = 1.0 + 2.0**-13 + 2.0**-17
"""Moves a grid off the numbers at which something special happens."""
SIZES = (1.0, 1.37, 0.73, 1.91, 0.44, 1.13, 0.59, 2.3)
BASES = (
    (0.31, -0.23, 0.17, -0.41, 0.29, -0.13, 0.37, -0.19),
    (1.3, -0.8, 1.7, -1.1, 0.9, -1.9, 1.2, -0.7),
    (-4.1, 7.3, -5.7, 3.3, 6.1, -8.9, 4.7, 9.1),
    (0.6, 0.9, 0.5, 0.7, 0.8, 0.4, 0.65, 0.75),
)
MOST_RAYS = 16
NEAR = (2.0**-40, 2.0**-24, 2.0**-11)
"""How far from a zero, relative to its size, points on both sides lie."""
INSIDE = 13
"""Points in each cell between two zeros."""
MOST_CELLS = 40


def full_grid() -> Array:
    """Values of one variable: evenly up to 16, and by powers of two out to where floating point ends."""
    even = np.arange(1, 1025) / 64
    powers = np.exp2(np.arange(-60, 60, 0.25))
    far = np.exp2(np.concatenate([np.arange(-960, -60, 12), np.arange(60, 960, 12)]))
    half = JITTER * np.unique(np.concatenate([even, powers, far]))
    return np.concatenate([-half[::-1], half])


def short_grid() -> Array:
    """Values of t on one of many lines."""
    half = JITTER * np.unique(np.concatenate([np.arange(1, 49) / 8, np.exp2(np.arange(-36, 44, 0.5))]))
    return np.concatenate([-half[::-1], half])


def local_grid() -> Array:
    """Values of t around a point that was found."""
    half = JITTER * np.exp2(np.arange(-34, 10, 0.75))
    return np.concatenate([-half[::-1], [0.0], half])


def lines_through(places: int, numbers: list[float]) -> list[Line]:
    """Lines for some number of variables: rays into every orthant, and lines along each variable."""
    if places == 1:
        return [Line(np.zeros(1), np.ones(1), _with_numbers(full_grid(), numbers))]
    grid = short_grid()
    sizes = np.resize(SIZES, places)
    rays = (
        [np.array((1.0, *signs)) * sizes for signs in product((1.0, -1.0), repeat=min(places, 5) - 1)]
        if (places <= 5)
        else []
    )
    if places > 5:
        rng = np.random.default_rng(places)
        rays = [np.where(rng.random(places) < 0.5, 1.0, -1.0) * sizes for _ in range(MOST_RAYS)]
    lines = [Line(np.zeros(places), ray, grid) for ray in rays[:MOST_RAYS]]
    for shift in range(2 if places == 2 else 1):
        for base in BASES:
            middle = np.roll(np.resize(base, places), shift)
            for k in range(places):
                direction = np.zeros(places)
                direction[k] = 1.0
                held = middle.copy()
                held[k] = 0.0
                lines.append(Line(held, direction, _with_numbers(grid, numbers)))
    return lines


def lines_at(point: Array) -> list[Line]:
    """Lines through a point along each variable, dense around it."""
    return [Line(point, np.eye(len(point))[k] * max(1.0, abs(point[k])), local_grid()) for k in range(len(point))]


def _with_numbers(grid: Array, numbers: list[float]) -> Array:
    """The grid with both sides of an equation's numbers, and of their squares, roots, inverses and exponentials."""
    kept = []
    with np.errstate(all="ignore"):
        for n in numbers:
            size = abs(n)
            for centre in (
                size,
                size * size,
                np.sqrt(size),
                1 / size,
                np.exp(min(size, 600.0)),
                np.log(size),
                n * np.pi,
            ):
                if np.isfinite(centre) and 1e-200 < abs(centre) < 1e200:
                    kept += [s * centre * (1 + f) for s in (1, -1) for f in (-2e-2, -1e-4, -1e-9, 1e-9, 1e-4, 2e-2)]
    return np.unique(np.concatenate([grid, np.array(kept)])) if kept else grid


def tests_on(line: Line, zeros: Array) -> Array:
    """Values of t on both sides of each zero and inside each cell between two of them."""
    if not len(zeros):
        return np.zeros(0)
    size = np.maximum(np.abs(zeros), 2.0**-20)
    parts = [zeros + side * near * size for side in (1.0, -1.0) for near in NEAR]
    apart = np.flatnonzero(np.diff(zeros) > 1e-13 * size[:-1])
    if len(apart) > MOST_CELLS:
        apart = apart[np.linspace(0, len(apart) - 1, MOST_CELLS).astype(int)]
    for k in apart.tolist():
        parts.append(zeros[k] + (zeros[k + 1] - zeros[k]) * (np.arange(1, INSIDE + 1) / (INSIDE + 1)))
    return np.unique(np.concatenate(parts))
