"""What people read in more than one way: factors side by side after a quotient, a power, a root or a bare function.

A text is refused, with its readings shown, where people differ, or where they read one thing and the rules of
precedence another. Where everybody reads the same, that is what it means: ``cos 2pi/3`` is the cosine of an angle.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dgl_mathtree.language.parsing.bare_functions import (
    argument_ends,
    argument_start,
    belongs,
    called,
    check_root,
    has_name,
    is_call,
    open_call,
)
from dgl_mathtree.language.parsing.readings import factor_end, factor_start, gap, head_text, piece, two_readings
from dgl_mathtree.language.parsing.syntax_errors import ParseError
from dgl_mathtree.language.parsing.syntax_trees import CLOSE_PRODUCT, PRODUCT, Function, literal
from dgl_mathtree.language.vocabulary import GREEK, OPERATORS, is_integer, is_number

if TYPE_CHECKING:
    from dgl_mathtree.language.parsing.precedence import Parser

FUNCTION_LETTERS = frozenset(["f", "g", "h", "F", "G", "H", *GREEK.values()])
_STEM = re.compile(r"[A-Za-z]+")


def binding_of_product(parser: Parser) -> int:
    """How tightly a product without a sign binds whose second factor is at hand."""
    at = parser.at
    kind, before = parser.kinds[at], parser.kinds[at - 1]
    if kind == "NUMBER" or (before == "NUMBER" and kind == "FRACTION"):
        _check_number(parser)
    if kind == "(" or kind == "[":
        _check_equation_number(parser)
        _check_function_of_that_name(parser)
    if not parser.pending:
        return PRODUCT
    if before in ("NUMBER", "NAME") and kind in ("NAME", "FUNCTION"):
        _check_exponent(parser)
    place = open_call(parser)
    if place is None:
        check_root(parser)
        _check_quotient(parser, len(parser.pending))
        return PRODUCT
    call = called(parser, place)
    if is_call(parser, at):
        if not has_name(parser, call):
            raise argument_ends(parser, call, "")
        _check_quotient(parser, place)
        return PRODUCT
    check_root(parser)
    _check_quotient(parser, len(parser.pending), place)
    if kind not in ("NAME", "FRACTION") or not belongs(parser, call):
        raise argument_ends(parser, call, "")
    return CLOSE_PRODUCT


def inverse_notation(parser: Parser, function: Function) -> ParseError:
    """sin^-1: the reciprocal or the inverse."""
    name = function.name
    base = function.base if isinstance(function.base, str) else "b"
    other = {"log": "exp(x)" if function.base is None else f"{base}^x", "ln": "exp(x)", "exp": "ln(x)", "sqrt": "x^2"}
    operator = OPERATORS.get(name)
    undone = f"{operator.inverse}(x)" if operator and operator.inverse else other.get(name) or _undone(name)
    head = f"{name}_{base}" if function.base is not None and name == "log" else name
    return parser.error(
        f"{head}^-1 means two things: write {head}(x)^-1 for the reciprocal"
        + (f" or {undone} for the inverse" if undone else ""),
        function.at,
    )


def _undone(name: str) -> str | None:
    return next((f"{other}(x)" for other, operator in OPERATORS.items() if operator.inverse == name), None)


def _check_number(parser: Parser) -> None:
    """x 2 may be a product or a power that lost its form, 1\\frac{1}{2} a product or one and a half."""
    at = parser.at
    before = parser.kinds[at - 1]
    if before == "NUMBER":
        if parser.kinds[at] == "NUMBER":
            raise parser.error("expected an operator between two numbers", at)
        fraction = literal(parser.tokens, at)
        if fraction is None:
            return
        whole, part = parser.texts[at - 1], fraction[0]
        readings = [f"{whole} + {part}", f"{whole}*{part}"]
        raise two_readings(parser, at, f"{whole} {part}", readings, ("1 1/2", "1 + 1/2", "1*1/2"))
    a, n = piece(parser, factor_start(parser, at), at), parser.texts[at]
    n = f"({n})" if "/" in n else n
    base = a if (before == "NAME" and "^" not in a) or (a[0] + a[-1] == "()" and "^" not in a) else f"({a})"
    raise two_readings(parser, at, f"{a} {n}", [f"{a}*{n}", f"{base}^{n}"], (f"x {n}", f"x*{n}", f"x^{n}"))


def _check_equation_number(parser: Parser) -> None:
    """x = 1 (2), as copied from a page: a factor, or the number of the equation."""
    at = parser.at
    if parser.left is None or tuple(parser.kinds[at + 1 : at + 4]) != ("NUMBER", ")", "END"):
        return
    if gap(parser, at) and is_integer(parser.texts[at + 1]):
        written = f"({parser.texts[at + 1]})"
        reason = f"{written} may be a factor or the number of the equation: write *{written} or leave it out"
        raise parser.error(reason, at)


def _check_function_of_that_name(parser: Parser) -> None:
    """gamma(x), f(x), f^-1(x): the function of that name, or a product."""
    at = parser.at - 1
    name = parser.texts[at]
    if parser.kinds[at] != "NAME":
        top = parser.pending[-1] if parser.pending else None
        if top is None or top.action != "Pow" or not isinstance(parser.values[-2], str):
            return
        name, at = parser.values[-2], parser.places[-1] - 1
    stem = _STEM.match(name)
    if stem is None or stem[0] not in FUNCTION_LETTERS:
        return
    written, bracket = piece(parser, at, parser.at), piece(parser, parser.at, factor_end(parser, parser.at))
    if len(bracket) > 20:
        bracket = "(...)"
    reason = f"unknown function {name}: if {written}{bracket} is a product, write {written}*{bracket}"
    raise ParseError(reason, parser.text, parser.positions[at])


def _check_exponent(parser: Parser) -> None:
    """e^2x, 2^3x, e^xy: only the square of a variable ends before a letter for everybody."""
    pending = parser.pending
    top = -2 if pending[-1].action == "negate" and len(pending) > 1 else -1
    if pending[top].action != "Pow" or gap(parser, parser.at):
        return
    base = parser.values[-2]
    if parser.kinds[parser.at - 1] == "NUMBER" and not (isinstance(base, str) and (base == "e" or is_number(base))):
        return
    sign = parser.places[top]
    base, exponent = piece(parser, factor_start(parser, sign), sign), piece(parser, sign + 1, parser.at)
    factor = piece(parser, parser.at, factor_end(parser, parser.at))
    raise two_readings(
        parser,
        sign,
        f"{base}^{exponent}{factor}",
        [f"{base}^{exponent}*{factor}", f"{base}^({exponent}*{factor})"],
        ("a^bc", "a^b*c", "a^(b*c)"),
    )


def _check_quotient(parser: Parser, stop: int, call: int | None = None) -> None:
    """a/bc: the divisor may go on; after a number such as 1/2 and a space it does not. Within a call: cos pi/2x."""
    for place in range(stop - 1, -1 if call is None else call, -1):
        entry = parser.pending[place]
        if entry.action == "inverse":
            break
        if entry.binding <= PRODUCT:
            return
    else:
        return
    slash = parser.places[place]
    tight = not gap(parser, slash) and not gap(parser, slash + 1)
    if place == len(parser.pending) - 1 and tight and gap(parser, parser.at) and _are_integers(parser.values[-2:]):
        return
    p, q = piece(parser, factor_start(parser, slash), slash), piece(parser, slash + 1, parser.at)
    factor = piece(parser, parser.at, factor_end(parser, parser.at))
    space = " " if gap(parser, parser.at) else ""
    if call is not None:
        start, first = argument_start(parser, called(parser, call))
        name, p = head_text(parser, start), piece(parser, first, slash)
        readings = [f"{name}({p}/{q})*{factor}", f"{name}({p}/({q}*{factor}))"]
        letters = ("cos a/bc", "cos(a/b)*c", "cos(a/(b*c))")
        raise two_readings(parser, slash, f"{piece(parser, start, slash)}/{q}{space}{factor}", readings, letters)
    raise two_readings(
        parser,
        slash,
        f"{p}/{q}{space}{factor}",
        [f"({p}/{q})*{factor}", f"{p}/({q}*{factor})"],
        ("a/bc", "(a/b)*c", "a/(b*c)"),
    )


def _are_integers(values: list[object]) -> bool:
    return all(isinstance(value, str) and is_integer(value) for value in values)
