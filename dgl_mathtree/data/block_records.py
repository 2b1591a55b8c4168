"""Finished blocks as JSON: lists, tuples and the records that equations in the making consist of.

Text, numbers, truth values and None stand for themselves. Everything else is a list that begins with its kind::

    ["list", ...]                    a list
    ["tuple", ...]                   a tuple
    ["words", "Mul x y"]             a tuple of words, for example an equation's
    ["Both", "Add", ["words", "x"], false]
                                     a record: its name and all of its fields in order
"""

from __future__ import annotations

import dataclasses
from typing import Any

from dgl_mathtree.data.candidate import Candidate
from dgl_mathtree.data.provenance import Became, Both, Edit, Found, LooseRewrite, Rewrite, Start
from dgl_mathtree.errors import InputError

LIST, TUPLE, WORDS = "list", "tuple", "words"
RECORDS: dict[str, type] = {
    record.__name__: record for record in (Candidate, Start, Rewrite, LooseRewrite, Both, Edit, Found, Became)
}
_FIELDS = {record: [field.name for field in dataclasses.fields(record)] for record in RECORDS.values()}
_PLAIN = frozenset({str, int, float, bool, type(None)})


class BlockError(InputError):
    """What cannot be in a block."""


def block_to_json(value: Any) -> Any:
    """What JSON can hold of a block, or of a part of it.

    Examples
    --------
    >>> block_to_json([("x", "y"), Both("Add", ("x",))])
    ['list', ['words', 'x y'], ['Both', 'Add', ['words', 'x'], False]]
    """
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is tuple:
        if value and all(type(word) is str for word in value):
            text = " ".join(value)
            if text.count(" ") == len(value) - 1:
                return [WORDS, text]
        return [TUPLE, *map(block_to_json, value)]
    if kind is list:
        return [LIST, *map(block_to_json, value)]
    if kind in _FIELDS:
        return [kind.__name__, *(block_to_json(getattr(value, name)) for name in _FIELDS[kind])]
    raise BlockError(f"a block cannot hold a {kind.__name__}")


def block_from_json(value: Any) -> Any:
    """The block, or the part of it, that `block_to_json` made this of.

    Examples
    --------
    >>> block_from_json(["list", ["words", "x y"], ["Both", "Add", ["words", "x"], False]])
    [('x', 'y'), Both(operator='Add', operand=('x',), before=False)]
    """
    if type(value) in _PLAIN:
        return value
    if not (isinstance(value, list) and value and isinstance(value[0], str)):
        raise BlockError(f"not a part of a block: {value!r:.60}")
    kind, parts = value[0], value[1:]
    if kind == WORDS and len(parts) == 1 and isinstance(parts[0], str):
        return tuple(parts[0].split(" "))
    if kind == TUPLE:
        return tuple(map(block_from_json, parts))
    if kind == LIST:
        return list(map(block_from_json, parts))
    if kind in RECORDS and len(parts) == len(_FIELDS[RECORDS[kind]]):
        return RECORDS[kind](*map(block_from_json, parts))
    raise BlockError(f"not a part of a block: {value!r:.60}")
