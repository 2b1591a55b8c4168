"""Parts of a text by its tokens: where factors start and end, and how two readings of one text are written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dgl_mathtree.expressions.text_errors import ParseError
from dgl_mathtree.expressions.tokens import CLOSING, OPENING

if TYPE_CHECKING:
    from dgl_mathtree.expressions.shunting import Parser

LONGEST = 40
"""A part of a text that is longer is shown as a letter."""

_LAYOUT = re.compile(
    r"(?:\s|\\(?:left|right|[bB]igg?[lrm]?|q?quad|displaystyle|textstyle)(?![A-Za-z])|\\[;,:!\ ]|[~$&])+$"
)
_GAP = re.compile(r"[\s~]|\\[,;:\ ]")
_SIZE = re.compile(r"\\(?:left|right|[bB]igg?[lrm]?)(?![A-Za-z])\s*")


def piece(parser: Parser, start: int, stop: int) -> str:
    """The text from one token up to another."""
    text = parser.text[parser.tokens[start].position : parser.tokens[stop].position]
    return _LAYOUT.sub("", _SIZE.sub("", text[: 2 * LONGEST]))


def two_readings(
    parser: Parser, at: int, written: str, readings: list[str], letters: tuple[str, str, str]
) -> ParseError:
    """The error that shows both readings of what is written around a token.

    `letters` is the same with letters in place of the parts, for what cannot be shown: parts that are too long, or
    mean two things themselves.
    """
    position = parser.tokens[at].position
    if parser.trial:
        return ParseError(f"{letters[0]} means two things", parser.text, position)
    if max(map(len, (written, *readings))) > LONGEST or not all(_reads(parser, text) for text in readings):
        written, *readings = letters
    written = re.sub(r"\s+", " ", written)
    first, second = (re.sub(r"\s+", " ", reading) for reading in readings)
    return ParseError(f"{written} means two things: write {first} or {second}", parser.text, position)


def _reads(parser: Parser, text: str) -> bool:
    try:
        type(parser)(text, parser.blanks, trial=True).parse()
    except ParseError:
        return False
    return True


def index_of(parser: Parser, position: int, before: int) -> int:
    """The token at a position, looked for backwards; of several there the first."""
    at = before
    while at > 0 and parser.tokens[at - 1].position >= position:
        at -= 1
    return at


def bracket_end(parser: Parser, at: int) -> int:
    """The place after the bracket that opens at a token."""
    depth = 0
    while parser.tokens[at].kind != "END":
        kind = parser.tokens[at].kind
        depth += (kind in OPENING) - (kind in CLOSING)
        at += 1
        if depth == 0:
            break
    return at


def atom_end(parser: Parser, at: int) -> int:
    """The place after a sign and a number, name or bracket."""
    while parser.tokens[at].kind in ("-", "+"):
        at += 1
    if parser.tokens[at].kind in OPENING:
        return bracket_end(parser, at)
    return at + (parser.tokens[at].kind != "END")


def head_end(parser: Parser, at: int) -> int:
    """The place after a function's name and what is written at it: sin^2, log_2, \\sqrt[3]."""
    root = parser.tokens[at].text == "sqrt"
    at += 1
    while parser.tokens[at].kind in ("^", "_") or (root and parser.tokens[at].kind == "["):
        at = bracket_end(parser, at) if parser.tokens[at].kind == "[" else atom_end(parser, at + 1)
    return at


def factor_end(parser: Parser, at: int) -> int:
    """The place after the factor that starts at a token."""
    tokens = parser.tokens
    while tokens[at].kind == "FUNCTION":
        at = head_end(parser, at)
        if tokens[at].kind == "NUMBER" and tokens[at + 1].kind == "NAME":  # sin 2x
            at += 1
    if tokens[at].kind == "FRACTION":
        at = atom_end(parser, at + 1)
    at = atom_end(parser, at)
    while tokens[at].kind == "^":
        at = atom_end(parser, at + 1)
    return at


def factor_start(parser: Parser, stop: int) -> int:
    """The token with which the factor that ends before a place starts."""
    tokens, at = parser.tokens, stop - 1
    while at > 0:
        if tokens[at].kind in CLOSING:
            depth = 0
            while at > 0:
                depth += (tokens[at].kind in CLOSING) - (tokens[at].kind in OPENING)
                if depth == 0:
                    break
                at -= 1
        before = tokens[at - 1].kind if at else ""
        if before == "-" and at > 1 and tokens[at - 2].kind == "^":
            at, before = at - 1, "^"
        if before in ("FUNCTION", "FRACTION"):
            return at - 1
        if before == "^" or (before == "}" and tokens[at].kind == "{"):  # an exponent, or a denominator
            at -= 2 if before == "^" else 1
            continue
        return at
    return max(at, 0)


def gap(parser: Parser, at: int) -> bool:
    """Whether there is a space before a token."""
    between = parser.text[parser.tokens[at - 1].position : parser.tokens[at].position]
    return _GAP.search(between) is not None


def head_text(parser: Parser, at: int) -> str:
    return piece(parser, at, head_end(parser, at)).replace("√", "sqrt")
