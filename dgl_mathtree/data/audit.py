"""Audits: every label of some data judged again at fresh points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from typing import get_args

from dgl_mathtree.data.data_files import DataError, Row
from dgl_mathtree.data.process_map import ordered_map
from dgl_mathtree.oracle import Judgement, Oracle
from dgl_mathtree.oracle.judgements import Prover, with_proofs
from dgl_mathtree.oracle.verdict import Verdict

CHUNK = 5000
CERTIFIED_CHUNK = 500
"""Ball arithmetic and proofs take more time and memory for each equation."""
VERDICTS: tuple[str, ...] = get_args(Verdict)


@dataclass
class Audit:
    """What an audit found.

    Attributes
    ----------
    count : int
        Equations judged.
    disagreements : list of (Row, str)
        Rows whose label the fresh verdict does not confirm, with that verdict.
    by_depth : dict
        For each depth and label, how often each verdict was given.
    unproven : int
        Verdicts that do not rest on ball arithmetic.
    proved, witnessed : int
        Labels that the verdict confirms with a proof, and with a point at which the sides are proven to differ.
    conditional : int
        Those of the proved ones whose proof has conditions beyond the equation's domain.
    tested : list of Row
        With `certify`, rows whose label is confirmed by neither, but at points only.
    """

    count: int = 0
    disagreements: list[tuple[Row, str]] = field(default_factory=list)
    by_depth: dict[tuple[int, int], Counter[str]] = field(default_factory=dict)
    unproven: int = 0
    proved: int = 0
    witnessed: int = 0
    conditional: int = 0
    tested: list[Row] = field(default_factory=list)

    @property
    def wrong_positives(self) -> int:
        return sum(row.label == 1 for row, _ in self.disagreements)

    @property
    def doubtful_negatives(self) -> int:
        return sum(row.label == 0 for row, _ in self.disagreements)


def audit(
    rows: Iterable[Row],
    seed: int,
    certify: bool = False,
    prover: Prover | None = None,
    workers: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Audit:
    """Judge every row's label at points drawn with a seed.

    With `certify`, a correct equation must agree to 30 digits in ball arithmetic wherever it is defined, and an
    incorrect one must have a point at which the sides are proven to differ. With a prover, correct ones are proved.
    The result is the same for every number of workers. `progress` is called with the number of rows that were judged.
    """
    result = Audit()
    for row, judgement in judged_rows(rows, seed, certify, prover, workers):
        _note(result, row, judgement)
        if certify and _rests_on_points(row, judgement):
            result.tested.append(row)
        if progress is not None:
            progress(1)
    return result


def _note(result: Audit, row: Row, judgement: Judgement) -> None:
    result.count += 1
    result.by_depth.setdefault((row.depth, row.label), Counter())[judgement.verdict] += 1
    result.unproven += not _is_proven(judgement)
    if not _confirms(row, judgement):
        result.disagreements.append((row, judgement.verdict))
        return
    result.proved += judgement.proof is not None
    result.conditional += judgement.proof is not None and bool(judgement.conditions)
    result.witnessed += judgement.witness is not None and judgement.witness.certified


def _confirms(row: Row, judgement: Judgement) -> bool:
    """Whether a verdict confirms a label: one that is true on one branch only was kept as incorrect for that."""
    if judgement.verdict == "branch":
        return not row.label and row.verdict == "branch"
    return judgement.verdict == ("true" if row.label else "false")


def _rests_on_points(row: Row, judgement: Judgement) -> bool:
    """Whether a verdict confirms a label with neither a proof nor a proven difference."""
    shown = judgement.proof is not None or (judgement.witness is not None and judgement.witness.certified)
    return not shown and _confirms(row, judgement)


def judged_rows(
    rows: Iterable[Row], seed: int, certify: bool, prover: Prover | None = None, workers: int = 1
) -> Iterator[tuple[Row, Judgement]]:
    """Rows with judgements on their equations; those labelled correct with a proof if the prover has one."""
    if workers < 1:
        raise DataError(f"the number of workers must be at least 1, not {workers}")
    chunks = _chunks(rows, CERTIFIED_CHUNK if certify or prover else CHUNK)
    at_once = 4 * workers if workers > 1 else 1  # a pool reads all of its jobs at once: it gets a few at a time
    groups: Iterator[list[list[Row]]] = iter(lambda: list(islice(chunks, at_once)), [])
    with ordered_map(workers) as mapped:
        for group in groups:
            yield from chain.from_iterable(mapped(partial(_judged, seed, certify, prover), group))


def _judged(seed: int, certify: bool, prover: Prover | None, rows: list[Row]) -> list[tuple[Row, Judgement]]:
    oracle = Oracle(seed, complex_plane=False, certify=certify)
    equations = [row.parsed() for row in rows]
    return list(zip(rows, with_proofs(equations, oracle.judge(equations), prover), strict=True))


def _is_proven(judgement: Judgement) -> bool:
    """Whether a verdict rests on ball arithmetic: on a difference that is proven, or else at every point."""
    if judgement.witness is not None:
        return judgement.witness.certified
    return judgement.method == "certified"


def _chunks(rows: Iterable[Row], size: int) -> Iterator[list[Row]]:
    source = iter(rows)
    while chunk := list(islice(source, size)):
        yield chunk
