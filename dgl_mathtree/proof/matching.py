"""Where the patterns of rules match: up to the order of terms and factors, and with multiples of angles.

Numbers are matched by value and linear forms by their coefficients: the pattern 2*x matches 4*y with x = 2*y, and
x + pi matches y + 3*pi with x = y + 2*pi. What was matched is always equal to the subject by algebra.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fractions import Fraction
from functools import cache

from dgl_mathtree.language.vocabulary import ARITY
from dgl_mathtree.proof.algebra import Algebra
from dgl_mathtree.proof.rules import Rewrite, Rule, letters
from dgl_mathtree.proof.terms import Terms, fraction, is_letter
from dgl_mathtree.proof.tidy import Pattern, Tidier, product_of

MOST_MATCHES = 12
"""The matches of one rule at one node that are tried."""


class Matcher(Tidier):
    """Finds where rules match.

    Parameters
    ----------
    terms : Terms
        Whose nodes are rewritten.
    present : collection of int
        Arguments of functions that occur: sin(x) is written with sin(x/2) only where x/2 occurs.
    algebra : Algebra, optional
        What tells whether a constant of a pattern is another form of one in the subject.
    """

    def __init__(self, terms: Terms, present: Collection[int] = (), algebra: Algebra | None = None) -> None:
        super().__init__(terms)
        self.algebra = algebra
        self.present = present
        self._functions: dict[int, frozenset[str]] = {}
        self._all: dict[int, tuple[Rewrite, ...]] = {}
        self._found: dict[tuple[int, int], tuple[Rewrite, ...]] = {}

    def functions(self, node: int) -> frozenset[str]:
        """The functions in a node."""
        found = self._functions.get(node)
        if found is None:
            word, children = self.terms.word[node], self.terms.children[node]
            own = {word} if children and word not in ("Add", "Mul", "Pow") else set()
            found = self._functions[node] = frozenset(own.union(*map(self.functions, children)))
        return found

    def rewrites(self, rule: Rule, node: int) -> tuple[Rewrite, ...]:
        """The uses of a rule at a node."""
        key = id(rule), node
        found = self._found.get(key)
        if found is None:
            fits = rule.functions <= self.functions(node)
            found = self._found[key] = tuple(dict.fromkeys(self._rewrites(rule, node))) if fits else ()
        return found

    def all_rewrites(self, rules: tuple[Rule, ...], node: int) -> tuple[Rewrite, ...]:
        """The uses of some rules at a node: always the same rules."""
        found = self._all.get(node)
        if found is None:
            found = self._all[node] = tuple(rewrite for rule in rules for rewrite in self.rewrites(rule, node))
        return found

    def _rewrites(self, rule: Rule, node: int) -> Iterator[Rewrite]:
        terms = self.terms
        for count, (bound, rest) in enumerate(self._root_matches(rule.pattern, node)):
            if count >= MOST_MATCHES:
                return
            form = self.build(rule.pattern, bound)
            other = self.build(rule.template, bound)
            if rest:
                word = terms.word[node]
                group = terms.total if word == "Add" else terms.product
                grouped, replaced = group([*rest, form]), group([*rest, other])
            else:
                grouped, replaced = form, other
            new = self.tidy(replaced)
            if new != self.tidy(node) and node not in terms.subnodes(new):
                yield Rewrite(rule, node, form, other, grouped, replaced, new, tuple(bound.items()))

    def _root_matches(self, pattern: Pattern, node: int) -> Iterator[tuple[dict[str, int], list[int]]]:
        if pattern[0] in ("Add", "Mul"):
            yield from self._chain(pattern, node, {}, leftover=True)
        else:
            for bound in self.match(pattern, node, {}):
                yield bound, []

    def match(self, pattern: Pattern, node: int, bound: dict[str, int]) -> Iterator[dict[str, int]]:
        """The ways in which a pattern matches a node, given what letters stand for already."""
        terms = self.terms
        if isinstance(pattern, str):
            if is_letter(pattern):
                if pattern not in bound:
                    yield {**bound, pattern: node}
                elif self._same(bound[pattern], node):
                    yield bound
            elif (value := fraction(pattern)) is not None:
                if terms.rational[node] == value:
                    yield bound
            elif terms.word[node] == pattern:
                yield bound
            return
        word = pattern[0]
        if not letters(pattern):
            if self._is_constant(pattern, node):
                yield bound
        elif word in ("Add", "Mul"):
            for found, _ in self._chain(pattern, node, bound, leftover=False):
                yield found
        elif terms.word[node] == word:
            yield from self._children(pattern[1:], terms.children[node], bound)

    def _is_constant(self, pattern: Pattern, node: int) -> bool:
        """Whether a node is a pattern without letters, in any form."""
        return self._same(self.build(pattern, {}), node)

    def _same(self, a: int, b: int) -> bool:
        """Whether two nodes are equal by algebra."""
        if a == b:
            return True
        values = self.terms.value[a], self.terms.value[b]
        return values[0] == values[1] is not None and self.algebra is not None and self.algebra.closes(a, b)

    def _children(
        self, patterns: tuple[Pattern, ...], nodes: tuple[int, ...], bound: dict[str, int]
    ) -> Iterator[dict[str, int]]:
        if not patterns:
            yield bound
            return
        for found in self.match(patterns[0], nodes[0], bound):
            yield from self._children(patterns[1:], nodes[1:], found)

    def _chain(
        self, pattern: Pattern, node: int, bound: dict[str, int], leftover: bool
    ) -> Iterator[tuple[dict[str, int], list[int]]]:
        """Match a sum or product to one, in any order; what is left over is given back where that is allowed."""
        word = pattern[0]
        if leftover and self.terms.word[node] != word:
            return
        wanted = _pattern_chain(pattern, word)
        given = self.terms.chain(node, word)
        if word == "Mul":
            yield from self._product(wanted, given, bound, leftover)
        else:
            yield from self._sum(wanted, given, bound, leftover)

    def _product(
        self, wanted: list[Pattern], given: list[int], bound: dict[str, int], leftover: bool
    ) -> Iterator[tuple[dict[str, int], list[int]]]:
        terms = self.terms
        scale = product_of(_number(part) for part in wanted)
        mine = product_of(terms.rational[part] for part in given)
        parts = [part for part in wanted if _number(part) is None]
        nodes = [part for part in given if terms.rational[part] is None]
        if mine == 0 or scale == 0:
            return
        ratio = mine / scale
        single = parts[0] if len(parts) == 1 and isinstance(parts[0], str) and is_letter(parts[0]) else None
        if single is not None:
            if leftover:
                return
            node = self.scaled(ratio, nodes)
            if self._suits(scale, mine, node):
                for found in self.match(single, node, bound):
                    yield found, []
            return
        for found, rest in self._assign(parts, nodes, bound, leftover, ratio):
            yield found, rest

    def _suits(self, scale: Fraction, mine: Fraction, node: int) -> bool:
        """Whether mine*u is to be read as scale*x, with x the node (mine/scale)*u."""
        if scale == -1:
            return mine < 0
        if scale == mine or (scale > 1 and (mine / scale).denominator == 1):
            return True
        half_of_turn = scale == Fraction(1, 2) and self._multiple_of_pi(node) is not None
        return (node in self.present and (scale > 1 or scale == Fraction(1, 2))) or half_of_turn

    def _assign(
        self, parts: list[Pattern], nodes: list[int], bound: dict[str, int], leftover: bool, ratio: Fraction
    ) -> Iterator[tuple[dict[str, int], list[int]]]:
        """Give each factor of a pattern one of the subject's; a last free letter takes all that are left."""
        if not parts:
            if leftover:
                yield bound, ([self.terms.number(ratio)] if ratio != 1 else []) + nodes
            elif not nodes and ratio == 1:
                yield bound, []
            return
        first = parts[0]
        if len(parts) == 1 and not leftover and isinstance(first, str) and is_letter(first):
            if nodes or ratio != 1:
                for found in self.match(first, self.scaled(ratio, nodes), bound):
                    yield found, []
            return
        for k, node in enumerate(nodes):
            for found in self.match(first, node, bound):
                yield from self._assign(parts[1:], nodes[:k] + nodes[k + 1 :], found, leftover, ratio)
        if ratio != 1 and isinstance(first, str) and is_letter(first) and not leftover:
            for found in self.match(first, self.terms.number(ratio), bound):
                yield from self._assign(parts[1:], nodes, found, leftover, Fraction(1))

    def _sum(
        self, wanted: list[Pattern], given: list[int], bound: dict[str, int], leftover: bool
    ) -> Iterator[tuple[dict[str, int], list[int]]]:
        constants = [part for part in wanted if not letters(part)]
        parts = [part for part in wanted if letters(part)]
        if len(constants) == 1 and len(parts) == 1 and not leftover:
            yield from self._shifted(constants[0], parts[0], given, bound)
            return
        yield from self._assign_terms(wanted, given, bound, leftover)

    def _assign_terms(
        self, wanted: list[Pattern], given: list[int], bound: dict[str, int], leftover: bool
    ) -> Iterator[tuple[dict[str, int], list[int]]]:
        if not wanted:
            if leftover or not given:
                yield bound, given
            return
        # Terms that are more than a letter first: a free letter then takes all that is left.
        order = sorted(range(len(wanted)), key=lambda k: isinstance(wanted[k], str))
        first = wanted[order[0]]
        others = [wanted[k] for k in order[1:]]
        if not others and not leftover and isinstance(first, str) and is_letter(first):
            if given:
                for found in self.match(first, self.terms.total(given), bound):
                    yield found, []
            return
        for k, node in enumerate(given):
            for found in self.match(first, node, bound):
                yield from self._assign_terms(others, given[:k] + given[k + 1 :], found, leftover)

    def _shifted(
        self, shift: Pattern, part: Pattern, given: list[int], bound: dict[str, int]
    ) -> Iterator[tuple[dict[str, int], list[int]]]:
        """Match x + c, where c is a number or a multiple of pi: x is what is left, the rest of that included."""
        wanted = self._multiple_of_pi(self.build(shift, {}))
        for k, node in enumerate(given):
            rest = given[:k] + given[k + 1 :]
            mine = self._multiple_of_pi(node)
            if wanted is None or mine is None:
                if rest and self._same(self.build(shift, {}), node):
                    for found in self.match(part, self.terms.total(rest), bound):
                        yield found, []
                continue
            over = mine - wanted
            if over != 0 and (over * wanted < 0 or isinstance(part, tuple)):
                continue
            if over != 0:
                rest = [*rest, self.scaled(over, [self.terms.node("pi")])]
            if rest:
                for found in self.match(part, self.terms.total(rest), bound):
                    yield found, []
        if len(given) == 1 and (mine := self._multiple_of_pi(given[0])) is not None and wanted is not None:
            rest_node = self.scaled(mine - wanted, [self.terms.node("pi")])
            over = mine - wanted
            suits = over < 0 if isinstance(part, tuple) else over * wanted > 0
            if suits:
                for found in self.match(part, rest_node, bound):
                    yield found, []

    def _multiple_of_pi(self, node: int) -> Fraction | None:
        parts = self.terms.chain(node, "Mul")
        rest = [part for part in parts if self.terms.rational[part] is None]
        if len(rest) != 1 or self.terms.word[rest[0]] != "pi":
            return None
        return product_of(self.terms.rational[part] for part in parts)


@cache
def _pattern_chain(pattern: Pattern, word: str) -> list[Pattern]:
    if isinstance(pattern, tuple) and pattern[0] == word and _number(pattern) is None:
        return [*_pattern_chain(pattern[1], word), *_pattern_chain(pattern[2], word)]
    return [pattern]


@cache
def _number(pattern: Pattern) -> Fraction | None:
    """The value of a pattern that is a number by arithmetic."""
    if isinstance(pattern, str):
        return fraction(pattern) if pattern not in ARITY else None
    values = [_number(part) for part in pattern[1:]]
    if pattern[0] not in ("Mul", "Pow", "Add") or None in values:
        return None
    a, b = values
    assert a is not None and b is not None
    if pattern[0] == "Pow":
        return a ** int(b) if b.denominator == 1 and a != 0 else None
    return a * b if pattern[0] == "Mul" else a + b
