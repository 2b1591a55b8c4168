"""The two stages of the oracle, on a chunk of equations whose variables are named by place.

The first looks at many points in floating point with error bounds. What it settles is settled: sides that differ by
more than their bounds are different, and sides that agree within a bound of 1e-11 of their size count as equal. The
second takes up single points in ball arithmetic: those that the first left open, those that look equal where others
differ, and one point of every equation that looks true, with enough digits that a near miss cannot pass.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.language.variable_indices import Placed, place_word
from dgl_mathtree.oracle.compare import Code
from dgl_mathtree.oracle.point_samples import Constants, Look, look
from dgl_mathtree.oracle.points import ORDINARY, Points
from dgl_mathtree.oracle.verdict import ENOUGH_DEFINED, FALSE_SHARE, FLOAT_BITS

Array = NDArray[Any]
SAMPLE = 3
"""So many of the points that floating point left open are certified if at least twelve others are settled."""
NUMBERS = 4
"""Numbers of an equation whose neighbourhood is looked at, those farthest from 1 first."""
COMPUTED = 2.0
"""Constants that are computed, of which there are many more, count as unusual from this many times as far from 1 on."""
SEARCHED = 96
"""So many open points are certified at most among those that are looked at where few are defined."""


class Stages:
    """A chunk of equations on its way through the stages.

    Parameters
    ----------
    placed : Placed
        The equations.
    points : Points
        Where to look.
    certify : bool
        Whether to send every equality, and one point of every difference, through ball arithmetic.
    """

    def __init__(self, placed: Placed, points: Points, certify: bool) -> None:
        self.placed, self.points, self.certify = placed, points, certify
        self.count = len(placed.names)
        self.places = np.array([len(names) for names in placed.names], dtype=np.int64)
        self._fixed = Constants.of(placed.forest)
        self.looks: list[Look] = []
        self.bits = np.full(self.count, FLOAT_BITS)
        self.equal = np.zeros(self.count, dtype=np.int64)
        self.different = np.zeros(self.count, dtype=np.int64)
        self.open = np.zeros(self.count, dtype=np.int64)
        self._counts = {Code.EQUAL: self.equal, Code.DIFFERENT: self.different, Code.OPEN: self.open}

    def run(self) -> None:
        """All looks that are needed, and both stages."""
        self.first_stage()
        self._second_stage(np.flatnonzero(self._undecided()))
        self._near_numbers(np.flatnonzero(self._few()), 0.05, times=10)
        for apart in (True, False):
            few = np.flatnonzero(self._few() & (self.places > (0 if apart else 1)))
            self._certify_open(self._look(few, partial(self.points.search, apart=apart)), SEARCHED)
        few = np.flatnonzero(self._few() & (self.places > 0))
        self._certify_open(self._look(few, self.points.special), SEARCHED)
        self._spot_check()

    def first_stage(self) -> None:
        """What floating point says at the points that every equation of a kind is looked at."""
        self.first_look()
        self._near_numbers(np.arange(self.count), math.log(ORDINARY), times=2)
        several = self._undecided() & (self.places > 1)
        self._look(np.flatnonzero(several), partial(self.points.round, 1))

    def first_look(self) -> None:
        """The first round of points, for all."""
        highest = int(self.places.max(initial=0))
        points = {place_word(k): self.points.round(0, k) for k in range(max(highest, 1))}
        found, values = look(self.placed.forest, np.arange(self.count), points, self._fixed)
        self._sizes = np.abs(values[:, 0])
        self.looks.append(found)
        self._count(found)

    def _undecided(self) -> Array:
        """(equations,) whether more than the counts so far is needed: all but what is clearly false."""
        known = self.equal + self.different
        false = (self.different >= ENOUGH_DEFINED) & (self.equal <= FALSE_SHARE * known) & (self.open <= known / 2)
        return np.asarray(~false)

    def _few(self) -> Array:
        return self.equal + self.different < ENOUGH_DEFINED

    def _look(self, rows: Array, values_of: Callable[[int], Array]) -> Look | None:
        if not len(rows):
            return None
        highest = int(self.places[rows].max())
        points = {place_word(k): values_of(k) for k in range(max(highest, 1))}
        part, nodes = self.placed.forest.take_with_nodes(rows)
        found, _ = look(part, rows, points, self._fixed.take(nodes))
        self.looks.append(found)
        self._count(found)
        return found

    def _count(self, some: Look) -> None:
        for code, counts in self._counts.items():
            counts[some.rows] += (some.codes == code).sum(axis=1)

    def _settle(self, some: Look, rows: Array, columns: Array, codes: Array) -> None:
        """Set what is known of equations of a look, each at a point; of those without variables, at all points."""
        free = self.places[some.rows[rows]] == 0
        width = some.codes.shape[1]
        columns = np.concatenate([columns[~free], np.tile(np.arange(width), int(free.sum()))])
        rows = np.concatenate([rows[~free], np.repeat(rows[free], width)])
        codes = np.concatenate([codes[~free], np.repeat(codes[free], width)])
        old, which = some.codes[rows, columns], some.rows[rows]
        for code, counts in self._counts.items():
            counts += np.bincount(which[codes == code], minlength=self.count)
            counts -= np.bincount(which[old == code], minlength=self.count)
        some.codes[rows, columns] = codes

    def _near_numbers(self, rows: Array, least: float, times: int) -> None:
        """Look near the numbers of some equations: constants, computed ones included, that are far from 1."""
        forest = self.placed.forest
        unusual = self._far_from_one(least)
        counts = np.concatenate([[0], np.cumsum(unusual[forest.members])])
        having = counts[forest.offsets[1:]] > counts[forest.offsets[:-1]]
        groups: dict[tuple[float, ...], list[int]] = {}
        for row in rows[having[rows] & (self.places[rows] > 0)].tolist():
            members = forest.members[forest.offsets[row] : forest.offsets[row + 1]]
            numbers = np.unique(self._sizes[members[unusual[members]]])
            numbers = numbers[np.argsort(-np.abs(np.log(numbers)), kind="stable")][:NUMBERS]
            groups.setdefault((float(self.places[row]), *numbers.tolist()), []).append(row)
        for (places, *centres), some in groups.items():
            near = partial(self.points.near, centres, places=int(places), times=times)
            found = self._look(np.array(some), near)
            if times > 2:
                self._certify_open(found, SEARCHED)

    def _far_from_one(self, least: float) -> Array:
        with np.errstate(all="ignore"):
            far = np.abs(np.log(self._sizes))
        written = self._fixed.where & ~self._fixed.computed
        computed = self._fixed.computed & (far > COMPUTED * least)
        return np.asarray(((written & (far > least)) | computed) & np.isfinite(far))

    def _second_stage(self, rows: Array) -> None:
        """Ball arithmetic where floating point does not do: at open points, and with `certify` at equal ones."""
        wanted = np.zeros(self.count, dtype=bool)
        wanted[rows] = True
        wanted &= (self.open > 0) | self.certify
        sampled = (self.equal + self.different >= ENOUGH_DEFINED) & (not self.certify)
        for code in (Code.OPEN, Code.EQUAL) if self.certify else (Code.OPEN,):
            for some in self.looks:
                asked = (some.codes == code) & wanted[some.rows, None]
                self._certify(some, _thinned(asked, sampled[some.rows], SAMPLE))
        self._confirm(rows)

    def _confirm(self, rows: Array) -> None:
        """Look with many digits at the equal points of equations that differ elsewhere: they may be near misses."""
        mixed = np.zeros(self.count, dtype=bool)
        mixed[rows] = (self.different[rows] > 0) & (self.equal[rows] > 0)
        for some in self.looks if mixed.any() else ():
            asked = (some.codes == Code.EQUAL) & mixed[some.rows, None] & ~some.confirmed
            self._certify(some, asked, deeply=True)
            some.confirmed |= asked

    def _certify_open(self, some: Look | None, most: int) -> None:
        if some is None:
            return
        asked = (some.codes == Code.OPEN) & self._few()[some.rows, None]
        self._certify(some, _thinned(asked, np.ones(len(some.rows), dtype=bool), most))
        self._confirm(some.rows)

    def _certify(self, some: Look, asked: Array, deeply: bool = False) -> None:
        """Compare equations in ball arithmetic at some of a look's points, given by a mask."""
        free = np.flatnonzero(self.places[some.rows] == 0)
        asked[free] &= np.cumsum(asked[free], axis=1) == 1  # the first point says it of all
        rows, columns = np.nonzero(asked)
        if not len(rows):
            return
        comparer = some.comparer
        found = comparer.compare_all_deeply(rows, columns) if deeply else comparer.compare_all(rows, columns, 128)
        self._take(some, rows, columns, *found)

    def _take(self, some: Look, rows: Array, columns: Array, codes: Array, bits: Array) -> None:
        """Settle points as ball arithmetic found them; it has no bits to show where it cannot do an operator."""
        able = bits > 0
        self._settle(some, rows[able], columns[able], codes[able])
        np.maximum.at(self.bits, some.rows[rows], bits)

    def _spot_check(self) -> None:
        """Look at a point of whatever looks true with many digits: what differs there is not true."""
        order = np.array(self.points.ordinary_first())
        waiting = (self.different == 0) & (self.equal >= ENOUGH_DEFINED)
        for some in self.looks:
            sides = some.forest.equations
            equal = (some.codes == Code.EQUAL) & (waiting[some.rows] & (sides[:, 0] != sides[:, 1]))[:, None]
            rows = np.flatnonzero(equal.any(axis=1))
            if not len(rows):
                continue
            preferred = order if equal.shape[1] == len(order) else np.arange(equal.shape[1])
            columns = preferred[equal[rows][:, preferred].argmax(axis=1)]
            codes, bits = some.comparer.compare_all_deeply(rows, columns)
            differs = codes == Code.DIFFERENT
            self._take(some, rows[differs], columns[differs], codes[differs], bits[differs])
            waiting[some.rows[rows]] = False
        self._confirm(np.flatnonzero(self._undecided()))


def _thinned(asked: Array, rows: Array, most: int) -> Array:
    """The mask with at most this many points, evenly spread, in each of some rows."""
    thinned = asked.copy()
    for k in np.flatnonzero(rows & (asked.sum(axis=1) > most)).tolist():
        columns = np.flatnonzero(asked[k])
        thinned[k] = False
        thinned[k, columns[np.linspace(0, len(columns) - 1, most).astype(np.int64)]] = True
    return np.asarray(thinned)
