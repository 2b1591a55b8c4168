"""Which fillings of a blank come first: those that make the equation true, and among these what the network prefers.

Every candidate is looked at in floating point with error bounds, at points of the oracle. What differs at one of them
is not true; the few that are left are settled by the oracle. What holds at some points and differs at others, a branch,
comes after what is true and before what is false.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.inference.candidates import DIGITS, Candidates, Plainness
from dgl_mathtree.inference.complete import FilledForests
from dgl_mathtree.language import Equation, Expr, Forest
from dgl_mathtree.language.plain_terms import length
from dgl_mathtree.language.vocabulary import is_variable
from dgl_mathtree.oracle import Oracle
from dgl_mathtree.oracle.evaluate import evaluate_forest
from dgl_mathtree.oracle.point_samples import SLACK
from dgl_mathtree.oracle.verdict import ENOUGH_DEFINED

Array = NDArray[np.float64]
LONG, LONG_IF_TRUE = 0.1, 0.6
"""What a score loses for every name, number or sign of a filling's text: little where the network alone says whether it
is right, more among those that are."""
LOOKED_AT = 300
"""Among this many of the best fillings those of equal value are found, whatever their domains."""
EVERY = 3
"""One in this many of the oracle's first points is looked at."""
SETTLED = 200
"""Candidates at most that the oracle settles, the shortest first, those last that were not defined anywhere so far."""
PARTLY = 0.25
"""The share of points from which on a filling holds on a branch."""
WIDE, NARROW = 0.8, 3
"""A filling that is defined at a smaller share of points than others that are true counts as so much longer."""
ROWS = 4096
"""Candidates that are filled in together."""
TRUE, BRANCH, OTHER = 0, 1, 2
"""What the oracle says of a filling, in the order in which they are shown."""


class QuickLook(NamedTuple):
    """Candidates at a few points.

    Attributes
    ----------
    refuted : numpy.ndarray
        (candidates,) whether the sides certainly differ somewhere.
    defined : numpy.ndarray
        (candidates,) at how many points both sides are defined.
    share : numpy.ndarray
        (candidates,) at which share of these the sides do not differ; 0 where there is none.
    """

    refuted: NDArray[np.bool_]
    defined: NDArray[np.int64]
    share: Array


def quick_look(forest: Forest, oracle: Oracle) -> QuickLook:
    """The equations of a forest at some of the oracle's first points.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> texts = ("x + x = 2*x", "sqrt(x^2) = x", "x = x + 1")
    >>> seen = quick_look(Forest.of([parse_equation(text) for text in texts]), Oracle())
    >>> seen.refuted.tolist(), seen.share.round(1).tolist()
    ([False, True, True], [1.0, 0.5, 0.0])
    """
    names = sorted(word for word in forest.words if is_variable(word))
    points = {name: oracle.points.round(0, k)[::EVERY] for k, name in enumerate(names)}
    values, errors = evaluate_forest(forest, points)
    left, right = forest.equations.T
    with np.errstate(all="ignore"):
        bound = errors[left] + errors[right]
        different = np.abs(values[left] - values[right]) > SLACK * bound
    different[left == right] = False
    defined = np.isfinite(bound).sum(axis=1)
    share = 1 - different.sum(axis=1) / np.maximum(defined, 1)
    return QuickLook(different.any(axis=1), defined, np.where(defined > 0, share, 0.0))


def tiers(blank: Equation, expressions: Sequence[Expr], oracle: Oracle) -> NDArray[np.int64]:
    """(candidates,) `TRUE`, `BRANCH` or `OTHER`: what the oracle says of a blank filled with each candidate."""
    found = np.full(len(expressions), OTHER)
    for at in range(0, len(expressions), ROWS):
        forest = FilledForests(expressions[at : at + ROWS]).fill(blank)
        seen = quick_look(forest, oracle)
        part = np.where(seen.refuted & (seen.share >= PARTLY), BRANCH, OTHER)
        left = np.flatnonzero(~seen.refuted)
        lengths = [length(expressions[at + k]) for k in left.tolist()]
        left = left[np.lexsort((lengths, seen.defined[left] == 0))][:SETTLED]
        if len(left):
            part[left[oracle.settled(forest.take(left)) == 1]] = TRUE
        found[at : at + ROWS] = part
    return found


def _balls(forest: Forest) -> tuple[Array, Array]:
    """(nodes, points) each: subexpressions at the oracle's first points, and how far off at most."""
    points = Oracle().points
    names = sorted(word for word in forest.words if is_variable(word))
    return evaluate_forest(
        forest, {name: points.round(0, k) for k, name in enumerate(names)} or {"": points.round(0, 0)}
    )


def best_fillings(
    blank: Equation, candidates: Candidates, logits: Array, top: int, tier: NDArray[np.int64] | None = None
) -> list[int]:
    """The best candidates for a blank: of nearly equal scores the shorter first, of those that are equal wherever both
    are defined the simplest alone.

    Parameters
    ----------
    candidates : Candidates
        As `candidates_for` makes them.
    logits : numpy.ndarray
        (candidates,) their scores; what a model cannot read has none that is finite.
    top : int
        How many are wanted.
    tier : numpy.ndarray, optional
        (candidates,) from `tiers`; lower ones come first. Without it scores alone count.
    """
    tier = np.full(len(candidates), OTHER) if tier is None else tier
    lengths = np.array([length(expression) for expression in candidates.expressions])
    scores = logits - np.where(tier == TRUE, LONG_IF_TRUE, LONG) * lengths
    order = np.lexsort((-scores, tier))
    order = order[np.isfinite(scores[order])][: max(LOOKED_AT, 2 * top)]
    forest = Forest.of_expressions([candidates.expressions[k] for k in order])
    values, errors = (each[forest.equations[:, 0]] for each in _balls(forest))
    defined = np.isfinite(values).sum(axis=1)
    narrow = defined < WIDE * defined[tier[order] == TRUE].max(initial=0)
    plainness = Plainness(blank)
    keys = []
    for at, k in enumerate(order.tolist()):
        reads, words = plainness(candidates.expressions[k])
        keys.append((int(tier[k]), reads + NARROW * bool(narrow[at]), words))
    kept: list[int] = []
    for at in sorted(range(len(order)), key=keys.__getitem__):
        gap = np.abs(values[kept] - values[at])
        both = ~np.isnan(gap)
        with np.errstate(invalid="ignore"):
            apart = gap > 1e-12 + 10.0**-DIGITS * np.abs(values[at]) + errors[kept] + errors[at]
        if not (~apart.any(axis=1) & (both.sum(axis=1) >= ENOUGH_DEFINED)).any():
            kept.append(at)
    return [int(order[at]) for at in sorted(kept)[:top]]
