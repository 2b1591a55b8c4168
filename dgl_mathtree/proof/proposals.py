"""Instances of laws that matching does not find, because the expression must first be written in another way.

sqrt(3 + 2*sqrt(2)) is the root of a square, 27^x a power of 3, and ln(12) a sum. Each is proposed with what the letters
of a law stand for; that the expression is equal to the law's side is then a step of algebra like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from dgl_mathtree.language.build import nested
from dgl_mathtree.language.expr import Words
from dgl_mathtree.proof.laws import law
from dgl_mathtree.proof.normal_form.values import value_words
from dgl_mathtree.proof.rules import Rewrite, Rule
from dgl_mathtree.proof.terms import Terms, _factors, is_letter
from dgl_mathtree.proof.tidy import Tidier

ROOTS = {2: "root-rules/of-square", 3: "root-rules/cube-root-of-cube", 4: "root-rules/fourth-root-of-fourth"}
OF_POWER, LN_POWER, LN_PRODUCT = "power-rules/of-power", "ln-rules/power", "ln-rules/product"
MOST_VALUES = 12
"""Roots of which a search asks the normal form."""
LARGEST_ROOT = 60


@cache
def _rule(name: str) -> Rule:
    found = law(name)
    return Rule(found, True, nested(found.left), nested(found.right))


class Proposals:
    """Proposes instances of laws for the nodes of a search.

    Parameters
    ----------
    terms : Terms
        Whose nodes are rewritten.
    tidier : Tidier
        What makes the results tidy.
    domain : tuple of words
        The sides of the equation.
    without : frozenset of str
        Names of laws that may not be used.
    """

    def __init__(self, terms: Terms, tidier: Tidier, domain: tuple[Words, ...], without: frozenset[str]) -> None:
        self.terms, self.tidier, self.domain, self.without = terms, tidier, domain, without
        self._found: dict[int, tuple[Rewrite, ...]] = {}
        self._values = MOST_VALUES

    def rewrites(self, node: int) -> tuple[Rewrite, ...]:
        """The uses of laws at a node."""
        found = self._found.get(node)
        if found is None:
            found = self._found[node] = tuple(self._propose(node))
        return found

    def _propose(self, node: int) -> Iterator[Rewrite]:
        terms = self.terms
        word, children = terms.word[node], terms.children[node]
        if word == "Pow":
            base, exponent = terms.rational[children[0]], terms.rational[children[1]]
            if exponent is None and base is not None:
                yield from self._of_power(node, base, children[1])
            elif exponent is not None and base is None and exponent.numerator == 1 and exponent.denominator in ROOTS:
                yield from self._root(node, children[0], exponent.denominator)
        elif word == "log" and terms.word[children[1]] == "e":
            number = terms.rational[children[0]]
            if number is not None and number > 0:
                yield from self._logarithm(node, number)

    def _use(self, name: str, node: int, **bound: int) -> Iterator[Rewrite]:
        """One use of a law from left to right."""
        if name in self.without:
            return
        rule = _rule(name)
        form, other = self.tidier.build(rule.pattern, bound), self.tidier.build(rule.template, bound)
        yield Rewrite(rule, node, form, other, form, other, self.tidier.tidy(other), tuple(bound.items()))

    def _of_power(self, node: int, base: Fraction, exponent: int) -> Iterator[Rewrite]:
        power = _as_power(base)
        if power is not None:
            root, times = (self.terms.number(value) for value in power)
            yield from self._use(OF_POWER, node, x=root, y=times, z=exponent)

    def _logarithm(self, node: int, number: Fraction) -> Iterator[Rewrite]:
        power = _as_power(number)
        if power is not None:
            root, times = (self.terms.number(value) for value in power)
            yield from self._use(LN_POWER, node, x=root, y=times)
            return
        primes = [Fraction(prime) ** times for prime, times in _factors(number.numerator)]
        primes += [Fraction(1, prime**times) for prime, times in _factors(number.denominator)]
        if len(primes) > 1:
            first, rest = self.terms.number(primes[0]), self.terms.number(number / primes[0])
            yield from self._use(LN_PRODUCT, node, x=first, y=rest)

    def _root(self, node: int, base: int, order: int) -> Iterator[Rewrite]:
        """A root of a sum, if the normal form knows a value with fewer roots within roots."""
        terms = self.terms
        if terms.word[base] != "Add" or self._values <= 0 or terms.size[base] > LARGEST_ROOT:
            return
        self._values -= 1
        words = terms.words(node)
        constant = not any(is_letter(terms.word[below]) for below in terms.subnodes(base))
        value = value_words(words, (words, words) if constant else (self.domain[0], self.domain[-1]))
        if value is None or len(value) > LARGEST_ROOT:
            return
        root = terms.read(value)
        if _nesting(terms, root) < _nesting(terms, node):
            yield from self._use(ROOTS[order], node, x=root)


def _nesting(terms: Terms, node: int) -> int:
    """How deep roots stand within roots."""
    below = max((_nesting(terms, child) for child in terms.children[node]), default=0)
    if terms.word[node] != "Pow":
        return below
    exponent = terms.rational[terms.children[node][1]]
    return below + (exponent is not None and exponent.denominator != 1)


def _as_power(number: Fraction) -> tuple[Fraction, int] | None:
    """A positive number as a power of another one with the largest exponent; that of 1/8 is negative."""
    if number <= 0 or number == 1:
        return None
    parts = [*_factors(number.numerator), *((prime, -times) for prime, times in _factors(number.denominator))]
    largest = max(abs(times) for _, times in parts)
    for times in range(largest, 0, -1):
        if all(k % times == 0 for _, k in parts):
            root = Fraction(1)
            for prime, k in parts:
                root *= Fraction(prime) ** (k // times)
            if root.numerator == 1:
                root, times = 1 / root, -times
            return (root, times) if times != 1 else None
    return None
