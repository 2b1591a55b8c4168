"""Identities made from templates, in groups, and pairs of small expressions that are mostly unlike."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from dgl_mathtree.data.discovery import (
    constant_identities,
    fraction_identities,
    inverse_identities,
    number_identities,
    surds,
)
from dgl_mathtree.data.discovery.angle_identities import angle_identity
from dgl_mathtree.data.discovery.many_variable_forms import many_variables
from dgl_mathtree.data.discovery.polynomials import polynomial
from dgl_mathtree.language.build import Pair, Term, read_all, shape, size

Group = Callable[[random.Random], "tuple[str, Pair] | None"]
LARGEST_SIDE = 60
"""Nodes of a side of a template at most."""
DRAWS = 4
"""Templates that are drawn before none is made."""
SMALL = read_all(
    "x;y;z;w;1;2;3;0;x^2;y^2;2*x;x+y;x-y;y-x;x*y;x/y;y/x;1/x;-x;sin(x);cos(x);tan(x);sin(y);cos(y);x+1;"
    "sqrt(x);ln(x);ln(y);exp(x);e^x;x^3;x^y;y^x;3*x;x/2;x-1;1-x;2^x;sinh(x);cosh(x);tanh(x);sec(x);csc(x);cot(x);"
    "asin(x);acos(x);atan(x);-y;2*y;x+z;x-z;sin(2*x);2*sin(x);x^-1;pi;e;1/2;-1;log(x,2);exp(-x);sin(x)^2;cos(x)^2;"
    "1/y;y+x;sqrt(y);x*x;x+x;x^2*y;x*y^2;exp(y)"
)


def template(rng: random.Random) -> tuple[str, Pair] | None:
    """A template's name and an identity made by it, or None if no draw made one."""
    for _ in range(DRAWS):
        made = rng.choices(_GROUPS, _WEIGHTS)[0](rng)
        if made is not None and _is_worth_writing(*made[1]):
            return made
    return None


def _is_worth_writing(a: Term, b: Term) -> bool:
    return size(a) <= LARGEST_SIDE and size(b) <= LARGEST_SIDE and shape(a) != shape(b)


def drawing_from(forms: Mapping[str, tuple[float, Callable[[random.Random], Pair | None]]]) -> Group:
    """What draws one of some forms by their weights."""
    names, weights = list(forms), [weight for weight, _ in forms.values()]

    def draw(rng: random.Random) -> tuple[str, Pair] | None:
        name = rng.choices(names, weights)[0]
        pair = forms[name][1](rng)
        return None if pair is None else (name, pair)

    return draw


GROUPS: dict[str, tuple[float, Group]] = {
    "polynomials": (2.2, polynomial),
    "numbers": (0.7, drawing_from(number_identities.FORMS)),
    "many-variables": (3.2, many_variables),
    "angles": (2.0, angle_identity),
    "constants": (2.2, drawing_from(constant_identities.FORMS)),
    "surds": (1.5, drawing_from(surds.FORMS)),
    "inverse": (1.7, drawing_from(inverse_identities.FORMS)),
    "fractions": (1.4, drawing_from(fraction_identities.FORMS)),
}
_GROUPS = [group for _, group in GROUPS.values()]
_WEIGHTS = [weight for weight, _ in GROUPS.values()]


def small_pair(rng: random.Random) -> Pair:
    """Two small expressions beside each other: most such equations are wrong."""
    return rng.choice(SMALL), rng.choice(SMALL)
