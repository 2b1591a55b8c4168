"""What a fact about an expression says of its parts, and the same fact with multiples of angles expanded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from flint import fmpq

from dgl_mathtree.proof.check.nodes import ONE, PI, ZERO, E, Node, add, inverse, mul, number, replace, sub
from dgl_mathtree.proof.check.signs import NONZERO
from dgl_mathtree.proof.check.signs import ZERO as NOTHING

if TYPE_CHECKING:
    from dgl_mathtree.proof.check.reader import Reader

MOST_MULTIPLES, MOST_PIECES = 4, 3
QUOTIENTS = {"tan": ("sin", "cos"), "cot": ("cos", "sin"), "sec": (None, "cos"), "csc": (None, "sin")}
"""Functions that are quotients of sines and cosines."""
Fact = tuple[Node, int]


def implied(base: Reader, node: Node, mask: int) -> Iterator[Fact]:
    """A fact and what follows from it by its structure.

    An odd power has the sign of its base. If a product is not 0, none of its factors is; if a power is not 0, its base
    is not.
    """
    yield node, mask
    word, args = node.word, node.args
    if word == "Add" and ZERO in args:
        yield from implied(base, args[1] if args[0] == ZERO else args[0], mask)
    elif word == "Mul" and ONE in args:
        yield from implied(base, args[1] if args[0] == ONE else args[0], mask)
    elif word == "Mul" and not mask & NOTHING:
        for arg in args:
            yield from implied(base, arg, NONZERO)
    elif word == "Pow":
        value = base.constant(args[1])
        if value is not None and value.q == 1 and value.p % 2 and (value > 0 or not mask & NOTHING):
            yield from implied(base, args[0], mask)
        elif value is not None and value != 0 and not mask & NOTHING:
            yield from implied(base, args[0], NONZERO)
    elif word == "log" and args[1] == E:
        # ln(u) has the sign of u - 1.
        yield from implied(base, sub(args[0], ONE), mask)
    elif word == "cos" and not mask & NOTHING:
        # cos(u)^2 = (1 - sin(u))*(1 + sin(u)), and sin(u)^2 likewise.
        yield sub(ONE, Node("sin", args[0])), NONZERO
        yield add(ONE, Node("sin", args[0])), NONZERO
    elif word == "sin" and not mask & NOTHING:
        yield sub(ONE, Node("cos", args[0])), NONZERO
        yield add(ONE, Node("cos", args[0])), NONZERO


def rewritten(base: Reader, node: Node) -> list[Node]:
    """The same expression by sines and cosines, and with their angles expanded, as far as these are others."""
    by_sines = with_quotients(node)
    return [other for other in dict.fromkeys((by_sines, with_expanded_angles(base, by_sines))) if other != node]


def with_quotients(node: Node) -> Node:
    """An expression with tan, cot, sec and csc by sin and cos, equal and defined where it is."""

    def change(part: Node) -> Node | None:
        if part.word not in QUOTIENTS:
            return None
        arg = with_quotients(part.args[0])
        above, below = QUOTIENTS[part.word]
        divisor = inverse(Node(below, arg))
        return divisor if above is None else mul(Node(above, arg), divisor)

    return replace(node, change)


def with_expanded_angles(base: Reader, node: Node) -> Node:
    """An expression with the sines and cosines of sums and whole multiples expanded."""

    def change(part: Node) -> Node | None:
        if part.word not in ("sin", "cos"):
            return None
        pair = _expanded(base, part.args[0])
        return None if pair is None else pair[part.word == "cos"]

    return replace(node, change)


def _expanded(base: Reader, arg: Node) -> tuple[Node, Node] | None:
    """Sine and cosine of an angle, by those of its pieces."""
    terms = base.linear_terms(arg)
    if len(terms) > MOST_PIECES or terms == [(1, arg)]:
        return None
    sine, cosine = ZERO, ONE
    for coefficient, piece in terms:
        turned = _of_piece(coefficient, piece)
        if turned is None:
            return None
        s, c = turned
        sine, cosine = add(_times(sine, c), _times(cosine, s)), sub(_times(cosine, c), _times(sine, s))
    return sine, cosine


def _of_piece(coefficient: Any, piece: Node) -> tuple[Node, Node] | None:
    if piece == PI and (2 * coefficient).q == 1:
        quarter = int(2 * coefficient) % 4
        return number((0, 1, 0, -1)[quarter]), number((1, 0, -1, 0)[quarter])
    if coefficient.q != 1:
        piece, coefficient = mul(number(fmpq(1, coefficient.q)), piece), coefficient * coefficient.q
    times = int(coefficient)
    if abs(times) > MOST_MULTIPLES:
        return None
    s, c = Node("sin", piece), Node("cos", piece)
    sine, cosine = ZERO, ONE
    for _ in range(abs(times)):
        sine, cosine = add(_times(sine, c), _times(cosine, s)), sub(_times(cosine, c), _times(sine, s))
    return (sine if times > 0 else mul(number(-1), sine)), cosine


def _times(a: Node, b: Node) -> Node:
    return ZERO if ZERO in (a, b) else mul(a, b)
