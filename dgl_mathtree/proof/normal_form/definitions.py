"""Functions written by simpler ones: the first lines of a proof that is written out."""

from __future__ import annotations

from collections.abc import Callable

from dgl_mathtree.language.expr import Words
from dgl_mathtree.language.vocabulary import ARITY

HALF_PI: Words = ("Mul", "1/2", "pi")


def children(words: Words) -> list[Words]:
    """The arguments of the operator at the top."""
    found, at = [], 1
    for _ in range(ARITY.get(words[0], 0)):
        open_places, end = 1, at
        while open_places:
            open_places += ARITY.get(words[end], 0) - 1
            end += 1
        found.append(words[at:end])
        at = end
    return found


def inverse(u: Words) -> Words:
    return over(("1",), u)


def over(a: Words, b: Words) -> Words:
    return ("Mul", *a, "Pow", *b, "-1")


def minus(a: Words, b: Words) -> Words:
    return ("Add", *a, "Mul", "-1", *b)


def negative(u: Words) -> Words:
    return ("Mul", "-1", *u)


def _sinh(u: Words) -> Words:
    return over(minus(("exp", *u), ("exp", *negative(u))), ("2",))


def _cosh(u: Words) -> Words:
    return over(("Add", "exp", *u, "exp", *negative(u)), ("2",))


DEFINITIONS: dict[str, Callable[[Words], Words]] = {
    "tan": lambda u: over(("sin", *u), ("cos", *u)),
    "cot": lambda u: over(("cos", *u), ("sin", *u)),
    "sec": lambda u: inverse(("cos", *u)),
    "csc": lambda u: inverse(("sin", *u)),
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": lambda u: over(_sinh(u), _cosh(u)),
    "coth": lambda u: over(_cosh(u), _sinh(u)),
    "sech": lambda u: inverse(_cosh(u)),
    "csch": lambda u: inverse(_sinh(u)),
    "acos": lambda u: minus(HALF_PI, ("asin", *u)),
    "asec": lambda u: minus(HALF_PI, ("asin", *inverse(u))),
    "acsc": lambda u: ("asin", *inverse(u)),
    "acsch": lambda u: ("asinh", *inverse(u)),
    "asech": lambda u: ("acosh", *inverse(u)),
    "acoth": lambda u: ("atanh", *inverse(u)),
}
"""Functions by simpler ones; `acot`, `log` and `Pow` depend on their arguments."""
