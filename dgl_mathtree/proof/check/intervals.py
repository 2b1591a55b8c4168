"""Ranges of expressions from their structure, their signs, and bounds among the facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flint import arb, fmpq

from dgl_mathtree.proof.check import ranges
from dgl_mathtree.proof.check.balls import has_variable
from dgl_mathtree.proof.check.nodes import ONE, Node, add, is_literal, sub
from dgl_mathtree.proof.check.ranges import EVERYTHING, OF_FUNCTION, End, Range, end
from dgl_mathtree.proof.check.sign_rules import MOST_FACTS, structural
from dgl_mathtree.proof.check.signs import NEGATIVE, POSITIVE, ZERO, negated

if TYPE_CHECKING:
    from dgl_mathtree.proof.check.region import Region


def interval(region: Region, node: Node) -> Range:
    """The range of an expression by its operators, narrowed by its sign and by bounds among the facts."""
    word, args = node.word, node.args
    if not has_variable(node):
        return _of_constant(region, node)
    found = ranges.of_signs(structural(region, node))
    if word == "Add":
        found = found.meet(region.range(args[0]) + region.range(args[1]))
    elif word == "Mul":
        for factor, other in (args, args[::-1]):
            value = region.base.constant(factor) if not has_variable(factor) else None
            if value is not None:
                found = found.meet(region.range(other).times(value))
        found = found.meet(_least_product(region.range(args[0]), region.range(args[1])))
    elif word == "Pow" and is_literal(args[1]) and args[1].word in ("2", "3", "4"):
        inside = region.range(args[0])
        lowest = inside
        for _ in range(int(args[1].word) - 1):
            lowest = _least_product(lowest, inside)
        found = found.meet(lowest).meet(_largest_power(inside, int(args[1].word)))
    elif word in OF_FUNCTION:
        found = found.meet(OF_FUNCTION[word]).meet(_by_argument(region, word, args[0]))
    found = found.meet(_by_facts(region, node))
    simpler = region.simplified(node)
    return found if simpler is None else found.meet(region.range(simpler))


def _largest_power(base: Range, n: int) -> Range:
    """A power of a number between rational ends is at most that of the larger one in size."""
    if base.low is None or base.high is None or base.low.b != 0 or base.high.b != 0:
        return EVERYTHING
    most = max(abs(base.low.a), abs(base.high.a)) ** n
    return Range(end(-most), end(most), False, False)


def _least_product(a: Range, b: Range) -> Range:
    """Two numbers that are at least p >= 0 and q >= 0, both rational, have a product of at least p*q."""
    if a.low is None or b.low is None or a.low.b != 0 or b.low.b != 0 or a.low.a < 0 or b.low.a < 0:
        return EVERYTHING
    least = a.low.a * b.low.a
    return Range(end(least), None, least > 0 and (a.low_open or b.low_open), True)


def _by_argument(region: Region, word: str, arg: Node) -> Range:
    """acos and asec are at most pi/2 where their argument is not negative, and at least pi/2 where it is not positive;
    acot is pi/2 at 0 only, asin and acos have the ends of their ranges at -1 and 1 only, and atan is +-pi/4 there."""
    if word == "atan":
        return _of_arctangent(region, arg)
    if word == "asin":
        inside = all(region.signs(side) == POSITIVE for side in (sub(ONE, arg), add(ONE, arg)))
        return ranges.OF_FUNCTION["atan"] if inside else EVERYTHING
    if word not in ("acos", "asec", "acot"):
        return EVERYTHING
    mask = region.signs(arg)
    strict = not mask & ZERO
    if word == "acot":
        return ranges.OF_FUNCTION["atan"] if strict else EVERYTHING
    if not mask & NEGATIVE:
        return Range(ranges.NOTHING, ranges.HALF_PI, False, strict)
    if not mask & POSITIVE:
        return Range(ranges.HALF_PI, ranges.WHOLE_PI, strict, False)
    return EVERYTHING


def _of_arctangent(region: Region, arg: Node) -> Range:
    """Bounds of atan(u) at pi/4 and -pi/4, from the signs of 1 - u and 1 + u."""
    found = EVERYTHING
    above, below = region.signs(sub(ONE, arg)), region.signs(add(ONE, arg))
    quarter = fmpq(1, 4)
    if not above & NEGATIVE:
        found = found.meet(Range(None, end(0, quarter), True, not above & ZERO))
    if not below & NEGATIVE:
        found = found.meet(Range(end(0, -quarter), None, not below & ZERO, True))
    return found


def _by_facts(region: Region, node: Node) -> Range:
    """Bounds g + c > 0 or < 0 of an expression that is a generator g."""
    num, den = region.base.read(node)
    found = EVERYTHING
    if not den.is_one() or len(num) != 1:
        return found
    for key, known in list(region.known.items())[:MOST_FACTS]:
        if known & NEGATIVE and known & POSITIVE:
            continue
        rest = region.polynomials[key] - num / num.leading_coefficient()
        if not rest.is_constant():
            continue
        bound = -(rest.leading_coefficient() if rest else fmpq(0)) * num.leading_coefficient()
        if num.leading_coefficient() < 0:
            known = negated(known)
        limit = ranges.of_signs(known)
        shift = Range(end(bound), end(bound), False, False)
        found = found.meet(limit + shift)
    return found


def _of_constant(region: Region, node: Node) -> Range:
    """A number a + b*pi exactly, else the ends of a ball."""
    num, den = region.base.read(node)
    if den.is_one() and num.total_degree() <= 1:
        a, b = fmpq(0), fmpq(0)
        for exponents, coefficient in num.terms():
            used = [k for k, exponent in enumerate(exponents) if exponent]
            if not used:
                a = coefficient
            elif region.base.nodes[used[0]].word == "pi":
                b = coefficient
            else:
                break
        else:
            return Range(End(a, b), End(a, b), False, False)
    value = region.ball(node)
    if not isinstance(value, arb):
        return EVERYTHING
    low, high = _exact(value.lower()), _exact(value.upper())
    return EVERYTHING if low is None or high is None else Range(end(low), end(high), False, False)


def _exact(value: Any) -> Any:
    """A ball without radius as a fraction, if that is not too long."""
    if not value.is_finite():
        return None
    mantissa, exponent = value.man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent) if abs(int(exponent)) < 8192 else None
