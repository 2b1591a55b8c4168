"""Many subexpressions of a forest at one point in ball arithmetic, in one pass from the leaves up.

What is to be computed is sorted into runs once, one run for each operator of each height, and the runs serve any number
of points: a run is a loop over one operator, with nothing to look up for a node but its arguments. What holds no
variable is computed at the first point only.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.arithmetic.arb_balls import HIGHEST, LARGEST_EXPONENT, OPEN, Field, set_precision
from dgl_mathtree.arithmetic.operators import GROWING
from dgl_mathtree.language.forest import Forest
from dgl_mathtree.language.vocabulary import ARITY, is_integer
from dgl_mathtree.oracle.evaluate import constants

DEEP = 512
"""From this many bits on it is noted where digits that matter may be beyond the highest precision."""


class Run(NamedTuple):
    """Nodes of one height with one word (powers: and one whole exponent, if they have such), and their children."""

    word: str
    exponent: int | None
    nodes: list[int]
    first: list[int]
    second: list[int]


class SweepSchedule:
    """A forest's nodes in an order in which they can be computed: what holds no variable first, and each run together.

    Parameters
    ----------
    forest : Forest
        Whose nodes.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> schedule = SweepSchedule(Forest.of([parse_equation("sin(x)^2 = sin(y)^2"), parse_equation("pi^2 = x")]))
    >>> fixed, others = schedule.runs(np.arange(6))
    >>> [(run.word, run.exponent, len(run.nodes)) for run in (*fixed, *others)]
    [('2', None, 1), ('pi', None, 1), ('y', None, 1), ('x', None, 1), ('sin', None, 2)]
    """

    def __init__(self, forest: Forest) -> None:
        exponents = [_whole(word) for word in forest.words]
        kinds = {exponent: k for k, exponent in enumerate(dict.fromkeys([None, *exponents]))}
        kind = np.array([kinds[exponent] for exponent in exponents])[forest.word[forest.children[:, 1]]]
        kind[forest.word != forest.words.index("Pow")] = 0
        varies = ~constants(forest)
        self._nodes = np.lexsort((kind, forest.word, forest.height, varies))
        self._rank = np.empty(len(forest), dtype=np.int64)
        self._rank[self._nodes] = np.arange(len(forest))
        keys = np.stack([varies, forest.height, forest.word, kind])[:, self._nodes]
        starts = np.append([True], (np.diff(keys) != 0).any(axis=0))[: len(forest)]
        self._run = np.cumsum(starts) - 1
        self._first, self._second = forest.children[self._nodes].T
        self._varies = keys[0].astype(bool)
        whole = list(kinds)
        self._words = [(forest.words[word], whole[kind]) for word, kind in keys[2:, starts].T.tolist()]

    def runs(self, nodes: NDArray[Any]) -> tuple[list[Run], list[Run]]:
        """The runs that compute some nodes and all below them: those that hold no variable, and the others."""
        places = np.sort(self._rank[nodes])
        run = self._run[places]
        starts = np.flatnonzero(np.append([True], run[1:] != run[:-1])[: len(run)])
        sorted_nodes, first, second = (some[places].tolist() for some in (self._nodes, self._first, self._second))
        found = []
        for which, (a, b) in zip(run[starts].tolist(), pairwise([*starts.tolist(), len(run)]), strict=True):
            word, exponent = self._words[which]
            found.append(Run(word, exponent, sorted_nodes[a:b], first[a:b], second[a:b]))
        fixed = int((~self._varies[places[starts]]).sum())
        return found[:fixed], found[fixed:]


@lru_cache(maxsize=65536)
def _whole(word: str) -> int | None:
    """The whole number that a word is, if powers with it as their exponent are powers of whole numbers."""
    short = is_integer(word) and len(word) <= len(str(LARGEST_EXPONENT))
    return int(word) if short and abs(int(word)) < LARGEST_EXPONENT else None


class SweepProgram:
    """Computes some nodes of a forest, at any of some points.

    Parameters
    ----------
    schedule : SweepSchedule
        Of the forest.
    nodes : (nodes,) array of int
        Which nodes, with all that is below them.
    field : Field
        Real or complex arithmetic.
    points : mapping of str to (points,) array
        The values of each variable.
    """

    def __init__(
        self, schedule: SweepSchedule, nodes: NDArray[Any], field: Field, points: Mapping[str, NDArray[Any]]
    ) -> None:
        self._field, self._points = field, points
        self._runs = schedule.runs(nodes)
        self._fixed = [node for run in self._runs[0] for node in run.nodes]
        self._found: dict[int, tuple[list[Any], list[bool]]] = {}

    def run(self, point: int, bits: int, values: list[Any], extreme: list[bool]) -> None:
        """Compute the nodes at a point, below the highest precision.

        Parameters
        ----------
        point, bits : int
            Which of the points, and with how many bits.
        values, extreme : list
            By node of the forest: where the values go, and whether their digits may be beyond the highest precision.
        """
        if bits >= HIGHEST:
            raise ValueError("at the highest precision a node's exactness depends on what is below it")
        set_precision(bits)
        fixed, others = self._runs
        if bits in self._found:
            for node, value, beyond in zip(self._fixed, *self._found[bits], strict=True):
                values[node], extreme[node] = value, beyond
        else:
            for some in fixed:
                self._compute(some, point, bits, values, extreme)
            self._found[bits] = [values[node] for node in self._fixed], [extreme[node] for node in self._fixed]
        for some in others:
            self._compute(some, point, bits, values, extreme)

    def _compute(self, run: Run, point: int, bits: int, values: list[Any], extreme: list[bool]) -> None:
        field = self._field
        arity = ARITY.get(run.word, 0)
        if arity == 0:
            row = self._points.get(run.word)
            leaf = field.leaf(run.word) if row is None else field.number(row[point])
            for node in run.nodes:
                values[node], extreme[node] = leaf, row is None and field.is_extreme("", leaf, leaf)
            return
        if run.exponent is not None:
            _raise(run, run.exponent, field, values)
        elif arity == 1:
            _apply(run, field, values)
        else:
            _combine(run, field, values)
        if bits >= DEEP:
            _note_extremes(run, arity, field, values, extreme)


# A node has no value if an argument has none, and is open if an argument is open.


def _raise(run: Run, exponent: int, field: Field, values: list[Any]) -> None:
    ball, power = field.ball, field.whole_power
    for node, first in zip(run.nodes, run.first, strict=True):
        a = values[first]
        values[node] = power(a, exponent, False) if a.__class__ is ball else a


def _apply(run: Run, field: Field, values: list[Any]) -> None:
    ball, function = field.ball, field.unary[run.word]
    for node, first in zip(run.nodes, run.first, strict=True):
        a = values[first]
        values[node] = function(a, False) if a.__class__ is ball else a


def _combine(run: Run, field: Field, values: list[Any]) -> None:
    ball, function = field.ball, field.binary[run.word]
    for node, first, second in zip(run.nodes, run.first, run.second, strict=True):
        a, b = values[first], values[second]
        if a.__class__ is ball and b.__class__ is ball:
            values[node] = function(a, b, False)
        else:
            values[node] = None if a is None or b is None else OPEN


def _note_extremes(run: Run, arity: int, field: Field, values: list[Any], extreme: list[bool]) -> None:
    growing = run.word in GROWING
    for node, first, second in zip(run.nodes, run.first, run.second, strict=True):
        value = values[node]
        if value.__class__ is field.ball:
            flagged = extreme[first] or (arity == 2 and extreme[second])
            extreme[node] = flagged or (growing and field.is_extreme(run.word, values[first], value))
