"""What people read in more than one way: factors side by side after a quotient, a power, a root or a bare function.

A text is refused, with its readings shown, where people differ, or where they read one thing and the rules of
precedence another. Where everybody reads the same, that is what it means: ``cos 2pi/3`` is the cosine of an angle.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dgl_mathtree.expressions.assembly import CALL, CLOSE_PRODUCT, PRODUCT, ROOT, Function, Pending
from dgl_mathtree.expressions.readings import factor_end, factor_start, head_end, index_of, piece, two_readings
from dgl_mathtree.expressions.text_errors import ParseError
from dgl_mathtree.expressions.tokens import STARTS_OPERAND, Token
from dgl_mathtree.expressions.vocabulary import CONSTANTS, GREEK, OPERATORS, is_integer, is_number

if TYPE_CHECKING:
    from dgl_mathtree.expressions.parser import Parser

ANGLE_FUNCTIONS = frozenset(["sin", "cos", "tan", "csc", "sec", "cot"])
FACTOR_FUNCTIONS = frozenset(["sqrt", "abs"])  # what they give may be part of another function's argument
FUNCTION_LETTERS = frozenset(["f", "g", "h", "F", "G", "H", *GREEK.values()])
_GAP = re.compile(r"[\s~]|\\[,;:\ ]")
_STEM = re.compile(r"[A-Za-z]+")


def binding_of_product(parser: Parser) -> int:
    """How tightly a product without a sign binds whose second factor is at hand."""
    token, before = parser.tokens[parser.at], parser.tokens[parser.at - 1]
    if token.kind == "NUMBER" or (before.kind == "NUMBER" and token.kind == "FRACTION"):
        _check_number(parser, token, before)
    if token.kind == "(" or token.kind == "[":
        _check_function_of_that_name(parser, before)
    _check_exponent(parser, token, before)
    call = open_call(parser)
    if call is None:
        _check_root(parser, token)
        _check_quotient(parser, len(parser.pending))
        return PRODUCT
    place = parser.pending.index(call)
    if token.kind == "FUNCTION" and token.text not in FACTOR_FUNCTIONS:
        if not _has_name(parser, call):
            raise _argument(parser, call, "")
        _check_quotient(parser, place)
        return PRODUCT
    _check_root(parser, token)
    _check_quotient(parser, len(parser.pending), call)
    if token.kind not in ("NAME", "FRACTION") or not _belongs(parser, call, before):
        raise _argument(parser, call, "")
    return CLOSE_PRODUCT


def goes_on(parser: Parser) -> bool:
    """Whether the product sign or slash before the token at hand belongs to the argument of a bare function."""
    call = open_call(parser) or (parser.pending[-1] if parser.pending and parser.pending[-1].binding == ROOT else None)
    if call is None or (call.binding == ROOT and parser.text[call.token.position] != "s"):
        return False
    token, sign = parser.tokens[parser.at], parser.tokens[parser.at - 1]
    if call.token.text in ANGLE_FUNCTIONS and token.kind != "FUNCTION":
        angle = _is_angle(parser, call, parser.at - 1)
        if angle if sign.kind == "/" else (token.text == "pi" and _is_coefficient(parser, call)):
            return True
    end = factor_end(parser, parser.at)
    if any(each.kind == "FUNCTION" and each.text not in FACTOR_FUNCTIONS for each in parser.tokens[parser.at : end]):
        return False  # sin x/cos x, sin x/(1 + cos x)
    raise _argument(parser, call, sign.kind)


def open_call(parser: Parser) -> Pending | None:
    """The function without a bracket whose argument may go on, if there is one."""
    if not parser.bare:
        return None
    for entry in reversed(parser.pending):
        if entry.binding == CALL:
            return entry
        if entry.binding < CALL and entry.action != "negate":
            return None
    return None


def is_base(parser: Parser, function: Token) -> bool:
    """Whether a number right after a function's name is the base of a logarithm: log10 x."""
    at = parser.at
    number, after = parser.tokens[at], parser.tokens[at + 1]
    typed = parser.text[function.position : number.position]
    if typed.startswith("\\sqrt") and len(number.text) > 1:
        raise digits(parser, at)
    if not typed[-1:].isalpha() or after.kind not in STARTS_OPERAND or after.kind == "FRACTION":
        return False
    if not is_integer(number.text) or (function.text != "log" and not _gap(parser, at + 1)):
        return False
    if function.text == "log" and _gap(parser, at + 1):
        return True
    name, power, x = typed, number.text, piece(parser, at + 1, factor_end(parser, at + 1))
    other = f"log({x}, {power})" if function.text == "log" else f"{name}({x})^{power}"
    generic = f"log(x, {power})" if function.text == "log" else f"{name}(x)^{power}"
    written = f"{name}{power}{' ' if _gap(parser, at + 1) else ''}"
    raise two_readings(
        parser,
        at,
        f"{written}{x}",
        [f"{name}({power}*{x})", other],
        (f"{written}x", f"{name}({power}*x)", generic),
    )


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


