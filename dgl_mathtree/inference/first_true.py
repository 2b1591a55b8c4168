"""Completion by the oracle: which candidate, in the order of a ranking, is the first to make an equation true?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.inference.candidates import classify
from dgl_mathtree.inference.complete import FilledForests
from dgl_mathtree.language import Equation, Expr, Forest
from dgl_mathtree.oracle import Oracle

ROWS = 2048
"""Candidates that are filled in together."""
TOGETHER = 16
"""Candidates that the oracle settles together."""


class FirstTrue(NamedTuple):
    """What the oracle says of the candidates for a blank.

    Attributes
    ----------
    rank : int or None
        The best rank of a candidate that makes the equation true; None if there is none.
    wrong : bool
        Whether some candidate makes it false.
    """

    rank: int | None
    wrong: bool


class FillingJudge:
    """Which candidate is the first that makes an equation true, by the oracle; those of equal value are judged once.

    Parameters
    ----------
    candidates : sequence of Expr
        The expressions to fill in.
    """

    def __init__(self, candidates: Sequence[Expr], oracle: Oracle) -> None:
        self.oracle = oracle
        self._class = classify(candidates, oracle).classes
        _, first = np.unique(self._class, return_index=True)
        self._forests = [
            FilledForests([candidates[k] for k in first[at : at + ROWS]]) for at in range(0, len(first), ROWS)
        ]

    def judge(self, blank: Equation, rank: NDArray[np.int64]) -> FirstTrue:
        """The best rank of the candidates that make a blank's equation true.

        Most are false at a glance. What looks true is settled from the best rank on until one is; of those that few
        points are known for, which take longest, only what would stand before it.

        Parameters
        ----------
        rank : numpy.ndarray
            (candidates,) the rank of each, the best the lowest.
        """
        forests = [forests.fill(blank) for forests in self._forests]
        seen = np.concatenate([self.oracle.glance(forest) for forest in forests])
        best = np.full(len(seen), np.iinfo(np.int64).max)  # of each class of equal value
        np.minimum.at(best, self._class, rank)
        order = np.argsort(best, kind="stable")
        if seen.all():  # none is false at a glance: whether one is false at all is asked for too
            settled = self._settled(forests, order)
            true = best[order[settled == 1]]
            return FirstTrue(int(true[0]) if len(true) else None, bool((settled == 0).any()))
        first = None
        for look in (1, -1):
            first = self._first(forests, order[seen[order] == look], best, first)
        return FirstTrue(first, True)

    def _first(
        self, forests: Sequence[Forest], waiting: NDArray[Any], best: NDArray[np.int64], before: int | None
    ) -> int | None:
        """The rank of the first that is true among some in their order, or a rank that is known if none is before."""
        for at in range(0, len(waiting), TOGETHER):
            some = waiting[at : at + TOGETHER]
            some = some if before is None else some[best[some] < before]
            true = some[self._settled(forests, some) == 1]
            if len(true):
                return int(best[true[0]])
            if len(some) < TOGETHER:
                break
        return before

    def _settled(self, forests: Sequence[Forest], rows: NDArray[Any]) -> NDArray[np.int64]:
        """The oracle's answers to some rows of the forests taken together."""
        settled = np.empty(len(rows), dtype=np.int64)
        for k, forest in enumerate(forests):
            inside = rows // ROWS == k
            if inside.any():
                settled[inside] = self.oracle.settled(forest.take(rows[inside] - k * ROWS))
        return settled
