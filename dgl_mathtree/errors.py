"""The root of the errors that are about what a person gave, not about a fault of the program."""

from __future__ import annotations

import json
from typing import Any


class InputError(ValueError):
    """Bad input: the message says what is wrong, where, and what would be right."""


def parse_json(text: str) -> Any:
    """What a JSON text holds; a JSONDecodeError where it is none, or nested without end."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError):  # Python refuses numbers of thousands of digits
        raise json.JSONDecodeError("nested too deeply, or a number is too long", text, 0) from None
