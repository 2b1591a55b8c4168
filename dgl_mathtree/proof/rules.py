"""Laws as rewrite rules. A pattern is a nested tuple, as `language.build` makes it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from dgl_mathtree.language.build import nested
from dgl_mathtree.proof.algebra import Algebra
from dgl_mathtree.proof.laws import Law, all_laws
from dgl_mathtree.proof.terms import Terms, fraction, is_letter
from dgl_mathtree.proof.tidy import Pattern


@dataclass(frozen=True)
class Rule:
    """A law read in one direction."""

    law: Law
    forward: bool
    pattern: Pattern
    template: Pattern

    @cached_property
    def head(self) -> str:
        return str(self.pattern[0])

    @cached_property
    def functions(self) -> frozenset[str]:
        """The functions that occur in what it matches."""
        return frozenset(functions_of(self.pattern))


@dataclass(frozen=True)
class Rewrite:
    """One use of a rule: the node, the two sides of the law's instance in it, and what it becomes.

    `grouped` is the node with the instance as a part of it, `replaced` the same with the other side of the law, and
    `new` that made tidy.
    """

    rule: Rule
    at: int
    form: int
    other: int
    grouped: int
    replaced: int
    new: int
    bound: tuple[tuple[str, int], ...]


@cache
def letters(pattern: Pattern) -> frozenset[str]:
    """The letters of a pattern."""
    if isinstance(pattern, str):
        return frozenset({pattern} if is_letter(pattern) else ())
    return frozenset().union(*map(letters, pattern[1:]))


def functions_of(pattern: Pattern) -> set[str]:
    """The functions in a pattern, without sums, products and powers."""
    if isinstance(pattern, str):
        return set()
    own = {pattern[0]} - {"Add", "Mul", "Pow"}
    return own.union(*map(functions_of, pattern[1:]))


def is_algebraic(pattern: Pattern) -> bool:
    """Whether a pattern has whole powers only, and no functions."""
    if isinstance(pattern, str):
        return True
    if pattern[0] == "Pow":
        value = fraction(pattern[2]) if isinstance(pattern[2], str) else None
        return value is not None and value.denominator == 1 and is_algebraic(pattern[1])
    return pattern[0] in ("Add", "Mul") and all(map(is_algebraic, pattern[1:]))


@cache
def all_rules() -> tuple[Rule, ...]:
    """The rules of all laws that algebra does not make needless, first those of earlier laws."""
    found: list[Rule] = []
    seen: set[Any] = set()
    terms = Terms(7)
    for law in all_laws().values():
        left, right = nested(law.left), nested(law.right)
        if is_algebraic(left) and is_algebraic(right):
            continue
        values = terms.value[terms.read(law.left)], terms.value[terms.read(law.right)]
        if values[0] == values[1] and Algebra(terms).closes(terms.read(law.left), terms.read(law.right)):
            continue
        for forward in (True, False):
            pattern, template = (left, right) if forward else (right, left)
            value = values[1] if forward else values[0]
            if isinstance(pattern, str) or letters(template) - letters(pattern):
                continue
            key = values[0 if forward else 1], pattern[0], value, law.conditions
            if key not in seen:
                seen.add(key)
                found.append(Rule(law, forward, pattern, template))
    return tuple(found)
