"""Pieces of text: what the lexer makes and the parser reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

OPENING = {"(": ")", "{": "}", "[": "]", "|<": "|>"}
CLOSING = frozenset(OPENING.values())
BLANKS = ("BLANK", "_")
STARTS_OPERAND = frozenset(["NUMBER", "NAME", "FUNCTION", "FRACTION", *OPENING])
ENDS_OPERAND = frozenset(["NUMBER", "NAME", "BLANK", *CLOSING])


class Token(NamedTuple):
    """A piece of text.

    kind is NUMBER, NAME, FUNCTION, FRACTION, BLANK or END, else the symbol itself: one of
    ``= + - * / ^ , _ ( { [ ) } ]``; the bars of an absolute value are ``|<`` and ``|>``, after a FUNCTION abs.

    text is the canonical word of a number or name, the function meant, or the symbol as typed.
    """

    kind: str
    text: str
    position: int


class Tokens(NamedTuple):
    """The tokens of a text, what each has under its index: a column of each, because most readers need only one."""

    kinds: Sequence[str]
    texts: Sequence[str]
    positions: Sequence[int]
