"""The oracle: does an equation hold? Judged by evaluating both sides at many points.

Semantics are real: a point counts as defined when every subexpression is real and finite there. The verdict under
principal complex branches is given beside it. `stages` says how a point is settled, `points` where they lie; what a
verdict means and rests on is told in full in docs/oracle.md.

The points depend on the seed and on the order in which variables appear: an equation's verdict does not change with
what is judged beside it, nor with what its variables are called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.arithmetic.arb_balls import own_precision
from dgl_mathtree.language.expr import Equation
from dgl_mathtree.language.forest import Forest
from dgl_mathtree.language.variable_indices import Placed, place, place_forest
from dgl_mathtree.language.vocabulary import is_variable
from dgl_mathtree.oracle.complex_plane import complex_verdicts
from dgl_mathtree.oracle.decide import Stages
from dgl_mathtree.oracle.evaluate import evaluate_forest
from dgl_mathtree.oracle.judgements import Judgements
from dgl_mathtree.oracle.points import Points
from dgl_mathtree.oracle.verdict import ENOUGH_DEFINED, Judgement, Verdict, verdict

Array = NDArray[Any]
CHUNK, CHUNK_SIZE = 4000, 200_000
"""Equations, and nodes of equations, that are evaluated together at most."""


def judge(equation: Equation, seed: int = 0) -> Judgement:
    """The verdict on one equation.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> judge(parse_equation("sin(x)^2 + cos(x)^2 = 1")).verdict
    'true'
    >>> judge(parse_equation("sqrt(x^2) = x")).verdict
    'branch'
    """
    return Oracle(seed).judge([equation])[0]


class Counts(NamedTuple):
    """At how many points an equation is defined, and at how many of these it holds."""

    defined: int
    equal: int

    @property
    def verdict(self) -> Verdict:
        """What this says of the equation."""
        return verdict(self.defined, self.equal)


class Oracle:
    """Judges equations at points drawn with a seed.

    Parameters
    ----------
    seed : int
        Of the points.
    complex_plane : bool
        Whether to give the complex verdict too; without it, judging is several times as fast.
    certify : bool
        Whether to put every equality, and a point of every difference, to ball arithmetic, and not only what floating
        point leaves open.
    thorough : bool, optional
        Whether to look closely at each equation: along lines, on both sides of every edge of a domain, and in
        arithmetic that tells what is proven from what is taken. It takes about a tenth of a second for an equation, so
        the default is to do it where the complex verdict is given, and not where many equations are judged without.
        `count`, `settled` and `glance` never do it.
    """

    def __init__(
        self, seed: int = 0, complex_plane: bool = True, certify: bool = False, thorough: bool | None = None
    ) -> None:
        self.seed = seed
        self.thorough = complex_plane if thorough is None else thorough
        self.complex_plane = complex_plane
        self.certify = certify
        self.points = Points(seed)

    def judge(self, equations: Iterable[Equation]) -> list[Judgement]:
        """The verdicts on equations, in their order."""
        with own_precision():
            return [j for some in chunks(equations) for j in self._judge(place(some))]

    def judge_forest(self, forest: Forest) -> list[Judgement]:
        """The verdicts on a forest's equations."""
        sizes = np.diff(forest.offsets).tolist()
        parts = chunks(range(len(sizes)), sizes.__getitem__)
        with own_precision():
            return [j for part in parts for j in self._judge(place_forest(forest.take(part)))]

    def count(self, placed: Placed) -> list[Counts]:
        """What verdicts on equations rest on, without witnesses and complex verdicts: all that labels need."""
        sizes = np.diff(placed.forest.offsets).tolist()
        found: list[Counts] = []
        with own_precision():
            for part in chunks(range(len(sizes)), sizes.__getitem__):
                stages = Stages(placed.take(np.array(part)), self.points, self.certify)
                stages.run()
                found += map(Counts, (stages.equal + stages.different).tolist(), stages.equal.tolist())
        return found

    def settled(self, forest: Forest) -> Array:
        """(equations,) 1 where a forest's equation is `true`, 0 where it is certainly not, -1 where it is `undefined`.

        Faster than `judge_forest`: an equation that fails at one point is not looked at again at more.
        """
        placed = place_forest(forest)
        result = self._glance(placed)
        rest = np.flatnonzero(result)
        if len(rest):
            with own_precision():
                stages = Stages(placed.take(rest), self.points, self.certify)
                stages.run()
            defined = np.where(stages.equal >= ENOUGH_DEFINED, 1, -1)
            result[rest] = np.where(stages.different > 0, 0, defined)
        return result

    def glance(self, forest: Forest) -> Array:
        """(equations,) what the first points say: 0 where a forest's equation is certainly not `true`, 1 where it looks
        so, -1 where too few points are settled; `settled` says more, and takes longer."""
        return self._glance(place_forest(forest))

    def _glance(self, placed: Placed) -> Array:
        with own_precision():
            stages = Stages(placed, self.points, self.certify)
            stages.first_look()
        return np.where(stages.different > 0, 0, np.where(stages.equal >= ENOUGH_DEFINED, 1, -1))

    def values(self, forest: Forest) -> Array:
        """(nodes, 48): every subexpression of a forest at the first points, NaN where it is not known to be defined.

        Here a variable keeps its value throughout the forest, so that expressions can be compared: places go by the
        alphabetical order of the variables.
        """
        names = sorted(word for word in forest.words if is_variable(word))
        points = {name: self.points.round(0, k) for k, name in enumerate(names)} or {"": self.points.round(0, 0)}
        return evaluate_forest(forest, points)[0]

    def _judge(self, placed: Placed) -> list[Judgement]:
        stages = Stages(placed, self.points, self.certify)
        if not stages.count:
            return []
        stages.run()
        plane: Sequence[Verdict | None] = [None] * stages.count
        if self.complex_plane:
            plane = complex_verdicts(stages)
        found = Judgements(stages, self.thorough)
        return [found.of(row, plane[row]) for row in range(stages.count)]


_T = TypeVar("_T")


def chunks(
    items: Iterable[_T],
    size: Callable[[_T], int] = len,  # type: ignore[assignment]
    first: int = CHUNK,
) -> Iterator[list[_T]]:
    """The items in lists of bounded length and bounded total size, so that memory is bounded too.

    Where the first list is to be shorter, so that it does not wait for many items, each later one may be twice as long.
    """
    chunk: list[_T] = []
    total = 0
    for item in items:
        if chunk and (len(chunk) >= first or total + size(item) > CHUNK_SIZE):
            yield chunk
            chunk, total, first = [], 0, min(2 * first, CHUNK)
        chunk.append(item)
        total += size(item)
    if chunk:
        yield chunk
