"""Text to tokens: what people type, unicode mathematics, and LaTeX, as one stream of simple tokens."""

from __future__ import annotations

import re
from functools import lru_cache, partial
from typing import NamedTuple

from dgl_mathtree.expressions.vocabulary import CONSTANTS, FUNCTIONS, GREEK, is_variable, number_word, suggest

SHOWN_WIDTH = 72
"""How much of a long text an error message shows around the place it points to."""


class ParseError(ValueError):
    """A text that is not an equation or expression: what is wrong, where, and what would be right.

    Attributes:
        reason: one line, without the place.
        text: the whole text.
        position: index of the offending character; `len(text)` for an early end.
    """

    def __init__(self, reason: str, text: str, position: int) -> None:
        super().__init__(reason, text, position)
        self.reason = reason
        self.text = text
        self.position = position

    @property
    def line(self) -> int:
        """The line of the offending character, counted from 1."""
        return self.text.count("\n", 0, self.position) + 1

    @property
    def column(self) -> int:
        """The offending character's column in its line, counted from 1."""
        return self.position - self.text.rfind("\n", 0, self.position)

    def excerpt(self) -> str:
        """The line around the place, and under it a caret."""
        line = self.text.split("\n")[self.line - 1]
        start = max(0, self.column - 1 - SHOWN_WIDTH // 2)
        shown = line[start : start + SHOWN_WIDTH]
        head = "..." if start else ""
        tail = "..." if start + SHOWN_WIDTH < len(line) else ""
        visible = "".join(c if c.isprintable() else " " for c in shown)
        return f"  {head}{visible}{tail}\n  {' ' * (len(head) + self.column - 1 - start)}^"

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.reason}\n{self.excerpt()}"


class Token(NamedTuple):
    """A piece of text.

    kind is NUMBER, NAME, FUNCTION, FRACTION, BLANK or END, else the symbol itself: one of
    ``= + - * / ^ , _ ( { [ ) } ]``.

    text is the canonical word of a number or name, the function meant, or the symbol as typed.
    """

    kind: str
    text: str
    position: int


_token = partial(tuple.__new__, Token)  # as the constructor, without its cost

_FUNCTION_NAMES = "|".join(sorted(FUNCTIONS, key=len, reverse=True))
_TOKEN = re.compile(
    rf"""\s*(?:
    (?P<NUMBER>  [0-9]+(?:\.[0-9]+)? | \.[0-9]+ )
  | (?P<FUNCTION> \\?(?:{_FUNCTION_NAMES})(?![A-Za-z]) | \\operatorname\*?\s*\{{\s*(?:{_FUNCTION_NAMES})\s*\}} | √ )
  | (?P<SYMBOL>  \*\* | == | [-+*/^=,_(){{}}\[\]×·⋅∙∗÷−–] | \\(?:times|cdot|ast|div)(?![A-Za-z]) | \\[{{}}] )
  | (?P<SKIP>    \\(?:left|right|[bB]igg?[lrm]?|q?quad|displaystyle)(?![A-Za-z]) | \\[;,:!\ ] | [~$] )
  | (?P<FRACTION> \\[dtc]?frac(?![A-Za-z]) )
  | (?P<BLANK>   [?□] | \\(?:square|Box)(?![A-Za-z]) )
  | (?P<NAME>    (?:\\?[A-Za-z]+|[Α-Ωα-ωϕ])(?:_?[0-9]+ | _[A-Za-z](?![A-Za-z]) | _\{{[A-Za-z0-9]+\}})? )
  | (?P<RAISED>  ⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+ )
  | (?P<VULGAR>  [½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞] )
    )""",
    re.VERBOSE,
)
_SYMBOLS = {
    "**": "^",
    "==": "=",
    **dict.fromkeys(["×", "·", "⋅", "∙", "∗", r"\times", r"\cdot", r"\ast"], "*"),
    **dict.fromkeys(["÷", r"\div"], "/"),
    **dict.fromkeys(["−", "–"], "-"),
    r"\{": "(",
    r"\}": ")",
}
_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_VULGAR = dict(
    zip(
        "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞",
        "1/2 1/3 2/3 1/4 3/4 1/5 2/5 3/5 4/5 1/6 5/6 1/8 3/8 5/8 7/8".split(),
        strict=True,
    )
)
_EXPONENT_NOTATION = re.compile(r"[eE][-+−]?[0-9]")
_INDEX_OF_CALL = re.compile(r"([0-9]+)\s*\(")
_PRODUCT_OF_LETTERS = re.compile(r"[abctuvwxyz]{2,3}")
_FUNCTION_LETTERS = frozenset("fgh")
_ADVICE = {
    "|": "absolute values are not supported; sqrt(a^2) is one",
    "!": "factorials are not supported",
    "<": "only equations are understood: expected =",
    ">": "only equations are understood: expected =",
    "≠": "only equations are understood: expected =",
    "≤": "only equations are understood: expected =",
    "≥": "only equations are understood: expected =",
    ".": "a decimal needs a digit after the point, as in 0.5",
}


