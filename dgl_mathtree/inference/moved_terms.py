"""An equation in other forms: with some of its terms on the other side of the equals sign.

A network that has seen few long sides finds a short form easier. The mean of its best scores over the shortest forms is
a better score than that of the equation as given, at the cost of scoring each form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.language import Equation, Expr
from dgl_mathtree.language.plain_terms import MINUS_ONE, plus, times

FORMS, BEST = 12, 3
"""Forms unless another number is given, and the scores of which the mean is taken."""
MOST_TERMS = 8
"""Terms of an equation of which every division between the sides is tried; of more, one or two are moved."""
ZERO = Expr.leaf("0")


def moved_forms(equation: Equation, most: int = FORMS) -> list[Equation]:
    """The equation, and the shortest of those that are left when terms change sides.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> [str(form) for form in moved_forms(parse_equation("a + b = c"))]
    ['a + b = c', 'a = c - b', 'b = c - a', '0 = -1*a - b + c']
    """
    left, right = _terms(equation.left), _terms(equation.right)
    terms = [*left, *(_negated(term) for term in right)]
    given = frozenset(range(len(left)))
    found = {frozenset([given, frozenset(range(len(terms))) - given]): equation}
    for kept in _divisions(len(terms), given):
        sides = frozenset([kept, frozenset(range(len(terms))) - kept])
        if sides not in found:
            here = _sum([terms[k] for k in range(len(terms)) if k in kept])
            there = _sum([_negated(terms[k]) for k in range(len(terms)) if k not in kept])
            found[sides] = Equation(here, there)
    first, *others = found.values()
    return [first, *sorted(others, key=_longest_side)[: max(most, 1) - 1]]


def _longest_side(equation: Equation) -> tuple[int, int]:
    return max(len(equation.left), len(equation.right)), len(equation)


def _divisions(count: int, given: frozenset[int]) -> Iterator[frozenset[int]]:
    """The terms that are on the left: all choices where there are few, else the given one with one or two moved."""
    if count <= MOST_TERMS:
        for size in range(count + 1):
            yield from map(frozenset, combinations(range(count), size))
        return
    for size in (1, 2):
        for moved in combinations(range(count), size):
            yield given ^ frozenset(moved)


def _terms(expression: Expr) -> list[Expr]:
    """The terms of a sum."""
    if expression == ZERO:
        return []
    if expression.word != "Add":
        return [expression]
    return [term for child in expression.children for term in _terms(child)]


def _negated(term: Expr) -> Expr:
    return times(MINUS_ONE, term)


def _sum(terms: Sequence[Expr]) -> Expr:
    total = ZERO
    for term in terms:
        total = term if total == ZERO else plus(total, term)
    return total


def scores_over_forms(
    equations: Sequence[Equation], most: int, scored: Callable[[Sequence[Equation]], NDArray[Any]]
) -> NDArray[Any]:
    """(equations,) the mean of the best `BEST` scores over the forms of each equation.

    Parameters
    ----------
    equations : sequence of Equation
        What to score.
    most : int
        Forms of each.
    scored : callable
        Gives the scores of equations; NaN for one that cannot be read.
    """
    forms = [moved_forms(equation, most) for equation in equations]
    counts = [len(some) for some in forms]
    every = scored([form for some in forms for form in some])
    parts = np.split(every, np.cumsum(counts)[:-1]) if equations else []
    means = [part[0] if np.isnan(part[0]) else np.sort(part[~np.isnan(part)])[-BEST:].mean() for part in parts]
    return np.array(means, dtype=np.float64)
