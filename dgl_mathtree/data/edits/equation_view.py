"""The equation that is edited, and what edits ask of its nodes."""

from __future__ import annotations

import random
from collections.abc import Callable

from dgl_mathtree.language.expr import Words, subtree_ends
from dgl_mathtree.language.vocabulary import ARITY, is_number, is_variable, negated

Replacement = tuple[int, Words]
"""A position of the equation's words, and the subtree that is to stand there."""


class EquationView:
    """The equation to edit.

    Parameters
    ----------
    words : tuple of str
        The equation's.
    rng : random.Random
        Where edits draw from.
    """

    __slots__ = ("ends", "rng", "words")

    def __init__(self, words: Words, rng: random.Random) -> None:
        self.words, self.ends, self.rng = words, subtree_ends(words), rng

    def subtree(self, at: int) -> Words:
        return self.words[at : self.ends[at]]

    def children(self, at: int) -> tuple[Words, Words]:
        second = self.ends[at + 1]
        return self.words[at + 1 : second], self.words[second : self.ends[at]]

    def any_node(self) -> int:
        return self.rng.randrange(1, len(self.words))

    def some(self, wanted: Callable[[int], bool]) -> int | None:
        """A random position of those wanted."""
        positions = [at for at in range(1, len(self.words)) if wanted(at)]
        return self.rng.choice(positions) if positions else None

    def node(self, *names: str) -> int | None:
        return self.some(lambda at: self.words[at] in names)


def is_variable_word(word: str) -> bool:
    return word not in ARITY and is_variable(word)


def is_number_word(word: str) -> bool:
    return word not in ARITY and is_number(word)


def is_inverse_at(view: EquationView, at: int) -> bool:
    return view.words[at] == "Pow" and view.words[view.ends[at + 1]] == "-1"


def negative(words: Words) -> Words:
    if words[0] == "Mul" and words[1] == "-1":
        return words[2:]
    return (negated(words[0]),) if len(words) == 1 and is_number_word(words[0]) else ("Mul", "-1", *words)


def with_leaves_traded(subtree: Words, rng: random.Random) -> Words | None:
    """A subtree in which two unequal leaves have traded positions; None if all it has are equal."""
    leaves = [k for k, word in enumerate(subtree) if word not in ARITY]
    first = rng.choice(leaves)
    others = [k for k in leaves if subtree[k] != subtree[first]]
    if not others:
        return None
    second = rng.choice(others)
    words = list(subtree)
    words[first], words[second] = words[second], words[first]
    return tuple(words)
