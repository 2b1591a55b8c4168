"""The shape that a value of JSON must have, held against what a file holds: one check for every kind of file.

A shape is a type (`str`, `int`, `float` for any number, `bool`, `object` for anything), a list of one shape for a list
of such values, or an object's keys with the shape of each: `name?` may be missing or null, `*` is every key, and `#` is
every key and all are whole numbers. Keys that a shape does not name are let through: later versions may write more.

A dataclass states its shape itself: `check_fields` reads the types of its fields, and the limits that `setting` gives
them. The string below a field is its documentation, which `documentation` finds.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import operator
import re
import reprlib
from importlib import import_module
from typing import Any

from dgl_mathtree.errors import InputError

WANTED = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "a table of names and values",
    list: "a list",
}
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
    if kind in (dict, list):
        return isinstance(value, kind)
    if kind is str:
        return isinstance(value, str) and (value.isascii() or _SURROGATE.search(value) is None)
    if kind is bool or isinstance(value, bool):
        return kind is bool and isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and abs(value) < LARGEST_WHOLE
    return isinstance(value, (int, float)) and abs(value) < LARGEST


_KINDS: dict[str, type] = {kind.__name__: kind for kind in (str, int, float, bool, dict, list)}
_LIMITS = {
    "least": ("at least", operator.ge),
    "above": ("above", operator.gt),
    "most": ("at most", operator.le),
    "below": ("below", operator.lt),
}


def setting(default: Any, *, choices: tuple[str, ...] | str = (), **limits: float) -> Any:
    """A field of a dataclass with what its value must be like.

    Parameters
    ----------
    default : Any
        Its default. Where that is None, None is always right.
    choices : tuple of str or str
        The texts that it may be; or where in the package a table has them as keys, ``module:name``.
    **limits : float
        ``least``, ``most``, ``above`` or ``below``.
    """
    return dataclasses.field(default=default, metadata={"choices": choices, "limits": limits})


def choices_of(entry: dataclasses.Field[Any]) -> tuple[str, ...]:
    """The texts that a field may be; empty where they are not limited."""
    choices = entry.metadata.get("choices", ())
    if isinstance(choices, str):
        module, _, name = choices.partition(":")
        choices = tuple(getattr(import_module(f"dgl_mathtree.{module}"), name))
    return tuple(choices)


def check_fields(record: Any, error: type[InputError] = InputError) -> None:
    """Raise an error that names the first field of a dataclass whose value has the wrong type or is out of its limits.

    Parameters
    ----------
    record : dataclass instance
        Its annotations are texts, as with ``from __future__ import annotations``.
    error : type of InputError
        The kind of error to raise.

    Examples
    --------
    >>> Sizes = dataclasses.make_dataclass("Sizes", [("count", "int", setting(3, least=1))])
    >>> check_fields(Sizes(4))
    >>> check_fields(Sizes(0))
    Traceback (most recent call last):
    ...
    dgl_mathtree.errors.InputError: count must be at least 1, not 0
    """
    entries = dataclasses.fields(record)
    for each in entries:
        value, kinds = getattr(record, each.name), str(each.type).split(" | ")
        if value is None and "None" in kinds:
            continue
        kind = _KINDS.get(kinds[0].partition("[")[0])
        if kind is not None and not _is_a(value, kind):
            wanted = f"{WANTED[kind]} below 2^63" if kind is int else WANTED[kind]
            raise error(f"{each.name} must be {wanted}, not {reprlib.repr(value)}")
    for each in entries:
        value, limits = getattr(record, each.name), each.metadata.get("limits", {})
        if value is None:
            continue
        if not all(_LIMITS[name][1](value, limit) for name, limit in limits.items()):
            wanted = " and ".join(f"{_LIMITS[name][0]} {limit}" for name, limit in limits.items())
            raise error(f"{each.name} must be {wanted}, not {value}")
        choices = choices_of(each)
        if choices and value not in choices:
            raise error(f"{each.name} must be one of {', '.join(choices)}, not {value!r}")


def documentation(record: type) -> dict[str, str]:
    """The string below each field of a dataclass, as one line; empty where the sources are not available."""
    found: dict[str, str] = {}
    for parent in record.__bases__:
        found |= documentation(parent) if dataclasses.is_dataclass(parent) else {}
    try:
        body = ast.parse(inspect.cleandoc(inspect.getsource(record))).body[0]
    except (OSError, SyntaxError):
        return {}
    assert isinstance(body, ast.ClassDef)
    for entry, below in zip(body.body, body.body[1:], strict=False):
        if isinstance(entry, ast.AnnAssign) and isinstance(entry.target, ast.Name) and isinstance(below, ast.Expr):
            found[entry.target.id] = " ".join(str(ast.literal_eval(below.value)).split())
    return found
