"""How well blanks are answered by `complete`: whether a filling that makes the equation true comes first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dgl_mathtree.inference.blanks import Blank
from dgl_mathtree.inference.trained_verifier import TrainedVerifier
from dgl_mathtree.language import readable
from dgl_mathtree.language.plain_terms import length

TOP = 5
LONGER = 2
"""A filling is as simple as the one that was there if its text has at most so many names, numbers and signs more."""


@dataclass(frozen=True)
class Answered:
    """How a blank was answered.

    Attributes
    ----------
    id, kind : str
        Of the blank, and the group that it is counted in.
    rank : int or None
        Of the first of `TOP` fillings that makes the equation true, by the oracle after a close look.
    proved : bool
        Whether that one is proved.
    filling : str
        What it is; the first filling where none is true.
    simple : bool
        Whether it is true and as simple as what was there.
    """

    id: str
    kind: str
    rank: int | None
    proved: bool
    filling: str
    simple: bool


def answered(
    trained: TrainedVerifier, blanks: Sequence[Blank], tick: Callable[[], object] = lambda: None
) -> list[Answered]:
    """How each blank is answered; its kind is what stands before a dash in its id."""
    found = []
    for blank in blanks:
        fillings = trained.complete(blank.equation, top=TOP)
        rank = next((k for k, filling in enumerate(fillings, start=1) if filling.oracle == "true"), None)
        shown = fillings[(rank or 1) - 1]
        simple = rank is not None and length(shown.expression) <= length(blank.filling) + LONGER
        said = (rank, rank is not None and shown.proof is not None, readable(shown.expression), simple)
        found.append(Answered(blank.id, blank.id.partition("-")[0], *said))
        tick()
    return found


def answer_evaluation(rows: Sequence[Answered]) -> dict[str, Any]:
    """Top-1, Top-5, and the shares that are proved and simple: overall, and for each kind of blank.

    Examples
    --------
    >>> rows = [Answered("term-1", "term", 1, True, "x", True), Answered("term-2", "term", None, False, "2", False)]
    >>> answer_evaluation(rows)["overall"]
    {'count': 2, 'top1': 0.5, 'top5': 0.5, 'proved': 0.5, 'simple': 0.5}
    """
    kinds = dict.fromkeys(row.kind for row in rows)
    return {
        "overall": _shares(rows),
        "by_kind": {kind: _shares([row for row in rows if row.kind == kind]) for kind in kinds},
    }


def _shares(rows: Sequence[Answered]) -> dict[str, Any]:
    def share(flags: Iterable[bool]) -> float | None:
        return round(sum(flags) / len(rows), 6) if rows else None

    return {
        "count": len(rows),
        "top1": share(row.rank == 1 for row in rows),
        "top5": share(row.rank is not None for row in rows),
        "proved": share(row.proved for row in rows),
        "simple": share(row.simple for row in rows),
    }
