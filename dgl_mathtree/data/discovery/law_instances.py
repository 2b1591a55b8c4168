"""Laws whose letters stand for any expression, read from `laws.txt`, and their instances."""

from __future__ import annotations

import random
from functools import cache
from importlib import resources

from dgl_mathtree.data.axioms import Axiom, read_axioms
from dgl_mathtree.language.build import Pair, Term, nested, read_all, substitute, variables

VARIABLES = ("x", "y", "z", "w", "a", "b", "c", "t")
FILLINGS = read_all(
    "2*x;3*x;x/2;x+y;x-y;x^2;x+1;x-1;x*y;-x;x/y;1/x;sin(x);cos(x);tan(x);exp(x);ln(x);sqrt(x);x^3;2*y;3*y;y^2;"
    "x+2;1-x;2*x+1;x/3;x^2+1;y+1;x*z;x+y+z;sinh(x);cosh(y);e^x;sin(y);cos(y);2-x;x-2;pi*x;x^y;2^x;(x+y)/2;"
    "ln(y);atan(x);x+z;y-z;5*x;x^2-1;4*x;y/2;x^2*y;sqrt(y);x+3;x-3;3*x-1;pi-x;pi/2-x;x+pi;tanh(x);sec(x);1+x;"
    "exp(y);y*z;-y;x/4;sqrt(x+1);1-x^2;x^2+y^2;log(x,2);6*x;2*x+y;x-2*y;x*y*z;asin(x);acos(x);asinh(x);exp(-x);"
    "2*x-1;x+1/2;y-1;z^2;2*z;3*x+2;x^4;1+x^2;cot(x);csc(x);acosh(x);atanh(x);sech(x);coth(x);1/y;1+exp(x)"
)
NUMBERS = "2 3 4 5 6 7 8 9 10 12 1/2 1/3 2/3 3/4 3/2 1/4 -1 -2 -3 pi e 1 0 11 15 16 20".split()


@cache
def laws() -> list[tuple[str, Pair]]:
    """The group and the sides of each law.

    Example:
        >>> laws()[0]
        ('sums', (('Add', 'x', 'y'), ('Add', 'y', 'x')))
    """
    sides = ((law.group, (law.left, law.right)) for law in named_laws().values())
    return [(group, (nested(left), nested(right))) for group, (left, right) in sides]


@cache
def named_laws() -> dict[str, Axiom]:
    """The laws by name, ``group/name``, in the order of the file.

    Example:
        >>> named_laws()["circular/sin-cos"].equation
        Equation('sin(x)^2 + cos(x)^2 = 1')
    """
    return read_axioms(resources.files(__package__).joinpath("laws.txt").read_text(encoding="utf-8"), "laws.txt")


def filling(rng: random.Random, compound: float) -> Term:
    """What may stand for a letter: a variable, more rarely a number, or a small expression in random variables."""
    draw = rng.random()
    if draw < compound:
        names = rng.sample(VARIABLES[:4] if rng.random() < 0.8 else VARIABLES, 3)
        return substitute(rng.choice(FILLINGS), dict(zip("xyz", names, strict=True)))
    if draw < compound + 0.12:
        return rng.choice(NUMBERS)
    return rng.choice("xyzw")


def instance(pair: Pair, rng: random.Random, compound: float = 0.45) -> Pair:
    """A law with its letters replaced, mostly by different things."""
    letters = variables(*pair)
    values = {letter: filling(rng, compound) for letter in letters}
    if len(set(map(str, values.values()))) < len(letters) and rng.random() < 0.9:
        values = dict(zip(letters, rng.sample("xyzw", len(letters)), strict=True))
    return substitute(pair[0], values), substitute(pair[1], values)
