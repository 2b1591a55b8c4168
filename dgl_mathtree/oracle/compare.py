"""Both sides of equations compared in ball arithmetic, point by point, with as many bits as it takes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dgl_mathtree.arithmetic.arb_balls import (
    HIGHEST,
    LADDER,
    OPEN,
    Field,
    Value,
    integer,
    set_precision,
)
from dgl_mathtree.arithmetic.float_balls import TINY, UNIT
from dgl_mathtree.arithmetic.operators import GROWING, REALS
from dgl_mathtree.language.forest import Forest
from dgl_mathtree.language.vocabulary import OPERATORS
from dgl_mathtree.oracle.arb_sweeps import DEEP, SweepProgram, SweepSchedule

Ints = NDArray[np.int64]
UNITS = 200_000.0
"""Work for one equation at one point, in operations with 1,024 bits; after that the point is left open."""
FEW = 12
"""Fewer equations than this at a point are computed one by one: to arrange a pass over them would take longer."""
DEEP_LADDER = (DEEP, HIGHEST, 4096, 16384)
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


# A member of an IntEnum is slow to look up, and `compare` is called for every equation and point.
_UNDEFINED, _EQUAL, _DIFFERENT, _OPEN = Code.UNDEFINED, Code.EQUAL, Code.DIFFERENT, Code.OPEN


def work(operations: int, bits: int) -> float:
    """The cost of operations with this many bits, in operations with 1,024 bits: it limits verdicts, not time."""
    return float(operations * (bits / 1024) ** 1.66)


def compare(left: Value, right: Value, bits: int) -> Code:
    """Different if no number is in both balls; equal if they agree to 30 digits (two that hold 0: to 1e-60)."""
    if left is None or right is None:
        return _UNDEFINED
    if left is OPEN or right is OPEN:
        return _OPEN
    gap = left - right
    if not gap.contains(0):
        return _DIFFERENT
    radius = gap.rad()
    if left.contains(0) and right.contains(0):
        return _EQUAL if (bits > 128 and radius < _NOTHING) or gap.is_zero() else _OPEN
    return _EQUAL if radius <= _AGREEMENT * left.abs_upper() else _OPEN


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
        self._schedule: SweepSchedule | None = None
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
        spent = 0.0
        found = Comparison(Code.OPEN, 0)
        for bits in LADDER[LADDER.index(least) :]:
            spent += self._work(equation, bits)
            left, right = self.sides(equation, point, bits)
            found = Comparison(compare(left, right, bits), bits, left, right)
            if found.code != Code.OPEN or spent > UNITS:
                break
        return found

    def _work(self, equation: int, bits: int) -> float:
        """What it takes to compute both sides with this many bits."""
        nodes = int(self.forest.offsets[equation + 1] - self.forest.offsets[equation])
        return work(nodes, bits)

    def compare_deeply(self, equation: int, point: int) -> Comparison:
        """An equation at a point with 150 digits at once; with up to 5,000 where numbers are very large or small.

        Equal then means that nothing is left that more digits could bring up, else the point stays open.
        """
        if not self.able(equation):
            return Comparison(Code.OPEN, 0)
        spent = 0.0
        found = Comparison(Code.OPEN, 0)
        for bits in DEEP_LADDER:
            spent += self._work(equation, bits)
            left, right = self.sides(equation, point, bits)
            found = Comparison(compare(left, right, bits), bits, left, right)
            clear = not any(self._memo[point, bits][1][k] for k in self._sides[equation])
            if found.code == Code.DIFFERENT or (clear and found.code == Code.EQUAL):
                return found
            if (clear and bits >= HIGHEST) or spent > UNITS:
                break
        return found._replace(code=Code.OPEN if found.code == Code.EQUAL else found.code)

    def compare_all(self, equations: Ints, points: Ints, least: int) -> tuple[Ints, Ints]:
        """The codes and bits that `compare` gives for many equations, each at a point of its own.

        What is computed with the least number of bits, which settles nearly everything, is not kept.
        """
        codes: list[int] = [_OPEN] * len(equations)
        used = [0] * len(equations)
        for point, chosen in self.sweeps(equations, points, least):
            values, _ = self._known(point, least)
            pairs = list(zip(chosen.tolist(), equations[chosen].tolist(), strict=True))
            for k, equation in pairs if len(pairs) >= FEW else ():
                left, right = self._sides[equation]
                codes[k], used[k] = compare(values[left], values[right], least), least
            for k, equation in [pair for pair in pairs if codes[pair[0]] is _OPEN]:
                codes[k], used[k], *_ = self.compare(equation, point, least)
            del self._memo[point, least]
        return np.array(codes, dtype=np.int64), np.array(used, dtype=np.int64)

    def compare_all_deeply(self, equations: Ints, points: Ints) -> tuple[Ints, Ints]:
        """The codes and bits that `compare_deeply` gives for many equations, each at a point of its own."""
        codes, used = np.full(len(equations), _OPEN, dtype=np.int64), np.zeros(len(equations), dtype=np.int64)
        for point, chosen in self.sweeps(equations, points, DEEP):
            for k, equation in zip(chosen.tolist(), equations[chosen].tolist(), strict=True):
                codes[k], used[k], *_ = self.compare_deeply(equation, point)
        return codes, used

    def sweeps(self, equations: Ints, points: Ints, bits: int) -> Iterator[tuple[int, Ints]]:
        """Each point, and which of the equations are compared at it; unless they are few, all is computed before."""
        if not self._ready:
            self._prepare()
        if self._schedule is None:
            self._schedule = SweepSchedule(self.forest)
        programs: dict[bytes, SweepProgram] = {}  # many points have the same equations
        able = np.flatnonzero(np.array(self._able, dtype=bool)[equations])
        order = able[np.argsort(points[able], kind="stable")]
        for chosen in np.split(order, np.flatnonzero(np.diff(points[order])) + 1) if len(order) else ():
            wanted, point = equations[chosen], int(points[chosen[0]])
            key = wanted.tobytes()
            if key not in programs and len(wanted) >= FEW:
                nodes = np.unique(self.forest.members_of(wanted))
                programs[key] = SweepProgram(self._schedule, nodes, self.field, self.points)
            if key in programs:
                programs[key].run(point, bits, *self._known(point, bits))
            yield point, chosen

    def sides(self, equation: int, point: int, bits: int) -> tuple[Value, Value]:
        """The two sides at a point, with this many bits."""
        left, right = self._sides[equation]
        return self._value(left, point, bits), self._value(right, point, bits)

    def constant(self, node: int) -> tuple[float, float]:
        """The value of a node without variables as a float, and its error: 0 where it is exact.

        It is computed with all bits, and so tells sin(pi) from what is nearly 0. NaN and NaN where it has no value,
        NaN and infinity where it is beyond floating point, or is not settled with all bits.
        """
        if not self._ready:
            self._prepare()
        if not self._all_able:
            return math.nan, math.inf
        value = self._value(node, 0, HIGHEST)
        if value is None:
            return math.nan, math.nan
        if value is OPEN:
            return math.nan, math.inf
        exact = integer(value, not self._memo[0, HIGHEST][1][node])
        if exact is not None and abs(exact) < 2**53:
            return float(exact), 0.0
        middle = float(value.mid())
        if not TINY < abs(middle) < math.inf:
            return math.nan, math.inf
        return middle, 0.0 if value.is_exact() and value == arb(middle) else UNIT * abs(middle)

    def _value(self, root: int, point: int, bits: int) -> Value:
        """A subexpression at a point; what is below it is computed where it is not known yet."""
        values, extreme = self._known(point, bits)
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

    def _known(self, point: int, bits: int) -> tuple[list[Any], list[bool]]:
        """By node, what is known at a point, and whether digits that matter may be beyond the highest precision."""
        key = point, bits
        if key not in self._memo:
            self._memo[key] = [_UNKNOWN] * len(self.forest), [False] * len(self.forest)
        return self._memo[key]

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
        if bits >= DEEP and value is not None and value is not OPEN:
            extreme[node] = flagged or (word in GROWING and field.is_extreme(word, a, value))
            if exact and not extreme[node]:
                values[node] = field.exactly(value)


_NONE = object()
_UNKNOWN = object()
