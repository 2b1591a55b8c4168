"""The oracle: does an equation hold? Judged by evaluating both sides at many points.

Semantics are real: a point counts as defined when every subexpression is real and finite there. The verdict under
principal complex branches, at the same points and some complex ones, is given beside it. A difference larger than the
error bound of the computation is certain; agreement at all points makes an identity almost certain.

An equation with too few defined points is looked at again at many more, each variable in a range of its own, so that
``asin(x) + acosh(y) = ...`` finds its domain. The points depend on the seed and on a variable's name only: an
equation's verdict does not change with what is judged beside it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.expressions.forest import Forest
from dgl_mathtree.expressions.numerics import Ball, settle
from dgl_mathtree.expressions.tree import Equation
from dgl_mathtree.expressions.vocabulary import OPERATORS, is_variable, leaf_ball

Verdict = Literal["true", "false", "branch", "undefined"]
Array = NDArray[Any]

# Away from 0, where functions such as x^10 and sin(x^10) cannot be told apart, and on both sides of ±1, where the
# domains of the inverse functions end.
RANGES = ((0.4, 0.98), (-0.98, -0.4), (1.02, 3.0), (-3.0, -1.02), (-2.5, 2.5), (0.3, 7.0))
MORE_RANGES = (*RANGES, (0.02, 0.4), (-0.4, -0.02), (3.0, 30.0))
REAL_POINTS, COMPLEX_POINTS, MORE_POINTS = 48, 8, 480
ENOUGH_DEFINED = 12
FALSE_SHARE = 0.1
LOOSEST_BOUND = 1e-6
"""Agreement within an error bound larger than this (relative to the values, or to 1) says nothing."""
CHUNK, CHUNK_SIZE = 1000, 100_000
"""Equations, and nodes of equations, that are evaluated together at most."""


@dataclass(frozen=True)
class Judgement:
    """What the oracle says of an equation.

    Attributes:
        verdict: `true` (equal at every defined real point, of which there are at least 12), `false` (equal at no more
            than a tenth of them), `branch` (anything between) or `undefined` (fewer than 12 defined points).
        complex_verdict: the same under principal complex branches; None if it was not asked for.
        defined: at how many real points both sides are defined.
        equal: at how many of these they agree.
    """

    verdict: Verdict
    complex_verdict: Verdict | None
    defined: int
    equal: int


def judge(equation: Equation, seed: int = 0) -> Judgement:
    """The verdict on one equation.

    Example:
        >>> from dgl_mathtree.expressions import parse_equation
        >>> judge(parse_equation("sin(x)^2 + cos(x)^2 = 1")).verdict
        'true'
        >>> judge(parse_equation("sqrt(x^2) = x")).verdict
        'branch'
    """
    return Oracle(seed).judge([equation])[0]


class Oracle:
    """Judges equations at points drawn with a seed.

    Args:
        seed: of the points.
        complex_plane: whether to give the complex verdict too; without it, judging is about twice as fast.
    """

    def __init__(self, seed: int = 0, complex_plane: bool = True) -> None:
        self.seed = seed
        self.complex_plane = complex_plane
        self._points: dict[tuple[str, bool], Array] = {}

    def judge(self, equations: Iterable[Equation]) -> list[Judgement]:
        """The verdicts on equations, in their order."""
        return [j for some in chunks(equations) for j in self._judge(Forest.of(some))]

    def judge_forest(self, forest: Forest) -> list[Judgement]:
        """The verdicts on a forest's equations."""
        sizes = np.diff(forest.offsets).tolist()
        parts = chunks(range(len(sizes)), sizes.__getitem__)
        return [j for part in parts for j in self._judge(forest.take(part))]

    def settled(self, forest: Forest) -> Array:
        """(equations,) 1 where a forest's equation is `true`, 0 where it is certainly not, -1 where it is `undefined`.

        Faster than `judge_forest`: an equation that fails at one point is not looked at again at more.
        """
        with np.errstate(all="ignore"):
            counts = _compare(forest, _evaluate(forest, self._leaves(forest, more=False)))
            few = np.flatnonzero((counts[0] < ENOUGH_DEFINED) & (counts[0] == counts[1]))
            if len(few):
                part = forest.take(few)
                counts[:, few] += _compare(part, _evaluate(part, self._leaves(part, more=True)))
        unknown = (counts[0] == counts[1]) & (counts[0] < ENOUGH_DEFINED)
        return np.where(unknown, -1, (counts[0] == counts[1]).astype(np.int64))

    def values(self, forest: Forest) -> Array:
        """(nodes, points): every subexpression of a forest at the real points, NaN where it is not defined."""
        with np.errstate(all="ignore"):
            return np.asarray(_evaluate(forest, self._leaves(forest, more=False)).value)

    def _judge(self, forest: Forest) -> list[Judgement]:
        with np.errstate(all="ignore"):
            real = _evaluate(forest, self._leaves(forest, more=False))
            counts = _compare(forest, real)
            plane = _compare(forest, _evaluate_complex(forest, real, self)) if self.complex_plane else None
            few = np.flatnonzero(counts[0] < ENOUGH_DEFINED)
            if len(few):
                part = forest.take(few)
                more = _compare(part, _evaluate(part, self._leaves(part, more=True)))
                counts[:, few] += more
        verdicts = [verdict(d, e) for d, e in counts.T.tolist()]
        planes = [None] * len(verdicts) if plane is None else [verdict(d, e) for d, e in plane.T.tolist()]
        return [Judgement(v, p, int(d), int(e)) for v, p, (d, e) in zip(verdicts, planes, counts.T, strict=True)]

    def _leaves(self, forest: Forest, more: bool) -> list[tuple[Array, Array] | None]:
        """For each word of the forest that is a leaf, its value at every real point and the error in it."""
        columns = MORE_POINTS if more else REAL_POINTS
        values: list[tuple[Array, Array] | None] = []
        for word in forest.words:
            if word in OPERATORS:
                values.append(None)
            elif is_variable(word):
                values.append((self._variable(word, more), np.zeros(columns)))
            else:
                value, error = leaf_ball(word)
                values.append((np.full(columns, value), np.full(columns, error)))
        return values

    def _generator(self, name: str, kind: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, kind, zlib.crc32(name.encode())])

    def _variable(self, name: str, more: bool) -> Array:
        key = name, more
        if key not in self._points:
            rng = self._generator(name, int(more))
            ranges = np.array(MORE_RANGES if more else RANGES)
            if more:
                # Half of the points take one range for all variables, half a range for each.
                common = np.arange(MORE_POINTS) % len(ranges)
                own = rng.integers(len(ranges), size=MORE_POINTS)
                chosen = np.where(np.arange(MORE_POINTS) < MORE_POINTS // 2, common, own)
            else:
                chosen = np.repeat(np.arange(len(ranges)), REAL_POINTS // len(ranges))
            low, high = ranges[chosen].T
            self._points[key] = rng.uniform(low, high)
        return self._points[key]

    def complex_variable(self, name: str) -> Array:
        """The complex points of a variable."""
        rng = self._generator(name, 2)
        size = rng.uniform(0.3, [[2.0], [1.5]], (2, COMPLEX_POINTS)) * rng.choice([-1.0, 1.0], (2, COMPLEX_POINTS))
        return np.asarray(size[0] + 1j * size[1])


_T = TypeVar("_T")


def chunks(items: Iterable[_T], size: Callable[[_T], int] = len) -> Iterator[list[_T]]:  # type: ignore[assignment]
    """The items in lists of bounded length and bounded total size, so that memory is bounded too."""
    chunk: list[_T] = []
    total = 0
    for item in items:
        if chunk and (len(chunk) == CHUNK or total + size(item) > CHUNK_SIZE):
            yield chunk
            chunk, total = [], 0
        chunk.append(item)
        total += size(item)
    if chunk:
        yield chunk


def verdict(defined: int, equal: int) -> Verdict:
    """The verdict for an equality that holds at some of its defined points."""
    if defined < ENOUGH_DEFINED:
        return "undefined"
    if equal == defined:
        return "true"
    return "false" if equal <= FALSE_SHARE * defined else "branch"


def _groups(forest: Forest) -> Sequence[tuple[str, Array]]:
    """Nodes of the same height and word, leaves first: each group can be evaluated in one go."""
    order = np.lexsort((forest.word, forest.height))
    changes = (np.diff(forest.word[order]) != 0) | (np.diff(forest.height[order]) != 0)
    return [
        (forest.words[forest.word[group[0]]], group)
        for group in np.split(order, np.flatnonzero(changes) + 1)
        if len(group)
    ]


def _children(forest: Forest, group: Array, values: Ball) -> list[Ball]:
    arity = OPERATORS[forest.words[forest.word[group[0]]]].arity
    return [Ball(values.value[child], values.error[child]) for child in forest.children[group, :arity].T]


def _evaluate(forest: Forest, leaves: list[tuple[Array, Array] | None]) -> Ball:
    """Every subexpression at every real point; NaN where it, or anything in it, is not defined."""
    columns = len(next(leaf for leaf in leaves if leaf is not None)[0])
    values = Ball(np.empty((len(forest), columns)), np.empty((len(forest), columns)))
    for word, group in _groups(forest):
        leaf = leaves[forest.word[group[0]]]
        if leaf is not None:
            result = settle(Ball(*leaf))
        else:
            result = settle(OPERATORS[word].evaluate(*_children(forest, group, values)))
        values.value[group], values.error[group] = result
    return values


def _evaluate_complex(forest: Forest, real: Ball, oracle: Oracle) -> Ball:
    """Every subexpression under principal branches: where it is not real, and at complex points."""
    columns = REAL_POINTS + COMPLEX_POINTS
    value = np.full((len(forest), columns), np.nan, dtype=np.complex128)
    error = np.zeros((len(forest), columns))
    value[:, :REAL_POINTS], error[:, :REAL_POINTS] = real
    values = Ball(value, error)
    for word, group in _groups(forest):
        if word not in OPERATORS:
            if is_variable(word):
                value[group, REAL_POINTS:] = oracle.complex_variable(word)
            else:
                value[group, REAL_POINTS:], error[group, REAL_POINTS:] = leaf_ball(word)
            continue
        wanted = np.isnan(value[group])
        arguments = [Ball(a.value[wanted], a.error[wanted]) for a in _children(forest, group, values)]
        result = settle(OPERATORS[word].evaluate(*arguments))
        for target, computed in zip(values, result, strict=True):
            rows = target[group]
            rows[wanted] = computed
            target[group] = rows
    return values


def _compare(forest: Forest, values: Ball) -> Array:
    """(2, equations): the number of points where both sides are defined, and of those where they agree.

    Agreement within a bound that could hide the difference seen at most other points says nothing.
    """
    left, right = forest.equations.T
    a, b = values.value[left], values.value[right]
    bound = values.error[left] + values.error[right]
    difference = np.abs(a - b)
    scale = np.maximum(1.0, np.maximum(np.abs(a), np.abs(b)))
    same = (left == right)[:, None]
    bound = np.where(same, 0.0, bound)
    agree = difference <= bound
    telling = ~np.isnan(difference) & ~(agree & (bound > LOOSEST_BOUND * scale))
    for row in np.flatnonzero((telling & agree).any(axis=1) & (telling & ~agree).any(axis=1)):
        seen = np.median(difference[row, telling[row] & ~agree[row]])
        telling[row] &= ~(agree[row] & (bound[row] >= seen))
    return np.stack([telling.sum(axis=1), (telling & agree).sum(axis=1)])
