"""Expressions that occur in known identities: the sides of all axioms and laws."""

from __future__ import annotations

from functools import cache

from dgl_mathtree.data.axioms import ORIGINAL, axiom_set_names, axioms_of
from dgl_mathtree.data.discovery.law_instances import laws
from dgl_mathtree.language import Equation, Expr
from dgl_mathtree.language.build import equation_words


@cache
def known_expressions() -> tuple[Expr, ...]:
    """The sides of the axioms of every set and of the laws, each once, in the order of their files.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_expression
    >>> parse_expression("sin(x)^2 + cos(x)^2") in known_expressions()
    True
    """
    sets = [name for name in axiom_set_names() if name != ORIGINAL]  # it says what others say, if it holds
    found = [axiom.equation for name in sets for axiom in axioms_of(name).values()]
    found += [Equation.from_words(equation_words(*sides)) for _, sides in laws()]
    return tuple(dict.fromkeys(side for equation in found for side in (equation.left, equation.right)))