def digits(parser: Parser, at: int | None = None) -> ParseError:
    r"""\sqrt12, \frac{x}12: TeX takes the first digit, people may mean the number."""
    at = parser.at - 1 if at is None else at
    start = at
    while parser.tokens[start].kind not in ("FUNCTION", "FRACTION"):
        start -= 1
    head, number = piece(parser, start, at), parser.tokens[at].text
    one, rest = number[0], number[1:].lstrip(".")
    if parser.tokens[start].kind == "FRACTION" and start == at - 1:  # the numerator
        readings = [f"{head}{{{one}}}{{{rest[0]}}}*{rest[1:]}", f"{head}{{{one}}}{{{rest}}}"]
    else:
        readings = [f"{head}{{{number}}}", f"{head}{{{one}}}*{rest}"]
    letters = (rf"\sqrt{number}", rf"\sqrt{{{number}}}", rf"\sqrt{{{one}}}*{rest}")
    return two_readings(parser, start, f"{head}{number}", readings, letters)


def power_of_root(parser: Parser) -> ParseError:
    """√x²: the power of the root or the root of the power."""
    sign = parser.at - 1
    root = index_of(parser, parser.pending[-1].token.position, sign)
    head, radicand = _head(parser, root), piece(parser, head_end(parser, root), sign)
    power = piece(parser, sign, factor_end(parser, sign - 1))
    return two_readings(
        parser,
        root,
        f"{piece(parser, root, sign)}{power}",
        [f"{head}({radicand}){power}", f"{head}({radicand}{power})"],
        ("√x^2", "sqrt(x)^2", "sqrt(x^2)"),
    )


def check_call(parser: Parser, function: Function) -> None:
    r"""√(x)² and \sin{x}^2, whose bracket is no function's bracket to the eye, end before what follows."""
    after = parser.tokens[parser.at]
    start = index_of(parser, function.token.position, parser.at - 1)
    first = head_end(parser, start)
    name = function.token.text
    if name == "sqrt":
        if parser.text[function.token.position] != "√" or after.kind != "^":
            return
    elif parser.tokens[first + 1].kind == "(" or after.kind not in (
        "^",
        "/",
        "*",
        "NAME",
        "NUMBER",
        "(",
        "[",
        "FRACTION",
    ):
        return
    signed = after.kind in ("/", "*")
    end = factor_end(parser, parser.at - 1 if after.kind == "^" else parser.at + signed)
    argument, rest = piece(parser, first + 1, parser.at - 1), piece(parser, parser.at, end)
    if signed and any(t.kind == "FUNCTION" and t.text not in FACTOR_FUNCTIONS for t in parser.tokens[parser.at : end]):
        return
    if after.kind not in ("^", "/", "*"):
        rest = f"*{rest}"
    head = _head(parser, start)
    raise two_readings(
        parser,
        start,
        piece(parser, start, end),
        [f"{head}({argument}){rest}", f"{head}({argument if argument.isalnum() else f'({argument})'}{rest})"],
        (f"{name}{{x}}^2", f"{name}(x)^2", f"{name}(x^2)"),
    )


def _head(parser: Parser, at: int) -> str:
    return piece(parser, at, head_end(parser, at)).replace("√", "sqrt")


def _gap(parser: Parser, at: int) -> bool:
    """Whether there is a space before a token."""
    between = parser.text[parser.tokens[at - 1].position : parser.tokens[at].position]
    return _GAP.search(between) is not None


def _spaced(parser: Parser, at: int) -> bool:
    """Whether there is a space before a token that tells something: one after a long name has to be there."""
    before = parser.tokens[at - 1]
    return _gap(parser, at) and not (before.kind == "NAME" and len(before.text.split("_")[0]) > 1)


def _check_number(parser: Parser, token: Token, before: Token) -> None:
    """x 2 may be a product or a power that lost its form, 1\\frac{1}{2} a product or one and a half."""
    at = parser.at
    if before.kind == "NUMBER":
        if token.kind == "NUMBER":
            raise parser.error("expected an operator between two numbers", token)
        literal = parser.literal(at)
        if literal is None:
            return
        whole, part = before.text, literal[0]
        readings = [f"{whole} + {part}", f"{whole}*{part}"]
        raise two_readings(parser, at, f"{whole} {part}", readings, ("1 1/2", "1 + 1/2", "1*1/2"))
    a, n = piece(parser, factor_start(parser, at), at), token.text
    base = a if (before.kind == "NAME" and "^" not in a) or (a[0] + a[-1] == "()" and "^" not in a) else f"({a})"
    raise two_readings(parser, at, f"{a} {n}", [f"{a}*{n}", f"{base}^{n}"], (f"x {n}", f"x*{n}", f"x^{n}"))


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
    if not above or above[-1].action != "Pow" or _gap(parser, parser.at):
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


