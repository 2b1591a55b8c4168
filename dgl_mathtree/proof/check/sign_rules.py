"""Signs of expressions from their structure: squares, sums of positive terms, roots, exponentials."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dgl_mathtree.proof.check import constants, ranges
from dgl_mathtree.proof.check.balls import has_variable
from dgl_mathtree.proof.check.nodes import ONE, E, Node, add, fraction, is_literal, mul, number, sub
from dgl_mathtree.proof.check.nodes import ZERO as ZERO_NODE
from dgl_mathtree.proof.check.ranges import OF_FUNCTION, end
from dgl_mathtree.proof.check.signs import (
    ANY,
    NEGATIVE,
    NONNEGATIVE,
    NONZERO,
    POSITIVE,
    ZERO,
    of_number,
    product,
    total,
    whole_power,
)

if TYPE_CHECKING:
    from dgl_mathtree.proof.check.region import Region

ODD = frozenset("sinh tanh asinh atan asin atanh csch coth acoth acsc acsch".split())
"""Functions with the sign of their argument."""
MOST_FACTS, MOST_TERMS = 40, 40


def structural(region: Region, node: Node) -> int:
    """Signs by the operator at the top."""
    word, args = node.word, node.args
    if not args:
        return of_number(fraction(word)) if is_literal(node) else POSITIVE if word in ("pi", "e") else ANY
    if word == "Add":
        return total(region.signs(args[0]), region.signs(args[1]))
    if word == "Mul":
        return product(region.signs(args[0]), region.signs(args[1]))
    if word == "Pow":
        return _of_power(region, args[0], args[1])
    if word == "log":
        above = region.signs(sub(args[0], ONE))
        return above if args[1] == E else product(above, region.signs(sub(args[1], ONE)) & NONZERO)
    if word in ODD:
        return region.signs(args[0])
    if word == "acot":
        mask = region.signs(args[0])
        return (mask & NEGATIVE) | (POSITIVE if mask & NONNEGATIVE else 0)
    if word in ("sin", "cos"):
        return _of_circular(region, word, args[0])
    return OF_FUNCTION[word].signs() if word in OF_FUNCTION else ANY


def _of_power(region: Region, base: Node, exponent: Node) -> int:
    value = region.base.constant(exponent)
    below = region.signs(base)
    if value is None:
        return POSITIVE if below == POSITIVE else NONNEGATIVE if not below & NEGATIVE else ANY
    if value.q == 1:
        return whole_power(below, int(value.p))
    # Defined only where the base is positive, or 0 with a positive exponent.
    return POSITIVE if value < 0 or not below & ZERO else NONNEGATIVE


def _of_circular(region: Region, word: str, arg: Node) -> int:
    """sin is not negative on [0, pi], nor cos on [-pi/2, pi/2]; inside they are positive."""
    where = region.range(arg)
    start = ranges.NOTHING if word == "sin" else ranges.NEGATIVE_HALF_PI
    for shift, inside in ((0, POSITIVE), (-1, NEGATIVE), (1, NEGATIVE)):
        low, high = start + end(0, shift), start + end(0, shift + 1)
        if where.within(ranges.closed(low, high)):
            return inside if where.within(ranges.opened(low, high)) else inside | ZERO
    if word == "sin" and where.within(ranges.opened(end(0, -1), ranges.WHOLE_PI)):
        return region.signs(arg)
    return ANY


def of_polynomial(region: Region, p: Any) -> int:
    """Signs of a polynomial in generators: by its terms, with the help of one fact, or as a quadratic."""
    base = region.base
    if len(p) == 1:
        exponents, _ = next(iter(p.terms()))
        used = [k for k, exponent in enumerate(exponents) if exponent]
        if len(used) == 1 and exponents[used[0]] == 1:
            return structural(region, base.nodes[used[0]])
    if len(p) > MOST_TERMS:
        return ANY
    mask = by_terms(region, p)
    if mask & (mask - 1):
        mask &= _of_exponentials(region, p)
    if mask & (mask - 1):
        mask &= _with_facts(region, p)
    if mask & (mask - 1):
        mask &= _quadratic(region, p)
    if mask & (mask - 1):
        mask &= _conjugate(region, p)
    if mask & (mask - 1) and len(p) <= MOST_TERMS // 4:
        node = base.expression_of(p)
        mask &= region.range(node).signs() if has_variable(node) else constants.sign(region, node)
    return mask


def _of_exponentials(region: Region, p: Any) -> int:
    """c*exp(u) - c*exp(v) has the sign of c*(u - v)."""
    if len(p) != 2:
        return ANY
    (first, lead), (second, other) = p.terms()
    if lead + other != 0:
        return ANY
    difference: Node = ZERO_NODE
    for exponents, flip in ((first, 1), (second, -1)):
        for index, exponent in enumerate(exponents):
            if exponent:
                node = region.base.nodes[index]
                if node.word != "exp":
                    return ANY
                difference = add(difference, mul(number(flip * int(exponent)), node.args[0]))
    return product(of_number(lead), region.signs(difference))


def _conjugate(region: Region, p: Any) -> int:
    """a*r + b with a root r of w of order 2, by (a*r + b)*(a*r - b) = a^2*w - b^2.

    Where a*r - b has a strict sign, that of the product shows the other. Where r is not negative, a product that is not
    negative says that |a*r| is at least |b|, and a negative one that |b| is larger.
    """
    ring, mask = region.base.ring, ANY
    for index, relation in list(ring.relations.items()):  # finding signs out may take further generators
        if relation.degree != 2 or p.degrees()[index] != 1:
            continue
        _, a, b = _coefficients(region, p, index)
        # r^2 = tail/lead, and the lead is not 0.
        rest = ring.reduced(a * a * relation.tail - b * b * relation.lead)
        together = product(region.polynomial_signs(rest), region.polynomial_signs(relation.lead) & NONZERO)
        conjugate = by_terms(region, a * ring.power_of(index, 1).num - b)
        if conjugate in (NEGATIVE, POSITIVE):
            mask &= product(together, conjugate)
        if not region.signs(region.base.nodes[index]) & NEGATIVE:
            larger = region.polynomial_signs(a) if not together & NEGATIVE else ANY
            larger = region.polynomial_signs(b) if together == NEGATIVE else larger
            mask &= larger if together in (NEGATIVE, POSITIVE) else larger | ZERO
    return mask


def by_terms(region: Region, p: Any) -> int:
    """Signs of a sum from those of its terms."""
    mask = ZERO
    for exponents, coefficient in p.terms():
        term = of_number(coefficient)
        for index, exponent in enumerate(exponents):
            if exponent:
                term = product(term, whole_power(region.signs(region.base.nodes[index]), int(exponent)))
        mask = total(mask, term)
        if mask == ANY:
            break
    return mask


def _with_facts(region: Region, p: Any) -> int:
    """p = c*f + rest, with a fact about f and a rest whose terms show its sign."""
    mask = ANY
    terms = p.to_dict()
    for key, known in list(region.known.items())[:MOST_FACTS]:
        if (known & NEGATIVE and known & POSITIVE) or key == str(p):
            continue
        region.budget.spend(4 + len(p))
        fact = region.polynomials[key]
        tried: set[Any] = set()
        for exponents, coefficient in fact.to_dict().items():
            if exponents not in terms or not any(exponents):
                continue
            factor = terms[exponents] / coefficient
            if factor in tried:
                continue
            tried.add(factor)
            rest = p - factor * fact
            mask &= total(product(of_number(factor), known), by_terms(region, rest))
            if not mask & (mask - 1):
                return mask
    return mask


def _quadratic(region: Region, p: Any) -> int:
    """a*g^2 + b*g + c = ((2*a*g + b)^2 - (b^2 - 4*a*c))/(4*a): of the sign of a if the discriminant is negative."""
    mask = ANY
    for index, degree in enumerate(p.degrees()):
        if degree != 2:
            continue
        a, b, c = _coefficients(region, p, index)
        lead = by_terms(region, a) if len(a) > 1 else region.polynomial_signs(a)
        if lead not in (NEGATIVE, POSITIVE):
            continue
        discriminant = region.base.ring.reduced(b * b - 4 * a * c)
        below = by_terms(region, discriminant)
        if not below & POSITIVE:
            mask &= lead | (below & ZERO)
    return mask


def _coefficients(region: Region, p: Any, index: int) -> list[Any]:
    """The coefficients of the second, first and zeroth power of a generator."""
    parts: list[dict[tuple[int, ...], Any]] = [{}, {}, {}]
    for exponents, coefficient in p.to_dict().items():
        rest = (*exponents[:index], 0, *exponents[index + 1 :])
        parts[exponents[index]][rest] = coefficient
    return [region.base.ring.polynomial(part) for part in reversed(parts)]