def tokenize(text: str) -> list[Token]:
    """The tokens of a text, an END token last."""
    tokens: list[Token] = []
    after, stop = 0, len(text.rstrip())
    match_at = _TOKEN.match
    while after < stop:
        match = match_at(text, after)
        if match is None:
            raise _unexpected(text, after)
        kind, found = match.lastgroup, match[match.lastindex or 0]
        after = match.end()
        position = after - len(found)
        if kind == "SYMBOL":
            symbol = _SYMBOLS.get(found, found)
            tokens.append(_token((symbol, found, position)))
        elif kind == "NUMBER":
            if _EXPONENT_NOTATION.match(text, after):
                raise ParseError(
                    f"{found}e... could be a power of ten or a product with e: write {found}*10^n or {found}*e",
                    text,
                    position,
                )
            tokens.append(_token(("NUMBER", number_word(found), position)))
        elif kind == "NAME":
            called = text[after : after + 1] == "("
            words = _names(found, called)
            if words is None:
                raise _unknown_name(found, called, text, position)
            tokens.extend(_token(("NAME", word, position + k)) for k, word in enumerate(words))
        elif kind == "FUNCTION":
            name = _function(found)
            tokens.append(_token(("FUNCTION", name, position)))
            if index := _INDEX_OF_CALL.match(text, after):
                if name != "log":
                    reason = (
                        f"{name}{index[1]}(...) is no function: write {name}(...)^{index[1]} or {name}({index[1]}*...)"
                    )
                    raise ParseError(reason, text, position)
                tokens.append(_token(("_", "", after)))
        elif kind == "FRACTION" or kind == "BLANK":
            tokens.append(Token(kind, found, position))
        elif kind == "RAISED":
            tokens.append(Token("^", found, position))
            tokens.extend(_raised(found, position))
        elif kind == "VULGAR":
            tokens.append(Token("NUMBER", _VULGAR[found], position))
    tokens.append(Token("END", "", len(text)))
    return tokens


def _unexpected(text: str, position: int) -> ParseError:
    while text[position].isspace():
        position += 1
    character = text[position]
    if character == "\\":
        command = re.compile(r"\\[A-Za-z]*").match(text, position)
        return ParseError(f"unknown LaTeX command {command[0] if command else character}", text, position)
    if text.startswith("!=", position):
        character = "≠"
    expected = "expected a number, a name, a function, an operator or a bracket"
    return ParseError(_ADVICE.get(character, f"{expected}, but found {character!r}"), text, position)


def _raised(found: str, position: int) -> list[Token]:
    """The exponent written in raised digits, bracketed so that a minus stays inside."""
    digits = found.translate(_RAISED)
    sign = [Token("-", "-", position)] if digits[0] == "-" else []
    number = Token("NUMBER", number_word(digits.lstrip("-")), position)
    return [Token("{", "", position), *sign, number, Token("}", "", position)]


@lru_cache(maxsize=4096)
def _function(found: str) -> str:
    return FUNCTIONS["sqrt" if found == "√" else re.sub(r"\\operatorname|[\\{}*\s]", "", found)]


def _plain(found: str) -> str:
    """A name without LaTeX's signs, its Greek letters spelled out."""
    name = re.sub(r"[\\{}]", "", found).replace("π", "pi").replace("ϕ", "phi")
    for letter, spelled in GREEK.items():
        name = name.replace(letter, spelled)
    return name


@lru_cache(maxsize=4096)
def _names(found: str, called: bool) -> tuple[str, ...] | None:
    """The variable, constant or product of variables that a name stands for; `called`: a bracket follows it."""
    name = _plain(found)
    if name in CONSTANTS or (is_variable(name) and not (called and name in _FUNCTION_LETTERS)):
        return (name,)
    return tuple(found) if _PRODUCT_OF_LETTERS.fullmatch(found) and not called else None


def _unknown_name(found: str, called: bool, text: str, position: int) -> ParseError:
    name = _plain(found)
    near = suggest(name)
    meant = f": did you mean {near}?" if near else ""
    if found.startswith("\\"):
        reason = f"unknown LaTeX command \\{name}{meant}"
    elif name in ("i", "I"):
        reason = f"{name} is not a variable here, lest it be taken for the imaginary unit"
    elif called:
        reason = f"unknown function {name}{meant}"
    else:
        reason = f"unknown name {name}{meant} (a variable is a letter, x_1, x1 or theta; a product is x*y)"
    return ParseError(reason, text, position)
