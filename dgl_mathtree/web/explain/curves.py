"""The two sides of an equation along its first variable, by the oracle's own evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dgl_mathtree.language import Equation, Forest
from dgl_mathtree.oracle import Judgement, Witness, evaluate_forest
from dgl_mathtree.oracle.verdict import nearest_float
from dgl_mathtree.oracle.witnesses import SIMPLE

Floats = NDArray[np.float64]
Point = dict[str, Fraction]
SAMPLES = 481
STRETCHES = (6.0, 2.0, 20.0, 1.0, 100.0)
"""How far to either side of 0 is looked, in turn, until enough of a stretch is defined."""
ENOUGH = 0.3


@dataclass(frozen=True)
class Curves:
    """Both sides of an equation along one variable.

    Attributes
    ----------
    variable : str
        The first variable of the equation.
    fixed : dict of str to Fraction
        The values of the others.
    x : numpy.ndarray
        (samples,) values of the variable, evenly spaced.
    sides : numpy.ndarray
        (2, samples) values of the left and the right side, NaN where a side has none or none that is certain.
    same : numpy.ndarray
        (samples,) 1 where the sides agree as far as can be told, 0 where they certainly differ, -1 where one of them
        has no value.
    """

    variable: str
    fixed: Point
    x: Floats
    sides: Floats
    same: NDArray[np.int64]

    def to_json(self) -> dict[str, object]:
        """Plain lists; null where a side has no value."""
        return {
            "variable": self.variable,
            "fixed": {name: str(value) for name, value in self.fixed.items()},
            "from": float(self.x[0]),
            "to": float(self.x[-1]),
            "left": numbers(self.sides[0]),
            "right": numbers(self.sides[1]),
            "same": self.same.tolist(),
        }


def curves(equation: Equation, point: Point, shown: tuple[Witness | None, ...] = ()) -> Curves | None:
    """Both sides along the first variable, over a stretch that holds some witnesses.

    None without variables, and where neither side has a value.

    Parameters
    ----------
    equation : Equation
        Whose sides.
    point : dict of str to Fraction
        Where the other variables are held.
    shown : tuple of Witness or None
        Points that the stretch must hold.
    """
    if not equation.variables:
        return None
    variable, *others = equation.variables
    fixed = {name: point[name] for name in others}
    farthest = max(
        (abs(nearest_float(witness.point[variable])) for witness in shown if witness is not None), default=0.0
    )
    found = []
    for half in STRETCHES:
        if half >= farthest or half == STRETCHES[-1]:
            x = np.linspace(-1.0, 1.0, SAMPLES) * max(half, round_up(1.1 * farthest) if half < farthest else 0.0)
            found.append(_along(equation, variable, fixed, x))
            if np.mean(found[-1].same >= 0) >= ENOUGH:
                return found[-1]
    best = max(found, key=lambda each: (np.mean(each.same >= 0), np.isfinite(each.sides).mean()))
    return best if np.isfinite(best.sides).any() else None


def round_up(value: float) -> float:
    """The next of 1, 2, 5, 10, 20, ...

    Examples
    --------
    >>> round_up(3.2), round_up(700.0)
    (5.0, 1000.0)
    """
    size = 10.0 ** np.floor(np.log10(value))
    return float(next(step * size for step in (1.0, 2.0, 5.0, 10.0) if step * size >= value))


def _along(equation: Equation, variable: str, fixed: Point, x: Floats) -> Curves:
    forest = Forest.of([equation])
    points = {variable: x} | {name: np.full(len(x), nearest_float(value)) for name, value in fixed.items()}
    values, errors = (part[forest.equations[0]] for part in evaluate_forest(forest, points))
    known = np.isfinite(values).all(axis=0) & np.isfinite(errors).all(axis=0)
    with np.errstate(invalid="ignore"):
        equal = np.abs(values[0] - values[1]) <= errors.sum(axis=0)
    return Curves(variable, fixed, x, values, np.where(known, equal.astype(np.int64), -1))


def shown_point(equation: Equation, judgement: Judgement) -> tuple[str, Point] | None:
    """Where an equation is looked at, and why there: the witness, or the first simple point at which it is defined.

    Returns
    -------
    tuple of str and dict, or None
        ``witness`` or ``example``, and the point; None where no simple point is defined.
    """
    if judgement.witness is not None:
        return "witness", judgement.witness.point
    names = equation.variables
    values = np.array([float(value) for value in SIMPLE])
    points = {name: np.roll(values, -k) for k, name in enumerate(names)}
    forest = Forest.of([equation])
    sides = evaluate_forest(forest, points)[0][forest.equations[0]]
    defined = np.flatnonzero(np.isfinite(sides).all(axis=0))
    if not len(defined):
        return None
    column = int(defined[0])
    return "example", {name: SIMPLE[(column + k) % len(SIMPLE)] for k, name in enumerate(names)}


def numbers(values: NDArray[Any]) -> list[float | None]:
    """Floats for JSON: null where there is none."""
    return [float(value) if np.isfinite(value) else None for value in values]
