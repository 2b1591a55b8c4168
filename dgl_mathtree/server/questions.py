"""What the API can be asked, and how: read without anything that takes long to load."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from dgl_mathtree.files import parse_json
from dgl_mathtree.server.protocol import Refusal

FIELDS = {
    "parse": ("equation", "draft"),
    "verify": ("equation",),
    "complete": ("equation", "top"),
    "explain": ("equation",),
}
"""The questions, with the fields that a request for each may have."""
TOP, MOST = 5, 20
"""Fillings that are given unless others are asked for, and how many may be."""


class Question(NamedTuple):
    """What a request asks.

    Attributes
    ----------
    equation : str
        As it was typed.
    top : int
        How many fillings are wanted.
    draft : bool
        Whether it is still being typed: what is wrong with it is then the answer, and no refusal.
    """

    equation: str
    top: int = TOP
    draft: bool = False


def read_question(name: str, body: str) -> Question:
    """The question in a request's JSON.

    Raises
    ------
    Refusal
        Where it is not as it should be.

    Examples
    --------
    >>> read_question("verify", '{"equation": "x = x"}')
    Question(equation='x = x', top=5, draft=False)
    """
    try:
        fields = parse_json(body)
    except json.JSONDecodeError as error:
        raise Refusal(400, f"the body is not JSON: {error.msg} at character {error.pos}") from None
    if not isinstance(fields, dict):
        raise Refusal(400, 'the body has to be an object such as {"equation": "x = x"}')
    for field in fields:
        if field not in FIELDS[name]:
            raise Refusal(400, f"there is no field {field[:40]!r}; there are: {', '.join(FIELDS[name])}")
    return Question(_equation(fields), _top(fields), _draft(fields))


def _equation(fields: dict[str, Any]) -> str:
    equation = fields.get("equation")
    if not isinstance(equation, str):
        raise Refusal(400, "the field equation has to be there, and be a text")
    return equation


def _top(fields: dict[str, Any]) -> int:
    top = fields.get("top", TOP)
    if isinstance(top, bool) or not isinstance(top, int) or not 1 <= top <= MOST:
        raise Refusal(400, f"the field top has to be a whole number from 1 to {MOST}")
    return top


def _draft(fields: dict[str, Any]) -> bool:
    draft = fields.get("draft", False)
    if not isinstance(draft, bool):
        raise Refusal(400, "the field draft has to be true or false")
    return draft
