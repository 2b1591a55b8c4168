"""The root of the errors that are about what a person gave, not about a fault of the program."""

from __future__ import annotations


class InputError(ValueError):
    """Bad input: the message says what is wrong, where, and what would be right."""


class RunError(InputError):
    """A folder of a run or of a model that cannot be read or written: what and where."""
