r"""What stands between a function's name, or \frac, and its arguments: an exponent, a base, an index, the parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dgl_mathtree.language.parsing.ambiguity import inverse_notation
from dgl_mathtree.language.parsing.bare_functions import check_call, check_radicand, digits, first_sign, is_base
from dgl_mathtree.language.parsing.syntax_trees import (
    BRACKET,
    CALL,
    ROOT,
    Function,
    Node,
    Pending,
    applied,
    literal,
    quotient,
)
from dgl_mathtree.language.parsing.tokens import OPENING, STARTS_OPERAND
from dgl_mathtree.language.vocabulary import negated

if TYPE_CHECKING:
    from dgl_mathtree.language.parsing.precedence import Parser

# Like the methods of the parser, each function that reads returns whether an operand is wanted next.


def function_head(parser: Parser, function: Function) -> bool:
    """Continue with whatever follows a function's name, until its argument starts."""
    at, name = parser.at, function.name
    kind = parser.kinds[at]
    if kind == "^" and function.exponent is None:
        parser.at += 1
        return _head_part(parser, "exponent", function)
    if kind == "_" and name == "log" and function.base is None:
        parser.at += 1
        return _head_part(parser, "base", function)
    if kind == "[" and name == "sqrt" and function.base is None:
        return _expect_group(parser, "base", function, "[")
    if kind in OPENING:
        _open(parser, "arguments", function)
        return True
    if kind not in STARTS_OPERAND and kind not in ("-", "+", "BLANK"):
        raise parser.error(f"expected the argument of {name}", at)
    if name == "sqrt" and kind in ("NUMBER", "NAME"):
        check_radicand(parser, function)
    elif kind == "NUMBER" and is_base(parser, function):
        parser.at += 1
        function.base = parser.texts[at]
        return function_head(parser, function)
    parser.bare = True
    parser.push(Pending(ROOT if name == "sqrt" else CALL, "call", function), function.at)
    return True


def fraction_part(parser: Parser, part: str, function: Function) -> bool:
    """The numerator or denominator: a group, or as in TeX one digit or name."""
    at = parser.at
    kind, text = parser.kinds[at], parser.texts[at]
    if kind not in ("NUMBER", "NAME") or (kind == "NUMBER" and not text.isdigit()):
        return _expect_group(parser, part, function)
    parser.at += 1
    first, rest = first_sign(parser, at)
    if rest:
        if part == "denominator" or len(rest) > 1:
            raise digits(parser)
        function.arguments += first, rest
        return _after_part(parser, "denominator", function)
    function.arguments.append(text)
    return _after_part(parser, part, function)


def close_part(parser: Parser, part: str, function: Function) -> bool:
    """Continue after the closing bracket of a function's arguments, or of something before them."""
    value = parser.values.pop()
    if part == "arguments":
        function.arguments.append(value)
        if parser.kinds[parser.at - 1] == "}" or parser.character(function.at) == "√":
            check_call(parser, function)
        parser.values.append(call(parser, function))
        return False
    if part == "numerator" or part == "denominator":
        function.arguments.append(value)
        return _after_part(parser, part, function)
    return _set_part(parser, part, function, value)


def call(parser: Parser, function: Function) -> Node:
    """A function of its arguments, if there are as many as it takes."""
    name, arguments = function.name, function.arguments
    if len(arguments) > 1:
        if len(arguments) > 2 or name != "log":
            takes = "1 or 2 arguments" if name == "log" else "1 argument"
            raise parser.error(f"{name} takes {takes}, not {len(arguments)}", function.at)
        if function.base is not None:
            raise parser.error("log has two bases here: one below it, one as an argument", function.at)
    return applied(function)


def _open(parser: Parser, part: str, function: Function) -> None:
    parser.push(Pending(BRACKET, part, function), parser.at)
    parser.at += 1


def _head_part(parser: Parser, part: str, function: Function) -> bool:
    """An exponent or base between a function's name and its argument: a number, a name or a group."""
    kind, number = parser.kinds[parser.at], literal(parser.tokens, parser.at)
    if number is not None:
        value, parser.at = number
    elif kind == "NAME":
        value, parser.at = parser.texts[parser.at], parser.at + 1
    elif kind == "-" and (negative := literal(parser.tokens, parser.at + 1)) is not None:
        value, parser.at = negated(negative[0]), negative[1]
    else:
        return _expect_group(parser, part, function, "{(")
    return _set_part(parser, part, function, value)


def _set_part(parser: Parser, part: str, function: Function, value: Node) -> bool:
    if part == "base":
        function.base = value
    elif value == "-1":
        raise inverse_notation(parser, function)
    else:
        function.exponent = value
    return function_head(parser, function)


def _expect_group(parser: Parser, part: str, function: Function, openings: str = "{") -> bool:
    if parser.kinds[parser.at] not in openings:
        raise parser.error(f"expected {' or '.join(openings)} for the {part}", parser.at)
    _open(parser, part, function)
    return True


def _after_part(parser: Parser, part: str, function: Function) -> bool:
    if part == "numerator":
        return fraction_part(parser, "denominator", function)
    p, q = function.arguments
    if q[:2] == ("Mul", "d") and isinstance(q[2], str) and (p == "d" or p[:2] == ("Mul", "d")):
        reason = "derivatives are not supported: write d as another letter if it is a number"
        raise parser.error(reason, function.at)
    parser.values.append(quotient(p, q))
    return False
