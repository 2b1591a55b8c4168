"""Functions and roots without a bracket: where their arguments end, for everybody or for some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dgl_mathtree.arithmetic.operators import FAMILIES
from dgl_mathtree.language.parsing.readings import factor_end, gap, head_end, head_text, piece, two_readings
from dgl_mathtree.language.parsing.syntax_errors import ParseError
from dgl_mathtree.language.parsing.syntax_trees import CALL, ROOT, Function
from dgl_mathtree.language.parsing.tokens import CLOSING, OPENING, STARTS_OPERAND
from dgl_mathtree.language.vocabulary import CONSTANTS, is_integer, is_variable

if TYPE_CHECKING:
    from dgl_mathtree.language.parsing.precedence import Parser

ANGLE_FUNCTIONS = frozenset(FAMILIES["circular"])
_COEFFICIENT = frozenset(["NUMBER", "-", "+", "*"])
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


def called(parser: Parser, place: int) -> Function:
    """The function at a place of the stack where one waits for its argument."""
    function = parser.pending[place].function
    assert function is not None
    return function


def goes_on(parser: Parser) -> bool:
    """Whether the product sign or slash before the token at hand belongs to the argument of a bare function."""
    place = open_call(parser)
    if place is None:
        place = len(parser.pending) - 1
        if place < 0 or parser.pending[place].binding != ROOT or parser.character(parser.places[place]) != "s":
            return False
    call = called(parser, place)
    kind, sign = parser.kinds[parser.at], parser.kinds[parser.at - 1]
    if call.name in ANGLE_FUNCTIONS and kind != "FUNCTION":
        angle = _is_angle(parser, call, parser.at - 1)
        if angle if sign == "/" else (parser.texts[parser.at] == "pi" and _is_coefficient(parser, call)):
            return True
    if _holds_call(parser, parser.at):
        return False  # sin x/cos x, sin x/(1 + cos x)
    raise argument_ends(parser, call, sign)


def is_base(parser: Parser, function: Function) -> bool:
    """Whether a number right after a function's name is the base of a logarithm: log10 x."""
    at = parser.at
    number, after = parser.texts[at], parser.kinds[at + 1]
    typed = parser.text[parser.positions[function.at] : parser.positions[at]]
    if not typed[-1:].isalpha() or after not in STARTS_OPERAND or after == "FRACTION":
        return False
    if not is_integer(number) or (function.name != "log" and not gap(parser, at + 1)):
        return False
    if function.name == "log" and gap(parser, at + 1):
        return True
    name, power, x = typed, number, piece(parser, at + 1, factor_end(parser, at + 1))
    other = f"log({x}, {power})" if function.name == "log" else f"{name}({x})^{power}"
    generic = f"log(x, {power})" if function.name == "log" else f"{name}(x)^{power}"
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
    after, start = parser.kinds[parser.at], function.at
    first = head_end(parser, start)
    name = function.name
    if name == "sqrt":
        if parser.character(start) != "√" or after != "^":
            return
    elif parser.kinds[first + 1] == "(" or after not in (
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
    signed = after in ("/", "*")
    end = factor_end(parser, parser.at - 1 if after == "^" else parser.at + signed)
    argument, rest = piece(parser, first + 1, parser.at - 1), piece(parser, parser.at, end)
    if signed and _holds_call(parser, parser.at + 1):
        return
    if after not in ("^", "/", "*"):
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
    root = parser.places[-1]
    name, radicand = head_text(parser, root), piece(parser, head_end(parser, root), sign)
    power = piece(parser, sign, factor_end(parser, sign - 1))
    return two_readings(
        parser,
        root,
        f"{piece(parser, root, sign)}{power}",
        [f"{name}({radicand}){power}", f"{name}({radicand}{power})"],
        ("√x^2", "sqrt(x)^2", "sqrt(x^2)"),
    )


def check_root(parser: Parser) -> None:
    r"""√2x, sqrt 2 x: the root may go on; \sqrt takes one sign, and a space ends what √ takes."""
    if not parser.pending or parser.pending[-1].binding != ROOT:
        return
    sign = parser.character(parser.places[-1])
    if sign == "\\" or (gap(parser, parser.at) and (sign == "√" or is_call(parser, parser.at))):
        return
    raise argument_ends(parser, called(parser, -1), "")


def digits(parser: Parser, at: int | None = None) -> ParseError:
    r"""\sqrt12, \frac{x}12, \sqrt x2: TeX takes the first sign, people may mean the number or name."""
    at = parser.at - 1 if at is None else at
    start = at
    while parser.kinds[start] not in ("FUNCTION", "FRACTION"):
        start -= 1
    head, number = piece(parser, start, at), parser.texts[at]
    one, rest = first_sign(parser, at)
    rest = rest.lstrip(".")
    if parser.kinds[start] == "FRACTION" and start == at - 1:  # the numerator
        readings = [f"{head}{{{one}}}{{{rest[0]}}}*{rest[1:]}", f"{head}{{{one}}}{{{rest}}}"]
    else:
        readings = [f"{head}{{{number}}}", f"{head}{{{one}}}*{rest}"]
    letters = (rf"\sqrt{number}", rf"\sqrt{{{number}}}", rf"\sqrt{{{one}}}*{rest}")
    space = " " if head[-1].isalpha() and one.isalpha() else ""
    return two_readings(parser, start, f"{head}{space}{number}", readings, letters)


def first_sign(parser: Parser, at: int) -> tuple[str, str]:
    r"""What TeX takes of a number or name without braces, and what it leaves: ``\frac x2`` is x/2."""
    text = parser.texts[at]
    if parser.kinds[at] == "NUMBER":
        return text[:1], text[1:]
    letters = text.rstrip("0123456789")
    return (letters, text[len(letters) :]) if letters in CONSTANTS or is_variable(letters) else (text, "")


def check_radicand(parser: Parser, function: Function) -> None:
    r"""\sqrt12, \sqrt x2: more than the one sign that TeX takes."""
    if parser.text.startswith("\\sqrt", parser.positions[function.at]) and first_sign(parser, parser.at)[1]:
        raise digits(parser, parser.at)


def belongs(parser: Parser, call: Function) -> bool:
    """Whether everybody takes a name or fraction for another factor of a bare function's argument."""
    spaced = _spaced(parser, parser.at)
    if parser.kinds[parser.at] == "FRACTION":
        return _is_coefficient(parser, call)
    if call.name == "log" and spaced and parser.kinds[parser.at - 1] == "NUMBER":
        return False
    return not spaced or _is_coefficient(parser, call)


def has_name(parser: Parser, call: Function) -> bool:
    """Whether the argument so far is more than a number: a variable or an angle."""
    places = range(argument_start(parser, call)[1], parser.at)
    return any(parser.kinds[k] == "NAME" and parser.texts[k] != "e" for k in places)


def argument_ends(parser: Parser, call: Function, sign: str) -> ParseError:
    """sin x y, sin x/2: the argument ends before the last factor or after it."""
    start, first = argument_start(parser, call)
    stop = parser.at - bool(sign)
    end = factor_end(parser, parser.at)
    head, name = head_text(parser, start), call.name
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


def argument_start(parser: Parser, call: Function) -> tuple[int, int]:
    """The indices of a function's name and of what its argument starts with."""
    return call.at, head_end(parser, call.at)


def is_call(parser: Parser, at: int) -> bool:
    """Whether a token is a function whose value is not simply another factor."""
    return parser.kinds[at] == "FUNCTION" and parser.texts[at] not in FACTOR_FUNCTIONS


def _is_coefficient(parser: Parser, call: Function) -> bool:
    """Whether the argument so far is a product of numbers and constants."""
    stop = parser.at - (parser.kinds[parser.at - 1] == "*")
    return all(
        parser.kinds[k] in _COEFFICIENT or (parser.kinds[k] == "NAME" and parser.texts[k] in CONSTANTS)
        for k in range(argument_start(parser, call)[1], stop)
    )


def _is_angle(parser: Parser, call: Function, stop: int) -> bool:
    """Whether the argument so far is a multiple of pi."""
    first = argument_start(parser, call)[1]
    return "pi" in parser.texts[first:stop] and all(
        parser.kinds[k] in _COEFFICIENT or parser.texts[k] == "pi" for k in range(first, stop)
    )


def _spaced(parser: Parser, at: int) -> bool:
    """Whether there is a space before a token that tells something: one after a long name has to be there."""
    long_name = parser.kinds[at - 1] == "NAME" and len(parser.texts[at - 1].split("_")[0]) > 1
    return gap(parser, at) and not long_name


def _holds_call(parser: Parser, at: int) -> bool:
    """Whether the factor at a token is a function of its own, or a bracket with one in it."""
    depth = 0
    for place in range(at, len(parser.kinds)):
        kind = parser.kinds[place]
        depth += (kind in OPENING) - (kind in CLOSING)
        if is_call(parser, place):
            return True
        if depth <= 0:
            return False
    return False
