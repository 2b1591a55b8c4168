"""What must hold for an expression to be defined, over the reals.

Each operator that is not defined everywhere has requirements of the form "this expression has one of these signs". They
serve twice: those of the equation are facts about every point of its domain, and those of any other line must be
established before the line is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dgl_mathtree.proof.check.nodes import ONE, E, Node, add, inverse, power, sub, walk
from dgl_mathtree.proof.check.signs import NONNEGATIVE, NONZERO, POSITIVE

Requirement = tuple[Node, int]
_SIMPLE: dict[str, Callable[[Node], list[Requirement]]] = {
    "tan": lambda u: [(Node("cos", u), NONZERO)],
    "sec": lambda u: [(Node("cos", u), NONZERO)],
    "cot": lambda u: [(Node("sin", u), NONZERO)],
    "csc": lambda u: [(Node("sin", u), NONZERO)],
    "coth": lambda u: [(u, NONZERO)],
    "csch": lambda u: [(u, NONZERO)],
    "acsch": lambda u: [(u, NONZERO)],
    "asin": lambda u: [(sub(ONE, u), NONNEGATIVE), (add(ONE, u), NONNEGATIVE)],
    "acos": lambda u: [(sub(ONE, u), NONNEGATIVE), (add(ONE, u), NONNEGATIVE)],
    "acsc": lambda u: [(sub(power(u, 2), ONE), NONNEGATIVE)],
    "asec": lambda u: [(sub(power(u, 2), ONE), NONNEGATIVE)],
    "acosh": lambda u: [(sub(u, ONE), NONNEGATIVE)],
    "asech": lambda u: [(u, POSITIVE), (sub(ONE, u), NONNEGATIVE)],
    "atanh": lambda u: [(sub(ONE, u), POSITIVE), (add(ONE, u), POSITIVE)],
    "acoth": lambda u: [(sub(power(u, 2), ONE), POSITIVE)],
}


def requirements(
    node: Node, constant: Callable[[Node], Any], whole: Callable[[Node], bool | None]
) -> list[Requirement]:
    """The requirements of the operator at the top of an expression, both necessary and sufficient.

    Parameters
    ----------
    node : Node
        The expression; its arguments are taken to be defined.
    constant : callable
        The rational number that an exponent is, or None.
    whole : callable
        Whether an exponent that is not such a number has only whole values (True), never one (False), or maybe (None).

    Returns
    -------
    list of (Node, int)
        Expressions and the signs that they must have. A power whose exponent may be whole has none here: see
        `depends_on_exponent`.
    """
    word, args = node.word, node.args
    if word == "log":
        return [(args[0], POSITIVE), (args[1], POSITIVE), (sub(args[1], ONE), NONZERO)]
    if word == "Pow":
        value = constant(args[1])
        if value is not None:
            if value.q == 1:
                return [(args[0], NONZERO)] if value < 0 else []
            return [(args[0], NONNEGATIVE if value > 0 else POSITIVE)]
        return [(args[0], NONNEGATIVE)] if whole(args[1]) is False else []
    simple = _SIMPLE.get(word)
    return simple(args[0]) if simple else []


_CONSEQUENCES: dict[str, Callable[[Node], list[Requirement]]] = {
    "acsc": lambda u: [(u, NONZERO), *_SIMPLE["asin"](inverse(u))],
    "asec": lambda u: [(u, NONZERO), *_SIMPLE["asin"](inverse(u))],
    "acoth": lambda u: [(u, NONZERO), *_SIMPLE["atanh"](inverse(u))],
    "asech": lambda u: _SIMPLE["acosh"](inverse(u)),
    "coth": lambda u: [(Node("sinh", u), NONZERO)],
    "csch": lambda u: [(Node("sinh", u), NONZERO)],
}


def consequences(node: Node) -> list[Requirement]:
    """What follows from an operator being defined, besides its requirements."""
    if node.word == "log":
        return [(Node("log", node.args[1], E), NONZERO)]
    further = _CONSEQUENCES.get(node.word)
    return further(node.args[0]) if further else []


def depends_on_exponent(node: Node, constant: Callable[[Node], Any]) -> bool:
    """Whether an expression is a power whose exponent is no rational number."""
    return node.word == "Pow" and constant(node.args[1]) is None


def parts(node: Node) -> Iterator[Node]:
    """The operators of an expression, arguments before what they are arguments of."""
    return iter(sorted(walk(node), key=lambda part: part.depth))
