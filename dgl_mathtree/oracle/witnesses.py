"""Points that show what a verdict says: where the sides differ, and where they agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from dgl_mathtree.arithmetic.arb_balls import HIGHEST, LADDER, own_precision
from dgl_mathtree.language.expr import Equation
from dgl_mathtree.language.variable_indices import Names, place, place_word
from dgl_mathtree.oracle.compare import Code, Comparer, Comparison, compare
from dgl_mathtree.oracle.decide import Stages
from dgl_mathtree.oracle.decimals import bounded, certain_digits
from dgl_mathtree.oracle.exact_points import ExactPoints
from dgl_mathtree.oracle.point_samples import Look
from dgl_mathtree.oracle.thorough import Spot
from dgl_mathtree.oracle.verdict import FLOAT_BITS, Judgement, Witness
from dgl_mathtree.oracle.zeros import Zero

ACCURATE = 40
"""Bits of a difference that are certain: more than its digits need."""
SIMPLE = tuple(Fraction(text) for text in "3/2 -1/4 2 1/2 -3/2 3 -1/2 5/2 1 -2 3/4 -5/2 4 -3 7 -7 12 -12".split())
"""Values that a person would try, in turn for each place."""


class Witnesses:
    """Finds witnesses in what the stages have looked at; with `certify`, each is proven in ball arithmetic."""

    def __init__(self, stages: Stages) -> None:
        self.stages = stages
        self._costs = [_costs(some) for some in stages.looks]
        self._looked: dict[tuple[int, ...], tuple[float, float]] = {}
        self._place = [dict(zip(some.rows.tolist(), range(len(some.rows)), strict=True)) for some in stages.looks]

    def find(self, row: int, code: Code) -> Witness | None:
        """The simplest of the points at which an equation is equal, or different."""
        for at, some in enumerate(self.stages.looks):
            k = self._place[at].get(row)
            if k is None:
                continue
            columns = np.flatnonzero(some.codes[k] == code)
            if len(columns):
                return self._witness(row, some, k, columns[np.argsort(self._costs[at][columns], kind="stable")], code)
        return None

    def looked(self, row: int) -> tuple[float, float] | None:
        """The smallest and the largest value of a variable of an equation."""
        places = int(self.stages.places[row])
        if not places:
            return None
        key = places, *(at for at, rows in enumerate(self._place) if row in rows)
        if key not in self._looked:
            values = [self.stages.looks[at].points[place_word(k)] for at in key[1:] for k in range(places)]
            self._looked[key] = min(float(v.min()) for v in values), max(float(v.max()) for v in values)
        return self._looked[key]

    def _witness(self, row: int, some: Look, k: int, columns: Any, code: Code) -> Witness:
        column = int(columns[0])
        if self.stages.certify or self.stages.bits[row] > FLOAT_BITS:
            for tried in columns.tolist():
                found = some.comparer.compare(k, tried)
                if found.code != code:
                    found = some.comparer.compare_deeply(k, tried)
                if found.code == code:
                    return _proven(some.comparer, k, tried, found, self._point(row, some, tried))
        a, b = (float(side) for side in some.sides[:, k, column])
        return Witness(self._point(row, some, column), repr(a), repr(b), repr(a - b), FLOAT_BITS)

    def _point(self, row: int, some: Look, column: int) -> dict[str, Fraction]:
        names = self.stages.placed.names[row]
        return {name: Fraction(float(some.points[place_word(k)][column])) for k, name in enumerate(names)}


def simplified(equation: Equation, judgement: Judgement) -> Judgement:
    """The judgement with its witnesses proven in ball arithmetic, at points of small fractions if there are such."""
    return simplified_all([equation], [judgement])[0]


def simplified_all(equations: Sequence[Equation], judgements: Sequence[Judgement]) -> list[Judgement]:
    """What `simplified` makes of the judgements on some equations, faster for many than one by one."""
    result = list(judgements)
    rows = [row for row, judgement in enumerate(judgements) if judgement.witness is not None]
    placed = place(equations[row] for row in rows)
    values = np.array([float(value) for value in SIMPLE])
    points = {place_word(k): np.roll(values, -k) for k in range(max(map(len, placed.names), default=0))}
    comparer = Comparer(placed.forest, points)
    with own_precision():
        different = _simplest(comparer, placed.names, range(len(rows)), Code.DIFFERENT)
        both = [k for k, row in enumerate(rows) if judgements[row].agreement is not None]
        equal = _simplest(comparer, placed.names, both, Code.EQUAL)
        for k, row in enumerate(rows):
            old = judgements[row]
            result[row] = replace(
                old,
                witness=different.get(k) or _at_its_point(equations[row], old.witness, Code.DIFFERENT),
                agreement=equal.get(k) or _at_its_point(equations[row], old.agreement, Code.EQUAL),
            )
    return result


def _simplest(comparer: Comparer, names: list[Names], equations: Iterable[int], code: Code) -> dict[int, Witness]:
    """The first of the simple points at which each of some equations is equal, or different, if there is one."""
    witnesses: dict[int, Witness] = {}
    for column in range(len(SIMPLE)):
        waiting = np.array([k for k in equations if k not in witnesses and (names[k] or column == 0)], dtype=np.int64)
        for _ in comparer.sweeps(waiting, np.full(len(waiting), column), LADDER[0]):
            for k in waiting.tolist():
                point = {name: SIMPLE[(column + at) % len(SIMPLE)] for at, name in enumerate(names[k])}
                if found := _shown(comparer, k, column, code, point):
                    witnesses[k] = found
    return witnesses


def _at_its_point(equation: Equation, old: Witness | None, code: Code) -> Witness | None:
    """A witness proven where it is: what floating point found becomes certain digits."""
    if old is None or old.bits > FLOAT_BITS:
        return old
    placed = place([equation])
    values = [np.array([float(old.point[name])]) for name in placed.names[0]]
    comparer = Comparer(placed.forest, {place_word(k): value for k, value in enumerate(values)})
    return _shown(comparer, 0, 0, code, old.point) or old


def _shown(comparer: Comparer, k: int, column: int, code: Code, point: dict[str, Fraction]) -> Witness | None:
    """The witness that an equation is equal, or different, at a point, if ball arithmetic finds it so."""
    found = comparer.compare(k, column)
    if found.code == Code.EQUAL == code:
        found = comparer.compare_deeply(k, column)
    if found.code != code:
        return None
    witness = _proven(comparer, k, column, found, point)
    return None if witness.taken and code == Code.DIFFERENT else witness


def _proven(comparer: Comparer, equation: int, column: int, found: Comparison, point: dict[str, Fraction]) -> Witness:
    """A witness from what ball arithmetic found, with enough bits to show digits of its difference."""
    taken = found.bits >= HIGHEST and _is_taken(comparer, equation, column, found.code)
    for bits in (2 * found.bits, 4 * found.bits) if found.code == Code.DIFFERENT else ():
        if (found.left - found.right).rel_accuracy_bits() >= ACCURATE:
            break
        left, right = comparer.sides(equation, column, bits)
        if compare(left, right, bits) != found.code:
            break
        found = Comparison(found.code, bits, left, right)
    return Witness(point, *certain_digits(found), found.bits, taken)


def _is_taken(comparer: Comparer, equation: int, column: int, code: Code) -> bool:
    """Whether what balls say of a point, with so high a precision that edges are taken, is not proven."""
    point = {name: Fraction(float(row[column])) for name, row in comparer.points.items()}
    found = ExactPoints(comparer.forest.take([equation])).compare(point)
    return found.code != code or found.taken


def witness_at(spot: Spot, names: Names) -> Witness:
    """The witness that a closer look found."""
    found = spot.finding
    real = {place_word(k): name for k, name in enumerate(names)}
    point = {name: spot.point[word] for word, name in real.items()}
    point = {name: value.named(real) if isinstance(value, Zero) else value for name, value in point.items()}
    left, right, difference = certain_digits(Comparison(found.code, found.bits, found.left, found.right))
    if found.order and (found.left - found.right).contains(0):  # known from bounds, without digits
        difference = "above 0" if found.order > 0 else "below 0"
    if found.bounds:
        left, right = bounded(found.left, left, *found.bounds[0]), bounded(found.right, right, *found.bounds[1])
    return Witness(point, left, right, difference, found.bits, found.taken)


def _costs(some: Look) -> Any:
    """(points,) how far the first variable is from 1, in powers of two: small where its fraction is short."""
    total = np.zeros(some.codes.shape[1])
    for name in list(some.points)[:1]:
        _, exponent = np.frexp(np.abs(some.points[name]))
        total += np.abs(exponent)
    return total
