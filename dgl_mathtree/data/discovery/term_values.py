"""Values of terms at a few points, and digests under which terms of equal value fall together."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.arithmetic.float_mode import trusted_floats
from dgl_mathtree.language import Forest
from dgl_mathtree.language.build import Term
from dgl_mathtree.language.vocabulary import OPERATORS, is_variable, leaf_ball

Values = NDArray[np.float64]

LARGEST = 1e7


def finite(a: Values) -> Values:
    """The values, NaN where they are too large to be told apart."""
    return np.where(np.abs(a) < LARGEST, a, np.nan)


def plain_values(operator: str, *arguments: Values) -> Values:
    """An operator's values, NaN where it has none or they are too large to be told apart."""
    plain = OPERATORS[operator].plain
    assert plain is not None
    return finite(plain(*arguments))


def points(name: str, seed: int, count: int, low: float, high: float) -> Values:
    """(count,) values of a variable, which depend on its name and the seed."""
    rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
    return rng.uniform(low, high, count)


class Evaluator:
    """Values of terms at points between two bounds, every distinct subterm computed once."""

    def __init__(self, seed: int, count: int, low: float, high: float) -> None:
        self._seed, self._count, self._low, self._high = seed, count, low, high
        self._known: dict[Term, Values] = {}

    def __call__(self, term: Term) -> Values:
        """(points,) the values of a term, NaN where it has none."""
        values = self._known.get(term)
        if values is None:
            with trusted_floats(), np.errstate(all="ignore"):
                values = self._known[term] = self._compute(term)
        return values

    def _compute(self, term: Term) -> Values:
        if isinstance(term, str):
            if is_variable(term):
                return points(term, self._seed, self._count, self._low, self._high)
            return np.full(self._count, leaf_ball(term)[0])
        children = [self(child) for child in term[1:]]
        return plain_values(term[0], *children)


def forest_values(forest: Forest, leaves: dict[str, Values], count: int) -> Values:
    """(nodes, count) the values of a forest's nodes, given those of its variables."""
    values = np.empty((len(forest), count))
    with trusted_floats(), np.errstate(all="ignore"):
        for height in range(int(forest.height.max(initial=0)) + 1):
            level = np.flatnonzero(forest.height == height)
            for word in np.unique(forest.word[level]):
                rows = level[forest.word[level] == word]
                name = forest.words[word]
                if name not in OPERATORS:
                    values[rows] = leaves[name] if name in leaves else leaf_ball(name)[0]
                    continue
                below = forest.children[rows, : OPERATORS[name].arity].T
                values[rows] = plain_values(name, *(values[child] for child in below))
    return values
