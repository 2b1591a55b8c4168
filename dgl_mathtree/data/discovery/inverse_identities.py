"""Identities of inverse functions: compositions of every pair, at multiples and halves, sums with their ranges, with
logarithms, Gudermann's."""

from __future__ import annotations

import random
from collections.abc import Callable

from dgl_mathtree.data.discovery.angle_identities import chebyshev, natural_power, weighted
from dgl_mathtree.language.build import Pair, Term, add, div, mul, power, read, read_all, sub, substitute

ARGUMENTS = read_all(
    "x;x;x;x;x;y;t;a;2*x;x/2;x^2;1/x;x+y;x*y;3*x;x-1;1-x;sqrt(x);x/3;-x;x+1;2*x-1;sin(x);exp(x);2*x+1;x/y;1-x^2"
)
_SINES = {
    "asin": ("x", "sqrt(1-x^2)"),
    "acos": ("sqrt(1-x^2)", "x"),
    "atan": ("x/sqrt(1+x^2)", "1/sqrt(1+x^2)"),
    "acsc": ("1/x", "sqrt(1-1/x^2)"),
    "asec": ("sqrt(1-1/x^2)", "1/x"),
    "acot": ("1/(x*sqrt(1+1/x^2))", "1/sqrt(1+1/x^2)"),
    "asinh": ("x", "sqrt(x^2+1)"),
    "acosh": ("sqrt(x-1)*sqrt(x+1)", "x"),
    "atanh": ("x/sqrt(1-x^2)", "1/sqrt(1-x^2)"),
    "acsch": ("1/x", "sqrt(1+1/x^2)"),
    "asech": ("sqrt(1/x-1)*sqrt(1/x+1)", "1/x"),
    "acoth": ("1/(x*sqrt(1-1/x^2))", "1/sqrt(1-1/x^2)"),
}
"""Sine and cosine of each inverse function, on its principal branch."""
_LOGARITHMS = {
    "asinh": "ln(x+sqrt(x^2+1))",
    "acosh": "ln(x+sqrt(x^2-1))",
    "atanh": "ln((1+x)/(1-x))/2",
    "acsch": "ln(1/x+sqrt(1/x^2+1))",
    "asech": "ln((1+sqrt(1-x^2))/x)",
    "acoth": "ln((x+1)/(x-1))/2",
}
_CIRCULAR, _HYPERBOLIC = list(_SINES)[:6], list(_SINES)[6:]
_TO_SINE = {"acsc": "asin", "asec": "acos", "acot": "atan", "acsch": "asinh", "asech": "acosh", "acoth": "atanh"}
_GUDERMANN = read_all("atan(sinh(x));asin(tanh(x));2*atan(tanh(x/2));2*atan(exp(x))-pi/2;acot(csch(x));acsc(coth(x))")
_LAMBERT = read_all("asinh(tan(x));atanh(sin(x));2*atanh(tan(x/2));acoth(csc(x));acsch(cot(x))")


def _pieces(rng: random.Random) -> tuple[str, Term, Term, Term, str]:
    """An inverse function, what it is of, its sine and cosine, and the ``h`` of their names."""
    name = rng.choice(list(_SINES))
    argument = rng.choice(ARGUMENTS)
    sine, cosine = (substitute(read(text), {"x": argument}) for text in _SINES[name])
    return name, argument, sine, cosine, "h" if name in _HYPERBOLIC else ""


def _ratio(above: Term, below: Term) -> Term:
    """A quotient, where one of them is 1/u written without it."""
    for one, other in ((above, below), (below, above)):
        if isinstance(one, tuple) and one[0] == "Mul" and one[1] == "1" and one[2][0] == "Pow" and one[2][2] == "-1":
            whole = mul(other, one[2][1]) if other != "1" else one[2][1]
            return ("Pow", whole, "-1") if one is above else whole
    return div(above, below)


def _composition(rng: random.Random) -> Pair:
    name, argument, sine, cosine, h = _pieces(rng)
    function = rng.choice(("sin", "cos", "tan", "csc", "sec", "cot"))
    values = {
        "sin": sine, "cos": cosine, "tan": _ratio(sine, cosine),
        "csc": _ratio("1", sine), "sec": _ratio("1", cosine), "cot": _ratio(cosine, sine),
    }  # fmt: skip
    return (function + h, (name, argument)), values[function]


def _multiple_of_inverse(rng: random.Random) -> Pair:
    """sin(2*asin(x)), cos(4*acos(x)): Chebyshev polynomials, mostly."""
    name, argument, sine, cosine, h = _pieces(rng)
    n, inner = rng.choice((2, 2, 2, 3, 3, 4, 5, 6)), (name, argument)
    simple = name in ("acos", "acosh", "asec", "asech")
    base = argument if name in ("acos", "acosh") else div("1", argument) if simple else None
    if n == 2 or base is None:
        square, sign = power(sine, "2"), 1 if h else -1
        if isinstance(argument, str) and name in ("asin", "asinh"):
            square = power(argument, "2")
        pairs = [
            (("sin" + h, mul("2", inner)), mul("2", mul(sine, cosine))),
            (("cos" + h, mul("2", inner)), add("1", mul("2", square)) if sign > 0 else sub("1", mul("2", square))),
        ]
        return rng.choice(pairs)
    terms = [(c, [natural_power(base, k)] if k else []) for k, c in enumerate(chebyshev(n)) if c]
    if rng.random() < 0.6:
        return ("cos" + h, mul(str(n), inner)), weighted(terms[::-1])
    second = [(c, [natural_power(base, k)] if k else []) for k, c in enumerate(chebyshev(n - 1, second=True)) if c]
    return ("sin" + h, mul(str(n), inner)), mul(sine, weighted(second[::-1]))


