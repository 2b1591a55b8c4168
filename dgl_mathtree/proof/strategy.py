"""Which laws a search tries, in which direction, and which expressions it looks at first."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

from dgl_mathtree.proof.laws import all_laws
from dgl_mathtree.proof.matching import Matcher
from dgl_mathtree.proof.rules import Rule, all_rules, letters
from dgl_mathtree.proof.terms import Terms

WEIGHTS = {"sin": 1.0, "cos": 1.0, "exp": 1.0, "sinh": 1.5, "cosh": 1.5, "log": 1.5}
"""What a function counts in the measure; 3 for any other."""
DETOURS = frozenset(
    """reciprocal/tan reciprocal/sin reciprocal/cos exp-rules/exchanged exp-rules/of-two exp-rules/of-half
    exp-rules/of-minus-one general-powers/as-exponential hyperbolic-squares/cosh-as-root bases/swapped
    log-bases/inverse-of-swap exponentials/general-power roots/as-exponent""".split()
)
"""Laws that lead away from what is simple; the search does without them."""
APART = frozenset({"circle-sums", "root-angles"})
"""Groups of laws that match nearly everywhere: only derivations by sums of sines and cosines use them."""
BACKWARD = frozenset(
    """exp-rules/as-power e-powers/add powers/root-of-product powers/add-exponents general-powers/product-of-powers
    general-powers/root-quotient""".split()
)
"""Laws that are useful from right to left although that does not make functions simpler."""


class Measure:
    """How far an expression is from simple functions: the sum over functions of their weight and argument's size."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self._known: dict[int, float] = {}
        self._sizes: dict[int, float] = {}

    def __call__(self, node: int) -> float:
        for below in self.terms.subnodes(node):
            if below not in self._known:
                children = self.terms.children[below]
                self._known[below] = self._own(below) + sum(self._known[child] for child in children)
        return self._known[node]

    def _own(self, node: int) -> float:
        terms = self.terms
        word, children = terms.word[node], terms.children[node]
        if not children or word in ("Add", "Mul"):
            return 0.0
        if word == "Pow":
            exponent = terms.rational[children[1]]
            if exponent is None:
                return float(2.0 * (self._size(children[0]) + self._size(children[1])) ** 1.2)
            return 0.0 if exponent.denominator == 1 else 0.6 * self._size(children[0])
        size = self._size(children[0])
        if word == "log" and terms.word[children[1]] != "e":
            size += 2.0
        return float(WEIGHTS.get(word, 3.0) * (size + 0.3) ** 1.5)

    def _size(self, node: int) -> float:
        """The size of an argument, in which numbers count by their distance from 1."""
        found = self._sizes.get(node)
        if found is None:
            rational = self.terms.rational[node]
            if rational is not None:
                found = float(min(Fraction(4), abs(rational - 1) if rational > 0 else 1 + abs(rational)))
            else:
                found = 1.0 + sum(map(self._size, self.terms.children[node]))
            self._sizes[node] = found
        return found


def _is_useful(rule: Rule, measure: Measure) -> bool:
    """Whether a rule is tried: from left to right, or where it makes functions simpler."""
    if rule.law.name in DETOURS or rule.law.group in APART or not (rule.forward or letters(rule.pattern)):
        return False
    if rule.forward or rule.law.name in BACKWARD:
        return True
    matcher = Matcher(measure.terms)
    before, after = (matcher.build(side, {}) for side in (rule.pattern, rule.template))
    return measure(after) < measure(before) + 0.01


@cache
def _useful_rules() -> tuple[Rule, ...]:
    measure = Measure(Terms())
    return tuple(rule for rule in all_rules() if _is_useful(rule, measure))


@cache
def _rule_book(without: frozenset[str]) -> dict[str, tuple[Rule, ...]]:
    """The useful rules by the word at the top of what they match."""
    book: dict[str, list[Rule]] = {}
    for rule in _useful_rules():
        if rule.law.name not in without:
            book.setdefault(rule.head, []).append(rule)
    return {word: tuple(rules) for word, rules in book.items()}


@lru_cache(maxsize=4096)
def useful_rules(word: str, functions: frozenset[str], without: frozenset[str] = frozenset()) -> tuple[Rule, ...]:
    """The useful rules that may match an expression with a word at its top and some functions in it."""
    return tuple(rule for rule in _rule_book(without).get(word, ()) if rule.functions <= functions)


VALUES = """values/* special-angles/* hyperbolic-values/* inverse-values/* special-inverses/* log-values/*
    log-rules/of-base log-rules/of-one ln-rules/of-e ln-rules/of-one exp-rules/of-zero exp-rules/of-one"""
