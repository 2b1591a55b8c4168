"""The shape that a value of JSON must have, held against what a file holds: one check for every kind of file.

A shape is a type (`str`, `int`, `float` for any number, `bool`, `object` for anything), a list of one shape for a list
of such values, or an object's keys with the shape of each: `name?` may be missing or null, `*` is every key, and `#` is
every key and all are whole numbers. Keys that a shape does not name are let through: later versions may write more.
"""

from __future__ import annotations

import re
import reprlib
from typing import Any

from dgl_mathtree.errors import InputError

WANTED = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
LARGEST, LARGEST_WHOLE = 1e300, 2**63
"""No number of a file is as large, and infinity is larger."""
_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half a character: JSON can spell it, but no text can hold it."""


def check(value: Any, shape: Any, where: str, error: type[InputError] = InputError) -> None:
    """Raise an error that says where a value has not the shape that it must have.

    Parameters
    ----------
    value : Any
        What was read.
    shape : Any
        What it must be like.
    where : str
        The file, to begin the message with.
    error : type of InputError
        The kind of error to raise.

    Examples
    --------
    >>> check({"name": "a", "sizes": [1, 2]}, {"name": str, "sizes": [int], "seed?": int}, "card.json")
    >>> check({"name": "a", "sizes": [1, "2"]}, {"name": str, "sizes": [int]}, "card.json")
    Traceback (most recent call last):
    ...
    dgl_mathtree.errors.InputError: card.json: sizes: entry 2 must be a whole number, not '2'
    """
    if isinstance(shape, type):
        if not _is_a(value, shape):
            raise error(f"{where} must be {WANTED[shape]}, not {reprlib.repr(value)}")
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise error(f"{where} must be a list, not {reprlib.repr(value)}")
        for number, entry in enumerate(value, start=1):
            check(entry, shape[0], f"{where}: entry {number}", error)
    elif not isinstance(value, dict):
        raise error(f"{where} must be an object, not {reprlib.repr(value)}")
    else:
        for key, inner in shape.items():
            _check_entries(value, key, inner, where, error)


def _check_entries(value: dict[str, Any], key: str, shape: Any, where: str, error: type[InputError]) -> None:
    """Check what a key of a shape stands for in an object."""
    name = key.removesuffix("?")
    if name == "#":
        for found in value:
            if not (found.isascii() and found.isdecimal() and len(found) < 10):
                raise error(f"{where} must have whole numbers as keys, not {reprlib.repr(found)}")
    for found in value if name in ("*", "#") else [name]:
        entry = value.get(found)
        if entry is not None:
            check(entry, shape, f"{where}: {found if len(found) < 40 else reprlib.repr(found)}", error)
        elif not key.endswith("?"):
            raise error(f"{where} has no {found!r:.40}")


def _is_a(value: Any, kind: type) -> bool:
    if kind is object:
        return True
    if kind is str:
        return isinstance(value, str) and (value.isascii() or _SURROGATE.search(value) is None)
    if kind is bool or isinstance(value, bool):
        return kind is bool and isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and abs(value) < LARGEST_WHOLE
    return isinstance(value, (int, float)) and abs(value) < LARGEST
