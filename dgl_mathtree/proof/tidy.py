"""Building expressions and making them tidy: numbers folded, like terms together, no neutral elements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from dgl_mathtree.proof.terms import Terms

Pattern = Any
"""A word, or a tuple of a word and patterns."""
_ONE = Fraction(1)


class Tidier:
    """Builds nodes and makes them tidy.

    Parameters
    ----------
    terms : Terms
        Whose nodes they are.
    """

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self._tidy: dict[int, int] = {}

    def scaled(self, factor: Fraction, nodes: list[int]) -> int:
        """A number times a product."""
        if not nodes or factor == 0:
            return self.terms.number(factor)
        if factor != 1:
            sums = len(nodes) == 1 and self.terms.word[nodes[0]] == "Add"
            if sums and factor == -1:
                return self.terms.total(
                    [self.tidy(self.scaled(factor, [part])) for part in self.terms.chain(nodes[0], "Add")]
                )
            nodes = [self.terms.number(factor), *nodes]
        return self.terms.product(nodes)

    def build(self, pattern: Pattern, bound: Mapping[str, int]) -> int:
        """A pattern with its letters replaced."""
        if isinstance(pattern, str):
            return bound[pattern] if pattern in bound else self.terms.node(pattern)
        return self.terms.node(pattern[0], *[self.build(part, bound) for part in pattern[1:]])

    def tidy(self, root: int) -> int:
        """A node with its numbers folded, without neutral elements and doubled signs."""
        found = self._tidy.get(root)
        if found is None:
            terms = self.terms
            children = terms.children[root]
            if not children:
                found = root
            else:
                node = terms.node(terms.word[root], *map(self.tidy, children))
                found = self._folded(node)
            self._tidy[root] = self._tidy[found] = found
        return found

    def _folded(self, node: int) -> int:
        terms = self.terms
        rational = terms.rational[node]
        word, children = terms.word[node], terms.children[node]
        if rational is not None and len(str(rational)) < 12:
            return terms.number(rational)
        if word == "Add":
            parts = [part for part in terms.chain(node, "Add") if terms.rational[part] != 0]
            return self._gathered(parts)
        if word == "Mul":
            return self._product_folded(node)
        if word == "Pow":
            exponent = terms.rational[children[1]]
            if exponent == 1:
                return children[0]
            inner = terms.children[children[0]] if terms.word[children[0]] == "Pow" else ()
            power = terms.rational[inner[1]] if inner else None
            if exponent is not None and power is not None and exponent.denominator == 1 == power.denominator:
                return self._folded(terms.node("Pow", inner[0], terms.number(exponent * power)))
        return node

    def _gathered(self, parts: list[int]) -> int:
        """A sum with like terms and numbers put together."""
        terms = self.terms
        total: dict[int, Fraction] = {}
        for part in parts:
            rational = terms.rational[part]
            factors = terms.chain(part, "Mul")
            number = product_of(terms.rational[factor] for factor in factors)
            rest = terms.product([f for f in factors if terms.rational[f] is None]) if rational is None else -1
            total[rest] = total.get(rest, Fraction(0)) + (number if rational is None else rational)
        if len(total) == len(parts):
            return terms.total(parts)
        kept = [
            terms.number(value) if rest == -1 else self.scaled_flat(value, rest)
            for rest, value in total.items()
            if value
        ]
        return terms.total(kept)

    def scaled_flat(self, factor: Fraction, node: int) -> int:
        return node if factor == 1 else self.terms.node("Mul", self.terms.number(factor), node)

    def _product_folded(self, node: int) -> int:
        terms = self.terms
        factors = terms.chain(node, "Mul")
        numbers = [factor for factor in factors if terms.rational[factor] is not None]
        rest = [factor for factor in factors if terms.rational[factor] is None]
        value = product_of(terms.rational[factor] for factor in numbers)
        if value == 0:
            return terms.node("0")
        if len(numbers) <= 1 and value != 1 and terms.children[node][0] not in rest[:0] and factors[:1] == numbers:
            return terms.product(factors)
        return terms.product(rest) if value == 1 else terms.node("Mul", terms.number(value), terms.product(rest))


def product_of(values: Iterable[Fraction | None]) -> Fraction:
    """The product of the numbers among some values."""
    result: Fraction | None = None
    for value in values:
        if value is not None:
            result = value if result is None else result * value
    return _ONE if result is None else result
