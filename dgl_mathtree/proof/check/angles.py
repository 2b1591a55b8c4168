"""Reading sines and cosines by exponentials: cos(u) = (Z + 1/Z)/2 and sin(u) = (Z - 1/Z)/(2i) with Z = e^(iu).

An angle is a sum of rational multiples of pieces. Each piece b has a generator z = e^(ib/n), and multiples of pi are
powers of one root of unity, which is a root of a cyclotomic polynomial. All of these are complex numbers of size 1, so
that nothing here is divided by 0, and identities between them hold at every point at which the angle is defined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flint import fmpq, fmpz_poly

from dgl_mathtree.proof.check.nodes import ONE, PI, Node, add, inverse, mul, power, root, sub
from dgl_mathtree.proof.check.polynomials import Quotient
from dgl_mathtree.proof.check.signs import ZERO

if TYPE_CHECKING:
    from dgl_mathtree.proof.check.reader import Reader

UNITY = "unity"
LARGEST_GAUSS_SUM = 100
RECIPROCAL = {"acsc": "asin", "asec": "acos", "acot": "atan"}
"""f(u) = g(1/u) wherever u is not 0; acot(0) is pi/2."""


def read(reader: Reader, word: str, arg: Node) -> Quotient:
    """sin(arg) or cos(arg)."""
    ring = reader.ring
    here, there = unit(reader, arg)
    half = ring.constant(fmpq(1, 2))
    if word == "cos":
        return ring.mul(half, ring.add(here, there))
    # 1/i = -i
    return ring.mul(ring.mul(half, ring.neg(imaginary(reader))), ring.add(here, ring.neg(there)))


def unit(reader: Reader, arg: Node) -> tuple[Quotient, Quotient]:
    """e^(i*arg) and e^(-i*arg)."""
    ring = reader.ring
    here, there = ring.constant(1), ring.constant(1)
    for coefficient, piece in reader.pieces(arg):
        a, b = _turn(reader, coefficient, piece)
        here, there = ring.mul(here, a), ring.mul(there, b)
    return here, there


def _turn(reader: Reader, coefficient: Any, piece: Node) -> tuple[Quotient, Quotient]:
    ring = reader.ring
    if piece == PI:
        order = reader.order(UNITY, 2 * int(coefficient.q), 4)
        steps = int(coefficient * order / 2)
        return root_of_unity(reader, steps), root_of_unity(reader, -steps)
    known = _of_inverse(reader, piece) if reader.has("inverse") else None
    if known is None:
        return reader.part("unit", piece, coefficient, None), reader.part("unit", piece, -coefficient, None)
    # The piece is the angle of cosine + i*sine, a number of size 1.
    cosine, sine = (reader.read(part) for part in known)
    turned = ring.mul(imaginary(reader), sine)
    if coefficient.q == 1:
        pair = ring.add(cosine, turned), ring.add(cosine, ring.neg(turned))
        ahead, back = (ring.power(part, abs(int(coefficient.p))) for part in pair)
        return (ahead, back) if coefficient >= 0 else (back, ahead)

    def powered(order: int) -> tuple[int, Quotient]:
        return order, ring.add(cosine, turned)

    here, there = (reader.part("unit", piece, turns, None, powered) for turns in (coefficient, -coefficient))
    return here, there


def _of_inverse(reader: Reader, piece: Node) -> tuple[Node, Node] | None:
    """Cosine and sine of the value of an inverse function, defined where it is; None for anything else.

    asin is in [-pi/2, pi/2], where cosines are not negative, acos in [0, pi], where sines are not.
    """
    if len(piece.args) != 1:
        return None
    arg = piece.args[0]
    if piece.word in RECIPROCAL and not reader.region.signs(arg) & ZERO:
        return _of_inverse(reader, Node(RECIPROCAL[piece.word], inverse(arg)))
    if piece.word == "asin":
        return root(sub(ONE, power(arg, 2))), arg
    if piece.word == "acos":
        return arg, root(sub(ONE, power(arg, 2)))
    if piece.word == "atan":
        length = power(root(add(ONE, power(arg, 2))), -1)
        return length, mul(arg, length)
    return None


def imaginary(reader: Reader) -> Quotient:
    """The imaginary unit, a root of unity of the reader's order."""
    return root_of_unity(reader, reader.orders.get(UNITY, 4) // 4)


def root_of_unity(reader: Reader, steps: int) -> Quotient:
    """e^(2*pi*i*steps/M), M being the reader's order of roots of unity."""
    order = reader.orders.get(UNITY, 4)

    def cyclotomic() -> tuple[int, Quotient]:
        coefficients = [int(c) for c in fmpz_poly.cyclotomic(order).coeffs()]
        degree = len(coefficients) - 1
        # The generator that is about to be taken is the next one: its lower powers are written with its index.
        total = ring.zero
        for exponent, coefficient in enumerate(coefficients[:-1]):
            if coefficient:
                total += -coefficient * ring.upcoming() ** exponent
        return degree, Quotient(total, ring.one)

    ring = reader.ring
    index = reader.generator(UNITY, (), None, cyclotomic)
    return ring.power_of(index, steps % order)


def square_root(reader: Reader, prime: int) -> Quotient | None:
    """The square root of a prime, if it is a sum of the roots of unity in use (Gauss), else None."""
    order = reader.orders.get(UNITY, 4)
    ring = reader.ring
    if prime == 2:
        if order % 8:
            return None
        return ring.add(root_of_unity(reader, order // 8), root_of_unity(reader, -(order // 8)))
    if order % prime or prime > LARGEST_GAUSS_SUM:
        return None
    step = order // prime
    total = ring.constant(0)
    for k in range(1, prime):
        sign = 1 if pow(k, (prime - 1) // 2, prime) == 1 else -1
        total = ring.add(total, ring.mul(ring.constant(sign), root_of_unity(reader, k * step)))
    # The sum is sqrt(p) for p = 1 and i*sqrt(p) for p = 3 modulo 4.
    return total if prime % 4 == 1 else ring.mul(ring.neg(imaginary(reader)), total)
