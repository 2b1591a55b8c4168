"""The matcher of the original project, which does not unify: patterns match more than they should.

A leaf matches only a pattern that is a leaf, a variable any letter and a constant itself, and such a pattern matches
nothing else. Below an operator a letter of the pattern matches anything, and all that is asked of repeated letters is
that the two operands of a binary operator of the pattern are equal if and only if those of the subject are. So
``sin(x)^2 + cos(x)^2`` matches ``sin(2)^2 + cos(y)^2``, and any one of the two subtrees may then stand for ``x``.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from dgl_mathtree.data.rewriting import Bindings, Rule, instantiate
from dgl_mathtree.language.expr import Words, subtree_ends
from dgl_mathtree.language.vocabulary import ARITY, is_variable

_LETTER = "a letter"
Matches = dict[str, list[Words]]
"""The distinct subtrees that each letter of a pattern matched."""


def match_loosely(rule: Rule, words: Words, at: int, ends: Sequence[int]) -> Matches | None:
    """The subtrees that the letters of a rule's pattern match at a position, None where the pattern does not match.

    Parameters
    ----------
    rule : Rule
        Whose pattern to match.
    words : tuple of str
        An equation in prefix order.
    at : int
        Where in it.
    ends : sequence of int
        For every position of `words`, where its subtree ends.

    Examples
    --------
    >>> from dgl_mathtree.data.axioms import axioms_of
    >>> rule = Rule(axioms_of("original")["first-pythagorean/sin-cos"], True)
    >>> words = ("Equality", "Add", "Pow", "sin", "2", "2", "Pow", "cos", "y", "2", "1")
    >>> match_loosely(rule, words, 1, subtree_ends(words))
    {'x': [('2',), ('y',)]}
    """
    pattern = rule.pattern
    if words[at] not in ARITY:
        return _match_leaf(rule, words[at])
    if len(pattern) == 1:
        return None
    found: Matches = {}
    letters = rule.letters
    for word, alike in zip(pattern, _operands_alike(pattern), strict=True):
        if word in letters:
            subtree = words[at : ends[at]]
            known = found.setdefault(word, [])
            if subtree not in known:
                known.append(subtree)
            at = ends[at]
            continue
        if word != words[at]:
            return None
        if alike is not None:
            second = ends[at + 1]
            if (words[at + 1 : second] == words[second : ends[at]]) is not alike:
                return None
        at += 1
    return found


def _match_leaf(rule: Rule, leaf: str) -> Matches | None:
    if len(rule.pattern) > 1:
        return None
    if rule.pattern[0] in rule.letters:
        return {rule.pattern[0]: [(leaf,)]} if is_variable(leaf) else None
    return {} if rule.pattern[0] == leaf else None


@lru_cache(maxsize=4096)
def _operands_alike(pattern: Words) -> tuple[bool | None, ...]:
    """For every position of a pattern, whether the two operands there are equal; None where there are not two."""
    ends = subtree_ends(pattern)
    return tuple(
        pattern[k + 1 : ends[k + 1]] == pattern[ends[k + 1] : ends[k]] if ARITY.get(word) == 2 else None
        for k, word in enumerate(pattern)
    )


def rewrite_loosely(rule: Rule, words: Words, at: int, ends: Sequence[int], bound: Mapping[str, Words]) -> Words:
    """The words with the subtree at a position rewritten; letters that nothing is bound to stay as they are."""
    known: Bindings = {letter: (letter,) for letter in rule.letters} | dict(bound)
    return words[:at] + instantiate(rule.template, rule.letters, known) + words[ends[at] :]


def drawn(matches: Matches, rng: random.Random) -> Bindings:
    """One of the subtrees for each letter, where it matched several a random one."""
    return {letter: found[0] if len(found) == 1 else rng.choice(found) for letter, found in matches.items()}


class LooseRules:
    """Rules by the first word of what they match, each as likely as any other."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._at: dict[str, list[Rule]] = {}
        for rule in rules:
            self._at.setdefault(_LETTER if rule.pattern[0] in rule.letters else rule.pattern[0], []).append(rule)

    def matching(self, words: Words, at: int, ends: Sequence[int]) -> list[tuple[Rule, Matches]]:
        """The rules that match at a position, with what their letters match."""
        found = []
        word = words[at]
        for rule in self._at.get(_LETTER if word not in ARITY and is_variable(word) else word, ()):
            matches = match_loosely(rule, words, at, ends)
            if matches is not None:
                found.append((rule, matches))
        return found
