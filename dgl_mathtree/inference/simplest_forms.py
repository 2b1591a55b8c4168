"""Expressions simplified by the prover's normal form, and written as people write.

The normal form reads an expression as a quotient of polynomials over generators. It is written back expanded and
factored, with products of roots under one root: which of these is the shortest depends on the expression.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce
from math import lcm
from typing import Any

from dgl_mathtree.arithmetic.arb_balls import own_precision
from dgl_mathtree.language import Expr
from dgl_mathtree.language.plain_terms import MINUS_ONE, ONE, length, over, plus, raised, times
from dgl_mathtree.language.vocabulary import ARITY
from dgl_mathtree.proof.normal_form.conditions import prepare
from dgl_mathtree.proof.normal_form.expressions import generator_words
from dgl_mathtree.proof.normal_form.form import Form
from dgl_mathtree.proof.normal_form.reading import Reading
from dgl_mathtree.proof.normal_form.ring import Budget, Quotient, Restart, Ring, Unsettled, fraction

READINGS = 12
"""Readings of an expression at most: a finer unit of an angle asks for a new one."""
WORK = 4_000
"""The normal form's budget for an expression."""
MOST_TERMS = 12
"""Terms of a polynomial that is written out."""
HALF = Expr.leaf("1/2")


def simplest_forms(expression: Expr) -> list[Expr]:
    """Other ways to write an expression that are equal to it where the normal form's conditions hold.

    Examples
    --------
    >>> from dgl_mathtree.language import parse_expression
    >>> [str(form) for form in simplest_forms(parse_expression("(x^3 - 8)/(x - 2)"))]
    ['x^2 + 2*x + 4']
    >>> str(simplest_forms(parse_expression("sqrt(72)/sqrt(2)"))[0])
    '6'
    """
    found: list[Expr] = [plain(expression)]
    for opaque in (False, True):
        read = _read(expression, opaque)
        if read is not None:
            found += _written(*read)
    return list(dict.fromkeys(form for form in found if form != expression))


def plain(expression: Expr) -> Expr:
    """The same expression with its numbers computed, without neutral elements."""
    if not expression.children:
        return expression
    children = [plain(child) for child in expression.children]
    if expression.word == "Add":
        return plus(*children)
    if expression.word == "Mul":
        return times(*children)
    if expression.word == "Pow":
        return raised(*children)
    return Expr._trusted((expression.word, *(word for child in children for word in child.words)))


def _read(expression: Expr, opaque: bool) -> tuple[Ring, Quotient] | None:
    """The normal form of an expression, None where it has none within the budget."""
    units: dict[str, Fraction] = {}
    budget = Budget(WORK)
    with own_precision():
        for _ in range(READINGS):
            reading = Reading(Form(Ring(units, budget), opaque=opaque))
            try:
                prepare(reading, (expression.words, expression.words), ())
                return reading.form.ring, reading.value(expression.words)
            except Restart:
                continue
            except (Unsettled, ArithmeticError, RecursionError):
                return None
    return None


def _written(ring: Ring, value: Quotient) -> list[Expr]:
    """A quotient as expressions: expanded, factored, and both with products of roots put together."""
    if max(len(value.above), len(value.below)) > MOST_TERMS:
        return []
    try:
        known = {k: plain(Expr._trusted(generator_words(ring, g))) for k, g in ring.generators.items()}
    except Unsettled:
        return []
    whole = lcm(*(fraction(c).denominator for c in value.above.coeffs())) if value.above != 0 else 1
    below = _sum(value.below, known)
    forms = [over(_sum(value.above, known), below)]
    if whole > 1:  # (x^2 - 1)/(2*x)
        forms.append(over(_sum(value.above * whole, known), _sum(value.below * whole, known)))
    if len(value.below) > 1:  # -x/(1 - x) is x/(x - 1)
        forms.append(over(_sum(-value.above, known), _sum(-value.below, known)))
    if len(value.above) > 1 or len(value.below) > 1:
        above = _factored(value.above, known)
        forms += [over(above, below), over(above, _factored(value.below, known))]
    return [*forms, *(form for form in (_one_root(form) for form in forms) if form not in forms)]


def _sum(polynomial: Any, known: dict[int, Expr]) -> Expr:
    """A polynomial, terms of the highest degree first, in alphabetical order; a positive term before negative ones."""
    names = sorted(known, key=lambda k: (len(known[k]), known[k].words))
    terms = []
    for exponents, coefficient in polynomial.to_dict().items():
        powers = [raised(known[k], Expr.leaf(str(exponents[k]))) for k in names if exponents[k]]
        alphabetical = tuple(-exponents[k] for k in names)
        terms.append((-sum(exponents), alphabetical, fraction(coefficient), _product(powers)))
    ordered = sorted(terms, key=lambda term: term[:2])
    positive = next((k for k, term in enumerate(ordered) if term[2] > 0), 0)
    if positive:
        ordered.insert(0, ordered.pop(positive))
    return reduce(plus, (times(Expr.leaf(str(c)), product) for *_, c, product in ordered), Expr.leaf("0"))


def _factored(polynomial: Any, known: dict[int, Expr]) -> Expr:
    content, factors = polynomial.factor()
    parts = [raised(_sum(factor, known), Expr.leaf(str(int(n)))) for factor, n in factors]
    sign = Expr.leaf(str(fraction(content)))
    return times(sign, _product(sorted(parts, key=length)))


def _product(factors: Sequence[Expr]) -> Expr:
    """The product of some factors, to the right as the parser reads it."""
    return reduce(lambda rest, factor: times(factor, rest), reversed(factors)) if factors else ONE


def _one_root(expression: Expr) -> Expr:
    """The expression with products of square roots under one root: sqrt(3)*sqrt(5) is sqrt(15)."""
    if not expression.children:
        return expression
    if expression.word != "Mul":
        children = [_one_root(child) for child in expression.children]
        if expression.word == "Add":
            return plus(*children)
        return Expr._trusted((expression.word, *(word for child in children for word in child.words)))
    above: list[Expr] = []
    below: list[Expr] = []
    rest: list[Expr] = []
    for factor in _factors(expression):
        inner = factor.children[0] if factor.word == "Pow" and factor.children[1] == MINUS_ONE else factor
        inside = [part.children[0] for part in _factors(inner) if _is_root(part)]
        if not inside:
            rest.append(_one_root(factor) if factor.word != "Mul" else factor)
            continue
        others = _product([_one_root(part) for part in _factors(inner) if not _is_root(part)])
        (above if inner is factor else below).extend(inside)
        rest.append(others if inner is factor else over(ONE, others))
    for inside, made in ((above, times), (below, over)):
        if inside:
            rest.append(made(ONE, raised(_multiplied(inside), HALF)))
    return _product(rest)


def _multiplied(factors: Iterable[Expr]) -> Expr:
    """The product of what stands under roots, expanded."""
    product = _product(list(factors))
    forms = _read(product, opaque=True)
    if forms is None or forms[1].below != 1 or len(forms[1].above) > MOST_TERMS:
        return product
    return _written_plainly(*forms) or product


def _written_plainly(ring: Ring, value: Quotient) -> Expr | None:
    try:
        return _sum(
            value.above, {k: plain(Expr._trusted(generator_words(ring, g))) for k, g in ring.generators.items()}
        )
    except Unsettled:
        return None


def _factors(expression: Expr) -> list[Expr]:
    if expression.word != "Mul":
        return [expression]
    return [factor for child in expression.children for factor in _factors(child)]


def _is_root(expression: Expr) -> bool:
    return ARITY.get(expression.word) == 2 and expression.word == "Pow" and expression.children[1] == HALF
