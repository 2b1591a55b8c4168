"""The equation in which a mistake is made, and what is asked of its nodes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from dgl_mathtree.expressions.tree import Words
from dgl_mathtree.expressions.vocabulary import ARITY, is_number, is_variable, negated

Place = tuple[int, Words]
"""A position of the equation's words, and the subtree that is to stand there."""


class Scene(NamedTuple):
    """The equation to edit."""

    words: Words
    ends: list[int]
    rng: random.Random

    def subtree(self, at: int) -> Words:
        return self.words[at : self.ends[at]]

    def children(self, at: int) -> tuple[Words, Words]:
        second = self.ends[at + 1]
        return self.words[at + 1 : second], self.words[second : self.ends[at]]

    def some(self, wanted: Callable[[int], bool]) -> int | None:
        """A random position of those wanted."""
        places = [at for at in range(1, len(self.words)) if wanted(at)]
        return self.rng.choice(places) if places else None

    def node(self, *names: str) -> int | None:
        return self.some(lambda at: self.words[at] in names)


def is_variable_word(word: str) -> bool:
    return word not in ARITY and is_variable(word)


def is_number_word(word: str) -> bool:
    return word not in ARITY and is_number(word)


def is_inverse(scene: Scene, at: int) -> bool:
    return scene.words[at] == "Pow" and scene.words[scene.ends[at + 1]] == "-1"


def negative(words: Words) -> Words:
    if words[0] == "Mul" and words[1] == "-1":
        return words[2:]
    return (negated(words[0]),) if len(words) == 1 and is_number_word(words[0]) else ("Mul", "-1", *words)
