from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from dgl_mathtree.nn.number_features import FEATURES, NumberEncoder, number_features


@given(st.fractions())
def test_every_number_has_finite_features_of_its_own(value) -> None:  # type: ignore[no-untyped-def]
    features = number_features(str(value))
    assert len(features) == FEATURES
    assert all(math.isfinite(feature) for feature in features)


def test_small_numbers_are_told_apart() -> None:
    words = [*map(str, range(-200, 201)), "1/2", "-1/2", "1/3", "2/3", "0.5", "0.7", "3.14"]
    assert len({number_features(word) for word in words}) == len(words)


def test_huge_numbers_have_features_too() -> None:
    assert all(map(math.isfinite, number_features("9" * 4000)))
    assert all(map(math.isfinite, number_features("1/" + "7" * 250)))
    assert number_features("9" * 4000) != number_features("9" * 3000)


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="'x' is not a number"):
        number_features("x")


def test_vectors_start_at_about_the_scale_asked_for() -> None:
    torch.manual_seed(0)
    features = torch.tensor([number_features(str(k)) for k in range(-20, 21)])
    vectors = NumberEncoder(50, 0.1)(features)
    assert 0.05 < vectors.std().item() < 0.2
