"""Value classes of the sides of equations, the same under renaming, and the part that each is held out for."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.data.discovery.law_instances import FILLINGS, NUMBERS
from dgl_mathtree.data.discovery.templates import SMALL
from dgl_mathtree.data.discovery.term_values import forest_values
from dgl_mathtree.data.splits import PARTS
from dgl_mathtree.language import Equation, Forest
from dgl_mathtree.language.expr import Words
from dgl_mathtree.language.parsing.syntax_trees import flat
from dgl_mathtree.language.vocabulary import ARITY, is_variable
from dgl_mathtree.oracle.value_keys import digests

HELD_OUT = 0.012
"""The share of classes that is held out for validation, and as many for test."""
LETTERS = 3
_POINTS = 8
TRAIN, VALIDATION, TEST = range(3)


@cache
def _points() -> NDArray[np.float64]:
    """(3, 8) values for up to three letters, half of them within the domain of asin and half within that of acosh."""
    rng = np.random.default_rng(20240521)
    inner = rng.uniform(0.2, 0.95, (LETTERS, _POINTS // 2))
    return np.concatenate([inner, rng.uniform(1.05, 2.2, (LETTERS, _POINTS // 2))], axis=1)


def side_keys(equations: list[Words]) -> NDArray[np.uint64]:
    """(equations, 2) a key for the value of each side, the smallest over all ways of naming three variables."""
    renamed = [Equation._trusted(words).canonical_variables() for words in equations]
    forest = Forest.of(renamed)
    names = [word for word in forest.words if word not in ARITY and is_variable(word)]
    keys: NDArray[np.uint64] | None = None
    for order in permutations(range(LETTERS)):
        leaves = {}
        for name in names:
            place = "xyz".find(name)
            # Further variables all have one value: a class may then be coarser, never finer.
            leaves[name] = _points()[order[place]] if place >= 0 else _points()[0] / 1.7
        found = digests(forest_values(forest, leaves, _POINTS))
        keys = found if keys is None else np.minimum(keys, found)
    assert keys is not None
    return np.asarray(keys[forest.equations])


@cache
def _everyday() -> NDArray[np.uint64]:
    """NDArray[np.uint64] of values so common that they stay in training: numbers, variables and small expressions."""
    terms = [*SMALL, *FILLINGS, *NUMBERS, *map(str, range(-20, 21))]
    return np.unique(side_keys([("Equality", *flat(term), *flat(term)) for term in terms]))


def parts_of_sides(keys: NDArray[np.uint64]) -> NDArray[Any]:
    """(equations, 2) the part that each side's class is held out for: 0 for train, 1 validation, 2 test."""
    mixed = keys * np.uint64(0x9E3779B97F4A7C15)
    share = (mixed ^ (mixed >> np.uint64(29))).astype(np.float64) / 2.0**64
    parts = np.where(share < HELD_OUT, VALIDATION, np.where(share < 2 * HELD_OUT, TEST, TRAIN))
    return np.where(np.isin(keys, _everyday()), TRAIN, parts)


def parts_of(equations: list[Words]) -> list[int]:
    """The part of each equation: train only if neither side's class is held out."""
    if not equations:
        return []
    return [int(part) for part in parts_of_sides(side_keys(equations)).max(axis=1)]


def part_name(part: int) -> str:
    return PARTS[part]
