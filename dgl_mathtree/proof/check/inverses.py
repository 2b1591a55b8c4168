"""Reading inverse functions: all by asin, atan, asinh, acosh and atanh, and undone where a range is established."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flint import arb, fmpq

from dgl_mathtree.arithmetic.arb_balls import nearest_integer
from dgl_mathtree.proof.check import constants, ranges
from dgl_mathtree.proof.check.balls import has_variable
from dgl_mathtree.proof.check.nodes import HALF, MINUS_ONE, ONE, PI, Node, add, inverse, mul, number, power, root, sub
from dgl_mathtree.proof.check.polynomials import Quotient
from dgl_mathtree.proof.check.ranges import Range, end
from dgl_mathtree.proof.check.signs import NEGATIVE, POSITIVE, ZERO

if TYPE_CHECKING:
    from dgl_mathtree.proof.check.reader import Reader

ODD = frozenset("asin atan asinh atanh".split())
UNDONE = {
    "asin": ("sin", ranges.OF_FUNCTION["asin"]),
    "acos": ("cos", ranges.OF_FUNCTION["acos"]),
    "atan": ("tan", ranges.OF_FUNCTION["atan"]),
    "asinh": ("sinh", ranges.EVERYTHING),
    "acosh": ("cosh", Range(end(0), None, False, True)),
    "atanh": ("tanh", ranges.EVERYTHING),
    "acoth": ("coth", ranges.EVERYTHING),
    "acsch": ("csch", ranges.EVERYTHING),
}
"""The function that each undoes, and where: on that range it is injective and has its values there."""
LARGEST_DENOMINATOR = 240
AT_NUMBERS = {
    ("asin", fmpq(1)): fmpq(1, 2),
    ("asin", fmpq(-1)): fmpq(-1, 2),
    ("acos", fmpq(1)): fmpq(0),
    ("acos", fmpq(-1)): fmpq(1),
    ("acot", fmpq(0)): fmpq(1, 2),
    ("acosh", fmpq(1)): fmpq(0),
    ("asech", fmpq(1)): fmpq(0),
}
"""Values at the ends of domains and where acot jumps, as multiples of pi."""


def read(reader: Reader, word: str, arg: Node) -> Quotient:
    """An inverse function applied."""
    if not reader.has("definition", "inverse", "value", "as logarithms", "as sines"):
        return reader.atom(word, arg)
    if reader.has("value", "inverse") and (word, reader.constant(arg)) in AT_NUMBERS:
        return reader.read(mul(number(AT_NUMBERS[word, reader.constant(arg)]), PI))
    if reader.has("value") and not has_variable(arg):
        turn = special_value(reader, word, arg)
        if turn is not None:
            return reader.read(turn)
    if reader.has("inverse") and word in UNDONE:
        function, where = UNDONE[word]
        if arg.word == function and reader.region.range(arg.args[0]).within(where):
            return reader.read(arg.args[0])
    other = by_others(reader, word, arg)
    if other is not None:
        return reader.read(other)
    return _odd(reader, word, arg) if word in ODD else reader.atom(word, arg)


def by_others(reader: Reader, word: str, arg: Node) -> Node | None:
    """The same function in terms of fewer ones, defined where it is; None for those that stay."""
    if word == "acos":
        return sub(mul(HALF, PI), Node("asin", arg))
    if word == "acsc":
        return Node("asin", inverse(arg))
    if word == "asec":
        return sub(mul(HALF, PI), Node("asin", inverse(arg)))
    if word == "acot":
        # acot(0) is pi/2, but atan(1/0) is not defined.
        return None if reader.region.signs(arg) & ZERO else Node("atan", inverse(arg))
    if word in ("acsch", "asech", "acoth"):
        return Node({"acsch": "asinh", "asech": "acosh", "acoth": "atanh"}[word], inverse(arg))
    if reader.has("as logarithms") and word in ("asinh", "acosh", "atanh"):
        return as_logarithm(word, arg)
    if reader.has("as sines") and word == "atan":
        return Node("asin", mul(arg, inverse(root(add(ONE, power(arg, 2))))))
    return None


def as_logarithm(word: str, arg: Node) -> Node:
    """asinh, acosh or atanh by ln, defined where it is."""
    square = power(arg, 2)
    if word == "asinh":
        return Node("log", add(arg, root(add(square, ONE))), Node("e"))
    if word == "acosh":
        return Node("log", add(arg, root(sub(square, ONE))), Node("e"))
    return mul(HALF, Node("log", mul(add(ONE, arg), inverse(sub(ONE, arg))), Node("e")))


def _odd(reader: Reader, word: str, arg: Node) -> Quotient:
    """An odd function as a generator: that of its argument or of its negative, whichever has a generator."""
    ring = reader.ring
    negative = Node("Mul", MINUS_ONE, arg)
    for (known,), index in reader.group(word):
        if reader.equal(arg, known):
            return ring.power_of(index, 1)
        if reader.equal(negative, known):
            return ring.neg(ring.power_of(index, 1))
        if reader.has("inverse"):
            related = _related(reader, word, arg, known, index)
            if related is not None:
                return related
    num = reader.read(arg).num
    if num.is_zero():
        return ring.constant(0)
    return reader.atom(word, arg)


def _related(reader: Reader, word: str, arg: Node, known: Node, index: int) -> Quotient | None:
    """atan(1/u) = pi/2 - atan(u) for u > 0 and -pi/2 - atan(u) for u < 0; asin(v) = pi/2 - asin(u) for u, v >= 0 with
    u^2 + v^2 = 1."""
    ring, region = reader.ring, reader.region
    generator = ring.power_of(index, 1)
    if word == "atan":
        mask = region.signs(known)
        if mask not in (NEGATIVE, POSITIVE) or not reader.equal(mul(arg, known), ONE):
            return None
        turn = mul(number(fmpq(1, 2) if mask == POSITIVE else fmpq(-1, 2)), PI)
        return ring.add(reader.read(turn), ring.neg(generator))
    if word == "asin":
        if (region.signs(arg) | region.signs(known)) & NEGATIVE:
            return None
        if not reader.equal(add(power(arg, 2), power(known, 2)), ONE):
            return None
        return ring.add(reader.read(mul(HALF, PI)), ring.neg(generator))
    return None


def special_value(reader: Reader, word: str, arg: Node) -> Node | None:
    """The value of asin, acos or atan at a number: a multiple of pi, or a number moved by such a multiple.

    A ball says which value it can be at most. That it is this one follows from its lying in the function's range, where
    sin, cos or tan is injective, and from sin, cos or tan of it being the argument exactly.
    """
    if word not in ("asin", "acos", "atan"):
        return None
    region = reader.region
    ball = region.ball(Node(word, arg))
    function, where = UNDONE[word]
    if ball is None and constants.sign(region, arg) != ZERO:
        return None
    if arg.word in ("sin", "cos", "tan"):
        moved = _moved(reader, word, arg, ball)
        if moved is not None:
            return moved
    turn = fmpq(0) if ball is None else _simple_fraction(ball / arb.pi())
    if turn is None or not Range(end(0, turn), end(0, turn), False, False).within(where):
        return None
    value = mul(number(turn), PI)
    exact = constants.is_zero(region, sub(Node(function, value), arg))
    return value if exact else None


def _moved(reader: Reader, word: str, arg: Node, ball: Any) -> Node | None:
    """w, -w or pi - w and so on, moved by a multiple of pi, for asin(sin(w)) and the like with a number w."""
    region, inner = reader.region, arg.args[0]
    value = region.ball(inner)
    function, where = UNDONE[word]
    if arg.word != function or ball is None or value is None:
        return None
    for sign in (1, -1):
        quotient = (ball - sign * value) / arb.pi()
        turns = nearest_integer(quotient)
        if turns is None or abs(turns) > 10**12:
            continue
        turns = int(turns)
        # sin(pi - w) = sin(w), cos(-w) = cos(w), and whole periods.
        allowed = {"sin": turns % 2 == (sign < 0), "cos": turns % 2 == 0, "tan": sign > 0}[function]
        candidate = add(mul(number(sign), inner), mul(number(turns), PI))
        if allowed and region.range(candidate).within(where):
            return candidate
    return None


def _simple_fraction(ball: Any) -> Any:
    """The fraction with a small denominator in a ball, if there is one."""
    for below in range(1, LARGEST_DENOMINATOR):
        above = nearest_integer(ball * below)
        if above is not None:
            return fmpq(above, below)
    return None