UNDONE = """inverse-undone/* inverse-compositions/sin-acos inverse-compositions/cos-asin inverse-compositions/tan-asin
    inverse-compositions/tan-acos inverse-compositions/sin-atan inverse-compositions/cos-atan
    inverse-compositions/cosh-asinh inverse-compositions/sinh-acosh inverse-compositions/sinh-atanh
    inverse-compositions/cosh-atanh more-inverses/cos-acot more-inverses/sin-asec more-inverses/cos-acsc
    inverse-compositions/cos-asec inverse-compositions/sin-acsc more-inverses/sin-half-acos more-inverses/cos-half-acos
    exp-rules/of-ln exp-rules/ln-of exp-rules/of-multiple-of-ln ln-rules/undone-by-power ln-rules/undoes-power
    log-rules/undone-by-power log-rules/undoes-power inverse-hyperbolic/exp-asinh more-inverse-hyperbolic/exp-acosh"""
TURNS = """parity/* shift/* periods/* cofunction/* hyperbolic-parity/* inverse-parity/* circular/cos-quarter-back
    circular/sin-quarter-back circular/cos-three-quarters circular/sin-three-quarters"""
CIRCULAR = """reciprocal/tan-quotient reciprocal/cot-quotient reciprocal/sec reciprocal/csc triple-angle/sin
    triple-angle/cos double-angle/sin double-angle/cos-from-cos difference/sin difference/cos sum/sin sum/cos"""
HYPERBOLIC = """hyperbolic-reciprocal/tanh-quotient hyperbolic-reciprocal/coth-quotient hyperbolic-reciprocal/sech
    hyperbolic-reciprocal/csch hyperbolic-multiples/sinh-double hyperbolic-multiples/cosh-double-cosh
    hyperbolic-multiples/sinh-triple hyperbolic-multiples/cosh-triple hyperbolic-sums/sinh-difference
    hyperbolic-sums/cosh-difference hyperbolic-sums/sinh-sum hyperbolic-sums/cosh-sum"""
EXPONENTIAL = """power-rules/of-e hyperbolic-definitions/sinh hyperbolic-definitions/cosh exp-rules/minus
    exp-rules/double exp-rules/triple exp-rules/difference exp-rules/sum"""
LOGARITHMIC = """log-bases/change ln-rules/quotient ln-rules/product ln-rules/reciprocal ln-rules/root ln-rules/power
    log-values/*"""
POWERS = """powers/root-of-product< root-rules/of-quotient root-rules/of-square root-rules/of-square-negative
    power-rules/of-power power-rules/product power-rules/quotient power-rules/minus powers/four-as-two
    powers/eight-as-two powers/nine-as-three power-rules/add-exponents"""
RELATIVES = """inverse-cofunction/acsc inverse-cofunction/asec inverse-cofunction/acos inverse-cofunction/acsch
    inverse-cofunction/asech inverse-cofunction/acoth more-inverses/acot-from-atan"""
LOGS_OF_INVERSES = """inverse-logarithms/asinh inverse-logarithms/acosh inverse-logarithms/atanh-difference"""
TACTICS = (
    f"{VALUES} {UNDONE} {TURNS} {CIRCULAR} {LOGARITHMIC} {POWERS}",
    f"{VALUES} {UNDONE} {TURNS} {HYPERBOLIC} {RELATIVES} {UNDONE}",
    f"{VALUES} {UNDONE} {TURNS} hyperbolic-reciprocal/* {EXPONENTIAL} {LOGARITHMIC} {POWERS}",
    f"{RELATIVES} {LOGS_OF_INVERSES} {VALUES} {UNDONE} {CIRCULAR} {LOGARITHMIC}",
)
"""Lists of laws that are applied one after the other as far as they go; ``<`` is from right to left."""


@cache
def tactic_books(without: frozenset[str] = frozenset()) -> tuple[tuple[Rule, ...], ...]:
    """The rules of each tactic, in order."""
    rules: dict[tuple[str, bool], Any] = {(rule.law.name, rule.forward): rule for rule in all_rules()}
    books = []
    for text in TACTICS:
        names: list[str] = []
        for word in text.split():
            group = word.removesuffix("*")
            names += [name for name in all_laws() if name.startswith(group)] if word.endswith("*") else [word]
        wanted = [(name.removesuffix("<"), not name.endswith("<")) for name in names]
        books.append(tuple(rules[key] for key in dict.fromkeys(wanted) if key in rules and key[0] not in without))
    return tuple(books)
