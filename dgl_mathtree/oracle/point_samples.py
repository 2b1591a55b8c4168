"""The oracle's first stage: equations at many points in floating point with error bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.arithmetic.float_mode import trusted_floats
from dgl_mathtree.language.forest import Forest
from dgl_mathtree.oracle.compare import Code, Comparer
from dgl_mathtree.oracle.evaluate import constants, evaluate_forest

Array = NDArray[Any]
TIGHT = 1e-11
"""Agreement within an error bound larger than this, relative to the values, settles nothing."""
SLACK = 1.001
"""Bounds are computed in floating point too: what differs must differ by a little more."""


@dataclass
class Look:
    """Some equations at some points.

    Parameters
    ----------
    rows : (equations,) array of int
        Which equations of the chunk were looked at.
    forest : Forest
        These equations.
    points : dict of str to (points,) array
        The value of each place.
    codes : (equations, points) array of Code
        What is known.
    sides : (2, equations, points) array of float
        The sides in floating point.
    comparer : Comparer
        Compares the equations at these points in ball arithmetic.
    confirmed : (equations, points) array of bool
        Where equations were compared with 150 digits because they differ elsewhere.
    """

    rows: Array
    forest: Forest
    points: dict[str, Array]
    codes: Array
    sides: Array
    comparer: Comparer
    confirmed: Array


@dataclass(frozen=True)
class Constants:
    """The subexpressions of a forest that hold no variable.

    Parameters
    ----------
    where : (nodes,) array of bool
        Which nodes they are, leaves included.
    computed : (nodes,) array of bool
        Those that are no leaves.
    values, errors : (nodes,) array of float
        What these are, and how far off at most: 0 for sin(pi).
    """

    where: Array
    computed: Array
    values: Array
    errors: Array

    @classmethod
    def of(cls, forest: Forest) -> Constants:
        where = constants(forest)
        computed = where & forest.is_operator
        others = np.flatnonzero(~where)
        nothing = np.full(len(others), np.nan)
        values, errors = (row[:, 0] for row in evaluate_forest(forest, {}, (others, nothing, nothing)))
        comparer = Comparer(forest, {})
        for node in np.flatnonzero(computed & (errors != 0)).tolist():  # what floating point has exactly needs no more
            values[node], errors[node] = comparer.constant(node)
        return cls(where, computed, values, errors)

    def take(self, nodes: Array) -> Constants:
        """Those of a part of the forest, given by its nodes."""
        return Constants(self.where[nodes], self.computed[nodes], self.values[nodes], self.errors[nodes])


def look(forest: Forest, rows: Array, points: dict[str, Array], fixed: Constants | None = None) -> tuple[Look, Array]:
    """The first stage at some points; and the values of all nodes, which the first look is asked for besides."""
    fixed = Constants.of(forest) if fixed is None else fixed
    nodes = np.flatnonzero(fixed.computed)
    values, errors = evaluate_forest(forest, points, (nodes, fixed.values[nodes], fixed.errors[nodes]))
    comparer = Comparer(forest, points)
    left, right = forest.equations.T
    a, b = values[left], values[right]
    with trusted_floats(), np.errstate(all="ignore"):
        bound = errors[left] + errors[right]
        gap = np.abs(a - b)
        tight = bound <= TIGHT * np.maximum(np.abs(a), np.abs(b))
        tight |= (left == right)[:, None]
        different = gap > SLACK * bound
        different[left == right] = False
        equal = ~different & tight & (gap >= 0)
    codes = np.full(gap.shape, Code.OPEN, dtype=np.int8)
    codes[np.isnan(bound)] = Code.UNDEFINED
    codes[equal] = Code.EQUAL
    codes[different] = Code.DIFFERENT
    return Look(rows, forest, points, codes, np.stack([a, b]), comparer, np.zeros(codes.shape, dtype=bool)), values
