"""Completion by the oracle: which candidate, in the order of a ranking, is the first to make an equation true?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.inference.candidates import classify
from dgl_mathtree.inference.complete import FilledForests
from dgl_mathtree.inference.filling_verdicts import UNKNOWN, FillingVerdicts, Verdicts
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
    oracle : Oracle
        The one that decides.
    folder : Path, optional
        Where verdicts are kept for the next time; by default nowhere.
    """

    def __init__(self, candidates: Sequence[Expr], oracle: Oracle, folder: Path | None = None) -> None:
        self.oracle = oracle
        self._class = classify(candidates, oracle).classes
        _, first = np.unique(self._class, return_index=True)
        simple = [candidates[k] for k in first]
        self._forests = [FilledForests(simple[at : at + ROWS]) for at in range(0, len(first), ROWS)]
        self._verdicts = FillingVerdicts(folder, simple, oracle)

    def judge(self, blank: Equation, rank: NDArray[np.int64]) -> FirstTrue:
        """The best rank of the candidates that make a blank's equation true.

        Most are false at a glance. What looks true is settled from the best rank on until one is; of those that few
        points are known for, which take longest, only what would stand before it.

        Parameters
        ----------
        rank : numpy.ndarray
            (candidates,) the rank of each, the best the lowest.
        """
        filled = _Filled(blank, self._forests, self.oracle, self._verdicts)
        seen = filled.seen()
        best = np.full(len(seen), np.iinfo(np.int64).max)  # of each class of equal value
        np.minimum.at(best, self._class, rank)
        order = np.argsort(best, kind="stable")
        if seen.all():  # none is false at a glance: whether one is false at all is asked for too
            settled = filled.settled(order)
            true = best[order[settled == 1]]
            return FirstTrue(int(true[0]) if len(true) else None, bool((settled == 0).any()))
        first = None
        for look in (1, -1):
            first = self._first(filled, order[seen[order] == look], best, first)
        return FirstTrue(first, True)

    def save(self) -> None:
        """Keep the verdicts, if there is a place for them."""
        self._verdicts.save()

    def _first(self, filled: _Filled, waiting: NDArray[Any], best: NDArray[np.int64], before: int | None) -> int | None:
        """The rank of the first that is true among some in their order, or a rank that is known if none is before."""
        for at in range(0, len(waiting), TOGETHER):
            some = waiting[at : at + TOGETHER]
            some = some if before is None else some[best[some] < before]
            true = some[filled.settled(some) == 1]
            if len(true):
                return int(best[true[0]])
            if len(some) < TOGETHER:
                break
        return before


class _Filled:
    """A blank with each candidate in it, as far as the oracle is asked for."""

    def __init__(
        self, blank: Equation, forests: Sequence[FilledForests], oracle: Oracle, verdicts: FillingVerdicts
    ) -> None:
        self._blank, self._filling, self._oracle, self._verdicts = blank, forests, oracle, verdicts
        self._seen, self._settled = verdicts.of(blank)

    @cached_property
    def _forests(self) -> list[Forest]:
        return [forests.fill(self._blank) for forests in self._filling]

    def seen(self) -> Verdicts:
        """(candidates,) what the oracle says at a glance."""
        if (self._seen == UNKNOWN).any():
            self._seen[:] = np.concatenate([self._oracle.glance(forest) for forest in self._forests])
            self._verdicts.note_change()
        return self._seen

    def settled(self, rows: NDArray[Any]) -> Verdicts:
        """The oracle's answers to some candidates."""
        asked = rows[self._settled[rows] == UNKNOWN]
        for k in range(len(self._filling)):
            if len(inside := asked[asked // ROWS == k]):
                self._settled[inside] = self._oracle.settled(self._forests[k].take(inside - k * ROWS))
                self._verdicts.note_change()
        found: Verdicts = self._settled[rows]
        return found
