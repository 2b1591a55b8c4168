"""Trees under construction: what the parser keeps on its stacks, and how the parts are put together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dgl_mathtree.expressions.tokens import Token
from dgl_mathtree.expressions.tree import Words
from dgl_mathtree.expressions.vocabulary import is_integer, rational

Node = Any  # a leaf's word, or a tuple (operator, child, ...): nested while parsing, flat words in the end


@dataclass
class Function:
    """A function whose argument has not been read yet."""

    token: Token
    exponent: Node | None = None
    base: Node | None = None
    arguments: list[Node] = field(default_factory=list)


BRACKET, SUM, PRODUCT, PREFIX, CALL, CLOSE_PRODUCT, CLOSE_PREFIX, POWER, ROOT = -1, 1, 2, 3, 4, 5, 6, 7, 8


class Pending(NamedTuple):
    """An operator or open bracket on the stack: how tightly it binds and what happens when it is complete."""

    binding: int
    action: str
    token: Token
    function: Function | None = None


def fraction_of(p: Node, q: Node) -> str | None:
    """p/q as one number, if both are integers and it is in lowest terms."""
    if isinstance(p, str) and isinstance(q, str) and is_integer(p) and is_integer(q) and q != "0":
        return rational(p, q)
    return None


def quotient(p: Node, q: Node) -> Node:
    return fraction_of(p, q) or ("Mul", p, ("Pow", q, "-1"))


def reciprocal(q: Node) -> Node:
    return fraction_of("1", q) or ("Pow", q, "-1")


def flat(node: Node) -> Words:
    """Nested tuples to words in prefix order."""
    words: list[str] = []
    stack = [node]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            words.append(node)
        else:
            words.append(node[0])
            stack.extend(node[:0:-1])
    return tuple(words)
