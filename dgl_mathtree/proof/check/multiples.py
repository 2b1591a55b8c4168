"""Signs of expressions that are rational multiples of expressions in facts, by any of the rules.

Values at sample points only propose which fact and which factor; that the expression is this multiple is then checked
exactly. So cos(y)*sin(x) - sin(y)*cos(x) is not 0 where sin(x - y) is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flint import arb, fmpq

from dgl_mathtree.arithmetic.arb_balls import LARGEST_INTEGER, nearest_integer
from dgl_mathtree.proof.check import constants
from dgl_mathtree.proof.check.balls import Values, has_variable
from dgl_mathtree.proof.check.limits import TooMuchWork
from dgl_mathtree.proof.check.nodes import Node, mul, number, sub, variables_of, walk
from dgl_mathtree.proof.check.reader import HYPERBOLIC, Reader
from dgl_mathtree.proof.check.signs import ANY, NONZERO, negated, product

if TYPE_CHECKING:
    from dgl_mathtree.proof.check.region import Region

RULES = ("definition", "angles", "powers", "logarithms", "inverse", "sign")
LARGEST_DENOMINATOR = 64


def follows(region: Region, node: Node, mask: int) -> bool:
    """Whether it follows from one fact that an expression has one of some signs, throughout the region."""
    if not region.samples or region.follow_depth:
        return False
    region.follow_depth += 1
    try:
        return _follows(region, node, mask)
    finally:
        region.follow_depth -= 1


def rational(region: Region, node: Node) -> Any:
    """The rational number that an expression is throughout the region, if a value proposes one and a proof is found."""
    if has_variable(node):
        some = region.samples[0] if region.samples else Values(_anywhere(node), region.budget)
        value = some.of(node)
    else:
        value = region.ball(node)
        if value is None and constants.is_zero(region, node):
            return fmpq(0)
    if not isinstance(value, arb):
        return None
    guess = simple_fraction(value)
    if guess is None:
        return None
    if not has_variable(node) and constants.is_zero(region, sub(node, number(guess))):
        return guess
    if region.follow_depth:
        return None
    region.follow_depth += 1
    try:
        return guess if same(region, node, number(guess)) else None
    finally:
        region.follow_depth -= 1


def _anywhere(node: Node) -> dict[str, Any]:
    """A point for the variables of an expression, to guess from."""
    return {name: arb(0.8125 + k / 8) for k, name in enumerate(sorted(variables_of(node)))}


def _follows(region: Region, node: Node, mask: int) -> bool:
    value = region.samples[0].of(node)
    if not isinstance(value, arb) or value.contains(0):
        return False
    for other, known in region.facts:
        beside = region.samples[0].of(other)
        if not isinstance(beside, arb) or beside.contains(0):
            continue
        factor = simple_fraction(value / beside)
        if factor is None or (known if factor > 0 else negated(known)) & ~mask:
            continue
        multiple = mul(number(factor), other)
        if same(region, node, multiple):
            return True
    return False


def signs_by_exponentials(region: Region, node: Node) -> int:
    """The signs of an expression with hyperbolic functions, by those of the terms that exponentials give."""
    if not any(part.word in HYPERBOLIC for part in walk(node)):
        return ANY
    reader = Reader(region, frozenset({"definition", "powers"}))
    try:
        num, den = reader.quotient(node)
    except (ZeroDivisionError, TooMuchWork):
        return ANY
    above, below = (region.signs(reader.expression_of(part)) for part in (num, den))
    return product(above, below & NONZERO)


def same(region: Region, a: Node, b: Node) -> bool:
    """Whether two expressions are certainly equal by any of the rules, wherever both are defined in the region."""
    if not region.agree(a, b):
        return False
    try:
        # A reader of its own: another one may be in the middle of a reading.
        return Reader(region, frozenset(RULES)).same(a, b)
    except (ZeroDivisionError, TooMuchWork):
        return False


def simple_fraction(ball: Any) -> Any:
    """The fraction with a small denominator that a narrow ball holds, if there is one."""
    if not ball.rad() < fmpq(1, 10**9):
        return None
    for below in range(1, LARGEST_DENOMINATOR + 1):
        above = nearest_integer(ball * below, LARGEST_INTEGER)
        if above is not None:
            return fmpq(above, below)
    return None