def _check_root(parser: Parser, token: Token) -> None:
    r"""√2x, sqrt 2 x: the root may go on; \sqrt takes one sign, and a space ends what √ takes."""
    top = parser.pending[-1] if parser.pending else None
    if top is None or top.binding != ROOT:
        return
    sign = parser.text[top.token.position]
    if sign == "\\" or (_gap(parser, parser.at) and (sign == "√" or _is_call(token))):
        return
    raise _argument(parser, top, "")


def _check_quotient(parser: Parser, stop: int, call: Pending | None = None) -> None:
    """a/bc: the divisor may go on; after a number such as 1/2 and a space it does not. Within a call: cos pi/2x."""
    for place in range(stop - 1, parser.pending.index(call) if call else -1, -1):
        entry = parser.pending[place]
        if entry.action == "inverse":
            break
        if entry.binding <= PRODUCT:
            return
    else:
        return
    slash = index_of(parser, entry.token.position, parser.at - 1)
    tight = not _gap(parser, slash) and not _gap(parser, slash + 1)
    if place == len(parser.pending) - 1 and tight and _gap(parser, parser.at) and _are_integers(parser.values[-2:]):
        return
    p, q = piece(parser, factor_start(parser, slash), slash), piece(parser, slash + 1, parser.at)
    factor = piece(parser, parser.at, factor_end(parser, parser.at))
    space = " " if _gap(parser, parser.at) else ""
    if call is not None:
        start, first = _argument_start(parser, call)
        head, p = _head(parser, start), piece(parser, first, slash)
        readings = [f"{head}({p}/{q})*{factor}", f"{head}({p}/({q}*{factor}))"]
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


def _is_call(token: Token) -> bool:
    return token.kind == "FUNCTION" and token.text not in FACTOR_FUNCTIONS


def _argument_start(parser: Parser, call: Pending) -> tuple[int, int]:
    start = index_of(parser, call.token.position, parser.at - 1)
    return start, head_end(parser, start)


def _belongs(parser: Parser, call: Pending, before: Token) -> bool:
    """Whether everybody takes a name or fraction for another factor of a bare function's argument."""
    spaced = _spaced(parser, parser.at)
    if parser.tokens[parser.at].kind == "FRACTION":
        return _is_coefficient(parser, call)
    if call.token.text == "log" and spaced and before.kind == "NUMBER":
        return False
    return not spaced or _is_coefficient(parser, call)


def _is_coefficient(parser: Parser, call: Pending) -> bool:
    """Whether the argument so far is a product of numbers and constants."""
    stop = parser.at - (parser.tokens[parser.at - 1].kind == "*")
    tokens = parser.tokens[_argument_start(parser, call)[1] : stop]
    return all(t.kind in ("NUMBER", "-", "+", "*") or (t.kind == "NAME" and t.text in CONSTANTS) for t in tokens)


def _is_angle(parser: Parser, call: Pending, stop: int) -> bool:
    """Whether the argument so far is a multiple of pi."""
    tokens = parser.tokens[_argument_start(parser, call)[1] : stop]
    return any(t.text == "pi" for t in tokens) and all(
        t.kind in ("NUMBER", "-", "+", "*") or t.text == "pi" for t in tokens
    )


def _has_name(parser: Parser, call: Pending) -> bool:
    """Whether the argument so far is more than a number: a variable or an angle."""
    tokens = parser.tokens[_argument_start(parser, call)[1] : parser.at]
    return any(t.kind == "NAME" and t.text != "e" for t in tokens)


def _argument(parser: Parser, call: Pending, sign: str) -> ParseError:
    """sin x y, sin x/2: the argument ends before the last factor or after it."""
    start, first = _argument_start(parser, call)
    stop = parser.at - bool(sign)
    end = factor_end(parser, parser.at)
    head, name = _head(parser, start), call.token.text
    argument, factor = piece(parser, first, stop), piece(parser, parser.at, end)
    times = sign or "*"
    readings = [f"{head}({argument}{times}{factor})", f"{head}({argument}){times}{factor}"]
    if name == "log" and not sign and head.endswith("log") and is_integer(argument):
        readings[1] = f"{head}({factor}, {argument})"
    return two_readings(
        parser,
        stop,
        piece(parser, start, end),
        readings,
        (f"{name} a{sign or ' '}b", f"{name}(a{times}b)", f"{name}(a){times}b"),
    )
