"""Names of variables: those of an equation exchanged for those that a model knows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from dgl_mathtree.expressions import Equation, Expr
from dgl_mathtree.expressions.vocabulary import is_variable

FIRST_VARIABLES = ("x", "y", "z")
"""The variables that others are renamed to first: the frequent ones of the data."""


def known_variables(vocabulary: Iterable[str]) -> list[str]:
    """The variables of a vocabulary, those first that others are renamed to first.

    Examples
    --------
    >>> known_variables(["1", "w", "y", "x"])
    ['x', 'y', 'w']
    """
    found = [word for word in vocabulary if is_variable(word)]
    first = [word for word in FIRST_VARIABLES if word in found]
    return first + sorted(set(found) - set(first))


def renaming(words: Iterable[str], known: Sequence[str]) -> dict[str, str]:
    """New names for the variables among some words that are not known, as far as known names are left.

    Parameters
    ----------
    words : iterable of str
        Of an equation.
    known : sequence of str
        Names that variables may have, those to be used first at the front.

    Examples
    --------
    >>> renaming(["Add", "x", "t_10", "t_2"], known=["x", "y", "z"])
    {'t_2': 'y', 't_10': 'z'}
    """
    used = dict.fromkeys(word for word in words if is_variable(word))
    foreign = sorted((name for name in used if name not in known), key=_natural)
    return dict(zip(foreign, (name for name in known if name not in used), strict=False))


def renaming_for(equation: Equation, candidates: Sequence[Expr], known: Sequence[str]) -> dict[str, str]:
    """New names for the variables of an equation and of candidates: one set for all as far as it goes.

    Where names run out before the equation's own variables have some, these come first.

    Parameters
    ----------
    equation : Equation
        With or without a blank.
    candidates : sequence of Expr
        What it may be filled with.
    known : sequence of str
        As in `renaming`.
    """
    others = variables_of(tuple(candidates))
    names = renaming((*others, *equation.words), known)
    if all(names.get(name, name) in known for name in equation.variables):
        return names
    first = renaming(equation.words, known)
    taken = {*first.values(), *equation.variables}
    free = [name for name in known if name not in taken and name not in others]
    rest = [name for name in others if name not in first and name not in known]
    return first | dict(zip(rest, free, strict=False))


@lru_cache(maxsize=8)
def variables_of(expressions: tuple[Expr, ...]) -> tuple[str, ...]:
    """The variables of some expressions, x_2 before x_10."""
    return tuple(sorted({name for expression in expressions for name in expression.variables}, key=_natural))


def _natural(name: str) -> tuple[str, int]:
    """A key by which x_2 comes before x_10."""
    stem = name.rstrip("0123456789")
    return stem, int(name[len(stem) :] or -1)
