"""The lines along which typed equations are looked at, and the points on them."""

from __future__ import annotations

from itertools import islice, permutations, product
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
MOST_COMBINED, MOST_CELLS_COMBINED = 2000, 24
PARTS, FEW_CELLS = (0.47, 0.16, 0.71, 0.88), 6
"""Where in a cell values lie; the first alone if there are more cells."""
ALONE = (0.73, -1.37)
"""Values of a variable along which there are no zeros."""
MOST_ORDERS = 720
"""Those of six variables."""
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


def arrangements(places: int) -> Array:
    """(variables, points) values in every order, and with every pattern of signs, as far as these are not too many."""
    sizes = np.resize(SIZES, places) * (1 + np.arange(places) / 8)
    orders = np.array(list(islice(permutations(range(places)), MOST_ORDERS)))
    signs = np.array(list(islice(product((1.0, -1.0), repeat=places), MOST_ORDERS)))
    ranks = np.concatenate([orders + 1.0, orders - (places - 1) / 2 + 0.125]) * (1 + 1 / 16)
    return np.asarray(np.concatenate([ranks, signs * sizes]).T)


def cells_across(lines: list[Line], zeros: list[Array]) -> Array:
    """(variables, points) values in cells between zeros along each variable, combined.

    What bounds the domain by one variable at a time has the same zeros on all lines along this variable, and no line
    need cross a box that is narrow in all of them.
    """
    places = len(lines[0].base)
    found: list[list[Array]] = [[] for _ in range(places)]
    for line, some in zip(lines, zeros, strict=True):
        used = np.flatnonzero(line.direction)
        if len(used) == 1 and line.direction[used[0]] == 1.0 and line.base[used[0]] == 0.0:
            found[used[0]].append(some)
    sides = [_in_cells(np.concatenate(some)) if some else np.zeros(0) for some in found]
    if places < 2 or not all(len(side) for side in sides):
        return np.zeros((places, 0))
    count = int(np.prod([len(side) for side in sides], dtype=float))
    if count <= MOST_COMBINED:
        chosen = np.unravel_index(np.arange(count), [len(side) for side in sides])
    else:
        rng = np.random.default_rng(places)
        chosen = tuple(rng.integers(len(side), size=MOST_COMBINED) for side in sides)
    return np.stack([side[k] for side, k in zip(sides, chosen, strict=True)])


def _in_cells(zeros: Array) -> Array:
    """Values between each two neighbouring zeros, and one on each side of all; the narrowest cells if too many."""
    ordered = np.unique(zeros)
    if not len(ordered):
        return np.array(ALONE)
    gaps = np.diff(ordered)
    apart = np.flatnonzero(gaps > 1e-9 * np.maximum(np.abs(ordered[:-1]), 2.0**-20))  # what is nearer is one zero
    narrow = apart[np.argsort(gaps[apart])][:MOST_CELLS_COMBINED]
    outside = [ordered[0] - abs(ordered[0]) - 0.7, ordered[-1] + abs(ordered[-1]) + 0.7]
    inner = [ordered[narrow] + part * gaps[narrow] for part in (PARTS if len(narrow) <= FEW_CELLS else PARTS[:1])]
    return np.concatenate([outside, *inner])


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
