"""What expressions mean: keys by which those of equal value are found among millions.

Every distinct subexpression of a forest is evaluated at a few points of several regions, and the values of a region
make one key. A region in which an expression is not defined throughout has the key 0. Two expressions

- mean the same if they share a key and differ in none where both are defined,
- differ if they share none,
- and are left open if they agree in some regions and not in others (a branch), or are nowhere defined together.

Keys are made of rounded values, so they find equal expressions; the oracle has the last word on single equations.

Two more functions group rows of values that were computed already: `digests` by a hash, and `equal_rows` in lists. Each
rounds in a way of its own, which data and results depend on.
"""

from __future__ import annotations

import math
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.arithmetic.float_mode import trusted_floats
from dgl_mathtree.language.forest import Forest
from dgl_mathtree.language.vocabulary import is_variable
from dgl_mathtree.oracle.evaluate import evaluate_forest

Keys = NDArray[np.int64]

KEY_FORMAT = 1
"""To be raised when the same expressions come to have other keys: keys that were kept are then made anew."""
REGIONS = ((0.15, 0.95), (1.05, 2.9), (-0.95, -0.15), (-2.9, -1.05), (-2.9, 2.9), (-2.9, 2.9))
"""Where the variables lie: inside and outside of the unit interval on either side of 0, and twice anywhere."""
DIGITS = 7
"""Significant digits in which equal values agree."""
LOOSEST = 1e-9
"""The largest error, relative to the value or to 1, that a value may have been computed with."""
SMALLEST = 1e-9
"""Values below it are 0: what is left of a sum that cancels."""


def value_keys(forest: Forest, points: int = 4, seed: int = 977) -> Keys:
    """Keys of the values of all nodes of a forest.

    Parameters
    ----------
    forest : Forest
        The expressions.
    points : int
        Points in each region.
    seed : int
        Of the points, which depend on it and on the names of the variables only.

    Returns
    -------
    numpy.ndarray
        (nodes, regions) 64-bit keys, 0 where a node is not defined.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> forest = Forest.of([parse_equation("log(x^2) = 2*log(x)")])
    >>> left, right = value_keys(forest)[forest.equations[0]]
    >>> (left == right).tolist(), (right == 0).tolist()
    ([True, True, False, False, False, False], [False, False, True, True, True, True])
    """
    variables = [word for word in forest.words if is_variable(word)] or ["x"]
    with trusted_floats() as trusted:
        if not trusted:  # keys are kept: those of an untrusted mode would outlive it
            raise FloatingPointError("values cannot be compared in this floating-point mode: do not flush denormals")
        return _keys(forest, variables, points, seed)


def _keys(forest: Forest, variables: list[str], points: int, seed: int) -> Keys:
    keys = np.empty((len(forest), len(REGIONS)), dtype=np.int64)
    for place, (low, high) in enumerate(REGIONS):
        at = {}
        for name in variables:
            rng = np.random.default_rng([seed, place, zlib.crc32(name.encode())])
            at[name] = rng.uniform(low, high, points)
        values, errors = evaluate_forest(forest, at)
        with np.errstate(invalid="ignore"):
            loose = errors > LOOSEST * np.maximum(1.0, np.abs(values))
        keys[:, place] = _digest(np.where(loose, np.nan, values))
    return keys


def _digest(values: NDArray[Any]) -> Keys:
    """(rows,) a key for each row of values, 0 for a row with NaN."""
    known = np.isfinite(values).all(axis=1)
    some = np.where(known[:, None], values, 1.0)
    some[np.abs(some) < SMALLEST] = 0.0
    # The exponent is that of the rounded number: 0.99999999 and 1.00000001 fall together.
    with np.errstate(divide="ignore"):
        size = np.where(some == 0, 0.0, np.floor(np.log10(np.abs(some) * (1 + 0.5 * 10.0**-DIGITS))))
    mantissa = np.rint(some * 10.0 ** (DIGITS - 1 - size)).astype(np.int64)
    parts = (mantissa * 1_000_003 + size.astype(np.int64)).view(np.uint64)
    key = np.full(len(values), 0x9E3779B97F4A7C15, dtype=np.uint64)
    for column in parts.T:
        key = (key ^ column) * np.uint64(0xBF58476D1CE4E5B9)
        key ^= key >> np.uint64(31)
    key[key == 0] = 1
    return np.where(known, key.view(np.int64), 0)


def digests(values: NDArray[np.float64], digits: int = DIGITS) -> NDArray[np.uint64]:
    """(rows,) a hash of each row of values, rounded to some significant digits; NaN has a code of its own.

    Discovery orders and divides what it finds by these numbers: they are part of what a recipe and a seed stand for.
    """
    with trusted_floats(), np.errstate(all="ignore"):
        exponent = np.floor(np.log10(np.maximum(np.abs(values), 1e-9)))
        rounded = np.rint(values / 10.0 ** (exponent - (digits - 1)))
    # Zero and undefined values get codes that no rounded value has.
    small = np.abs(values) < 1e-9
    codes = np.where(small, 3.0, np.where(np.isnan(values), 5.0, rounded * 64 + exponent)).astype(np.int64)
    keys = np.zeros(len(values), dtype=np.uint64)
    for column in codes.view(np.uint64).T:
        keys ^= column + np.uint64(0x9E3779B97F4A7C15) + (keys << np.uint64(6)) + (keys >> np.uint64(2))
        keys *= np.uint64(0xBF58476D1CE4E5B9)
        keys ^= keys >> np.uint64(31)
    return keys


_SHIFT = 0.3819660112501051
"""Moves the edges of rounding off the short decimals: at the oracle's points, which are such, many values are."""
_LARGEST_TOLD_APART = 1e308
"""Values beyond it are not told apart: a multiple of them is not finite."""


def equal_rows(values: NDArray[np.float64], digits: int) -> list[list[int]]:
    """Groups of rows that agree to this many significant digits and are defined at the same points.

    A row that is defined nowhere is alone.
    """
    unknown = np.isnan(values)
    rows = np.where(unknown, np.nan, _rounded(np.where(unknown, 0.0, values), digits))
    text, width = rows.tobytes(), rows[:1].nbytes
    groups: dict[object, list[int]] = {}
    nowhere = np.all(unknown, axis=1)
    for k in range(len(values)):
        groups.setdefault(k if nowhere[k] else text[k * width : (k + 1) * width], []).append(k)
    return list(groups.values())


def _rounded(values: NDArray[np.float64], digits: int) -> NDArray[np.float64]:
    """Values, times a constant, to this many significant digits; what is next to nothing is 0.

    Points are short fractions, and their decimals may end in a 5 just where they are cut off: then round-off would
    choose the last digit. A multiple of theirs ends anywhere.
    """
    values = np.clip(values, -_LARGEST_TOLD_APART, _LARGEST_TOLD_APART) * math.sqrt(2.0)
    size = np.where(np.abs(values) > 1e-12, np.abs(values), 1.0)
    unit = 10.0 ** (np.floor(np.log10(size)) - digits + 1)
    result: NDArray[np.float64] = np.where(np.abs(values) > 1e-12, np.floor(values / unit + _SHIFT) * unit, 0.0) + 0.0
    return result
