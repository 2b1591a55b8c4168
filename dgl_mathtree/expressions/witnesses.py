"""Points that show what a verdict says: where the sides differ, and where they agree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from dgl_mathtree.expressions.certified import own_precision, set_precision
from dgl_mathtree.expressions.comparison import Code, Comparer, Comparison, compare
from dgl_mathtree.expressions.judgement import FLOAT_BITS, Judgement, Witness
from dgl_mathtree.expressions.looks import Look
from dgl_mathtree.expressions.places import Names, Placed, place, place_word
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
    if judgement.witness is None:
        return judgement
    placed = place([equation])
    names = placed.names[0]
    simple = [tuple(SIMPLE[(column + k) % len(SIMPLE)] for k in range(len(names))) for column in range(len(SIMPLE))]
    with own_precision():
        comparer = _comparer(placed, simple)
        witness, agreement = (
            None if old is None else _first(comparer, names, simple, code) or _at_its_point(placed, old, code)
            for old, code in ((judgement.witness, Code.DIFFERENT), (judgement.agreement, Code.EQUAL))
        )
    return replace(judgement, witness=witness, agreement=agreement)


Tried = Sequence[tuple[Fraction, ...]]
"""Points, each with a value for every place."""


def _comparer(placed: Placed, tried: Tried) -> Comparer:
    values = np.array(tried, dtype=np.float64).reshape(len(tried), -1)
    return Comparer(placed.forest, {place_word(k): column for k, column in enumerate(values.T)})


def _at_its_point(placed: Placed, old: Witness, code: Code) -> Witness:
    """A witness proven where it is: what floating point found becomes certain digits."""
    if old.bits > FLOAT_BITS:
        return old
    tried = [tuple(old.point[name] for name in placed.names[0])]
    return _first(_comparer(placed, tried), placed.names[0], tried, code) or old


def _first(comparer: Comparer, names: Names, tried: Tried, code: Code) -> Witness | None:
    """The first of some points at which ball arithmetic finds the sides equal, or different."""
    for column, point in enumerate(tried if names else tried[:1]):
        found = comparer.compare(0, column)
        if found.code == Code.EQUAL == code:
            found = comparer.compare_deeply(0, column)
        if found.code == code:
            return _proven(comparer, 0, column, found, dict(zip(names, point, strict=True)))
    return None


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
    """(points,) how long the fractions of each point are, for its first two places."""
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
