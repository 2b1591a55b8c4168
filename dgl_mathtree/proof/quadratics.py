"""Polynomials that are quadratic in a generator: a*g^2 + b*g + c = (a*(2*a*g + b)^2 + a*(4*a*c - b^2))/(2*a)^2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dgl_mathtree.proof.algebra import GENERATOR_LIST


def square_and_gap(polynomial: Any) -> Iterator[tuple[Any, Any]]:
    """The coefficient a of a square, and 4*a*c - b^2, for each generator in which a polynomial is quadratic.

    Where both are positive, so is the polynomial.
    """
    for index, degree in enumerate(polynomial.degrees()):
        if degree == 2:
            g = GENERATOR_LIST[index]
            slope = polynomial.derivative(index)
            a = slope.derivative(index) / 2
            b = slope - 2 * a * g
            c = polynomial - a * g * g - b * g
            yield a, 4 * a * c - b * b
