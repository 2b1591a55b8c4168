"""Matching the sides of laws against expressions, up to the order of sums and products.

Matching only proposes what a law's letters may stand for. Whether the law's side is then equal to what it was matched
with is checked by algebra, so that nothing rests on the matching itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from dgl_mathtree.proof.check.limits import Budget
from dgl_mathtree.proof.check.nodes import Node, fraction, is_literal, number

Bindings = dict[str, Node]
MOST_ITEMS = 8
MOST_MATCHES = 60


def chain(node: Node, word: str) -> list[Node]:
    """The terms of a sum or the factors of a product."""
    if node.word != word:
        return [node]
    return [part for arg in node.args for part in chain(arg, word)]


def joined(items: list[Node], word: str) -> Node:
    """A sum, to the left, or a product, to the right, as the parser makes them."""
    if word == "Add":
        node = items[0]
        for item in items[1:]:
            node = Node("Add", node, item)
        return node
    node = items[-1]
    for item in items[-2::-1]:
        node = Node("Mul", item, node)
    return node


class Matcher:
    """Finds what the letters of a pattern may stand for.

    Parameters
    ----------
    letters : frozenset of str
        The words of patterns that stand for expressions.
    budget : Budget
        What attempts are counted in.
    """

    def __init__(self, letters: frozenset[str], budget: Budget) -> None:
        self.letters, self.budget = letters, budget

    def match(self, pattern: Node, node: Node, bound: Bindings) -> Iterator[Bindings]:
        """The bindings with which a pattern is an expression, up to the order of sums and products."""
        self.budget.spend(1)
        if not pattern.args:
            if pattern.word in self.letters:
                known = bound.get(pattern.word)
                if known is None:
                    yield {**bound, pattern.word: node}
                elif known == node:
                    yield bound
            elif pattern == node:
                yield bound
            return
        if pattern.word in ("Add", "Mul"):
            yield from self._match_items(chain(pattern, pattern.word), chain(node, pattern.word), pattern.word, bound)
        elif pattern.word == node.word:
            yield from self._match_all(pattern.args, node.args, bound)

    def partly(self, pattern: Node, node: Node) -> Iterator[tuple[Bindings, list[Node]]]:
        """As `match`, and also with terms or factors of the expression left over, which are given too."""
        if pattern.word not in ("Add", "Mul") or node.word != pattern.word:
            for bound in self.match(pattern, node, {}):
                yield bound, []
            return
        patterns, items = chain(pattern, pattern.word), chain(node, pattern.word)
        if len(items) > MOST_ITEMS:
            return
        yield from self._pick(self._ordered(patterns), items, pattern.word, {}, True)

    def _match_all(self, patterns: tuple[Node, ...], nodes: tuple[Node, ...], bound: Bindings) -> Iterator[Bindings]:
        if not patterns:
            yield bound
            return
        for first in self.match(patterns[0], nodes[0], bound):
            yield from self._match_all(patterns[1:], nodes[1:], first)

    def _match_items(self, patterns: list[Node], items: list[Node], word: str, bound: Bindings) -> Iterator[Bindings]:
        if len(items) > MOST_ITEMS:
            return
        for found, left in self._pick(self._ordered(patterns), items, word, bound, False):
            if not left:
                yield found

    def _ordered(self, patterns: list[Node]) -> list[Node]:
        """What is most particular first, letters last."""
        return sorted(patterns, key=lambda p: (not p.args and p.word in self.letters, -p.size))

    def _pick(
        self, patterns: list[Node], items: list[Node], word: str, bound: Bindings, partly: bool
    ) -> Iterator[tuple[Bindings, list[Node]]]:
        """Give each pattern one of the items, the last letter all that are left."""
        self.budget.spend(1)
        if not patterns:
            yield bound, items
            return
        first, rest = patterns[0], patterns[1:]
        unbound = not first.args and first.word in self.letters and first.word not in bound
        if unbound and not rest and len(items) > 1:
            yield {**bound, first.word: joined(items, word)}, []
            if not partly:
                return
        if is_literal(first) and word == "Mul":
            yield from self._pick_number(first, rest, items, bound, partly)
            return
        known = bound.get(first.word) if not first.args and first.word in self.letters else None
        if known is not None and known.word == word:
            others = _without(items, chain(known, word))
            if others is not None:
                yield from self._pick(rest, others, word, bound, partly)
            return
        for k, item in enumerate(items):
            for found in self.match(first, item, bound):
                yield from self._pick(rest, items[:k] + items[k + 1 :], word, found, partly)

    def _pick_number(
        self, first: Node, rest: list[Node], items: list[Node], bound: Bindings, partly: bool
    ) -> Iterator[tuple[Bindings, list[Node]]]:
        """A number of a pattern may be a part of a number of the product."""
        for k, item in enumerate(items):
            if is_literal(item):
                others = items[:k] + items[k + 1 :]
                factor = fraction(item.word) / fraction(first.word) if fraction(first.word) != 0 else None
                if item == first:
                    yield from self._pick(rest, others, "Mul", bound, partly)
                elif factor is not None and factor.p.bit_length() < 1000:
                    yield from self._pick(rest, [number(factor), *others], "Mul", bound, partly)


def _without(items: list[Node], parts: list[Node]) -> list[Node] | None:
    """The items without some parts; None if one of these is not among them."""
    rest = list(items)
    for part in parts:
        if part not in rest:
            return None
        rest.remove(part)
    return rest
