"""Fillings that a blank's equation is solved for: by algebra, and by the values that the blank must have.

`blank_inverses` moves the rest of the equation to the other side. What comes out is simplified by the prover's normal
form, and its values at a few points are compared with terms of the equation: equal up to a number, a sum or product of
two or three, or linear. Values come from small regions, so that a solution that holds on one branch of a function is
found there; whether it holds everywhere is for the oracle to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from dgl_mathtree.inference.blank_inverses import solutions
from dgl_mathtree.inference.number_forms import number_forms
from dgl_mathtree.inference.simplest_forms import simplest_forms
from dgl_mathtree.inference.value_fits import Array, linear_fit, products_of_terms, scaled_terms, sums_of_terms
from dgl_mathtree.language import Equation, Expr, Forest
from dgl_mathtree.oracle.evaluate import evaluate_forest

POINTS = 9
"""Points of a region."""
WIDE = ((0.15, 0.95), (1.05, 2.9), (-0.95, -0.15), (-2.9, 2.9))
"""Regions that all variables lie in."""
NARROW = ((0.37, 0.23, 0.61, 0.48), (2.6, 1.9, 1.45, 1.2), (-0.37, -0.23, 0.31, 0.48))
"""Values around which the variables lie, in turn, in regions that hold no edge of a branch as a rule."""
SPREAD = 0.04
LONGEST = 40
"""Words of a filling at most."""


def solved_fillings(
    blank: Equation, terms: Sequence[Expr], basis: Sequence[Expr], angles: Sequence[Expr]
) -> list[Expr]:
    """Fillings of a blank that its equation is solved for, each once.

    Parameters
    ----------
    blank : Equation
        With one blank.
    terms : sequence of Expr
        What the filling may be a multiple of.
    basis : sequence of Expr
        What it may be a sum or product of, the most likely first.
    angles : sequence of Expr
        What it may be a linear combination of, where it is the argument of a function.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_blank
    >>> [str(e) for e in solved_fillings(parse_blank("x^3 - 8 = (x - 2)*?"), [], [], [])]
    ['(x^3 - 8)/(x - 2)', 'x^2 + 2*x + 4']
    """
    targets = solutions(blank)
    found = [*targets, *(form for target in targets for form in simplest_forms(target))]
    samples = _Samples(blank, targets, [terms, basis, angles])
    for k in range(len(targets)):
        found += samples.found(k)
    return [form for form in dict.fromkeys(found) if len(form) <= LONGEST]


class _Samples:
    """The values of solutions and terms in all regions."""

    def __init__(self, blank: Equation, targets: Sequence[Expr], groups: Sequence[Sequence[Expr]]) -> None:
        self.groups = groups
        every = [*targets, *(term for group in groups for term in group)]
        forest = Forest.of_expressions(every)
        values = evaluate_forest(forest, _points(blank.variables))[0][forest.equations[:, 0]]
        if values.shape[1] == 1:  # no variables
            values = np.repeat(values, POINTS * (len(WIDE) + len(NARROW)), axis=1)
        ends = np.cumsum([len(targets), *map(len, groups)]).tolist()
        self.targets = values[: ends[0]]
        self.values = [values[start:end] for start, end in pairwise(ends)]
        self.constant = not blank.variables

    def found(self, k: int) -> Iterator[Expr]:
        """Fillings with the values of a solution."""
        terms, basis, angles = self.groups
        wide = self._regions(k, range(len(WIDE)))
        narrow = self._regions(k, range(len(WIDE), len(WIDE) + len(NARROW)))
        for region in [*wide, *narrow][:1]:
            target = self.targets[k, region]
            if np.ptp(target) <= 1e-11 * max(1.0, float(np.abs(target).max())):
                yield from number_forms(float(target.mean()))
            if self.constant:
                return
            yield from scaled_terms(target, terms, self.values[0][:, region])
            yield from sums_of_terms(target, basis, self.values[1][:, region])
            yield from products_of_terms(target, basis, self.values[1][:, region])
        for region in narrow[:2]:
            yield from linear_fit(self.targets[k, region], angles, self.values[2][:, region])

    def _regions(self, k: int, numbers: range) -> list[slice]:
        """The regions throughout which a solution is defined."""
        slices = [slice(n * POINTS, (n + 1) * POINTS) for n in numbers]
        return [region for region in slices if np.isfinite(self.targets[k, region]).all()]


def _points(variables: Sequence[str]) -> dict[str, Array]:
    """The values of each variable, region by region."""
    found = {}
    for place, name in enumerate(variables):
        rng = np.random.default_rng([20190501, place])
        wide = [rng.uniform(low, high, POINTS) for low, high in WIDE]
        around = [centres[place % len(centres)] + 0.07 * (place // len(centres)) for centres in NARROW]
        found[name] = np.concatenate([*wide, *(rng.uniform(c - SPREAD, c + SPREAD, POINTS) for c in around)])
    return found
