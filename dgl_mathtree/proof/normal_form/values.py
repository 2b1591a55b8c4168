"""The value of an expression by the normal form, written as an expression again."""

from __future__ import annotations

from fractions import Fraction

from dgl_mathtree.arithmetic.arb_balls import own_precision
from dgl_mathtree.language.expr import Words
from dgl_mathtree.proof.normal_form.conditions import prepare
from dgl_mathtree.proof.normal_form.expressions import quotient_words
from dgl_mathtree.proof.normal_form.form import Form
from dgl_mathtree.proof.normal_form.reading import Reading
from dgl_mathtree.proof.normal_form.ring import Budget, Restart, Ring, Unsettled

READINGS = 8
WORK = 200_000
"""What finding one value may cost."""


def value_words(words: Words, sides: tuple[Words, Words]) -> Words | None:
    """The value of an expression wherever an equation is defined, or None where it is not found.

    Examples
    --------
    >>> from dgl_mathtree.language import Expr, parse_expression
    >>> root = parse_expression("sqrt(3 + 2*sqrt(2))").words
    >>> print(Expr(value_words(root, (root, root))))
    sqrt(2) + 1
    """
    units: dict[str, Fraction] = {}
    with own_precision():
        try:
            for _ in range(READINGS):
                reading = Reading(Form(Ring(units, Budget(WORK))))
                try:
                    if prepare(reading, sides, ()):
                        return None
                    return quotient_words(reading.form.ring, reading.value(words))
                except Restart:
                    continue
        except (Unsettled, ArithmeticError, RecursionError):
            return None
    return None
