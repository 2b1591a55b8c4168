"""What number a decimal is: fractions, multiples of pi, surds, logarithms and angles that it agrees with.

A form is a guess from the first digits. The oracle decides in ball arithmetic whether it is right.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from dgl_mathtree.language import Expr
from dgl_mathtree.language.plain_terms import minus, over, plus, raised, times

NEAR = 1e-10
"""The distance, relative to the value or to 1, within which a value and a form agree."""
LARGEST_NUMERATOR, LARGEST_DENOMINATOR = 1_000_000, 360
SURDS = (2, 3, 5, 6, 7, 10, 13, 15, 17, 21)
"""Numbers under the square roots that sums with fractions are tried with."""
LOGARITHMS = (2, 3, 5, 7, 10)
HALF, E, PI = Expr.leaf("1/2"), Expr.leaf("e"), Expr.leaf("pi")
_PARTS = sorted({Fraction(a, b) for a in range(-12, 13) for b in (1, 2, 3, 4, 6, 8) if a}, key=lambda f: (abs(f), f))
_PART_VALUES = np.array([float(part) for part in _PARTS])


def nearest_fraction(
    value: float, denominator: int = LARGEST_DENOMINATOR, numerator: int = LARGEST_NUMERATOR
) -> Expr | None:
    """The fraction that a value is, if it is one with a small numerator and denominator.

    Examples
    --------
    >>> str(nearest_fraction(-0.4166666666666667)), nearest_fraction(math.pi)
    ('-5/12', None)
    """
    if not math.isfinite(value) or abs(value) > numerator:
        return None
    found = Fraction(value).limit_denominator(denominator)
    return Expr.leaf(str(found)) if abs(float(found) - value) <= NEAR * max(1.0, abs(value)) else None


def coefficient_of(value: float) -> Expr | None:
    """The short number that a value is, as people write before a term: a fraction, or one with a root or pi.

    Examples
    --------
    >>> [str(coefficient_of(value)) for value in (0.75, math.sqrt(3) / 2, math.pi / 4)]
    ['3/4', 'sqrt(3)/2', 'pi/4']
    """
    plain = nearest_fraction(value, 60, 100_000)
    if plain is not None:
        return plain
    angle = nearest_fraction(value / math.pi, 24, 100)
    return times(angle, PI) if angle is not None and angle.word != "0" else _root_of_fraction(value)


def _root_of_fraction(value: float) -> Expr | None:
    """a*sqrt(n)/b, where the value's square is a fraction."""
    square = nearest_fraction(value * value, 400, 10_000)
    if square is None or square.word == "0":
        return None
    exact = Fraction(square.word)
    inside = exact.numerator * exact.denominator
    outside = max(k for k in range(1, math.isqrt(inside) + 1) if inside % (k * k) == 0)
    factor = Fraction(outside, exact.denominator) * (1 if value > 0 else -1)
    return times(Expr.leaf(str(factor)), raised(Expr.leaf(str(inside // outside**2)), HALF))


def number_forms(value: float) -> Iterator[Expr]:
    """Numbers that a value may be, as expressions.

    Examples
    --------
    >>> [str(form) for form in number_forms((math.sqrt(5) - 1) / 4)]
    ['(sqrt(5) - 1)/4', 'sqrt((3 - sqrt(5))/8)']
    >>> [str(form) for form in number_forms(math.pi - 2)]
    ['pi - 2']
    """
    if not math.isfinite(value) or abs(value) > LARGEST_NUMERATOR:
        return
    plain = coefficient_of(value) or nearest_fraction(value)
    if plain is not None:
        yield plain
        return
    yield from _surds(value)
    square = value * value
    if square < 100:
        for inside in _surds(square):
            root = raised(inside, HALF)
            yield root if value > 0 else times(Expr.leaf("-1"), root)
    for quarters in (1, 2, 3, 4, 6, 8):
        for sign in (1, -1):
            angle = times(Expr.leaf(str(Fraction(sign * quarters, 4))), PI)
            rest = nearest_fraction(value - sign * quarters * math.pi / 4, 12, 100)
            if rest is not None:
                yield plus(angle, rest)
    yield from _powers(value)
    yield from _angles(value)


def _surds(value: float) -> Iterator[Expr]:
    """Fractions plus a multiple of a square root, over a common denominator."""
    for n in SURDS:
        rest = value - _PART_VALUES * math.sqrt(n)
        near = np.abs(rest * 24 - np.rint(rest * 24)) < 24 * NEAR * max(1.0, abs(value))
        small = np.abs(rest) < 60
        root = raised(Expr.leaf(str(n)), HALF)
        for k in np.flatnonzero(near & small)[:2].tolist():
            yield _over_common(Fraction(round(float(rest[k]) * 24), 24), _PARTS[k], root)


def _over_common(number: Fraction, part: Fraction, root: Expr) -> Expr:
    """(a + b*sqrt(n))/c."""
    below = math.lcm(number.denominator, part.denominator)
    above = times(Expr.leaf(str(part * below)), root)
    rest = Expr.leaf(str(number * below))
    total = plus(above, rest) if part > 0 and number < 0 else plus(rest, above)
    return over(total, Expr.leaf(str(below)))


def _powers(value: float) -> Iterator[Expr]:
    """Logarithms, powers of e and cube roots."""
    if abs(value) < 12:
        inside = nearest_fraction(math.exp(value), 60, 10_000)
        if inside is not None and inside.word != "1":
            yield Expr._trusted(("log", *inside.words, "e"))
        for n in LOGARITHMS:
            times_log = nearest_fraction(value / math.log(n), 24, 60)
            if times_log is not None and times_log.word not in ("0", "1"):
                yield times(times_log, Expr._trusted(("log", str(n), "e")))
    exponent = nearest_fraction(math.log(abs(value)), 12, 12) if value else None
    if exponent is not None and exponent.word != "0":
        power = raised(E, exponent)
        yield power if value > 0 else times(Expr.leaf("-1"), power)
    multiple = nearest_fraction(value / math.e, 24, 60)
    if multiple is not None and multiple.word != "0":
        yield times(multiple, E)
    cube = nearest_fraction(value**3, 60, 10_000)
    if cube is not None and value > 0:
        yield raised(cube, Expr.leaf("1/3"))


def _angles(value: float) -> Iterator[Expr]:
    """Inverse functions of fractions, and multiples of pi less these."""
    if abs(value) > 2 * math.pi:
        return
    for name, ratio, principal in (
        ("atan", math.tan(value), math.atan),
        ("asin", math.sin(value), math.asin),
        ("acos", math.cos(value), math.acos),
    ):
        inside = nearest_fraction(ratio, 1000, 1000)
        if inside is None or abs(ratio) < 1e-9:
            continue
        angle = Expr._trusted((name, *inside.words))
        for sign, made in ((1, plus), (-1, minus)):
            halves = nearest_fraction((value - sign * principal(float(Fraction(inside.word)))) * 2 / math.pi, 1, 4)
            if halves is not None:
                turn = times(times(HALF, halves), PI)
                yield made(turn, angle)
