"""True equations from true equations: substitution, rearrangement, and rewriting of a part by one of equal value."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping

from dgl_mathtree.data.discovery.law_instances import FILLINGS
from dgl_mathtree.language.build import (
    Pair,
    Term,
    add,
    chain,
    div,
    mul,
    neg,
    power,
    product,
    read_all,
    replaced,
    sub,
    substitute,
    total,
    variables,
)

ADDENDS = read_all("1;2;x;y;z;3;x^2;sin(x);cos(x);2*x;w;1/2;pi;x*y;exp(x);ln(x);5;sqrt(x);1/x;-1;e;x+1;cosh(x)")
Members = Mapping[Term, list[Term]]


def substituted(pair: Pair, rng: random.Random) -> Pair | None:
    """The pair with some of its variables replaced by small expressions."""
    letters = variables(*pair)
    if not letters:
        return None
    values = {}
    for letter in letters:
        if rng.random() < 0.75:
            term = rng.choice(FILLINGS)
            values[letter] = substitute(term, {"x": letter}) if rng.random() < 0.8 else term
    if not values:
        return None
    return substitute(pair[0], values), substitute(pair[1], values)


def _minus(a: Term, b: Term) -> Term:
    return a if b == "0" else neg(b) if a == "0" else sub(a, b)


def _over(a: Term, b: Term) -> Term:
    """a/b; where b is 1/c, a*c."""
    if isinstance(b, tuple) and b[0] == "Pow" and b[2] == "-1":
        return b[1] if a == "1" else mul(a, b[1])
    return a if b == "1" else div(a, b)


def _move_term(a: Term, b: Term, rng: random.Random, other: Pair) -> Pair | None:
    terms = chain(a, "Add")
    if len(terms) < 2:
        return None
    moved = terms.pop(rng.randrange(len(terms)))
    return total(terms), _minus(b, moved)


def _move_factor(a: Term, b: Term, rng: random.Random, other: Pair) -> Pair | None:
    factors = chain(a, "Mul")
    if len(factors) < 2:
        return None
    moved = factors.pop(rng.randrange(len(factors)))
    return product(factors), _over(b, moved)


def _difference_is_zero(a: Term, b: Term, rng: random.Random, other: Pair) -> Pair | None:
    return None if "0" in (a, b) else (_minus(a, b), "0")


def _quotient_is_one(a: Term, b: Term, rng: random.Random, other: Pair) -> Pair | None:
    return None if {a, b} & {"0", "1"} else (_over(a, b), "1")


def _add_to_both(a: Term, b: Term, rng: random.Random, other: Pair) -> Pair | None:
    term = rng.choice(ADDENDS)
    if rng.random() < 0.5:
        return sub(a, term), sub(b, term)
    return add(a, term), add(term, b)


def _multiply_both(a: Term, b: Term, rng: random.Random, other: Pair) -> Pair | None:
    term = rng.choice(ADDENDS)
    if rng.random() < 0.4:
        return div(a, term), div(b, term)
    return mul(term, a), mul(term, b)


def _square_both(a: Term, b: Term, rng: random.Random, other: Pair) -> Pair | None:
    exponent = rng.choice(("2", "2", "3", "1/2"))
    return power(a, exponent), power(b, exponent)


def _reciprocal(a: Term, b: Term, rng: random.Random, other: Pair) -> Pair | None:
    return _over("1", a), _over("1", b)


def _negative(a: Term, b: Term, rng: random.Random, other: Pair) -> Pair | None:
    return neg(a), neg(b)


def _exchange_difference(a: Term, b: Term, rng: random.Random, other: Pair) -> Pair | None:
    """a + c = b + d from a = b and c = d, and the like with -, * and /."""
    c, d = other
    combine = rng.choice((add, sub, mul, _over))
    return combine(a, c), combine(b, d)


def _apply_function(a: Term, b: Term, rng: random.Random, other: Pair) -> Pair | None:
    name = rng.choice("sin cos tan exp ln sinh cosh atan asin tanh sec".split())
    return (("log", a, "e"), ("log", b, "e")) if name == "ln" else ((name, a), (name, b))


def _cross(a: Term, b: Term, rng: random.Random, other: Pair) -> Pair | None:
    """a*d = b*c, or a/c = b/d turned over, where both sides are quotients."""
    above_a, below_a = _fraction(a)
    above_b, below_b = _fraction(b)
    if below_a == "1" and below_b == "1":
        return None
    return _product(above_a, below_b), _product(above_b, below_a)


def _product(a: Term, b: Term) -> Term:
    return b if a == "1" else a if b == "1" else mul(a, b)


def _fraction(term: Term) -> tuple[Term, Term]:
    above, below = [], []
    for factor in chain(term, "Mul"):
        if isinstance(factor, tuple) and factor[0] == "Pow" and factor[2] == "-1":
            below.append(factor[1])
        else:
            above.append(factor)
    return product(above) if above else "1", product(below) if below else "1"


Step = Callable[[Term, Term, random.Random, Pair], "Pair | None"]
REARRANGEMENTS: dict[str, tuple[float, Step]] = {
    "move a term": (5.0, _move_term),
    "move a factor": (4.0, _move_factor),
    "cross-multiply": (2.0, _cross),
    "difference is zero": (0.8, _difference_is_zero),
    "quotient is one": (0.5, _quotient_is_one),
    "add to both sides": (0.6, _add_to_both),
    "multiply both sides": (0.8, _multiply_both),
    "power of both sides": (0.7, _square_both),
    "reciprocal of both sides": (1.2, _reciprocal),
    "negative of both sides": (0.5, _negative),
    "join two equations": (3.0, _exchange_difference),
    "function of both sides": (0.5, _apply_function),
}


def rearranged(pair: Pair, other: Pair, rng: random.Random) -> tuple[str, Pair] | None:
    """The name of a rearrangement and what it makes of a pair (and, joining them, of another)."""
    a, b = pair if rng.random() < 0.5 else pair[::-1]
    name = rng.choices(list(REARRANGEMENTS), [weight for weight, _ in REARRANGEMENTS.values()])[0]
    result = REARRANGEMENTS[name][1](a, b, rng, other)
    return None if result is None else (name, result)


def _places(term: Term, members: Members, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    if isinstance(term, tuple):
        if term in members:
            yield path
        for k, child in enumerate(term[1:], 1):
            yield from _places(child, members, (*path, k))


def rewritten(pair: Pair, members: Members, rng: random.Random) -> Pair | None:
    """The pair with a part of a side replaced by another member of its class, the whole side only if nothing else."""
    a, b = pair if rng.random() < 0.5 else pair[::-1]
    places = list(_places(b, members))
    places = [path for path in places if path] or places
    if not places:
        return None
    return a, replaced(b, rng.choice(places), lambda term: rng.choice(members[term]))


def combined(pairs: list[Pair], rng: random.Random) -> Pair:
    """One long equation of several: their sum, with signs and factors, and some of their sides exchanged."""
    left: Term | None = None
    right: Term | None = None
    for pair in pairs:
        a, b = pair if rng.random() < 0.6 else pair[::-1]
        draw = rng.random()
        if draw < 0.2:
            k = rng.choice(("2", "3", "4", "1/2", "x", "y"))
            a, b = mul(k, a), mul(k, b)
        if left is None or right is None:
            left, right = a, b
        elif draw < 0.3:  # a - b = 0, within one side
            left = _minus(add(left, a), b)
        elif draw < 0.4:
            left, right = _minus(left, b), _minus(right, a)
        elif draw < 0.55:
            left, right = _product(left, a), _product(b, right)
        elif draw < 0.8:
            left, right = add(left, a), add(b, right)
        else:
            left, right = _minus(left, a), _minus(right, b)
    return left, right