def _half_of_inverse(rng: random.Random) -> Pair:
    name, argument, sine, cosine, h = _pieces(rng)
    inner = div((name, argument), "2")
    below = add("1", cosine)
    above = sub(cosine, "1") if h else sub("1", cosine)
    pairs: list[Pair] = [
        (("tan" + h, inner), div(sine, below)),
        (power(("sin" + h, inner), "2"), div(above, "2")),
        (power(("cos" + h, inner), "2"), div(below, "2")),
        (("cos" + h, inner), power(div(below, "2"), "1/2")),
        (power(("tan" + h, inner), "2"), div(above, below)),
    ]
    if name in ("acos", "acosh", "asec", "asech"):
        pairs.append((("sin" + h, inner), power(div(above, "2"), "1/2")))
    return rng.choice(pairs)


def _of_a_sum(rng: random.Random) -> Pair:
    """sin(asin(x) + acos(y)) and the like: a function of a sum of two inverse functions."""
    one, two = rng.choices(_CIRCULAR[:3] if rng.random() < 0.7 else _CIRCULAR, k=2)
    if rng.random() < 0.2:
        one, two = rng.choices(_HYPERBOLIC[:3], k=2)
    h = "h" if one in _HYPERBOLIC else ""
    a, b = rng.sample(("x", "y", "t", "a", "b"), 2)
    (s, c), (u, v) = (
        [substitute(read(text), {"x": letter}) for text in _SINES[name]] for name, letter in ((one, a), (two, b))
    )
    plus, minus = (add, sub) if rng.random() < 0.5 else (sub, add)
    angle = plus((one, a), (two, b))
    if rng.random() < 0.2 and one == two and one in ("atan", "atanh"):
        return ("tan" + h, angle), div(plus(a, b), (plus if h else minus)("1", mul(a, b)))
    if rng.random() < 0.5:
        return ("sin" + h, angle), plus(mul(s, v), mul(c, u))
    return ("cos" + h, angle), (plus if h else minus)(mul(c, v), mul(s, u))


def _in_each_other(rng: random.Random) -> Pair:
    """An inverse function as another, with its range: asec(x) = acos(1/x), acos(x) = pi/2 - asin(x), in logarithms."""
    u = rng.choice(ARGUMENTS)
    draw = rng.random()
    if draw < 0.3:
        name = rng.choice(list(_TO_SINE))
        return (name, u), (_TO_SINE[name], div("1", u))
    if draw < 0.55:
        name = rng.choice(list(_LOGARITHMS))
        return (name, u), substitute(read(_LOGARITHMS[name]), {"x": u})
    forms = read_all(
        "asin(x)+acos(x);asec(x)+acsc(x);acos(x)+acos(-x);asin(x)+asin(-x);atan(x)+atan(-x);asec(x)+asec(-x);"
        "asin(x);acos(x);atan(x);acos(x);asin(x);atan(x);asinh(x);atanh(x);atan(x);acos(1-2*x^2)/2;acos(2*x^2-1)/2"
    )
    values = read_all(
        "pi/2;pi/2;pi;0;0;pi;atan(x/sqrt(1-x^2));2*atan(sqrt((1-x)/(1+x)));asin(x/sqrt(1+x^2));"
        "pi/2-asin(x);2*atan(x/(1+sqrt(1-x^2)));2*atan(x/(1+sqrt(1+x^2)));"
        "2*atanh(x/(1+sqrt(1+x^2)));asinh(x/sqrt(1-x^2));acot(1/x);asin(sqrt(x^2));acos(sqrt(x^2))"
    )
    k = rng.randrange(len(forms))
    pair = substitute(forms[k], {"x": u}), substitute(values[k], {"x": u})
    if rng.random() < 0.25:
        function = rng.choice(("sin", "cos", "tan"))
        return (function, pair[0]), (function, pair[1])
    return pair


def _gudermann(rng: random.Random) -> Pair:
    """The Gudermannian and its inverse in two ways, and functions of it."""
    one, two = rng.sample(_GUDERMANN if rng.random() < 0.6 else _LAMBERT, 2)
    u = rng.choice(ARGUMENTS)
    if rng.random() < 0.4:
        values = {"sin": ("tanh", u), "cos": ("sech", u), "tan": ("sinh", u), "sec": ("cosh", u), "csc": ("coth", u)}
        name = rng.choice(list(values))
        if rng.random() < 0.3:
            half = ("tan", div(one, "2")) if one in _GUDERMANN else ("tanh", div(one, "2"))
            value = ("tanh", div("x", "2")) if one in _GUDERMANN else ("tan", div("x", "2"))
            return substitute(half, {"x": u}), substitute(value, {"x": u})
        if one in _GUDERMANN:
            return (name, substitute(one, {"x": u})), values[name]
    return substitute(one, {"x": u}), substitute(two, {"x": u})


FORMS: dict[str, tuple[float, Callable[[random.Random], Pair]]] = {
    "composition": (1.6, _composition),
    "multiple-of-inverse": (1.2, _multiple_of_inverse),
    "half-of-inverse": (1.0, _half_of_inverse),
    "function-of-sum": (1.0, _of_a_sum),
    "in-each-other": (1.2, _in_each_other),
    "gudermann": (0.8, _gudermann),
}
