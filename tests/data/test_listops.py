from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dgl_mathtree.data import DataError, generate_listops, list_value, listops_data
from dgl_mathtree.data.listops import DEEPEST, LIST_OPERATORS, list_depth


def by_hand(listing: Any) -> int:
    if isinstance(listing, int):
        return listing
    values = [by_hand(argument) for argument in listing[1:]]
    return int({"MAX": max, "MIN": min, "MED": np.median, "SM": lambda x: sum(x) % 10}[listing[0]](values))


def test_lists_are_as_described() -> None:
    lists = generate_listops(2000, seed=1)
    assert lists == generate_listops(2000, seed=1) != generate_listops(2000, seed=2)
    assert len(set(lists)) == 2000
    assert all(list_value(listing) == by_hand(listing) for listing in lists)
    assert {listing[0] for listing in lists} == set(LIST_OPERATORS)
    assert {len(listing) - 1 for listing in lists} == {2, 3, 4, 5}
    assert max(map(list_depth, lists)) <= DEEPEST and min(map(list_depth, lists)) == 1
    nested = [isinstance(argument, tuple) for listing in lists for argument in listing[1:]]
    assert np.mean(nested) == pytest.approx(0.25, abs=0.02)
    assert not set(lists) & set(generate_listops(500, seed=1, without=lists))


def test_data_with_operators_as_types_and_as_leaves() -> None:
    lists = generate_listops(50)
    typed, leaves = listops_data(lists), listops_data(lists, "leaves")
    assert typed.labels.tolist() == leaves.labels.tolist() == list(map(list_value, lists))
    assert typed.groups is not None and typed.groups.tolist() == list(map(list_depth, lists))
    assert typed.trees.children.shape[1] == 5 and leaves.trees.children.shape[1] == 2
    assert typed.trees.node_types.max() == 3 and leaves.trees.word.max() == 14
    with pytest.raises(DataError, match="types or leaves"):
        listops_data(lists, "words")
