"""Every law of the table is true wherever both of its sides are defined and its conditions hold: at thin points too."""

from __future__ import annotations

from itertools import islice, product

import pytest
from flint import arb

from dgl_mathtree.arithmetic.arb_balls import own_precision
from dgl_mathtree.proof.check.balls import Values, differ
from dgl_mathtree.proof.check.law_table import Law, law_table
from dgl_mathtree.proof.check.limits import Budget
from dgl_mathtree.proof.check.signs import NEGATIVE, POSITIVE, ZERO

CORNERS = (0, 1, -1, 2, -2, 0.5, -0.5, 3, -3, 0.75, -1.5)
MOST_POINTS = 1500


@pytest.mark.parametrize("group", sorted({name.partition("/")[0] for name in law_table()}))
def test_laws_hold_at_corners(group: str) -> None:
    with own_precision():
        for name, law in law_table().items():
            if name.partition("/")[0] == group:
                hold_at_corners(law)


def hold_at_corners(law: Law) -> None:
    letters = sorted(law.letters)
    for numbers in islice(product(CORNERS, repeat=len(letters)), MOST_POINTS):
        values = Values({letter: arb(number) for letter, number in zip(letters, numbers, strict=True)}, Budget())
        if not all(_allowed(values.of(node)) & mask for node, mask in law.conditions):
            continue
        assert not differ(values.of(law.left), values.of(law.right)), (law.name, numbers)


def _allowed(value: object) -> int:
    if not isinstance(value, arb):
        return 0
    return POSITIVE if value > 0 else NEGATIVE if value < 0 else ZERO
