from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from dgl_mathtree.oracle.points import CELLS, NEAR_POINTS, ROUND, SPECIAL_POINTS, Points


@pytest.mark.parametrize("number", [0, 1, 5])
def test_a_round_has_every_sign_pattern_of_four_places_and_every_cell(number: int) -> None:
    rows = np.stack([Points(7).round(number, place) for place in range(4)])
    patterns = Counter(map(tuple, (rows < 0).T.tolist()))
    assert len(patterns) == 16
    assert set(patterns.values()) == {ROUND // 16}
    for row in rows:
        for low, high, _ in CELLS:
            inside = row[(low <= np.abs(row)) & (np.abs(row) <= high)]
            assert sorted(np.sign(inside).tolist()) == [-1, 1]


def test_places_have_ranges_of_their_own() -> None:
    x, y = (np.abs(Points(0).round(0, place)) for place in range(2))
    ratio = x / y
    assert (ratio > 10).sum() >= 8
    assert (ratio < 0.1).sum() >= 8


def test_values_are_short_fractions_and_depend_on_the_seed_alone() -> None:
    first, again, other = Points(3), Points(3), Points(4)
    for place in (0, 1, 6, 20):
        row = first.round(0, place)
        assert row.tolist() == again.round(0, place).tolist()
        assert row.tolist() != other.round(0, place).tolist()
        assert all(Fraction(v).denominator <= 2**14 and Fraction(v).numerator % 2 for v in row.tolist())
        # The seed does not choose the cells.
        assert np.all(np.abs(np.log(np.abs(row / other.round(0, place)))) < 2.1)


def test_special_points_are_whole_or_half() -> None:
    rows = np.stack([Points(0).special(place) for place in range(2)])
    assert rows.shape == (2, SPECIAL_POINTS)
    whole, half = (rows == np.rint(rows)).all(axis=0), (2 * rows % 2 == 1).all(axis=0)
    assert whole.sum() >= 12
    assert half.sum() >= 12


def test_near_points_lie_on_both_sides_of_a_number() -> None:
    for number in (20.0, 0.001, 3e5):
        row = Points(0).near([number], 0, 1, times=2)
        assert len(row) == 2 * NEAR_POINTS
        for centre in (number, -number):
            close = row[np.abs(row - centre) < abs(number) / 2]
            assert (close > centre).sum() >= 8
            assert (close < centre).sum() >= 8


def test_complex_points_have_large_imaginary_parts() -> None:
    z = Points(0).plane(0)
    assert np.abs(z.imag).max() > np.pi
    assert {(a, b) for a, b in zip(z.real > 0, z.imag > 0, strict=True)} == {(a, b) for a in (0, 1) for b in (0, 1)}
