"""Audits: every label of some data judged again at fresh points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import get_args

from dgl_mathtree.corpus.files import Row
from dgl_mathtree.expressions import Judgement, Oracle
from dgl_mathtree.expressions.judgement import FLOAT_BITS, Verdict

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
    """

    count: int = 0
    disagreements: list[tuple[Row, str]] = field(default_factory=list)
    by_depth: dict[tuple[int, int], Counter[str]] = field(default_factory=dict)
    unproven: int = 0

    @property
    def wrong_positives(self) -> int:
        return sum(row.label == 1 for row, _ in self.disagreements)

    @property
    def doubtful_negatives(self) -> int:
        return sum(row.label == 0 for row, _ in self.disagreements)


def audit(rows: Iterable[Row], seed: int, certify: bool = False) -> Audit:
    """Judge every row's label at points drawn with a seed.

    With `certify`, a correct equation must agree to 30 digits in ball arithmetic wherever it is defined, and an
    incorrect one must have a point at which the sides are proven to differ.
    """
    result = Audit()
    oracle = Oracle(seed, complex_plane=False, certify=certify)
    for chunk in _chunks(rows):
        judgements = oracle.judge(row.parsed() for row in chunk)
        for row, judgement in zip(chunk, judgements, strict=True):
            result.count += 1
            result.by_depth.setdefault((row.depth, row.label), Counter())[judgement.verdict] += 1
            result.unproven += not _is_proven(judgement)
            if judgement.verdict != ("true" if row.label else "false"):
                result.disagreements.append((row, judgement.verdict))
    return result


def _is_proven(judgement: Judgement) -> bool:
    """Whether a verdict rests on ball arithmetic: on a difference that is proven, or else at every point."""
    if judgement.witness is not None:
        return judgement.witness.bits > FLOAT_BITS
    return judgement.method == "certified"


def _chunks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    source = iter(rows)
    while chunk := list(islice(source, CHUNK)):
        yield chunk
