"""Functions and roots without a bracket: where their arguments end, for everybody or for some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dgl_mathtree.expressions.assembly import CALL, ROOT, Function, Pending
from dgl_mathtree.expressions.readings import factor_end, gap, head_end, head_text, index_of, piece, two_readings
from dgl_mathtree.expressions.text_errors import ParseError
from dgl_mathtree.expressions.tokens import CLOSING, OPENING, STARTS_OPERAND, Token
from dgl_mathtree.expressions.vocabulary import CONSTANTS, is_integer, is_variable

if TYPE_CHECKING:
    from dgl_mathtree.expressions.shunting import Parser

ANGLE_FUNCTIONS = frozenset(["sin", "cos", "tan", "csc", "sec", "cot"])
FACTOR_FUNCTIONS = frozenset(["sqrt", "abs"])  # what they give may be part of another function's argument


def open_call(parser: Parser) -> int | None:
    """The place on the stack of the function without a bracket whose argument may go on, if there is one."""
    if not parser.bare:
        return None
    for place in range(len(parser.pending) - 1, -1, -1):
        entry = parser.pending[place]
        if entry.binding == CALL:
            return place
        if entry.binding < CALL and entry.action != "negate":
            return None
    return None


def goes_on(parser: Parser) -> bool:
    """Whether the product sign or slash before the token at hand belongs to the argument of a bare function."""
    place = open_call(parser)
    call = parser.pending[-1 if place is None else place] if parser.pending else None
    if place is None and call is not None and call.binding != ROOT:
        call = None
    if call is None or (call.binding == ROOT and parser.text[call.token.position] != "s"):
        return False
    token, sign = parser.tokens[parser.at], parser.tokens[parser.at - 1]
    if call.token.text in ANGLE_FUNCTIONS and token.kind != "FUNCTION":
        angle = _is_angle(parser, call, parser.at - 1)
        if angle if sign.kind == "/" else (token.text == "pi" and _is_coefficient(parser, call)):
            return True
    if _holds_call(parser, parser.at):
        return False  # sin x/cos x, sin x/(1 + cos x)
    raise argument_ends(parser, call, sign.kind)


def is_base(parser: Parser, function: Token) -> bool:
    """Whether a number right after a function's name is the base of a logarithm: log10 x."""
    at = parser.at
    number, after = parser.tokens[at], parser.tokens[at + 1]
    typed = parser.text[function.position : number.position]
    if not typed[-1:].isalpha() or after.kind not in STARTS_OPERAND or after.kind == "FRACTION":
        return False
    if not is_integer(number.text) or (function.text != "log" and not gap(parser, at + 1)):
        return False
    if function.text == "log" and gap(parser, at + 1):
        return True
    name, power, x = typed, number.text, piece(parser, at + 1, factor_end(parser, at + 1))
    other = f"log({x}, {power})" if function.text == "log" else f"{name}({x})^{power}"
    generic = f"log(x, {power})" if function.text == "log" else f"{name}(x)^{power}"
    written = f"{name}{power}{' ' if gap(parser, at + 1) else ''}"
    raise two_readings(
        parser,
        at,
        f"{written}{x}",
        [f"{name}({power}*{x})", other],
        (f"{written}x", f"{name}({power}*x)", generic),
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
    if signed and _holds_call(parser, parser.at + 1):
        return
    if after.kind not in ("^", "/", "*"):
        rest = f"*{rest}"
    head = head_text(parser, start)
    raise two_readings(
        parser,
        start,
        piece(parser, start, end),
        [f"{head}({argument}){rest}", f"{head}({argument if argument.isalnum() else f'({argument})'}{rest})"],
        (f"{name}{{x}}^2", f"{name}(x)^2", f"{name}(x^2)"),
    )


def power_of_root(parser: Parser) -> ParseError:
    """√x²: the power of the root or the root of the power."""
    sign = parser.at - 1
    root = index_of(parser, parser.pending[-1].token.position, sign)
    name, radicand = head_text(parser, root), piece(parser, head_end(parser, root), sign)
    power = piece(parser, sign, factor_end(parser, sign - 1))
    return two_readings(
        parser,
        root,
        f"{piece(parser, root, sign)}{power}",
        [f"{name}({radicand}){power}", f"{name}({radicand}{power})"],
        ("√x^2", "sqrt(x)^2", "sqrt(x^2)"),
    )


def check_root(parser: Parser, token: Token) -> None:
    r"""√2x, sqrt 2 x: the root may go on; \sqrt takes one sign, and a space ends what √ takes."""
    top = parser.pending[-1] if parser.pending else None
    if top is None or top.binding != ROOT:
        return
    sign = parser.text[top.token.position]
    if sign == "\\" or (gap(parser, parser.at) and (sign == "√" or is_call(token))):
        return
    raise argument_ends(parser, top, "")


def digits(parser: Parser, at: int | None = None) -> ParseError:
    r"""\sqrt12, \frac{x}12, \sqrt x2: TeX takes the first sign, people may mean the number or name."""
    at = parser.at - 1 if at is None else at
    start = at
    while parser.tokens[start].kind not in ("FUNCTION", "FRACTION"):
        start -= 1
    head, number = piece(parser, start, at), parser.tokens[at].text
    one, rest = first_sign(parser.tokens[at])
    rest = rest.lstrip(".")
    if parser.tokens[start].kind == "FRACTION" and start == at - 1:  # the numerator
        readings = [f"{head}{{{one}}}{{{rest[0]}}}*{rest[1:]}", f"{head}{{{one}}}{{{rest}}}"]
    else:
        readings = [f"{head}{{{number}}}", f"{head}{{{one}}}*{rest}"]
    letters = (rf"\sqrt{number}", rf"\sqrt{{{number}}}", rf"\sqrt{{{one}}}*{rest}")
    space = " " if head[-1].isalpha() and one.isalpha() else ""
    return two_readings(parser, start, f"{head}{space}{number}", readings, letters)


def first_sign(token: Token) -> tuple[str, str]:
    r"""What TeX takes of a number or name without braces, and what it leaves: ``\frac x2`` is x/2."""
    if token.kind == "NUMBER":
        return token.text[:1], token.text[1:]
    letters = token.text.rstrip("0123456789")
    return (letters, token.text[len(letters) :]) if letters in CONSTANTS or is_variable(letters) else (token.text, "")


def check_radicand(parser: Parser, function: Token) -> None:
    r"""\sqrt12, \sqrt x2: more than the one sign that TeX takes."""
    if parser.text.startswith("\\sqrt", function.position) and first_sign(parser.tokens[parser.at])[1]:
        raise digits(parser, parser.at)


def belongs(parser: Parser, call: Pending, before: Token) -> bool:
    """Whether everybody takes a name or fraction for another factor of a bare function's argument."""
    spaced = _spaced(parser, parser.at)
    if parser.tokens[parser.at].kind == "FRACTION":
        return _is_coefficient(parser, call)
    if call.token.text == "log" and spaced and before.kind == "NUMBER":
        return False
    return not spaced or _is_coefficient(parser, call)


def has_name(parser: Parser, call: Pending) -> bool:
    """Whether the argument so far is more than a number: a variable or an angle."""
    tokens = parser.tokens[argument_start(parser, call)[1] : parser.at]
    return any(t.kind == "NAME" and t.text != "e" for t in tokens)


def argument_ends(parser: Parser, call: Pending, sign: str) -> ParseError:
    """sin x y, sin x/2: the argument ends before the last factor or after it."""
    start, first = argument_start(parser, call)
    stop = parser.at - bool(sign)
    end = factor_end(parser, parser.at)
    head, name = head_text(parser, start), call.token.text
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


def argument_start(parser: Parser, call: Pending) -> tuple[int, int]:
    start = index_of(parser, call.token.position, parser.at - 1)
    return start, head_end(parser, start)


def is_call(token: Token) -> bool:
    return token.kind == "FUNCTION" and token.text not in FACTOR_FUNCTIONS


def _is_coefficient(parser: Parser, call: Pending) -> bool:
    """Whether the argument so far is a product of numbers and constants."""
    stop = parser.at - (parser.tokens[parser.at - 1].kind == "*")
    tokens = parser.tokens[argument_start(parser, call)[1] : stop]
    return all(t.kind in ("NUMBER", "-", "+", "*") or (t.kind == "NAME" and t.text in CONSTANTS) for t in tokens)


def _is_angle(parser: Parser, call: Pending, stop: int) -> bool:
    """Whether the argument so far is a multiple of pi."""
    tokens = parser.tokens[argument_start(parser, call)[1] : stop]
    return any(t.text == "pi" for t in tokens) and all(
        t.kind in ("NUMBER", "-", "+", "*") or t.text == "pi" for t in tokens
    )


def _spaced(parser: Parser, at: int) -> bool:
    """Whether there is a space before a token that tells something: one after a long name has to be there."""
    before = parser.tokens[at - 1]
    return gap(parser, at) and not (before.kind == "NAME" and len(before.text.split("_")[0]) > 1)


def _holds_call(parser: Parser, at: int) -> bool:
    """Whether the factor at a token is a function of its own, or a bracket with one in it."""
    depth = 0
    for place in range(at, len(parser.tokens)):
        token = parser.tokens[place]
        depth += (token.kind in OPENING) - (token.kind in CLOSING)
        if is_call(token):
            return True
        if depth <= 0:
            return False
    return False
