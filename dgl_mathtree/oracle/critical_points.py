"""Where an equation may change its mind: the zeros of what stands inside roots, logarithms, divisors and the like.

Between two neighbouring zeros on a line every subexpression is analytic, so that an equation that holds in one part of
such a cell holds in all of it. Zeros are found along lines: by changes of sign on a grid, by following minima of the
size down to where they touch or cross 0, and then by cutting intervals into parts. That is floating point, and only
says where to look: what is found there is settled by `exact_points`.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.language.forest import Forest
from dgl_mathtree.language.vocabulary import is_integer
from dgl_mathtree.oracle.evaluate import constants

Array = NDArray[Any]
MOST_FUNCTIONS = 24
MOST_BRACKETS = 160
"""Intervals that are searched at once."""
PIECES = 16
ROUNDS = 11
"""Each round cuts an interval into sixteen parts (one around a minimum: into eight)."""

# For each operator, what makes an edge: the argument (0 is the first) and the values at which it has one.
_EDGES: dict[str, tuple[float, ...]] = {
    "asin": (1.0, -1.0),
    "acos": (1.0, -1.0),
    "atanh": (1.0, -1.0),
    "acosh": (1.0,),
    "asec": (1.0, -1.0, 0.0),
    "acsc": (1.0, -1.0, 0.0),
    "acoth": (1.0, -1.0, 0.0),
    "asech": (1.0, 0.0),
    "acot": (0.0,),
    "acsch": (0.0,),
    "coth": (0.0,),
    "csch": (0.0,),
}
_POLES = {"tan": "cos", "sec": "cos", "cot": "sin", "csc": "sin"}
BRANCHING = frozenset("asin acos atanh acosh asec acsc acoth asech acot acsch atan asinh log".split())
"""The operators, besides roots, that are not meromorphic."""


class Critical(NamedTuple):
    """A function whose zeros matter: a subexpression less a number, or the sine or cosine of one."""

    node: int
    offset: float
    wave: str = ""

    def of(self, values: Array) -> Array:
        """Its values, from those of all nodes."""
        row = values[self.node]
        if self.wave:
            return np.asarray(np.sin(row) if self.wave == "sin" else np.cos(row))
        return np.asarray(row - self.offset)


class Line(NamedTuple):
    """The points `base + t * direction`, and the values of t on its grid, in order."""

    base: Array
    direction: Array
    grid: Array


def critical_functions(forest: Forest, vanishing: Container[int] = ()) -> list[Critical]:
    """What makes edges in an equation, factors of it apart; each once, the simplest first.

    Parameters
    ----------
    vanishing : container of int
        The nodes that seem to be 0 everywhere. A power of one jumps where its exponent is 0.
    """
    words = [forest.words[k] for k in forest.word.tolist()]
    children = forest.children.tolist()
    fixed = constants(forest).tolist()
    found: dict[Critical, None] = {}

    def note(node: int, offset: float, wave: str = "") -> None:
        stack = [node]
        while stack:
            at = stack.pop()
            if fixed[at] or len(found) >= 4 * MOST_FUNCTIONS:
                continue
            found[Critical(at, offset, wave)] = None
            if offset == 0.0 and not wave and words[at] in ("Mul", "Pow"):
                stack += children[at] if words[at] == "Mul" else children[at][:1]

    for node, word in enumerate(words):
        first, second = children[node]
        if word == "Pow" and _has_edge(words[second]):
            note(first, 0.0)
        if word == "Pow" and first in vanishing:
            note(second, 0.0)
        elif word == "log":
            note(first, 0.0)
            note(second, 0.0)
            note(second, 1.0)
        for offset in _EDGES.get(word, ()):
            note(first, offset)
        if word in _POLES:
            note(first, 0.0, _POLES[word])
    heights = forest.height.tolist()
    return sorted(found, key=lambda some: (heights[some.node], some.node, some.offset, some.wave))[:MOST_FUNCTIONS]


def may_branch(forest: Forest) -> bool:
    """Whether an equation has anything that is not meromorphic: without it, it holds everywhere or almost nowhere."""
    words = [forest.words[k] for k in forest.word.tolist()]
    for node, word in enumerate(words):
        if word in BRANCHING or (word == "Pow" and not is_integer(words[forest.children[node, 1]])):
            return True
    return False


def _has_edge(exponent: str) -> bool:
    """Whether a power has an edge where its base is 0: also squares, which hide the sign from the root of them."""
    return not (is_integer(exponent) and exponent[0] != "-" and exponent[-1] in "13579")


class Search:
    """Finds zeros of critical functions along lines.

    Parameters
    ----------
    functions : list of Critical
        Which functions.
    evaluate : callable
        From points, an array (variables, points), to the values of all nodes, an array (nodes, points).
    """

    def __init__(self, functions: list[Critical], evaluate: Callable[[Array], Array]) -> None:
        self.functions, self._evaluate = functions, evaluate
        self.crossed: list[tuple[int, int, float]] = []
        """The line, the function and where on the line, for each change of sign that was found."""
        self.touched: list[tuple[int, int, float]] = []
        """The same for minima that touch 0."""

    def zeros(self, lines: list[Line], values: list[Array]) -> list[Array]:
        """For each line the values of t at which a function is 0, or touches it, in order.

        Parameters
        ----------
        values : list of (functions, points) array
            The functions on the grid of each line.
        """
        crossings: list[tuple[int, int, float, float]] = []
        dips: list[tuple[int, int, float, float]] = []
        for at, (line, rows) in enumerate(zip(lines, values, strict=True)):
            for f, row in enumerate(rows):
                crossings += [(at, f, *pair) for pair in _crossings(line.grid, row)]
                dips += [(at, f, *pair) for pair in _dips(line.grid, row)]
        found: list[list[float]] = [[] for _ in lines]
        touching, more, _ = self._follow(lines, _spread(dips, MOST_BRACKETS))
        self.touched = touching
        self.crossed = self._cut(lines, _spread(crossings, MOST_BRACKETS) + more)
        for at, _, t in self.touched + self.crossed:
            found[at].append(t)
        return [np.unique(np.array(some)) for some in found]

    def lowest(self, line: Line, row: Array) -> float:
        """Where on a line the first function is smallest in size, given its values on the grid."""
        dips = [(0, 0, *pair) for pair in _dips(line.grid, row)]
        _, crossing, minima = self._follow([line], _spread(dips, MOST_BRACKETS))
        size = np.where(np.isfinite(row), np.abs(row), np.inf)
        places = [
            float(line.grid[int(size.argmin())]),
            *(t for *_, t in minima),
            *((a + b) / 2 for *_, a, b in crossing),
        ]
        points = line.base[:, None] + line.direction[:, None] * np.array(places)
        size = np.abs(self.values(points)[0])
        return places[int(np.where(np.isfinite(size), size, np.inf).argmin())]

    def values(self, points: Array) -> Array:
        """(functions, points) the functions at some points."""
        nodes = self._evaluate(points)
        return np.stack([function.of(nodes) for function in self.functions])

    def _at(
        self, lines: list[Line], brackets: list[tuple[int, int, float, float]], steps: Array
    ) -> tuple[Array, Array]:
        """(brackets, steps) places along intervals, and the values of their functions there."""
        low, high = (np.array([bracket[k] for bracket in brackets])[:, None] for k in (2, 3))
        t = low + (high - low) * steps
        base = np.stack([lines[bracket[0]].base for bracket in brackets])
        direction = np.stack([lines[bracket[0]].direction for bracket in brackets])
        points = base[:, None, :] + t[:, :, None] * direction[:, None, :]
        nodes = self._evaluate(points.reshape(-1, base.shape[1]).T).reshape(-1, len(brackets), len(steps))
        rows = [self.functions[bracket[1]].of(nodes[:, k]) for k, bracket in enumerate(brackets)]
        return t, np.stack(rows)

    def _cut(self, lines: list[Line], brackets: list[tuple[int, int, float, float]]) -> list[tuple[int, int, float]]:
        """Where functions change their sign in some intervals."""
        steps = np.linspace(0.0, 1.0, PIECES + 1)
        for _ in range(ROUNDS if brackets else 0):
            t, rows = self._at(lines, brackets, steps)
            changes = np.sign(rows[:, :-1]) * np.sign(rows[:, 1:]) <= 0
            first = np.where(changes.any(axis=1), changes.argmax(axis=1), 0)
            index = np.arange(len(brackets))
            ends = zip(t[index, first].tolist(), t[index, first + 1].tolist(), strict=True)
            brackets = [(at, f, a, b) for (at, f, *_), (a, b) in zip(brackets, ends, strict=True)]
        return [(at, f, (a + b) / 2) for at, f, a, b in brackets]

    def _follow(
        self, lines: list[Line], brackets: list[tuple[int, int, float, float]]
    ) -> tuple[list[tuple[int, int, float]], list[tuple[int, int, float, float]], list[tuple[int, int, float]]]:
        """Minima of the size that are all but 0, intervals in which the sign changes after all, and all minima."""
        steps = np.linspace(0.0, 1.0, PIECES + 1)
        crossing: list[tuple[int, int, float, float]] = []
        scale: dict[tuple[int, int, int], float] = {}
        tagged = [(*bracket, k) for k, bracket in enumerate(brackets)]
        touching: list[tuple[int, int, float]] = []
        minima: list[tuple[int, int, float]] = []
        for turn in range(ROUNDS):
            if not tagged:
                break
            t, rows = self._at(lines, [some[:4] for some in tagged], steps)
            waiting = []
            for (at, f, low, high, k), where, row in zip(tagged, t, rows, strict=True):
                size = np.where(np.isfinite(row), np.abs(row), np.inf)
                scale.setdefault((at, f, k), float(np.max(size[[0, -1]])))
                best = int(size.argmin())
                known = row[np.isfinite(row)]
                if known.size and (known > 0).any() and (known < 0).any():
                    crossing += [(at, f, *pair) for pair in _crossings(where, row)]
                    continue
                low, high = float(where[max(best - 1, 0)]), float(where[min(best + 1, PIECES)])
                if turn == ROUNDS - 1:
                    minima.append((at, f, float(where[best])))
                    touching += minima[-1:] if size[best] < 1e-6 * scale[at, f, k] else []
                waiting.append((at, f, low, high, k))
            tagged = waiting
        return touching, crossing, minima


def _crossings(grid: Array, row: Array) -> list[tuple[float, float]]:
    with np.errstate(invalid="ignore"):
        changes = np.flatnonzero(np.sign(row[:-1]) * np.sign(row[1:]) <= 0)
    return list(zip(grid[changes].tolist(), grid[changes + 1].tolist(), strict=True))


def _dips(grid: Array, row: Array) -> list[tuple[float, float]]:
    """Intervals around minima of the size without a change of sign."""
    size = np.abs(row)
    with np.errstate(invalid="ignore"):
        least = (size[1:-1] <= size[:-2]) & (size[1:-1] <= size[2:]) & (np.sign(row[:-2]) * np.sign(row[2:]) > 0)
        least &= ~((size[1:-1] == size[:-2]) & (size[1:-1] == size[2:]))
    middle = np.flatnonzero(least) + 1
    return list(zip(grid[middle - 1].tolist(), grid[middle + 1].tolist(), strict=True))


def _spread(brackets: list[tuple[int, int, float, float]], most: int) -> list[tuple[int, int, float, float]]:
    """At most this many intervals: an equal share for each line and function, near 1 first, then evenly spread."""
    if len(brackets) <= most:
        return brackets
    groups: dict[tuple[int, int], list[tuple[int, int, float, float]]] = {}
    for bracket in brackets:
        groups.setdefault(bracket[:2], []).append(bracket)
    share = max(2, most // len(groups))
    kept = []
    for some in groups.values():
        near = sorted(some, key=lambda bracket: abs(np.log2(max(abs(bracket[2]), 1e-300))))[: (share + 1) // 2]
        even = [some[k] for k in np.linspace(0, len(some) - 1, share // 2).astype(int)]
        kept += list(dict.fromkeys([*near, *even]))
    return kept[: 2 * most]
