"""The complex verdict: equations under principal branches, at complex points and at real ones."""

from __future__ import annotations

import numpy as np

from dgl_mathtree.arithmetic.operators import PLANE
from dgl_mathtree.oracle.compare import Code, Comparer
from dgl_mathtree.oracle.decide import Stages
from dgl_mathtree.oracle.points import COMPLEX_POINTS
from dgl_mathtree.oracle.verdict import ENOUGH_DEFINED, Verdict, verdict

REAL_COLUMNS = 24
"""Points of the first round that are looked at besides the complex ones."""


def complex_verdicts(stages: Stages) -> list[Verdict]:
    """The verdicts on a chunk of equations whose real verdicts are found.

    At a real point where both sides are real nothing changes; elsewhere they are compared in complex ball arithmetic.
    Where points differ, those that agree must agree to 150 digits. An equation without variables is compared once.
    """
    first = stages.looks[0]
    points = {
        name: np.concatenate([row[:REAL_COLUMNS] + 0j, stages.points.plane(k)])
        for k, (name, row) in enumerate(first.points.items())
    }
    comparer = Comparer(first.forest, points, PLANE)
    codes = np.full((stages.count, REAL_COLUMNS + COMPLEX_POINTS), Code.OPEN, dtype=np.int8)
    codes[:, :REAL_COLUMNS] = first.codes[:, :REAL_COLUMNS]
    settled = (codes == Code.EQUAL) | (codes == Code.DIFFERENT)
    free = stages.places == 0
    asked = ~settled
    asked[free] = False
    asked[free, 0] = ~settled[free].any(axis=1)

    rows, columns = np.nonzero(asked)
    codes[rows, columns] = comparer.compare_all(rows, columns, 128)[0]
    mixed = (codes == Code.DIFFERENT).any(axis=1) & ~free
    rows, columns = np.nonzero(asked & (codes == Code.EQUAL) & mixed[:, None])
    codes[rows, columns] = comparer.compare_all_deeply(rows, columns)[0]

    equal, different = (codes == Code.EQUAL).sum(axis=1), (codes == Code.DIFFERENT).sum(axis=1)
    equal[free], different[free] = ENOUGH_DEFINED * (equal[free] > 0), ENOUGH_DEFINED * (different[free] > 0)
    return [verdict(a + b, a) for a, b in zip(equal.tolist(), different.tolist(), strict=True)]
