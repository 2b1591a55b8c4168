"""Names of variables: those of an equation exchanged for those that a model knows.

Names carry no meaning, but a network has a vector for each of them, so that its scores depend on the letters. A model
that reads any leaf is therefore given all variables by their order of appearance (`appearance_names`); another, whose
vocabulary is that of its data, only those under other names that it does not know (`renaming`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

from dgl_mathtree.language import Equation, Expr
from dgl_mathtree.language.prefix_trees import PrefixTrees
from dgl_mathtree.language.variables import Variables, names_from, natural, right_first
from dgl_mathtree.language.vocabulary import is_variable

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
    foreign = sorted((name for name in used if name not in known), key=natural)
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


def appearance_names(equation: Equation, known: Sequence[str], candidates: Sequence[Expr] = ()) -> dict[str, str]:
    """New names for all variables of an equation, and of candidates for its blank, by the order in which they appear.

    Sides are read in the order of `dgl_mathtree.language.variables.right_first`: an equation gets the same names
    whatever its letters were and whichever side stands on the left.

    Parameters
    ----------
    equation : Equation
        With or without a blank.
    known : sequence of str
        The names, in the order in which they are given. Where they run out, ``x_8`` and the like follow.
    candidates : sequence of Expr
        Their variables that the equation does not have come after its own.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> appearance_names(parse_equation("b^2 - a^2 = (b - a)*(b + a)"), ["x", "y", "z"])
    {'b': 'x', 'a': 'y'}
    >>> appearance_names(parse_equation("(b - a)*(b + a) = b^2 - a^2"), ["x", "y", "z"])
    {'b': 'x', 'a': 'y'}
    """
    order = _reading_order(equation)
    if candidates:
        order = tuple(dict.fromkeys((*order, *variables_of(tuple(candidates)))))
    return dict(zip(order, names_from(known), strict=False))


def names_for(
    equation: Equation, known: Sequence[str], any_leaf: bool, candidates: Sequence[Expr] = ()
) -> dict[str, str]:
    """New names for the variables of an equation, and of what may fill its blank, as a model wants them.

    Parameters
    ----------
    equation : Equation
        With or without a blank.
    known : sequence of str
        The model's own, as in `known_variables`.
    any_leaf : bool
        Whether the model reads any leaf. It is then given all variables by their order of appearance, so that its
        answer does not depend on the letters; another model is given new names for those that it does not know.
    candidates : sequence of Expr
        What the blank may be filled with.
    """
    if any_leaf:
        return appearance_names(equation, known, candidates)
    return renaming_for(equation, candidates, known)


def _reading_order(equation: Equation) -> tuple[str, ...]:
    """The variables in the order in which they are read."""
    if len(found := equation.variables) < 2:
        return found
    trees = PrefixTrees.of([equation.words])
    return tuple(trees.words[k] for k in Variables.of(trees, right_first(trees)).word.tolist())


_Tree = TypeVar("_Tree", Equation, Expr)


def renamed_alike(trees: Iterable[_Tree], names: Mapping[str, str]) -> list[_Tree]:
    """Many trees with variables renamed as `renaming_for` or `appearance_names` say; none is checked.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_expression
    >>> [str(each) for each in renamed_alike([parse_expression("sin(a)"), parse_expression("a*b")], {"a": "x"})]
    ['sin(x)', 'x*b']
    """
    if not names:
        return list(trees)
    return [tree._trusted(tuple(map(names.get, tree.words, tree.words))) for tree in trees]


@lru_cache(maxsize=8)
def variables_of(expressions: tuple[Expr, ...]) -> tuple[str, ...]:
    """The variables of some expressions, x_2 before x_10."""
    return tuple(sorted({name for expression in expressions for name in expression.variables}, key=natural))
