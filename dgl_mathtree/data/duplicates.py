"""Which equations have a duplicate in some data, of the same canonical key, and which sides occur somewhere in it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.data.canonical import canonical_key
from dgl_mathtree.data.hashing import mix
from dgl_mathtree.language import Equation, Forest
from dgl_mathtree.language.vocabulary import EQUALITY, is_variable


def have_twins(equations: Sequence[Equation], data: Forest) -> NDArray[np.bool_]:
    """Whether each of some equations has a duplicate in a forest of others.

    Twins have the same words but for the names of variables, so that canonical keys are computed only for equations of
    the forest that pass this test; the test is a sum over arrays.

    Parameters
    ----------
    equations : sequence of Equation
        Those that are asked about.
    data : Forest
        Such as the training equations of a model.

    Returns
    -------
    numpy.ndarray
        (equations,)

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> data = Forest.of([parse_equation("x + 1 = y"), parse_equation("sin(x) = 2")])
    >>> have_twins([parse_equation("a = 1 + b"), parse_equation("a = 2 + b")], data).tolist()
    [True, False]
    """
    if not equations:
        return np.zeros(0, dtype=bool)
    asked = Forest.of(equations)
    sums, others = (_word_sums(forest)[forest.equations].sum(axis=1) for forest in (asked, data))
    near = np.flatnonzero(np.isin(others, sums))
    keys = {canonical_key(data.equation(int(k)).words) for k in near}
    return np.array([canonical_key(equation.words) in keys for equation in equations])


def sides_seen(equations: Sequence[Equation], data: Forest) -> NDArray[np.bool_]:
    """Whether each side of some equations occurs in a forest, up to the differences that duplicates may have.

    Parameters
    ----------
    equations : sequence of Equation
        Those that are asked about.
    data : Forest
        Such as the training equations of a model.

    Returns
    -------
    numpy.ndarray
        (equations, 2) for the left and the right side.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> data = Forest.of([parse_equation("sin(x + 1)^2 = y")])
    >>> sides_seen([parse_equation("sin(1 + a) = a^2"), parse_equation("b = cos(1 + b)")], data).tolist()
    [[True, False], [True, False]]
    """
    if not equations:
        return np.zeros((0, 2), dtype=bool)
    asked = Forest.of(equations)
    near = np.flatnonzero(np.isin(_word_sums(data), _word_sums(asked)[asked.equations]))
    keys = {_side_key(data, node) for node in near.tolist()}
    sides, place = np.unique(asked.equations, return_inverse=True)
    seen = np.array([_side_key(asked, node) in keys for node in sides.tolist()])
    return seen[place.reshape(asked.equations.shape)]


def _side_key(forest: Forest, node: int) -> int:
    """The canonical key of an expression: that of the equation of it with itself."""
    words = forest.expression(node).words
    return canonical_key((EQUALITY, *words, *words))


def _word_sums(forest: Forest) -> NDArray[np.uint64]:
    """(nodes,): the sums of hashes of the words of each subexpression, in which all variables have one."""
    hashes = [mix(tuple(("x" if is_variable(word) else word).encode())) % 2**64 for word in forest.words]
    sums = np.append(np.array(hashes, dtype=np.uint64)[forest.word], np.uint64(0))
    edges = np.searchsorted(forest.height, np.arange(int(forest.height.max(initial=0)) + 2))
    for start, stop in pairwise(edges[1:].tolist()):  # a missing child, -1, is the 0 at the end
        sums[start:stop] += sums[forest.children[start:stop]].sum(axis=1)
    result: NDArray[np.uint64] = sums[:-1]
    return result
