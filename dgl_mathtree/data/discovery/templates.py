"""Identities made from templates: polynomials, numbers, and pairs of small expressions that are mostly unlike."""

from __future__ import annotations

import random

from dgl_mathtree.data.discovery import number_identities
from dgl_mathtree.data.discovery.polynomials import polynomial
from dgl_mathtree.language.build import Pair, read_all

NUMBERS_SHARE = 0.18
SMALL = read_all(
    "x;y;z;w;1;2;3;0;x^2;y^2;2*x;x+y;x-y;y-x;x*y;x/y;y/x;1/x;-x;sin(x);cos(x);tan(x);sin(y);cos(y);x+1;"
    "sqrt(x);ln(x);ln(y);exp(x);e^x;x^3;x^y;y^x;3*x;x/2;x-1;1-x;2^x;sinh(x);cosh(x);tanh(x);sec(x);csc(x);cot(x);"
    "asin(x);acos(x);atan(x);-y;2*y;x+z;x-z;sin(2*x);2*sin(x);x^-1;pi;e;1/2;-1;log(x,2);exp(-x);sin(x)^2;cos(x)^2;"
    "1/y;y+x;sqrt(y);x*x;x+x;x^2*y;x*y^2;exp(y)"
)


def template(rng: random.Random) -> tuple[str, Pair] | None:
    """A template's name and an identity made by it, or None if this draw made none."""
    if rng.random() > NUMBERS_SHARE:
        return polynomial(rng)
    name = rng.choices(list(number_identities.FORMS), [weight for weight, _ in number_identities.FORMS.values()])[0]
    pair = number_identities.FORMS[name][1](rng)
    return None if pair is None else (name, pair)


def small_pair(rng: random.Random) -> Pair:
    """Two small expressions beside each other: most such equations are wrong."""
    return rng.choice(SMALL), rng.choice(SMALL)
