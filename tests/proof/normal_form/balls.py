"""Values of expressions at points, to test proofs against: Arb balls, with nothing taken from the prover."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

from dgl_mathtree.arithmetic.arb_balls import OPEN, own_precision
from dgl_mathtree.arithmetic.operators import REALS
from dgl_mathtree.language import Equation, Expr
from dgl_mathtree.language.vocabulary import ARITY, is_variable


def value(expression: Expr, point: Mapping[str, Fraction]) -> Any:
    """A ball, None where there is no value, or OPEN."""
    stack: list[Any] = []
    for word in reversed(expression.words):
        if word in ARITY:
            args = [stack.pop() for _ in range(ARITY[word])]
            functions = REALS.unary if len(args) == 1 else REALS.binary
            if all(isinstance(arg, arb) for arg in args):
                stack.append(functions[word](*args, True))
            else:
                stack.append(None if None in args else OPEN)
        elif is_variable(word):
            number = Fraction(point[word])
            stack.append(arb(fmpq(number.numerator, number.denominator)))
        else:
            stack.append(REALS.leaf(word))
    return stack[0]


def differs(equation: Equation, point: Mapping[str, Fraction]) -> bool:
    """Whether both sides have values at a point, and certainly different ones."""
    with own_precision():
        ctx.prec = 400
        sides = [value(side, point) for side in (equation.left, equation.right)]
        return all(isinstance(side, arb) for side in sides) and not sides[0].overlaps(sides[1])
