"""Signs of expressions without variables: by balls, and by a separation bound where the number is 0.

An algebraic number is written U/L with algebraic integers U and L. If all conjugates of U are at most u, all of L at
most l, and U lies in a field of degree D, then U is 0 or the product of its conjugates is at least 1, so that
|U/L| >= 1/(u^(D-1)*l). A ball below that bound proves that the number is 0. (The bounds for sums, products, quotients
and roots are those of Burnikel, Funke, Mehlhorn, Schirra and Schmitt; 2*cos and 2*sin of rational multiples of pi are
algebraic integers of a cyclotomic field, with conjugates of at most 2.)
"""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING, Any, NamedTuple

from flint import arb, fmpz

from dgl_mathtree.proof.check.balls import Values
from dgl_mathtree.proof.check.nodes import Node, fraction, is_literal
from dgl_mathtree.proof.check.signs import ANY, NEGATIVE, POSITIVE, ZERO

if TYPE_CHECKING:
    from dgl_mathtree.proof.check.region import Region

MOST_BITS = 20_000
LARGEST_EXPONENT = 200
LARGEST_DENOMINATOR = 1_000


class Bound(NamedTuple):
    """Base-2 logarithms, not below 0, of bounds for the conjugates of a numerator and a denominator."""

    above: float
    below: float


class _Transcendental(Exception):
    """Not known to be algebraic."""


def sign(region: Region, node: Node) -> int:
    """The sign of an expression without variables, or ANY if neither a ball nor a separation bound tells."""
    ball = region.ball(node)
    if ball is not None and not ball.contains(0):
        return POSITIVE if ball > 0 else NEGATIVE
    num, _ = region.base.read(node)
    if region.base.ring.is_zero(num) or is_zero(region, node):
        return ZERO
    return ANY


def is_zero(region: Region, node: Node) -> bool:
    """Whether an expression without variables is an algebraic number that a separation bound shows to be 0."""
    roots: set[Node] = set()
    orders: set[int] = {4}
    try:
        bound = _bound(region, node, roots, orders)
    except _Transcendental:
        return False
    degree = _degree(region, roots, orders)
    # Two bits and a hundredth on top cover the rounding of the logarithms.
    bits = int(1.01 * ((degree - 1) * bound.above + bound.below)) + 2
    if bits > MOST_BITS:
        return False
    region.budget.spend(node.size * bits // 8)
    value = Values({}, region.budget, bits + 64 + 4 * node.size).of(node)
    return isinstance(value, arb) and bool(abs(value) < arb(2) ** -bits)


def _degree(region: Region, roots: set[Node], orders: set[int]) -> int:
    cyclotomic = fmpz(1)
    for order in orders:
        cyclotomic = cyclotomic.lcm(order)
    if cyclotomic > LARGEST_DENOMINATOR**2:
        return MOST_BITS * 10
    degree = int(cyclotomic.euler_phi())
    for node in roots:
        degree *= int(region.base.constant(node.args[1]).q)
    return degree


def _bound(region: Region, node: Node, roots: set[Node], orders: set[int]) -> Bound:
    word, args = node.word, node.args
    if is_literal(node):
        value = fraction(word)
        return Bound(_bits(abs(value.p)), _bits(value.q))
    if word in ("Add", "Mul"):
        a, b = (_bound(region, arg, roots, orders) for arg in args)
        if word == "Mul":
            return Bound(a.above + b.above, a.below + b.below)
        return Bound(max(a.above + b.below, a.below + b.above) + 1, a.below + b.below)
    if word == "Pow":
        return _of_power(region, node, roots, orders)
    if word in ("sin", "cos", "tan", "cot", "sec", "csc"):
        turn = region.base.linear_terms(args[0])
        if len(turn) > 1 or any(
            piece.word != "pi" or coefficient.q > LARGEST_DENOMINATOR for coefficient, piece in turn
        ):
            raise _Transcendental
        orders.update(2 * int(coefficient.q) for coefficient, _ in turn)
        # sin and cos are U/2 with |U| <= 2, their inverses 2/U, their quotients U/V.
        return Bound(1, 1)
    raise _Transcendental


def _of_power(region: Region, node: Node, roots: set[Node], orders: set[int]) -> Bound:
    base, exponent = node.args
    value = region.base.constant(exponent)
    if value is None or abs(value.p) > LARGEST_EXPONENT or value.q > LARGEST_EXPONENT:
        raise _Transcendental
    above, below = _bound(region, base, roots, orders)
    order = int(value.q)
    if order > 1:
        roots.add(node)
        # The k-th root of U/L is that of U*L^(k-1) over L, or U over that of U^(k-1)*L.
        if above >= below:
            above = (above + (order - 1) * below) / order
        else:
            below = ((order - 1) * above + below) / order
    if value < 0:
        above, below = below, above
    times = abs(int(value.p))
    return Bound(times * above, times * below)


def _bits(value: Any) -> float:
    return log2(int(value)) + 0.001 if 1 < value < 2**1000 else float(value.bit_length()) if value > 1 else 0.0
