"""Reading logarithms: ln of a product as a sum over its factors, log to any base by ln."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dgl_mathtree.proof.check import exponentials
from dgl_mathtree.proof.check.nodes import ONE, E, Node, add, is_literal, mul, number, replace
from dgl_mathtree.proof.check.polynomials import Quotient
from dgl_mathtree.proof.check.signs import POSITIVE

if TYPE_CHECKING:
    from dgl_mathtree.proof.check.reader import Reader

SUMS = ("logarithms", "powers")


def read(reader: Reader, arg: Node, base: Node) -> Quotient:
    """log(arg, base), which is ln(arg)/ln(base): ln(base) is not 0 where the logarithm is defined."""
    if base == E:
        return _ln(reader, arg)
    if reader.has("definition", "value", *SUMS):
        return reader.ring.mul(_ln(reader, arg), reader.ring.inverse(_ln(reader, base)))
    return reader.atom("log", arg, base)


def _ln(reader: Reader, arg: Node) -> Quotient:
    if not reader.has(*SUMS):
        if reader.has("definition", "value", "inverse"):
            if reader.constant(arg) == 1:
                return reader.ring.constant(0)
            if arg == E:
                return reader.ring.constant(1)
            if arg.word == "exp":
                return reader.read(arg.args[0])
            if arg.word == "Pow" and reader.region.signs(arg.args[0]) == POSITIVE:
                return reader.ring.mul(reader.read(arg.args[1]), _ln(reader, arg.args[0]))
        return reader.atom("log", arg, E)
    ring = reader.ring
    total = ring.constant(0)
    for times, size in terms(reader, arg):
        part = reader.read(times)
        if size is not None:
            index = reader.generator("ln", (size,), Node("log", size, E))
            part = ring.mul(part, ring.power_of(index, 1))
        total = ring.add(total, part)
    return total


def terms(reader: Reader, arg: Node) -> list[tuple[Node, Node | None]]:
    """ln|arg| as a sum of multiples of logarithms, wherever the argument is defined and not 0.

    Returns
    -------
    list of (Node, Node or None)
        A multiple and the positive expression whose logarithm it is a multiple of; None for the number 1.
    """
    constant, factors = reader.region.base.factors(arg)
    found: list[tuple[Node, Node | None]] = []
    for whole, sign in ((abs(constant).p, 1), (abs(constant).q, -1)):
        for prime, times in exponentials.prime_factors(whole):
            found.append((number(sign * times), number(prime)))
    for factor, times in factors:
        # As the argument is not 0, no factor is.
        found += [(mul(number(times), multiple), size) for multiple, size in _of_factor(reader, factor)]
    return found


def _of_factor(reader: Reader, factor: Node) -> list[tuple[Node, Node | None]]:
    word, args = factor.word, factor.args
    if factor == E:
        return [(ONE, None)]
    if word == "exp":
        return [(spread(reader, args[0]), None)]
    base = reader.region.base
    if word == "Pow" and is_literal(args[1]) and "/" in args[1].word:
        return [(mul(args[1], multiple), size) for multiple, size in terms(reader, args[0])]
    if word == "Pow" and base.constant(args[1]) is None and reader.region.signs(args[0]) == POSITIVE:
        return [(mul(args[1], multiple), size) for multiple, size in terms(reader, args[0])]
    return [(ONE, exponentials.size_of(reader, factor))]


def spread(reader: Reader, node: Node) -> Node:
    """An expression with all its natural logarithms as sums over the factors of their arguments."""

    def change(part: Node) -> Node | None:
        return expanded(reader, part.args[0]) if part.word == "log" and part.args[1] == E else None

    return replace(node, change)


def expanded(reader: Reader, arg: Node) -> Node:
    """ln(arg) for a positive argument, as an expression: a sum over its factors."""
    total: Node | None = None
    for multiple, size in terms(reader, arg):
        term = multiple if size is None else mul(multiple, Node("log", size, E))
        total = term if total is None else add(total, term)
    return number(0) if total is None else total
