"""Rewriting with axioms: patterns matched against subtrees, on words in prefix order.

A letter of a pattern matches any subtree, and a repeated letter must match equal subtrees. Since pattern and subject
are both in prefix order, matching is one pass over the pattern.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from dgl_mathtree.data.axioms import Axiom
from dgl_mathtree.language.expr import Words
from dgl_mathtree.language.vocabulary import ARITY, is_variable

Bindings = dict[str, Words]


class Chooser:
    """Weighted choice among fixed things."""

    def __init__(self, weights: dict[str, float]) -> None:
        self.words = list(weights)
        self._total: list[float] = []
        total = 0.0
        for weight in weights.values():
            total += weight
            self._total.append(total)

    def __call__(self, rng: random.Random) -> str:
        # What `rng.choices(self.words, cum_weights=self._total)[0]` draws, in a third of the time.
        return self.words[bisect(self._total, rng.random() * self._total[-1], 0, len(self._total) - 1)]


@dataclass(frozen=True)
class Rule:
    """An axiom read in one direction: what matches `pattern` may become `template`."""

    axiom: Axiom
    forward: bool

    @cached_property
    def pattern(self) -> Words:
        return self.axiom.left if self.forward else self.axiom.right

    @cached_property
    def template(self) -> Words:
        return self.axiom.right if self.forward else self.axiom.left

    @cached_property
    def letters(self) -> frozenset[str]:
        return frozenset(self.axiom.equation.variables)

    @cached_property
    def free(self) -> tuple[str, ...]:
        """Letters of the template that the pattern does not bind, in alphabetical order."""
        return tuple(sorted(self.letters.intersection(self.template).difference(self.pattern)))


def match(rule: Rule, words: Words, at: int, ends: Sequence[int], unify: bool = True) -> Bindings | None:
    """What the rule's letters stand for if its pattern matches the subtree at a position, else None.

    Parameters
    ----------
    rule : Rule
        Whose pattern to match.
    words : tuple of str
        An expression or equation in prefix order.
    at : int
        Where in it.
    ends : sequence of int
        For every position of `words`, where its subtree ends.
    unify : bool
        Whether a repeated letter must match equal subtrees; without it the first one is taken.
    """
    bound: Bindings = {}
    letters = rule.letters
    for word in rule.pattern:
        if word in letters:
            end = ends[at]
            subtree = words[at:end]
            if bound.setdefault(word, subtree) != subtree and unify:
                return None
            at = end
        elif word == words[at]:
            at += 1
        else:
            return None
    return bound


def instantiate(template: Words, letters: frozenset[str], bound: Mapping[str, Words]) -> Words:
    """The template with its letters replaced by what they stand for."""
    out: list[str] = []
    for word in template:
        if word in letters:
            out += bound[word]
        else:
            out.append(word)
    return tuple(out)


def rewrite(
    rule: Rule, words: Words, at: int, ends: Sequence[int], fill: Mapping[str, Words], unify: bool = True
) -> Words | None:
    """The words with the subtree at a position rewritten, or None where the rule does not match there.

    Parameters
    ----------
    rule, words, at, ends, unify
        As in `match`.
    fill : mapping of str to tuple of str
        What the rule's free letters become.
    """
    bound = match(rule, words, at, ends, unify)
    if bound is None:
        return None
    bound.update(fill)
    return words[:at] + instantiate(rule.template, rule.letters, bound) + words[ends[at] :]


class RuleBook:
    """Rules by the first words of what they match, so that few need trying at a node."""

    def __init__(self, rules: Sequence[Rule], weight: Callable[[Rule], float]) -> None:
        self._anywhere: list[tuple[Rule, float]] = []
        self._at: dict[str, list[tuple[Rule, float]]] = {}
        self._starting: dict[Words, list[tuple[Rule, float]]] = {}
        for rule in rules:
            entry = rule, weight(rule)
            if entry[1] <= 0:
                continue
            root = rule.pattern[0]
            if root not in ARITY and is_variable(root):
                self._anywhere.append(entry)
            else:
                self._at.setdefault(root, []).append(entry)

    def matching(self, words: Words, at: int, ends: Sequence[int], unify: bool) -> list[tuple[Rule, float]]:
        """The rules that match at a position, with their weights."""
        start = words[at : at + 2]
        if start not in self._starting:
            self._starting[start] = [entry for entry in self._at.get(start[0], ()) if _may_start(entry[0], start)]
        found = [entry for entry in self._starting[start] if match(entry[0], words, at, ends, unify) is not None]
        return found + self._anywhere


def _may_start(rule: Rule, start: Words) -> bool:
    """Whether a rule may match a subtree that starts with two words."""
    return all(word in rule.letters or word == given for word, given in zip(rule.pattern, start, strict=False))
