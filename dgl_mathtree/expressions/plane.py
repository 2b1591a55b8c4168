"""The complex verdict: equations under principal branches, at complex points and at real ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.expressions.certified_plane import PLANE
from dgl_mathtree.expressions.comparison import Code, Comparer
from dgl_mathtree.expressions.judgement import ENOUGH_DEFINED, Verdict, verdict
from dgl_mathtree.expressions.points import COMPLEX_POINTS
from dgl_mathtree.expressions.stages import Stages

REAL_COLUMNS = 24
"""Points of the first round that are looked at besides the complex ones."""


def complex_verdicts(stages: Stages) -> list[Verdict]:
    """The verdicts on a chunk of equations whose real verdicts are found.

    At a real point where both sides are real nothing changes; elsewhere they are compared in complex ball arithmetic.
    Where points differ, those that agree must agree to 150 digits.
    """
    first = stages.looks[0]
    points = {
        name: np.concatenate([row[:REAL_COLUMNS] + 0j, stages.points.plane(k)])
        for k, (name, row) in enumerate(first.points.items())
    }
    comparer = Comparer(first.forest, points, PLANE)
    return [_verdict(stages, comparer, row) for row in range(stages.count)]


def _verdict(stages: Stages, comparer: Comparer, row: int) -> Verdict:
    known = stages.looks[0].codes[row, :REAL_COLUMNS]
    real = known[(known == Code.EQUAL) | (known == Code.DIFFERENT)]
    if not stages.places[row]:
        code = Code(real[0]) if len(real) else comparer.compare(row, 0, 128).code
        codes: NDArray[Any] = np.full(ENOUGH_DEFINED, code)
    else:
        left_out = np.flatnonzero((known == Code.UNDEFINED) | (known == Code.OPEN)).tolist()
        columns = [*left_out, *range(REAL_COLUMNS, REAL_COLUMNS + COMPLEX_POINTS)]
        found = np.array([comparer.compare(row, column, 128).code for column in columns])
        if (found == Code.DIFFERENT).any() or (real == Code.DIFFERENT).any():
            for k in np.flatnonzero(found == Code.EQUAL).tolist():
                found[k] = comparer.compare_deeply(row, columns[k]).code
        codes = np.concatenate([real, found])
    equal, different = int((codes == Code.EQUAL).sum()), int((codes == Code.DIFFERENT).sum())
    return verdict(equal + different, equal)
