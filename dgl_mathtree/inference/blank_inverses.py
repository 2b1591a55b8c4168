"""An equation solved for its blank: what stands there, written with the rest of the equation.

Each operator between the blank and the equals sign is undone on the other side, from the outside in. Where an operator
takes the same value at several arguments, each of its branches gives a solution of its own. That a solution really
fills the blank is for the oracle to say.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dgl_mathtree.arithmetic.operators import FAMILIES, OPERATORS
from dgl_mathtree.inference.blanks import path_to_blank
from dgl_mathtree.language import Equation, Expr
from dgl_mathtree.language.plain_terms import MINUS_ONE, ONE, minus, over, raised, times
from dgl_mathtree.language.vocabulary import ARITY, is_number

MOST_SOLUTIONS = 8
"""Solutions at most: every even function on the path doubles their number."""
E, PI = Expr.leaf("e"), Expr.leaf("pi")


def solutions(blank: Equation) -> list[Expr]:
    """The expressions that an equation gives for its blank, not simplified, each once.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_blank
    >>> [str(e) for e in solutions(parse_blank("x*? + 1 = y"))]
    ['(y - 1)/x']
    >>> [str(e) for e in solutions(parse_blank("cos(?) = 1/2"))]
    ['acos(1/2)', '-1*acos(1/2)']
    """
    side, path = path_to_blank(blank)
    found = [blank.left if side else blank.right]
    node = blank.right if side else blank.left
    for operator, place in path:
        children = node.children
        sibling = children[1 - place] if ARITY[operator] == 2 else None
        found = [solved for value in found for solved in _undone(operator, place, value, sibling)]
        found = list(dict.fromkeys(found))[:MOST_SOLUTIONS]
        node = children[place]
    return found


def _undone(operator: str, place: int, value: Expr, sibling: Expr | None) -> list[Expr]:
    """The arguments at which an operator has a value, given its other argument."""
    if sibling is not None:
        return _BINARY[operator, place](value, sibling) if (operator, place) in _BINARY else []
    if operator == "exp":
        return [natural_logarithm(value)]
    inverse = OPERATORS[operator].inverse
    if inverse is None:
        return []
    first = Expr._trusted((inverse, *value.words))
    if OPERATORS[operator].parity == "even":
        return [first, times(MINUS_ONE, first)]
    if operator in FAMILIES["circular"] and operator in ("sin", "csc"):
        return [first, minus(PI, first)]
    return [first]


def natural_logarithm(value: Expr) -> Expr:
    """ln(value), without the logarithm where the value is a power of e."""
    if value.word == "exp":
        return value.children[0]
    if value.word == "Pow" and value.children[0] == E:
        return value.children[1]
    return ONE if value == E else Expr._trusted(("log", *value.words, "e"))


def _base(value: Expr, exponent: Expr) -> list[Expr]:
    """What to the power of the exponent is the value: of both signs where the power is even."""
    root = raised(value, over(ONE, exponent))
    word = exponent.word
    if len(exponent) > 1 or not is_number(word) or "." in word:
        return [root]
    power = Fraction(word)
    if power == 0:
        return []
    if power.numerator % 2 == 0:
        return [root, times(MINUS_ONE, root)]
    if abs(power.numerator) == 1:
        return [root]
    return [root, times(MINUS_ONE, raised(times(MINUS_ONE, value), over(ONE, exponent)))]


_BINARY: dict[tuple[str, int], Callable[[Expr, Expr], list[Expr]]] = {
    ("Add", 0): lambda value, other: [minus(value, other)],
    ("Add", 1): lambda value, other: [minus(value, other)],
    ("Mul", 0): lambda value, other: [] if other.word == "0" else [over(value, other)],
    ("Mul", 1): lambda value, other: [] if other.word == "0" else [over(value, other)],
    ("Pow", 0): _base,
    ("Pow", 1): lambda value, other: [over(natural_logarithm(value), natural_logarithm(other))],
    ("log", 0): lambda value, other: [raised(other, value)],
    ("log", 1): lambda value, other: [raised(other, over(ONE, value))],
}
