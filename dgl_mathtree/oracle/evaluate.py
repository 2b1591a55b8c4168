"""Every subexpression of a forest at many points at once, in floating point with error bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.arithmetic import float_balls
from dgl_mathtree.arithmetic.float_balls import Ball, settle
from dgl_mathtree.arithmetic.float_mode import trusted_floats
from dgl_mathtree.language.forest import Forest
from dgl_mathtree.language.vocabulary import OPERATORS, is_variable, leaf_ball

Array = NDArray[Any]

# Powers whose exponent is one of these need no general power, which is many times slower.
_SHORT_POWERS: dict[str, Callable[[Ball], Ball]] = {
    "1": lambda x: x,
    "2": float_balls.square,
    "-1": float_balls.ball_inverse,
    "1/2": float_balls.root,
    "0.5": float_balls.root,
}

_SHORT = tuple(_SHORT_POWERS)
_OPEN = Ball(np.array(np.nan), np.array(np.inf))
_SAFELY_NORMAL = 2.0**-900
"""Numbers above it, and their rounding errors, are not flushed to 0 in any mode."""


def evaluate_forest(
    forest: Forest, points_by_variable: Mapping[str, Array], known: tuple[Array, Array, Array] | None = None
) -> tuple[Array, Array]:
    """Every subexpression of a forest at some real points.

    A million nodes at a dozen points take a few seconds; memory is 16 bytes for each node and point.

    Parameters
    ----------
    forest : Forest
        What to evaluate: all its nodes, whether equations use them or not.
    points_by_variable : mapping of str to (points,) array of float
        The values of each variable of the forest, all of the same length. They are taken to be exact.
    known : tuple of three arrays, optional
        Nodes that need not be computed, since they hold no variables, their values and the errors of these.

    Returns
    -------
    values : (nodes, points) array of float
        NaN where a subexpression, or anything in it, is not defined as a finite real number, or may not be.
    errors : (nodes, points) array of float
        A bound on the distance of each value from the true one. Where the value is NaN: NaN if it certainly has none,
        infinity if that cannot be told in floating point (overflow, or a value at the edge of a domain or a pole, or
        anything computed in a mode of floating point that bounds do not hold in; see `float_mode`).

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> forest = Forest.of([parse_equation("sqrt(x) = x")])
    >>> values, errors = evaluate_forest(forest, {"x": np.array([4.0, -1.0])})
    >>> values[forest.equations[0]].tolist(), errors[forest.equations[0]].tolist()
    ([[2.0, nan], [4.0, -1.0]], [[0.0, nan], [0.0, 0.0]])
    """
    points = next((len(row) for row in points_by_variable.values()), 1)
    values = Ball(np.empty((len(forest), points)), np.empty((len(forest), points)))
    gaps = np.zeros(len(forest), dtype=bool)  # whether a node has no value somewhere
    given = np.zeros(len(forest), dtype=bool)
    if known is not None:
        given[known[0]] = True
        for target, row in zip(values, known[1:], strict=True):
            target[known[0]] = row[:, None]
        gaps[known[0]] = ~np.isfinite(known[2])
    with trusted_floats() as trusted, np.errstate(all="ignore"):
        for word, exponent, group in _groups(forest, np.flatnonzero(~given)):
            if word not in OPERATORS:
                result = _leaf(word, points_by_variable)
            elif not trusted:
                result = _OPEN
            else:
                pair = forest.children[group, : OPERATORS[word].arity].T
                arguments = [Ball(values.value[child], values.error[child]) for child in pair]
                if exponent in _SHORT_POWERS:
                    result = settle(_SHORT_POWERS[exponent](arguments[0]))
                else:
                    result = settle(OPERATORS[word].evaluate(*arguments))
                if gaps[pair].any():
                    result = _inherited(result, arguments)
            values.value[group], values.error[group] = result
            gaps[group] = ~np.isfinite(values.error[group]).all(axis=1)
        if not trusted:  # leaves, and what was given, are as they were unless they or their errors may be flushed
            small = (np.abs(values.value) < _SAFELY_NORMAL) & ~((values.value == 0.0) & (values.error == 0.0))
            values.value[small], values.error[small] = np.nan, np.inf
    return values.value, values.error


def constants(forest: Forest) -> NDArray[np.bool_]:
    """(nodes,) whether a node holds no variable."""
    variable = np.array([is_variable(word) for word in forest.words], dtype=bool)
    free = ~np.append(variable[forest.word], False)  # what a missing child, -1, is taken for is free of variables
    for start, end in forest.level_bounds():
        free[start:end] &= free[forest.children[start:end]].all(axis=1)
    return free[:-1]


def _leaf(word: str, points_by_variable: Mapping[str, Array]) -> Ball:
    if is_variable(word):
        return Ball(points_by_variable[word], np.zeros(()))
    value, error = leaf_ball(word)
    known = np.isfinite(value) and np.isfinite(error)
    return Ball(np.array(value), np.array(error)) if known else _OPEN


def _inherited(result: Ball, arguments: list[Ball]) -> Ball:
    """What is undefined or open in an argument is so in the result: undefined before open."""
    value, error = result.value.copy(), result.error.copy()
    undefined = np.zeros(error.shape, dtype=bool)
    for argument in arguments:
        unclear = np.isinf(argument.error)
        value[unclear], error[unclear] = np.nan, np.inf
        undefined |= np.isnan(argument.error)
    value[undefined], error[undefined] = np.nan, np.nan
    return Ball(value, error)


def _groups(forest: Forest, nodes: Array) -> Iterator[tuple[str, str, Array]]:
    """Some nodes by height and word, leaves first: a group can be evaluated in one go.

    Powers are grouped by their exponent as well, where it is one that has a function of its own; that is given beside.
    """
    if not len(nodes):
        return
    short = np.array([1 + _SHORT.index(word) if word in _SHORT_POWERS else 0 for word in forest.words])
    word, height = forest.word[nodes], forest.height[nodes]
    kind = np.where(word == forest.words.index("Pow"), short[forest.word[forest.children[nodes, 1]]], 0)
    order = np.lexsort((kind, word, height))
    changes = (np.diff(word[order]) != 0) | (np.diff(height[order]) != 0) | (np.diff(kind[order]) != 0)
    for group in np.split(order, np.flatnonzero(changes) + 1):
        first = group[0]
        yield forest.words[word[first]], ("", *_SHORT)[kind[first]], nodes[group]
