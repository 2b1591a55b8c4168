"""Expressions as linked nodes, for the checker: hashed once, compared quickly, taken apart without copying words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from flint import fmpq, fmpz

from dgl_mathtree.language.expr import Expr, Words
from dgl_mathtree.language.vocabulary import ARITY, is_number, is_variable

MOST_KNOWN = 100_000
_KNOWN: dict[tuple[str, tuple[Node, ...]], Node] = {}


class Node:
    """A word and the nodes of its arguments.

    Parameters
    ----------
    word : str
        An operator or a leaf.
    args : Node
        One for each argument of the operator.

    Examples
    --------
    >>> Node("sin", Node("x")) == Node("sin", Node("x")), Node("sin", Node("x")).size
    (True, 2)
    """

    __slots__ = ("_hash", "args", "depth", "size", "varies", "word")
    word: str
    args: tuple[Node, ...]
    size: int
    depth: int
    varies: bool
    """Whether a variable occurs."""
    _hash: int

    def __new__(cls, word: str, *args: Node) -> Node:
        # Equal nodes are mostly one object, so that comparing them is quick.
        found = _KNOWN.get((word, args))
        if found is not None:
            return found
        self = object.__new__(cls)
        self.word, self.args = word, args
        self.size = 1 + sum(arg.size for arg in args)
        self.depth = 1 + max((arg.depth for arg in args), default=-1)
        self.varies = any(arg.varies for arg in args) if args else is_variable(word)
        self._hash = hash((word, *(arg._hash for arg in args)))
        if len(_KNOWN) > MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[word, args] = self
        return self

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Node) or self._hash != other._hash or self.word != other.word:
            return False
        return self.args == other.args

    def __repr__(self) -> str:
        return f"Node({str(expression(self))!r})"


def node_of(words: Words) -> Node:
    """The node that words in prefix order spell."""
    stack: list[Node] = []
    for word in reversed(words):
        arity = ARITY.get(word, 0)
        args = [stack.pop() for _ in range(arity)]
        stack.append(Node(word, *args))
    return stack.pop()


def words_of(node: Node) -> Words:
    """The words of a node in prefix order."""
    out: list[str] = []
    stack = [node]
    while stack:
        top = stack.pop()
        out.append(top.word)
        stack.extend(reversed(top.args))
    return tuple(out)


def expression(node: Node) -> Expr:
    """The expression of a node."""
    return Expr._trusted(words_of(node))


def walk(node: Node) -> Iterator[Node]:
    """All distinct subexpressions, each after its parents' first visit."""
    seen: set[Node] = set()
    stack = [node]
    while stack:
        top = stack.pop()
        if top in seen:
            continue
        seen.add(top)
        yield top
        stack.extend(top.args)


def variables_of(node: Node) -> set[str]:
    """The variables that occur."""
    return {part.word for part in walk(node) if not part.args and is_variable(part.word)}


def replace(node: Node, change: Callable[[Node], Node | None]) -> Node:
    """The tree with every outermost subexpression replaced for which `change` gives another one."""
    new = change(node)
    if new is not None:
        return new
    if not node.args:
        return node
    args = tuple(replace(arg, change) for arg in node.args)
    return node if all(a is b for a, b in zip(args, node.args, strict=True)) else Node(node.word, *args)


@lru_cache(maxsize=4096)
def fraction(word: str) -> Any:
    """The exact value of a number's word, an `fmpq`."""
    above, _, below = word.partition("/")
    digits, _, decimals = above.partition(".")
    return fmpq(fmpz(digits + decimals), fmpz(below) if below else fmpz(10) ** len(decimals))


def number(value: Any) -> Node:
    """The leaf of a rational number."""
    value = fmpq(value)
    above, below = int(value.p), int(value.q)
    return Node(str(above) if below == 1 else f"{above}/{below}")


def is_literal(node: Node) -> bool:
    """Whether a node is a number's leaf."""
    return not node.args and is_number(node.word)


ZERO, ONE, TWO, MINUS_ONE, HALF, PI, E = (Node(word) for word in ("0", "1", "2", "-1", "1/2", "pi", "e"))


def add(a: Node, b: Node) -> Node:
    return b if a == ZERO else a if b == ZERO else Node("Add", a, b)


def mul(a: Node, b: Node) -> Node:
    return b if a == ONE else a if b == ONE else Node("Mul", a, b)


def sub(a: Node, b: Node) -> Node:
    return add(a, Node("Mul", MINUS_ONE, b))


def power(a: Node, exponent: Any) -> Node:
    """A node to a rational power."""
    return a if exponent == 1 else Node("Pow", a, number(exponent))


def inverse(a: Node) -> Node:
    return Node("Pow", a, MINUS_ONE)


def root(a: Node) -> Node:
    return Node("Pow", a, HALF)


def apply(word: str, *args: Node) -> Node:
    """An operator applied; `ln` is the logarithm to the base e."""
    return Node("log", args[0], E) if word == "ln" else Node(word, *args)
