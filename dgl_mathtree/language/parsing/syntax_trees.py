"""Trees under construction: what the parser keeps on its stacks, and how the parts are put together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dgl_mathtree.language.expr import Words
from dgl_mathtree.language.parsing.tokens import Tokens
from dgl_mathtree.language.vocabulary import ARITY, FUNCTIONS, is_integer, rational

Node = Any  # a leaf's word, or a tuple (operator, child, ...): nested while parsing, flat words in the end


@dataclass(slots=True)
class Function:
    """A function whose argument has not been read yet: its name and the index of its token."""

    name: str
    at: int
    exponent: Node | None = None
    base: Node | None = None
    arguments: list[Node] = field(default_factory=list)


BRACKET, SUM, PRODUCT, PREFIX, CALL, CLOSE_PRODUCT, CLOSE_PREFIX, POWER, ROOT = -1, 1, 2, 3, 4, 5, 6, 7, 8


class Pending(NamedTuple):
    """An operator or open bracket on the stack: how tightly it binds and what happens when it is complete.

    `before` is how tightly operators before it bind, at least, that are completed first.
    """

    binding: int
    action: str
    function: Function | None = None
    before: int = 0


PLAIN_CALLS = {name: Pending(BRACKET, name) for name in FUNCTIONS.values()}
"""The brackets of functions with nothing between name and bracket: most calls, so that none has to be made anew."""


def fraction_of(p: Node, q: Node) -> str | None:
    """p/q as one number, if both are integers and it is in lowest terms."""
    if isinstance(p, str) and isinstance(q, str) and is_integer(p) and is_integer(q) and q != "0":
        return rational(p, q)
    return None


def quotient(p: Node, q: Node) -> Node:
    return fraction_of(p, q) or ("Mul", p, ("Pow", q, "-1"))


def reciprocal(q: Node) -> Node:
    return fraction_of("1", q) or ("Pow", q, "-1")


def applied(function: Function) -> Node:
    """A function, with its base and exponent, of its arguments."""
    name, arguments = function.name, function.arguments
    base = arguments[1] if len(arguments) == 2 else function.base
    result: Node
    if base is not None and name == "sqrt":
        result = ("Pow", arguments[0], reciprocal(base))
    elif base is not None and name in ("log", "ln"):
        result = ("log", arguments[0], base)
    else:
        result = plain_call(name, arguments[0])
    return result if function.exponent is None else ("Pow", result, function.exponent)


def plain_call(name: str, argument: Node) -> Node:
    """A function of one argument."""
    if name in ARITY and name != "log":
        return (name, argument)
    if name == "sqrt":
        return ("Pow", argument, "1/2")
    if name == "abs":
        return ("Pow", ("Pow", argument, "2"), "1/2")
    return ("log", argument, "e")


def literal(tokens: Tokens, at: int) -> tuple[str, int] | None:
    r"""The number that starts at a token, \frac of two integers included, and the place after it."""
    kind = tokens.kinds[at]
    if kind == "NUMBER":
        return tokens.texts[at], at + 1
    if kind != "FRACTION":
        return None
    parts = _literal_parts(tokens, at + 1)
    if parts is None or not (is_integer(parts[0]) and is_integer(parts[1])):
        return None
    word = rational(parts[0], parts[1])
    return None if word is None else (word, parts[2])


def _literal_parts(tokens: Tokens, at: int) -> tuple[str, str, int] | None:
    r"""The two numbers after a \frac and the place after them; without braces a part is one digit."""
    kinds, texts = tokens.kinds, tokens.texts
    found: list[str] = []
    while len(found) < 2:
        if kinds[at] == "{" and kinds[at + 1] == "NUMBER" and kinds[at + 2] == "}":
            found.append(texts[at + 1])
            at += 3
        elif kinds[at] == "NUMBER" and texts[at].isdigit() and len(texts[at]) <= 2 - len(found):
            found += texts[at]
            at += 1
        else:
            return None
    return found[0], found[1], at


def flat(node: Node) -> Words:
    """Nested tuples to words in prefix order."""
    words: list[str] = []
    later: list[Node] = []  # second operands
    while True:
        while not isinstance(node, str):
            words.append(node[0])
            if len(node) == 3:
                later.append(node[2])
            node = node[1]
        words.append(node)
        if not later:
            return tuple(words)
        node = later.pop()
