"""Parts of a text by its tokens: where factors start and end, and how two readings of one text are written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dgl_mathtree.language.parsing.syntax_errors import ParseError
from dgl_mathtree.language.parsing.tokens import CLOSING, OPENING

if TYPE_CHECKING:
    from dgl_mathtree.language.parsing.precedence import Parser

LONGEST = 40
"""A part of a text that is longer is shown as a letter."""

_LAYOUT = re.compile(
    r"(?:\s|\\(?:left|right|[bB]igg?[lrm]?|q?quad|displaystyle|textstyle)(?![A-Za-z])|\\[;,:!\ ]|[~$&])+$"
)
_GAP = re.compile(r"[\s~]|\\[,;:\ ]")
_SIZE = re.compile(r"\\(?:left|right|[bB]igg?[lrm]?)(?![A-Za-z])\s*")


def piece(parser: Parser, start: int, stop: int) -> str:
    """The text from one token up to another."""
    text = parser.text[parser.positions[start] : parser.positions[stop]]
    return _LAYOUT.sub("", _SIZE.sub("", text[: 2 * LONGEST]))


def two_readings(
    parser: Parser, at: int, written: str, readings: list[str], letters: tuple[str, str, str]
) -> ParseError:
    """The error that shows both readings of what is written around a token.

    `letters` is the same with letters in place of the parts, for what cannot be shown: parts that are too long, or
    mean two things themselves.
    """
    position = parser.positions[at]
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


def bracket_end(parser: Parser, at: int) -> int:
    """The place after the bracket that opens at a token."""
    depth = 0
    while parser.kinds[at] != "END":
        kind = parser.kinds[at]
        depth += (kind in OPENING) - (kind in CLOSING)
        at += 1
        if depth == 0:
            break
    return at


def atom_end(parser: Parser, at: int) -> int:
    """The place after a sign and a number, name or bracket."""
    while parser.kinds[at] in ("-", "+"):
        at += 1
    if parser.kinds[at] in OPENING:
        return bracket_end(parser, at)
    return at + (parser.kinds[at] != "END")


def head_end(parser: Parser, at: int) -> int:
    """The place after a function's name and what is written at it: sin^2, log_2, \\sqrt[3]."""
    root = parser.texts[at] == "sqrt"
    at += 1
    while parser.kinds[at] in ("^", "_") or (root and parser.kinds[at] == "["):
        at = bracket_end(parser, at) if parser.kinds[at] == "[" else atom_end(parser, at + 1)
    return at


def factor_end(parser: Parser, at: int) -> int:
    """The place after the factor that starts at a token."""
    kinds = parser.kinds
    while kinds[at] == "FUNCTION":
        at = head_end(parser, at)
        if kinds[at] == "NUMBER" and kinds[at + 1] == "NAME":  # sin 2x
            at += 1
    if kinds[at] == "FRACTION":
        at = atom_end(parser, at + 1)
    at = atom_end(parser, at)
    while kinds[at] == "^":
        at = atom_end(parser, at + 1)
    return at


def factor_start(parser: Parser, stop: int) -> int:
    """The token with which the factor that ends before a place starts."""
    kinds, at = parser.kinds, stop - 1
    while at > 0:
        if kinds[at] in CLOSING:
            depth = 0
            while at > 0:
                depth += (kinds[at] in CLOSING) - (kinds[at] in OPENING)
                if depth == 0:
                    break
                at -= 1
        before = kinds[at - 1] if at else ""
        if before == "-" and at > 1 and kinds[at - 2] == "^":
            at, before = at - 1, "^"
        if before in ("FUNCTION", "FRACTION"):
            return at - 1
        if before == "^" or (before == "}" and kinds[at] == "{"):  # an exponent, or a denominator
            at -= 2 if before == "^" else 1
            continue
        return at
    return max(at, 0)


def gap(parser: Parser, at: int) -> bool:
    """Whether there is a space before a token."""
    between = parser.text[parser.positions[at - 1] : parser.positions[at]]
    return _GAP.search(between) is not None


def head_text(parser: Parser, at: int) -> str:
    return piece(parser, at, head_end(parser, at)).replace("√", "sqrt")
