"""A closer look at a single equation: where it may change its mind, and how certain that is.

The stages of `decide` look at fixed points. This looks at lines through all orthants, at both sides of every zero of
what stands inside a root, logarithm, absolute value, inverse function or divisor, into every cell between such zeros,
and at simple fractions; and it settles what counts in arithmetic that tells what is proven from what is taken.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.language.forest import Forest
from dgl_mathtree.language.variable_indices import place_word
from dgl_mathtree.oracle.compare import Code
from dgl_mathtree.oracle.critical_points import Line, Search, critical_functions, may_branch
from dgl_mathtree.oracle.exact_points import AGREE, AGREE_DEEPLY, ExactBudget, ExactPoints, Finding
from dgl_mathtree.oracle.lines import arrangements, cells_across, lines_at, lines_through, tests_on
from dgl_mathtree.oracle.point_samples import Constants, look
from dgl_mathtree.oracle.verdict import ENOUGH_DEFINED, FALSE_SHARE, Verdict
from dgl_mathtree.oracle.whole_exponents import whole_exponent_points
from dgl_mathtree.oracle.zeros import Zeros

Array = NDArray[Any]
TRIED_DIFFERENT, TRIED_OPEN, TRIED_EQUAL, TRIED_AROUND = 8, 24, 8, 8
"""Points of each kind that are settled exactly."""
TRIED_SHORT = 5
"""Points at which the sides differ from which the shortest is chosen."""
OPEN_BITS = 2048
"""At most this many bits: what is open at some points counts only where few are settled."""
SEARCHED = 64
"""Open points that are settled where few are defined."""
MOST_FOLLOWED, SWEEPS = 4, 2
"""Functions whose minima in several variables are followed, and how often along each variable."""
SIMPLE = tuple(Fraction(text) for text in "0 1 -1 2 -2 1/2 -1/2 3".split())
MOST_SIMPLE = 40
NEAR = (18, 28, 44)
"""How near the neighbours of a point are, as halvings of its size: a narrow part of the domain has only near ones."""
BITS_A_HALVING = 64
"""With how many bits more sides must agree at a nearer neighbour: a zero of high order has small values around it."""
WAYS = tuple(Fraction(text) for text in "1 -3/5 7/11 -13/17 19/23".split())
"""How far each variable moves to a neighbour, in steps, so that x = y is left behind."""
SHORT = (1, 10, 100, 1000, 10**5, 10**8)
"""Denominators with which a point is written if what it shows is true there too."""
FLOAT_RANGE = 1e300
SCALED = 4
"""How many bits more are asked for with each power of 2 by which a point is small or large: x^4 has these of x."""
ORDINARY = (0.7305, -1.3711, 2.6113, -0.2177, 5.1907)
"""Values at which nothing special happens."""

Point = dict[str, Fraction]


class Spot(NamedTuple):
    """A point, and what is known there."""

    point: Point
    finding: Finding


@dataclass
class Closer:
    """What a closer look found.

    Parameters
    ----------
    verdict : str
        The verdict.
    different, agreement : Spot, optional
        Where the sides differ, and where they agree in a whole neighbourhood.
    equal, defined : int
        At how many of the points that this look added the sides agree, and are defined.
    low, high : float
        The range of values that variables had.
    """

    verdict: Verdict
    different: Spot | None = None
    agreement: Spot | None = None
    equal: int = 0
    defined: int = 0
    low: float = 0.0
    high: float = 0.0


class CloserLook:
    """Looks closely at one equation.

    Parameters
    ----------
    forest : Forest
        The equation, its variables named by index.
    places : int
        Its number of variables.
    equal, different : int
        At how many points the stages found it so, as far as that is certain.
    spots : list of dict
        Some points at which they found it equal, or different.
    """

    def __init__(
        self, forest: Forest, places: int, equal: int = 0, different: int = 0, spots: Iterable[Point] = ()
    ) -> None:
        self._forest, self._places = forest, places
        self._equal, self._different = equal, different
        self._spots = list(spots)
        self._exact = ExactPoints(forest, ExactBudget())
        self._rows: list[Array] = []
        self._codes: list[Array] = []
        self._zeros = Zeros(forest, self._exact)
        self._branches = may_branch(forest)

    def run(self) -> Closer:
        """The verdict, and what it rests on."""
        if self._exact.free:
            return self._constant()
        result = self._conclude(self._look())
        known = np.concatenate(self._codes)
        result.equal = int((known == Code.EQUAL).sum())
        settled = (known == Code.EQUAL) | (known == Code.DIFFERENT)
        result.defined = int(settled.sum())
        points = np.concatenate(self._rows, axis=1)
        used = points[:, settled] if settled.any() else points
        result.low, result.high = float(used.min()), float(used.max())
        return result

    def _constant(self) -> Closer:
        found = self._exact.compare({}, AGREE_DEEPLY)
        if found.code == Code.DIFFERENT:
            return Closer("false", Spot({}, found))
        if found.code == Code.EQUAL:
            return Closer("true", equal=1, defined=1)
        return Closer("undefined" if found.code == Code.UNDEFINED else "undecided")

    # --- where to look ------------------------------------------------------------------------------------------------

    def _look(self) -> Closer | None:
        """Look at more and more points; what is said of the equation if that is clear before the end."""
        self._fixed = Constants.of(self._forest)
        functions = critical_functions(self._forest, self._vanishing())
        search = Search(functions, self._nodes)
        lines = lines_through(self._places, self._numbers())
        values = self._scan(lines, search)
        if self._branches and self._places > 2:
            self._add(arrangements(self._places))
        if (branch := self._branch()) is not None:
            return branch
        if functions and (self._branches or self._few()):
            self._look_between(search, lines, values)
            if self._places > 1 and self._branch() is None:
                self._follow_minima(search, lines, values)
        return None

    def _branch(self) -> Closer | None:
        """That the equation is a branch, if points of both kinds were seen and are what they seem."""
        known = np.concatenate(self._codes)
        seen = [self._equal, self._different]
        seen = [n + int((known == code).sum()) for n, code in zip(seen, (Code.EQUAL, Code.DIFFERENT), strict=True)]
        if not self._branches or not all(seen):
            return None
        different = self._find_difference(quickly=True)
        agreement = None if different is None else self._find_agreement()
        return None if agreement is None else Closer("branch", different, agreement)

    def _look_between(self, search: Search, lines: list[Line], values: list[Array]) -> None:
        zeros = search.zeros(lines, values)
        tests = [tests_on(line, some) for line, some in zip(lines, zeros, strict=True)]
        points = [_on(line, t) for line, t in zip(lines, tests, strict=True) if len(t)]
        if points:
            self._add(np.concatenate(points, axis=1))
        if (across := cells_across(lines, zeros)).shape[1]:
            self._add(across)
        for crossed, found in ((True, search.crossed), (False, search.touched)):
            for at, f, t in found:
                self._zeros.note(lines[at], search.functions[f], t, crossed)

    def _vanishing(self) -> set[int]:
        """The nodes that are 0, or all but 0, at some points of no special kind."""
        points = np.stack([np.roll(np.array(ORDINARY), k) for k in range(self._places)])
        values = self._nodes(points)
        known = np.isfinite(values)
        return set(np.flatnonzero(known.any(axis=1) & (~known | (np.abs(values) < 1e-9)).all(axis=1)).tolist())

    def _follow_minima(self, search: Search, lines: list[Line], values: list[Array]) -> None:
        """Follow functions that keep their sign along all lines down to their minima, variable by variable."""
        followed = 0
        for f in range(len(search.functions)):
            rows = [value[f] for value in values]
            signs = np.concatenate([np.sign(row[np.isfinite(row)]) for row in rows])
            if followed >= MOST_FOLLOWED or not len(signs) or ((signs > 0).any() and (signs < 0).any()):
                continue
            followed += 1
            sizes = [np.where(np.isfinite(row), np.abs(row), np.inf) for row in rows]
            at = min(range(len(lines)), key=lambda k: float(sizes[k].min()))
            best = _on(lines[at], lines[at].grid[[int(sizes[at].argmin())]])[:, 0]
            one = Search([search.functions[f]], self._nodes)
            for k in list(range(self._places)) * SWEEPS:
                line = lines_at(best)[k]
                t = one.lowest(line, one.values(_on(line, line.grid))[0])
                best = _on(line, np.array([t]))[:, 0]
            near = lines_at(best)
            self._look_between(search, near, self._scan(near, search))

    def _scan(self, lines: list[Line], search: Search) -> list[Array]:
        """Look at the grids of some lines; the critical functions there."""
        points = [_on(line, line.grid) for line in lines]
        nodes = self._add(np.concatenate(points, axis=1))
        if not search.functions:
            return []
        values = np.stack([function.of(nodes) for function in search.functions])
        return np.split(values, np.cumsum([some.shape[1] for some in points])[:-1], axis=1)

    def _add(self, points: Array) -> Array:
        points = np.clip(points, -FLOAT_RANGE, FLOAT_RANGE)
        found, nodes = look(self._forest, np.array([0]), self._named(points), self._fixed)
        self._rows.append(points)
        self._codes.append(found.codes[0])
        return nodes

    def _nodes(self, points: Array) -> Array:
        named = self._named(np.clip(points, -FLOAT_RANGE, FLOAT_RANGE))
        return look(self._forest, np.array([0]), named, self._fixed)[1]

    def _named(self, points: Array) -> dict[str, Array]:
        return {place_word(k): row for k, row in enumerate(points)}

    def _numbers(self) -> list[float]:
        """The equation's numbers, computed ones included, other than 0 and 1."""
        sizes = np.abs(self._fixed.values[self._fixed.where])
        return [float(n) for n in np.unique(sizes[np.isfinite(sizes)]) if n not in (0.0, 1.0)][:12]

    def _few(self) -> bool:
        known = sum(int(((some == Code.EQUAL) | (some == Code.DIFFERENT)).sum()) for some in self._codes)
        return self._equal + self._different + known < ENOUGH_DEFINED

    # --- what is there ------------------------------------------------------------------------------------------------

    def _find_difference(self, quickly: bool = False) -> Spot | None:
        """A point at which the sides differ, proven if there is such."""
        taken: Spot | None = None
        proven: list[Spot] = []
        waiting = [*self._chosen(Code.DIFFERENT, TRIED_DIFFERENT), *self._spots]
        if not self._different and not quickly:
            waiting += self._chosen(Code.OPEN, TRIED_OPEN)
        for point in waiting:
            found = self._exact.compare(point, most=OPEN_BITS)
            if found.code == Code.DIFFERENT:
                if found.taken:
                    taken = taken or Spot(point, found)
                else:
                    proven.append(self._shortened(Spot(point, found)))
            if len(proven) >= TRIED_SHORT or (proven and _length(proven[-1]) < 4):
                break
        if proven:
            return min(proven, key=_length)
        if self._different or quickly:
            return taken
        return (
            self._look_deeply()
            or self._look_at_simple_points()
            or self._look_at_whole_exponents()
            or self._look_at_zeros()
            or taken
        )

    def _look_deeply(self) -> Spot | None:
        """At points that look equal, with many digits, at two of them with very many."""
        for k, point in enumerate(self._chosen(Code.EQUAL, TRIED_EQUAL)):
            found = self._exact.compare(point, _agreement_bits(point, AGREE_DEEPLY if k % 4 == 0 else AGREE))
            if found.code == Code.DIFFERENT and not found.taken:
                return Spot(point, found)
        return None

    def _simple_points(self) -> list[Point]:
        names = [place_word(k) for k in range(self._places)]
        rng = np.random.default_rng(self._places)
        every = list(product(SIMPLE, repeat=self._places)) if self._places <= 2 else []
        while len(every) < MOST_SIMPLE and self._places > 2:
            every.append(tuple(SIMPLE[k] for k in rng.integers(len(SIMPLE), size=self._places)))
        return [dict(zip(names, values, strict=True)) for values in every[:MOST_SIMPLE]]

    def _look_at_simple_points(self) -> Spot | None:
        for point in [*_unique(self._zeros.simple)[:MOST_SIMPLE], *self._simple_points()]:
            found = self._exact.compare(point)
            if found.code == Code.DIFFERENT and not found.taken:
                return Spot(point, found)
        return None

    def _look_at_whole_exponents(self) -> Spot | None:
        """Where powers with variable exponents have negative bases: they are defined at single points only."""
        points = whole_exponent_points(self._forest, self._places)
        if not points.shape[1]:
            return None
        codes = look(self._forest, np.array([0]), self._named(points), self._fixed)[0].codes[0]
        for code, most in ((Code.DIFFERENT, TRIED_DIFFERENT), (Code.OPEN, TRIED_OPEN)):
            columns = np.flatnonzero(codes == code)
            for column in columns[:: max(1, len(columns) // most)].tolist()[:most]:
                point = {place_word(k): Fraction(float(value)) for k, value in enumerate(points[:, column])}
                found = self._exact.compare(point, most=OPEN_BITS)
                if found.code == Code.DIFFERENT and not found.taken:
                    return Spot(point, found)
        return None

    def _look_at_zeros(self) -> Spot | None:
        found = self._zeros.difference()
        return None if found is None else Spot(*found)

    def _conclude(self, early: Closer | None) -> Closer:
        if early is not None:
            return early
        different = self._find_difference()
        known = np.concatenate(self._codes)
        defined = self._equal + self._different + int(((known == Code.EQUAL) | (known == Code.DIFFERENT)).sum())
        unsettled = 0
        if defined < ENOUGH_DEFINED:
            more, unsettled, spot = self._settle_open()
            defined += more
            different = different or spot
        if defined < ENOUGH_DEFINED and different is not None and not different.finding.taken:
            agreement = self._find_agreement() if self._branches else None
            return Closer("false" if agreement is None else "branch", different, agreement)
        if defined < ENOUGH_DEFINED:
            nowhere = int((known == Code.UNDEFINED).sum())
            # What the stages took for defined, and nothing here shows to be undefined, is not called so.
            doubtful = any(self._exact.compare(point, most=OPEN_BITS).code == Code.OPEN for point in self._spots)
            return Closer("undecided" if doubtful or unsettled > nowhere else "undefined")
        if different is None and not self._different:
            return Closer("undecided" if self._zeros.unexamined else "true")
        agreement = self._find_agreement() if self._branches else None
        return Closer("false" if agreement is None else "branch", different, agreement)

    def _settle_open(self) -> tuple[int, int, Spot | None]:
        """How many open points are defined after all, how many more stay open than do not, and a difference."""
        defined = balance = 0
        spot = None
        for point in _unique([*self._chosen(Code.OPEN, SEARCHED), *self._spots]):
            found = self._exact.compare(point)
            defined += found.code in (Code.EQUAL, Code.DIFFERENT)
            balance += 1 if found.code == Code.OPEN else -1
            if found.code == Code.DIFFERENT and spot is None:
                spot = Spot(point, found)
        return defined, balance, spot

    def _find_agreement(self) -> Spot | None:
        """A point at which the sides agree, as they do all around it where they are defined."""
        for point in [*self._chosen(Code.EQUAL, TRIED_AROUND), *self._spots, *self._chosen(Code.OPEN, TRIED_AROUND)]:
            found = self._exact.compare(point, _agreement_bits(point))
            if found.code == Code.EQUAL and self._agrees_around(point):
                return self._shortened(Spot(point, found))
        return None

    def _agrees_around(self, point: Point) -> bool:
        """Whether no neighbour shows a difference: an equality at a single point is not one of a branch."""
        codes: list[Code] = []
        for k, halvings in enumerate(NEAR):
            least = max(AGREE, BITS_A_HALVING * halvings)
            near = _neighbours(point, k, halvings)
            codes = [self._exact.compare(moved, _agreement_bits(moved, least)).code for moved in near]
            if Code.DIFFERENT not in codes:
                break
        if Code.DIFFERENT in codes:
            return False
        # Where no neighbour is defined, as with powers of negative numbers, the share of equal points decides.
        if Code.EQUAL in codes or self._equal + self._different:
            return Code.EQUAL in codes or self._equal > FALSE_SHARE * (self._equal + self._different)
        return self._often_equal()

    def _often_equal(self) -> bool:
        """Whether the sides agree at more than a few of the simple points at which they are defined."""
        found = [self._exact.compare(point, most=OPEN_BITS).code for point in self._simple_points()]
        equal, different = found.count(Code.EQUAL), found.count(Code.DIFFERENT)
        return equal > 1 and equal > FALSE_SHARE * (equal + different)

    def _shortened(self, spot: Spot) -> Spot:
        """The spot at a fraction with a short denominator, if the same is true there."""
        for most in SHORT:
            short = {name: value.limit_denominator(most) for name, value in spot.point.items()}
            if short == spot.point:
                break
            found = self._exact.compare(short)
            same = found.code == spot.finding.code and not found.taken
            if same and (found.code != Code.EQUAL or self._agrees_around(short)):
                return Spot(short, found)
        return spot

    def _chosen(self, code: Code, most: int) -> list[Point]:
        """At most this many points of a kind: evenly spread over each look, those of ordinary size first."""
        share = max(2, most // len(self._codes))
        found: list[Array] = []
        for points, codes in zip(reversed(self._rows), reversed(self._codes), strict=True):
            columns = np.flatnonzero(codes == code)
            if len(columns):
                spread = np.unique(np.linspace(0, len(columns) - 1, min(share, len(columns))).astype(int))
                found += list(points[:, columns[spread]].T)
        found = sorted(found[:most], key=lambda row: float(np.abs(np.log2(np.abs(row) + 2.0**-60)).max()))
        return [{place_word(k): Fraction(float(value)) for k, value in enumerate(row)} for row in found]


def _neighbours(point: Point, k: int, halvings: int) -> list[Point]:
    """Two neighbours of a point, on different sides of it."""
    return [
        {
            name: value + step * WAYS[(at + k) % len(WAYS)] * (abs(value) or 1)
            for at, (name, value) in enumerate(point.items())
        }
        for step in (Fraction(1, 2**halvings), Fraction(-1, 2 ** (halvings + 1)))
    ]


def _agreement_bits(point: Point, least: int = AGREE) -> int:
    """Bits with which sides must agree at a point: more where it is so small or large that e^x - 1 has few of them."""
    sizes = [abs(value.numerator.bit_length() - value.denominator.bit_length()) for value in point.values() if value]
    return least + SCALED * max(sizes, default=0)


def _length(spot: Spot) -> int:
    """How many digits it takes to write a point."""
    return max(len(str(value)) for value in spot.point.values())


def _on(line: Line, t: Array) -> Array:
    """(variables, points) the points of a line."""
    return np.asarray(line.base[:, None] + line.direction[:, None] * t[None, :])


def _unique(points: list[Point]) -> list[Point]:
    return list({tuple(point.items()): point for point in points}.values())
