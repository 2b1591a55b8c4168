"""True equations and their near misses.

The near miss of a true equation is a false one of the same subject that few edits of words make of it: the distance of
two equations is the least number of words, in prefix order, to insert, delete or exchange. Each false equation belongs
to the nearest true one, the first of those that are equally near, if that is no farther than a third of the words of
the longer of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from dgl_mathtree.language.expr import Words
from dgl_mathtree.language.vocabulary import is_variable

FARTHEST = 1 / 3
"""Of the words of the longer equation: what is farther away is not a near miss."""


class Pair(NamedTuple):
    """Places of a true equation and of its near miss, and whether one variable for another is all that differs."""

    true: int
    false: int
    one_variable: bool


def near_misses(words: Sequence[Words | None], label: Sequence[int], subject: Sequence[str]) -> list[Pair]:
    """The pairs among some equations.

    Parameters
    ----------
    words : sequence of words or None
        Of each equation; None for one that belongs to no pair.
    label : sequence of int
        1 for a true equation, 0 for a false one.
    subject : sequence of str
        Equations of different subjects are not compared.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> texts = ["sin(-x) = -sin(x)", "x + y = y + x", "x + y = y + y", "1 = 0"]
    >>> near_misses([parse_equation(text).words for text in texts], [1, 1, 0, 0], ["a"] * 4)
    [Pair(true=1, false=2, one_variable=True)]
    """
    counts = [Counter(each or ()) for each in words]
    true = [k for k, each in enumerate(words) if each is not None and label[k]]
    found = []
    for k, each in enumerate(words):
        if each is None or label[k]:
            continue
        bounds = sorted((_bound(counts[k], counts[t]), t) for t in true if subject[t] == subject[k])
        nearest = _nearest(each, [(bound, t, words[t] or ()) for bound, t in bounds])
        if nearest is not None:
            found.append(Pair(nearest, k, _one_variable(words[nearest] or (), each)))
    return found


def _bound(some: Counter[str], others: Counter[str]) -> int:
    """What the distance is at least: words that one has and the other has not."""
    return max((some - others).total(), (others - some).total())


def _nearest(words: Words, others: Sequence[tuple[int, int, Words]]) -> int | None:
    """Which of some true equations, given with their bounds in rising order, is nearest; None if none is near."""
    best: tuple[int, int] | None = None
    for bound, k, other in others:
        if best is not None and bound > best[0]:
            break
        farthest = FARTHEST * max(len(words), len(other))
        if bound <= farthest and (distance := edit_distance(words, other)) <= farthest:
            best = min(best or (distance, k), (distance, k))
    return None if best is None else best[1]


def edit_distance(some: Words, others: Words) -> int:
    """How many words must be inserted, deleted or exchanged to make one sequence of the other.

    Examples
    --------
    >>> edit_distance(("Add", "x", "y"), ("Mul", "x"))
    2
    """
    above = list(range(len(others) + 1))
    for i, word in enumerate(some, 1):
        row = [i]
        for j, other in enumerate(others, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (word != other)))
        above = row
    return above[-1]


def _one_variable(some: Words, others: Words) -> bool:
    """Whether the words are the same but for one variable where the other has another one."""
    if len(some) != len(others):
        return False
    changed = {(a, b) for a, b in zip(some, others, strict=True) if a != b}
    return len(changed) == 1 and all(is_variable(word) for word in next(iter(changed)))
