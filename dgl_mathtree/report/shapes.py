"""What the files of a run must hold for a report."""

from __future__ import annotations

from typing import Any

from dgl_mathtree.errors import InputError

# A shape is a type, or an object's keys with the shape of each: `name?` may be missing or null, `*` is every key, and
# `#` is every key and all are whole numbers.
SHARES = {"*?": float}
PART = {"overall": {"accuracy": float, "count": int, **SHARES}, "by_depth": {"#": {"accuracy": float, "count?": int}}}
COMPLETION = {"overall": SHARES, "by_depth": {"#": SHARES}}
SETTINGS = {"hidden": int, "dropout": float, "lr?": float, "epochs?": int, "objective?": str, "root?": str}
CONFIG_SHAPE = {"config": {"seed": int, **SETTINGS}, "checksum": str}
METRICS_SHAPE = {
    "parameters": int,
    "epochs": int,
    "best_epoch": int,
    "seconds": float,
    "train?": PART,
    "validation": PART,
    "test": PART,
}
ANALYSIS_SHAPE = {
    "test_right": str,
    "machine": str,
    "versions": {"*": str},
    "completion?": COMPLETION,
    "completion_original?": COMPLETION,
    "also?": {"*": {"overall": {"accuracy": float}}},
}
LINE_SHAPE = {"epoch": int, "validation_accuracy": float, "seconds": float}

WANTED = {str: "a text", int: "a whole number", float: "a number"}
LARGEST = 1e300
"""No number of a run is larger, and infinity is."""


class ReportError(InputError):
    """Results that cannot be read: what and where."""


def check(value: Any, shape: Any, where: str) -> None:
    """Raise a ReportError that says where a value of JSON has not the shape that it must have."""
    if isinstance(shape, type):
        number = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < LARGEST
        if not (isinstance(value, str) if shape is str else number and (shape is float or isinstance(value, int))):
            raise ReportError(f"{where} must be {WANTED[shape]}, not {value!r:.40}")
        return
    if not isinstance(value, dict):
        raise ReportError(f"{where} must be an object, not {value!r:.40}")
    for key, inner in shape.items():
        name = key.removesuffix("?")
        if name == "#" and not all(found.isdecimal() and len(found) < 10 for found in value):
            raise ReportError(f"{where} must have whole numbers as keys, not {min(value)!r:.40}")
        for found in value if name in "*#" else [name]:
            entry = value.get(found)
            if entry is not None:
                check(entry, inner, f"{where}: {found}")
            elif not key.endswith("?"):
                raise ReportError(f"{where} has no {found!r}")
