"""Points that show what a verdict says: where the sides differ, and where they agree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx

from dgl_mathtree.expressions.certified import LADDER, own_precision, set_precision
from dgl_mathtree.expressions.comparison import Code, Comparer, Comparison, compare
from dgl_mathtree.expressions.judgement import FLOAT_BITS, Judgement, Witness
from dgl_mathtree.expressions.looks import Look
from dgl_mathtree.expressions.places import Names, place, place_word
from dgl_mathtree.expressions.stages import Stages
from dgl_mathtree.expressions.tree import Equation

SHOWN, MOST_SHOWN = 5, 50
"""Digits of the sides: so many, or more of them where that tells them apart, up to this; else the difference does."""
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
                    self.stages.bits[row] = max(self.stages.bits[row], found.bits)
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
    return _proven(comparer, k, column, found, point) if found.code == code else None


def _proven(comparer: Comparer, equation: int, column: int, found: Comparison, point: dict[str, Fraction]) -> Witness:
    """A witness from what ball arithmetic found, in so many bits that its difference has digits to show."""
    for bits in (2 * found.bits, 4 * found.bits) if found.code == Code.DIFFERENT else ():
        if (found.left - found.right).rel_accuracy_bits() >= ACCURATE:
            break
        left, right = comparer.sides(equation, column, bits)
        if compare(left, right, bits) != found.code:
            break
        found = Comparison(found.code, bits, left, right)
    return Witness(point, *certain_digits(found), found.bits)


def _costs(some: Look) -> Any:
    """(points,) how far the first variable is from 1, in powers of two: small where its fraction is short."""
    total = np.zeros(some.codes.shape[1])
    for name in list(some.points)[:1]:
        _, exponent = np.frexp(np.abs(some.points[name]))
        total += np.abs(exponent)
    return total


def certain_digits(found: Comparison) -> tuple[str, str, str]:
    """The sides in decimal digits that are certain, five or as many as tell them apart, and their difference."""
    set_precision(found.bits)
    difference = found.left - found.right
    digits = SHOWN
    if found.code == Code.DIFFERENT:
        larger = max(float(side.abs_upper().log()) for side in (found.left, found.right) if side != 0)
        apart = math.ceil((larger - float(difference.abs_lower().log())) / math.log(10)) + 2
        digits = max(SHOWN, apart if apart <= MOST_SHOWN else SHOWN)
    return cut(found.left, digits), cut(found.right, digits), cut(difference, SHOWN)


def cut(ball: Any, digits: int) -> str:
    """The first digits of a ball, cut off and not rounded; dots stand for those that were left out.

    Examples
    --------
    >>> from flint import arb
    >>> cut(arb.pi(), 6), cut(arb(-3) / 2, 6), cut(arb(10) ** -20 / 7, 3)
    ('3.14159...', '-1.5', '1.42...e-21')
    """
    if ball.is_zero() or ball.contains(0):
        return "0"
    # All digits that are certain: fewer would be rounded, and 2.99999999999999 would come out as 3.
    text: str = ball.str(digits + MOST_SHOWN, radius=False)
    if not ball.overlaps(arb(text)):  # so near to another number that it was rounded to it: tanh(1000) is not 1
        text = ball.str(ctx.prec, radius=False)
    mantissa, letter, exponent = text.partition("e")
    whole, _, decimals = mantissa.partition(".")
    before = len(whole.lstrip("-0"))
    zeros = 0 if before else len(decimals) - len(decimals.lstrip("0"))
    kept = decimals[: max(1, digits + zeros - before)]
    if not decimals[len(kept) :].strip("0"):
        kept = kept.rstrip("0")
        mantissa = f"{whole}.{kept}" if kept else whole
    else:
        mantissa = f"{whole}.{kept}..."
    return mantissa + letter + exponent
