"""Audits: every label of some data judged again at fresh points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import get_args

from dgl_mathtree.data.data_files import Row
from dgl_mathtree.oracle import Judgement, Oracle
from dgl_mathtree.oracle.judgements import Prover, with_proofs
from dgl_mathtree.oracle.verdict import Verdict

CHUNK = 5000
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
    """

    count: int = 0
    disagreements: list[tuple[Row, str]] = field(default_factory=list)
    by_depth: dict[tuple[int, int], Counter[str]] = field(default_factory=dict)
    unproven: int = 0
    proved: int = 0
    witnessed: int = 0

    @property
    def wrong_positives(self) -> int:
        return sum(row.label == 1 for row, _ in self.disagreements)

    @property
    def doubtful_negatives(self) -> int:
        return sum(row.label == 0 for row, _ in self.disagreements)


def audit(rows: Iterable[Row], seed: int, certify: bool = False, prover: Prover | None = None) -> Audit:
    """Judge every row's label at points drawn with a seed.

    With `certify`, a correct equation must agree to 30 digits in ball arithmetic wherever it is defined, and an
    incorrect one must have a point at which the sides are proven to differ. With a prover, correct ones are proved.
    """
    result = Audit()
    for row, judgement in judged_rows(rows, seed, certify, prover):
        result.count += 1
        result.by_depth.setdefault((row.depth, row.label), Counter())[judgement.verdict] += 1
        result.unproven += not _is_proven(judgement)
        if judgement.verdict != ("true" if row.label else "false"):
            result.disagreements.append((row, judgement.verdict))
        else:
            result.proved += judgement.proof is not None
            result.witnessed += judgement.witness is not None and judgement.witness.certified
    return result


def judged_rows(
    rows: Iterable[Row], seed: int, certify: bool, prover: Prover | None = None
) -> Iterator[tuple[Row, Judgement]]:
    """Rows with judgements on their equations; those labelled correct with a proof if the prover has one."""
    oracle = Oracle(seed, complex_plane=False, certify=certify)
    for chunk in _chunks(rows):
        equations = [row.parsed() for row in chunk]
        yield from zip(chunk, with_proofs(equations, oracle.judge(equations), prover), strict=True)


def _is_proven(judgement: Judgement) -> bool:
    """Whether a verdict rests on ball arithmetic: on a difference that is proven, or else at every point."""
    if judgement.witness is not None:
        return judgement.witness.certified
    return judgement.method == "certified"


def _chunks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    source = iter(rows)
    while chunk := list(islice(source, CHUNK)):
        yield chunk
