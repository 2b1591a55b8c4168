"""What people read in more than one way: factors side by side after a quotient, a power, a root or a bare function.

A text is refused, with its readings shown, where people differ, or where they read one thing and the rules of
precedence another. Where everybody reads the same, that is what it means: ``cos 2pi/3`` is the cosine of an angle.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dgl_mathtree.expressions.assembly import CLOSE_PRODUCT, PRODUCT, Function, literal
from dgl_mathtree.expressions.bare_functions import (
    argument_ends,
    argument_start,
    belongs,
    check_root,
    has_name,
    is_call,
    open_call,
)
from dgl_mathtree.expressions.readings import factor_end, factor_start, gap, head_text, index_of, piece, two_readings
from dgl_mathtree.expressions.text_errors import ParseError
from dgl_mathtree.expressions.tokens import Token
from dgl_mathtree.expressions.vocabulary import GREEK, OPERATORS, is_integer, is_number

if TYPE_CHECKING:
    from dgl_mathtree.expressions.shunting import Parser

FUNCTION_LETTERS = frozenset(["f", "g", "h", "F", "G", "H", *GREEK.values()])
_STEM = re.compile(r"[A-Za-z]+")


def binding_of_product(parser: Parser) -> int:
    """How tightly a product without a sign binds whose second factor is at hand."""
    token, before = parser.tokens[parser.at], parser.tokens[parser.at - 1]
    if token.kind == "NUMBER" or (before.kind == "NUMBER" and token.kind == "FRACTION"):
        _check_number(parser, token, before)
    if token.kind == "(" or token.kind == "[":
        _check_equation_number(parser, token)
        _check_function_of_that_name(parser, before)
    _check_exponent(parser, token, before)
    place = open_call(parser)
    if place is None:
        check_root(parser, token)
        _check_quotient(parser, len(parser.pending))
        return PRODUCT
    call = parser.pending[place]
    if is_call(token):
        if not has_name(parser, call):
            raise argument_ends(parser, call, "")
        _check_quotient(parser, place)
        return PRODUCT
    check_root(parser, token)
    _check_quotient(parser, len(parser.pending), place)
    if token.kind not in ("NAME", "FRACTION") or not belongs(parser, call, before):
        raise argument_ends(parser, call, "")
    return CLOSE_PRODUCT


def inverse(parser: Parser, function: Function) -> ParseError:
    """sin^-1: the reciprocal or the inverse."""
    name = function.token.text
    base = function.base if isinstance(function.base, str) else "b"
    other = {"log": "exp(x)" if function.base is None else f"{base}^x", "ln": "exp(x)", "exp": "ln(x)", "sqrt": "x^2"}
    operator = OPERATORS.get(name)
    undone = f"{operator.inverse}(x)" if operator and operator.inverse else other.get(name) or _undone(name)
    head = f"{name}_{base}" if function.base is not None and name == "log" else name
    return parser.error(
        f"{head}^-1 means two things: write {head}(x)^-1 for the reciprocal"
        + (f" or {undone} for the inverse" if undone else ""),
        function.token,
    )


def _undone(name: str) -> str | None:
    return next((f"{other}(x)" for other, operator in OPERATORS.items() if operator.inverse == name), None)


def _check_number(parser: Parser, token: Token, before: Token) -> None:
    """x 2 may be a product or a power that lost its form, 1\\frac{1}{2} a product or one and a half."""
    at = parser.at
    if before.kind == "NUMBER":
        if token.kind == "NUMBER":
            raise parser.error("expected an operator between two numbers", token)
        fraction = literal(parser.tokens, at)
        if fraction is None:
            return
        whole, part = before.text, fraction[0]
        readings = [f"{whole} + {part}", f"{whole}*{part}"]
        raise two_readings(parser, at, f"{whole} {part}", readings, ("1 1/2", "1 + 1/2", "1*1/2"))
    a = piece(parser, factor_start(parser, at), at)
    n = f"({token.text})" if "/" in token.text else token.text
    base = a if (before.kind == "NAME" and "^" not in a) or (a[0] + a[-1] == "()" and "^" not in a) else f"({a})"
    raise two_readings(parser, at, f"{a} {n}", [f"{a}*{n}", f"{base}^{n}"], (f"x {n}", f"x*{n}", f"x^{n}"))


def _check_equation_number(parser: Parser, token: Token) -> None:
    """x = 1 (2), as copied from a page: a factor, or the number of the equation."""
    number, *after = parser.tokens[parser.at + 1 : parser.at + 4]
    if not parser.sides or number.kind != "NUMBER" or [t.kind for t in after] != [")", "END"]:
        return
    if gap(parser, parser.at) and is_integer(number.text):
        written = f"({number.text})"
        reason = f"{written} may be a factor or the number of the equation: write *{written} or leave it out"
        raise ParseError(reason, parser.text, token.position)


def _check_function_of_that_name(parser: Parser, before: Token) -> None:
    """gamma(x), f(x), f^-1(x): the function of that name, or a product."""
    name, at = before.text, parser.at - 1
    if before.kind != "NAME":
        top = parser.pending[-1] if parser.pending else None
        if top is None or top.action != "Pow" or not isinstance(parser.values[-2], str):
            return
        name, at = parser.values[-2], index_of(parser, top.token.position, parser.at - 1) - 1
    stem = _STEM.match(name)
    if stem is None or stem[0] not in FUNCTION_LETTERS:
        return
    written, bracket = piece(parser, at, parser.at), piece(parser, parser.at, factor_end(parser, parser.at))
    if len(bracket) > 20:
        bracket = "(...)"
    reason = f"unknown function {name}: if {written}{bracket} is a product, write {written}*{bracket}"
    raise ParseError(reason, parser.text, parser.tokens[at].position)


def _check_exponent(parser: Parser, token: Token, before: Token) -> None:
    """e^2x, 2^3x, e^xy: only the square of a variable ends before a letter for everybody."""
    if before.kind not in ("NUMBER", "NAME") or token.kind not in ("NAME", "FUNCTION"):
        return
    above = [entry for entry in parser.pending[-2:] if entry.action != "negate"]
    if not above or above[-1].action != "Pow" or gap(parser, parser.at):
        return
    base = parser.values[-2]
    if before.kind == "NUMBER" and not (isinstance(base, str) and (base == "e" or is_number(base))):
        return
    sign = index_of(parser, above[-1].token.position, parser.at - 1)
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
    slash = index_of(parser, entry.token.position, parser.at - 1)
    tight = not gap(parser, slash) and not gap(parser, slash + 1)
    if place == len(parser.pending) - 1 and tight and gap(parser, parser.at) and _are_integers(parser.values[-2:]):
        return
    p, q = piece(parser, factor_start(parser, slash), slash), piece(parser, slash + 1, parser.at)
    factor = piece(parser, parser.at, factor_end(parser, parser.at))
    space = " " if gap(parser, parser.at) else ""
    if call is not None:
        start, first = argument_start(parser, parser.pending[call])
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
