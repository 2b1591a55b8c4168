"""Both sides of equations compared in ball arithmetic, point by point, with as many bits as it takes."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dgl_mathtree.expressions.certified import (
    GROWING,
    HIGHEST,
    LADDER,
    OPEN,
    REALS,
    Field,
    Value,
    integer,
    set_precision,
)
from dgl_mathtree.expressions.forest import Forest
from dgl_mathtree.expressions.numerics import TINY, UNIT
from dgl_mathtree.expressions.vocabulary import OPERATORS

SECONDS = 2.0
"""For one equation at one point; after that the point is left open."""
DEEP_LADDER = (512, HIGHEST, 4096, 16384)
_AGREEMENT = arb(10) ** -30
_NOTHING = arb(10) ** -60


class Code(IntEnum):
    """What is known of an equation at a point."""

    UNDEFINED = 0
    EQUAL = 1
    DIFFERENT = 2
    OPEN = 3


class Comparison(NamedTuple):
    """What ball arithmetic says of an equation at a point, with how many bits, and the two sides."""

    code: Code
    bits: int
    left: Value = None
    right: Value = None


def compare(left: Value, right: Value, bits: int) -> Code:
    """Different if no number is in both balls; equal if they agree to 30 digits (two that hold 0: to 1e-60)."""
    if left is None or right is None:
        return Code.UNDEFINED
    if left is OPEN or right is OPEN:
        return Code.OPEN
    gap = left - right
    if not gap.contains(0):
        return Code.DIFFERENT
    radius = gap.rad()
    if left.contains(0) and right.contains(0):
        return Code.EQUAL if (bits > 128 and radius < _NOTHING) or gap.is_zero() else Code.OPEN
    return Code.EQUAL if radius <= _AGREEMENT * left.abs_upper() else Code.OPEN


class Comparer:
    """Compares a forest's equations at given points; what was computed for one equation serves the others.

    Parameters
    ----------
    forest : Forest
        The equations.
    points : mapping of str to (points,) array
        The values of each variable.
    field : Field
        Real or complex arithmetic.
    """

    def __init__(self, forest: Forest, points: Mapping[str, NDArray[Any]], field: Field = REALS) -> None:
        self.forest = forest
        self.field = field
        self.points = points
        self._memo: dict[tuple[int, int], tuple[list[Any], list[bool]]] = {}
        self._ready = False

    def _prepare(self) -> None:
        forest = self.forest
        self._ready = True
        self._words = [forest.words[k] for k in forest.word.tolist()]
        self._children = forest.children.tolist()
        self._sides = forest.equations.tolist()
        unknown = np.array([word in OPERATORS and not self.field.has(word) for word in forest.words], dtype=bool)
        counts = np.concatenate([[0], np.cumsum(unknown[forest.word[forest.members]])])
        self._all_able = not counts[-1]
        self._able = (counts[forest.offsets[1:]] == counts[forest.offsets[:-1]]).tolist()

    def able(self, equation: int) -> bool:
        """Whether all operators of an equation have ball arithmetic."""
        if not self._ready:
            self._prepare()
        return bool(self._able[equation])

    def compare(self, equation: int, point: int, least: int = LADDER[0]) -> Comparison:
        """An equation at a point, with more and more bits until it is settled."""
        if not self.able(equation):
            return Comparison(Code.OPEN, 0)
        deadline = time.monotonic() + SECONDS
        found = Comparison(Code.OPEN, 0)
        for bits in LADDER[LADDER.index(least) :]:
            left, right = self.sides(equation, point, bits)
            found = Comparison(compare(left, right, bits), bits, left, right)
            if found.code != Code.OPEN or time.monotonic() > deadline:
                break
        return found

    def compare_deeply(self, equation: int, point: int) -> Comparison:
        """An equation at a point with 150 digits at once; with up to 5,000 where numbers are very large or small.

        Equal then means that nothing is left that more digits could bring up, else the point stays open.
        """
        if not self.able(equation):
            return Comparison(Code.OPEN, 0)
        deadline = time.monotonic() + SECONDS
        found = Comparison(Code.OPEN, 0)
        for bits in DEEP_LADDER:
            left, right = self.sides(equation, point, bits)
            found = Comparison(compare(left, right, bits), bits, left, right)
            clear = not any(self._memo[point, bits][1][k] for k in self._sides[equation])
            if found.code == Code.DIFFERENT or (clear and found.code == Code.EQUAL):
                return found
            if (clear and bits >= HIGHEST) or time.monotonic() > deadline:
                break
        return found._replace(code=Code.OPEN if found.code == Code.EQUAL else found.code)

    def sides(self, equation: int, point: int, bits: int) -> tuple[Value, Value]:
        """The two sides at a point, in so many bits."""
        left, right = self._sides[equation]
        return self._value(left, point, bits), self._value(right, point, bits)

    def constant(self, node: int) -> tuple[float, float]:
        """The value of a node without variables as a float, and its error: 0 where it is exact.

        It is computed with all bits, and so tells sin(pi) from what is nearly 0. NaN and NaN where it has no value,
        NaN and infinity where it is beyond floating point.
        """
        if not self._ready:
            self._prepare()
        if not self._all_able:
            return math.nan, math.inf
        value = self._value(node, 0, HIGHEST)
        if value is None or value is OPEN:
            return math.nan, math.nan
        exact = integer(value, not self._memo[0, HIGHEST][1][node])
        if exact is not None and abs(exact) < 2**53:
            return float(exact), 0.0
        middle = float(value.mid())
        if not TINY < abs(middle) < math.inf:
            return math.nan, math.inf
        return middle, 0.0 if value.is_exact() and value == arb(middle) else UNIT * abs(middle)

    def _value(self, root: int, point: int, bits: int) -> Value:
        """A subexpression at a point; what is below it is computed where it is not known yet."""
        key = point, bits
        if key not in self._memo:
            self._memo[key] = [_UNKNOWN] * len(self.forest), [False] * len(self.forest)
        values, extreme = self._memo[key]
        if values[root] is not _UNKNOWN:
            return values[root]
        set_precision(bits)
        stack = [root]
        while stack:
            node = stack[-1]
            first, second = self._children[node]
            if first >= 0 and values[first] is _UNKNOWN:
                stack.append(first)
            elif second >= 0 and values[second] is _UNKNOWN:
                stack.append(second)
            else:
                self._compute(node, point, bits, values, extreme)
                stack.pop()
        return values[root]

    def _compute(self, node: int, point: int, bits: int, values: list[Any], extreme: list[bool]) -> None:
        word, field = self._words[node], self.field
        first, second = self._children[node]
        if first < 0:
            row = self.points.get(word)
            value = values[node] = field.leaf(word) if row is None else field.number(row[point])
            extreme[node] = row is None and field.is_extreme("", value, value)
            return
        a, b = values[first], values[second] if second >= 0 else _NONE
        if a is None or b is None or a is OPEN or b is OPEN:
            values[node] = None if a is None or b is None else OPEN
            return
        flagged = extreme[first] or (second >= 0 and extreme[second])
        exact = bits >= HIGHEST and not flagged
        value = field.unary[word](a, exact) if second < 0 else field.binary[word](a, b, exact)
        values[node] = value
        if bits >= DEEP_LADDER[0] and value is not None and value is not OPEN:
            extreme[node] = flagged or (word in GROWING and field.is_extreme(word, a, value))
            if exact and not extreme[node]:
                values[node] = field.exactly(value)


_NONE = object()
_UNKNOWN = object()
