"""Values of terms at a few points, and digests under which terms of equal value fall together."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.corpus.discovery.terms import Term
from dgl_mathtree.expressions import Forest
from dgl_mathtree.expressions.float_mode import trusted_floats
from dgl_mathtree.expressions.vocabulary import OPERATORS, is_variable, leaf_ball

Values = NDArray[np.float64]
Keys = NDArray[np.uint64]

LARGEST, SMALLEST = 1e7, 1e-10
DIGITS = 7


def _nonzero(a: Values) -> Values:
    return np.where(np.abs(a) < SMALLEST, np.nan, a)


def _tan(a: Values) -> Values:
    return np.asarray(np.sin(a) / _nonzero(np.cos(a)))


UNARY: dict[str, Any] = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": _tan,
    "csc": lambda a: 1 / _nonzero(np.sin(a)),
    "sec": lambda a: 1 / _nonzero(np.cos(a)),
    "cot": lambda a: np.cos(a) / _nonzero(np.sin(a)),
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "acsc": lambda a: np.arcsin(1 / _nonzero(a)),
    "asec": lambda a: np.arccos(1 / _nonzero(a)),
    "acot": lambda a: np.arctan(1 / _nonzero(a)),
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "csch": lambda a: 1 / _nonzero(np.sinh(a)),
    "sech": lambda a: 1 / np.cosh(a),
    "coth": lambda a: 1 / _nonzero(np.tanh(a)),
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "acsch": lambda a: np.arcsinh(1 / _nonzero(a)),
    "asech": lambda a: np.arccosh(1 / _nonzero(a)),
    "acoth": lambda a: np.arctanh(1 / _nonzero(a)),
    "exp": np.exp,
}
BINARY: dict[str, Any] = {
    "Add": np.add,
    "Mul": np.multiply,
    "Pow": np.power,
    "log": lambda a, b: np.log(a) / _nonzero(np.log(b)),
}


def finite(a: Values) -> Values:
    """The values, NaN where they are too large to be told apart."""
    return np.where(np.abs(a) < LARGEST, a, np.nan)


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
        return finite(UNARY[term[0]](*children) if len(children) == 1 else BINARY[term[0]](*children))


def digests(values: Values) -> Keys:
    """(rows,) a hash of each row of values, rounded to seven digits."""
    with trusted_floats(), np.errstate(all="ignore"):
        exponent = np.floor(np.log10(np.maximum(np.abs(values), 1e-9)))
        rounded = np.rint(values / 10.0 ** (exponent - (DIGITS - 1)))
    # Zero and undefined values get codes that no rounded value has.
    small = np.abs(values) < 1e-9
    codes = np.where(small, 3.0, np.where(np.isnan(values), 5.0, rounded * 64 + exponent)).astype(np.int64)
    keys = np.zeros(len(values), dtype=np.uint64)
    for column in codes.view(np.uint64).T:
        keys ^= column + np.uint64(0x9E3779B97F4A7C15) + (keys << np.uint64(6)) + (keys >> np.uint64(2))
        keys *= np.uint64(0xBF58476D1CE4E5B9)
        keys ^= keys >> np.uint64(31)
    return keys


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
                left, right = forest.children[rows].T
                if name in UNARY:
                    values[rows] = finite(UNARY[name](values[left]))
                else:
                    values[rows] = finite(BINARY[name](values[left], values[right]))
    return values
