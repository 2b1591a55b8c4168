"""ListOps (Nangia and Bowman 2018): nested lists of digits under MAX, MIN, MED and SM, whose value is a digit.

A list is a digit or a nested tuple, ``("MAX", 2, 9, ("MIN", 4, 7), 0)``. They are generated here by the published
description: two to five arguments, each a list itself with probability 0.25, at most 20 levels.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

from dgl_mathtree.data.data_files import DataError
from dgl_mathtree.data.tree_dataset import TreeDataset

LIST_OPERATORS = ("MAX", "MIN", "MED", "SM")
"""Largest, smallest, median (rounded down) and sum modulo 10."""
DIGITS = 10
MOST_ARGUMENTS, DEEPEST = 5, 20
NESTED = 0.25
"""The probability that an argument is a list."""

Listing = Any
"""A digit, or a tuple of an operator and its arguments."""


def list_value(listing: Listing) -> int:
    """The value of a list, a digit.

    Examples
    --------
    >>> list_value(("MAX", 2, 9, ("MIN", 4, 7), 0)), list_value(("MED", 1, 8, 6, 3)), list_value(("SM", 7, 8))
    (9, 4, 5)
    """
    if isinstance(listing, int):
        return listing
    values = sorted(map(list_value, listing[1:]))
    if listing[0] == "MED":
        middle = len(values) // 2
        return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) // 2
    return {"MAX": values[-1], "MIN": values[0], "SM": sum(values) % DIGITS}[listing[0]]


def list_depth(listing: Listing) -> int:
    """How deeply lists are nested: 0 for a digit.

    Examples
    --------
    >>> list_depth(("MAX", 2, ("MIN", 4, 7)))
    2
    """
    return 0 if isinstance(listing, int) else 1 + max(map(list_depth, listing[1:]))


def generate_listops(count: int, seed: int = 0, without: Iterable[Listing] = ()) -> list[Listing]:
    """Lists by the published description, no two the same.

    Parameters
    ----------
    count : int
        How many.
    seed : int
        The same gives the same lists.
    without : iterable
        Lists that must not be among them, such as those of another part.

    Examples
    --------
    >>> lists = generate_listops(3)
    >>> [listing[0] in LIST_OPERATORS for listing in lists]
    [True, True, True]
    """
    rng = random.Random(seed)
    known = set(without)
    found: list[Listing] = []
    while len(found) < count:
        listing = _random_list(rng, 1)
        if listing not in known:
            known.add(listing)
            found.append(listing)
    return found


def _random_list(rng: random.Random, depth: int) -> Listing:
    arguments = []
    for _ in range(rng.randint(2, MOST_ARGUMENTS)):
        nested = depth < DEEPEST and rng.random() < NESTED
        arguments.append(_random_list(rng, depth + 1) if nested else rng.randrange(DIGITS))
    return rng.choice(LIST_OPERATORS), *arguments


def listops_data(lists: Sequence[Listing], operators_as: str = "types") -> TreeDataset:
    """Lists as a data set: the label is the value, the group the depth.

    Parameters
    ----------
    lists : sequence
        Any.
    operators_as : str
        ``types``: an operator is the type of its node, which has up to five children. ``leaves``: it is a leaf, in a
        binary tree of nodes of one type that takes the arguments one by one, ``((((MAX, 2), 9), 0), ])``, as published
        models read it.

    Examples
    --------
    >>> [listops_data([("MAX", 2, 9)], way)[0][0].num_nodes() for way in ("types", "leaves")]
    [3, 7]
    """
    labels, groups = [list_value(listing) for listing in lists], [list_depth(listing) for listing in lists]
    if operators_as == "types":
        # The numbers of digits and operators are their own names.
        return TreeDataset(list(map(_numbered, lists)), labels, groups=groups)
    if operators_as != "leaves":
        raise DataError(f"operators_as must be types or leaves, not {operators_as!r}")
    return TreeDataset(list(map(_binary, lists)), labels, typed=False, groups=groups)


def _numbered(listing: Listing) -> Any:
    if isinstance(listing, int):
        return listing
    return (LIST_OPERATORS.index(listing[0]), *map(_numbered, listing[1:]))


def _binary(listing: Listing) -> Any:
    """A list as a binary tree: digits, then operators, then the end are its symbols."""
    if isinstance(listing, int):
        return listing
    tree: Any = DIGITS + LIST_OPERATORS.index(listing[0])
    for argument in listing[1:]:
        tree = (tree, _binary(argument))
    return tree, DIGITS + len(LIST_OPERATORS)
