"""Points that are no fractions: where a subexpression has a certain value, such as the zeros of `x^3 - x - 1`.

A domain may hold a point apart from all others there, as `sqrt((x^3 - x - 1)^2*(x - 2))` does. Bounds of opposite sign
at two fractions prove that a continuous subexpression is 0 between them; at such a zero it is exactly 0, and all others
are computed on the interval between the fractions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from flint import arb, fmpq

from dgl_mathtree.language.expr import Expr
from dgl_mathtree.language.forest import Forest
from dgl_mathtree.language.variable_indices import place_word
from dgl_mathtree.oracle.compare import Code
from dgl_mathtree.oracle.critical_points import Critical, Line
from dgl_mathtree.oracle.decimals import cut
from dgl_mathtree.oracle.exact_points import ExactPoints, Finding

WIDTHS = (2.0**-44, 2.0**-34, 2.0**-24)
"""How far from a zero that floating point found, relative to its size, the signs are compared."""
LARGEST_PART = 24
"""Denominators of the multiples of pi that are tried."""
DIGITS = 6
MOST = 24
"""Zeros that are no simple fractions and are looked at."""
BESIDE, BESIDE_BITS = 2.0**-16, 2048
"""How far from a zero its neighbours are, relative to its size, and with how many bits they are looked at."""
FAR = 2.0**10
"""Beyond this size, and below its inverse, what looks like a zero may be a limit."""
HELD = (Fraction(0), Fraction(1))
"""Values at which the other variables are held, besides those of the line."""


class Zero(Fraction):
    """The value of a variable for which a subexpression is a whole number; as a fraction, one that is close to it.

    Parameters
    ----------
    near : Fraction
        Close to it.
    part : Expr
        The subexpression.
    value : int
        What it is there.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_equation
    >>> print(Zero(Fraction(181, 128), parse_equation("x^2 - 2 = 0").left, 0))
    1.41406... (where x^2 - 2 = 0)
    """

    part: Expr
    value: int

    def __new__(cls, near: Fraction, part: Expr, value: int) -> Zero:
        self = super().__new__(cls, near.numerator, near.denominator)
        self.part, self.value = part, value
        return self

    def __str__(self) -> str:
        near = cut(arb(fmpq(self.numerator, self.denominator)), DIGITS)
        return f"{near} (where {self.part} = {self.value})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Zero, (Fraction(self.numerator, self.denominator), self.part, self.value)

    def named(self, names: Mapping[str, str]) -> Zero:
        """It with variables renamed."""
        words = tuple(names.get(word, word) for word in self.part.words)
        return Zero(Fraction(self.numerator, self.denominator), Expr._trusted(words), self.value)


class ZeroCandidate(NamedTuple):
    """A place where floating point finds that a function is 0 for a value of one variable, the others held."""

    function: Critical
    name: str
    near: float
    held: dict[str, Fraction]
    crossed: bool


class Zeros:
    """The zeros of critical functions of one equation that a search found, each for a value of one variable.

    Parameters
    ----------
    forest : Forest
        The equation.
    exact : ExactPoints
        Compares its sides.
    """

    def __init__(self, forest: Forest, exact: ExactPoints) -> None:
        self._forest, self._exact = forest, exact
        self._waiting: list[ZeroCandidate] = []
        self.simple: list[dict[str, Fraction]] = []
        """Those at which the variable is a simple fraction."""
        self.unexamined = False
        """Whether the domain may hold a point that stands alone, and could not be looked at."""

    def note(self, line: Line, function: Critical, t: float, crossed: bool) -> None:
        """Note a zero on a line, where the line is along one variable; others say too little of the point."""
        moving = np.flatnonzero(line.direction)
        if len(moving) != 1:
            return
        at = int(moving[0])
        value = float(line.base[at] + line.direction[at] * t)
        near = _simple_fraction(value)
        others = [k for k in range(len(line.base)) if k != at]
        for fill in (None, *(HELD if others else ())):
            held = {place_word(k): _short(line.base[k]) if fill is None else fill for k in others}
            if near is not None:
                self.simple.append(held | {place_word(at): near})
            elif not function.wave:
                self._waiting.append(ZeroCandidate(function, place_word(at), value, held, crossed))

    def difference(self) -> tuple[dict[str, Fraction], Finding] | None:
        """A zero that is no simple fraction and at which the sides certainly differ: those near 1 are tried first."""
        examined: list[ZeroCandidate] = []
        for some in sorted(self._waiting, key=lambda c: (not c.crossed, abs(math.log2(abs(c.near) + 2.0**-60))))[:MOST]:
            if not some.crossed and any(_alike(some, other) for other in examined):
                continue
            point, found = at_zero(self._exact, self._forest, some)
            if found.code == Code.DIFFERENT and not found.taken:
                return point, found
            if found.code != Code.OPEN:
                examined.append(some)
            elif not some.crossed and not some.held and self._stands_alone(some):  # a pole changes sign too
                self.unexamined = True
        return None

    def _stands_alone(self, some: ZeroCandidate) -> bool:
        """Whether a side has no value next to a zero: what holds at the zero may hold there alone."""
        size = abs(some.near)
        if not 1 / FAR < size < FAR:  # 1/x all but touches 0 far out
            return False
        sides = [some.held | {some.name: Fraction(some.near + way * size * BESIDE)} for way in (1, -1)]
        return all(self._exact.compare(point, most=BESIDE_BITS).code == Code.UNDEFINED for point in sides)


def at_zero(exact: ExactPoints, forest: Forest, some: ZeroCandidate) -> tuple[dict[str, Fraction], Finding]:
    """The point that a candidate stands for, and what is known there; open if nothing proves that it is one."""
    node, value = some.function.node, int(some.function.offset)
    found = Finding(Code.OPEN, 0)
    size = max(abs(some.near), 2.0**-60)
    for width in WIDTHS if some.crossed else ():
        ends = Fraction(some.near - width * size), Fraction(some.near + width * size)
        found = exact.compare_between(some.held, some.name, ends, node, value)
        if found.code != Code.OPEN:
            break
    if found.code == Code.OPEN:
        turns = Fraction(some.near / math.pi).limit_denominator(LARGEST_PART)
        if turns and abs(float(turns) * math.pi - some.near) < 1e-6 * size:
            found = exact.compare_at_turns(some.held, some.name, fmpq(turns.numerator, turns.denominator), node, value)
    return some.held | {some.name: Zero(Fraction(some.near), forest.expression(node), value)}, found


def _short(value: Any) -> Fraction:
    return Fraction(float(value)).limit_denominator(1000)


def _simple_fraction(value: float) -> Fraction | None:
    """The simple fraction that a number all but is, if there is one."""
    for most in (1, 2, 10, 1000):
        near = Fraction(value).limit_denominator(most)
        if abs(float(near) - value) <= 1e-9 * max(1.0, abs(value)):
            return near
    return None


def _alike(some: ZeroCandidate, other: ZeroCandidate) -> bool:
    """Whether two zeros are the same as far as floating point tells minima."""
    near = abs(some.near - other.near) < 1e-6 * abs(other.near)
    return near and some.name == other.name and some.held == other.held
