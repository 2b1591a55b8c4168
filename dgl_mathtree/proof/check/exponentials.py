"""Reading powers and exponentials: roots over irreducible factors, exponents as sums, hyperbolic functions by exp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flint import fmpq, fmpz

from dgl_mathtree.proof.check import angles, logarithms
from dgl_mathtree.proof.check.nodes import (
    MINUS_ONE,
    ONE,
    E,
    Node,
    add,
    inverse,
    is_literal,
    mul,
    number,
    power,
    root,
    sub,
)
from dgl_mathtree.proof.check.polynomials import Quotient
from dgl_mathtree.proof.check.signs import NEGATIVE, POSITIVE

if TYPE_CHECKING:
    from dgl_mathtree.proof.check.reader import Reader

LARGEST_FACTORED = 10**24
LARGEST_MULTIPLE = 4_000
SMALL_PRIMES = (2, 3, 5, 7, 11, 13)
FACTORING = ("powers", "sign", "logarithms")
RECIPROCAL = {"acsch": "asinh", "asech": "acosh", "acoth": "atanh"}
SPLITTING = ("powers", "logarithms", "definition", "inverse")


def rational_power(reader: Reader, base: Node, exponent: Any) -> Quotient:
    """base^exponent with a rational exponent that is not whole.

    It is defined only where the base is positive, or 0 with a positive exponent. So it is |c|^r times the |p_i|^(k_i*r)
    of the factors of the base, as the product of absolute values is the base itself; a factor that is 0 has a
    positive exponent, because it is not in the denominator and not in what is inverted.
    """
    if base == E:
        return exponential(reader, number(exponent))
    value = reader.constant(base)
    if value is not None:
        return power_of_number(reader, value, exponent) if value >= 0 else reader.atom("Pow", base, number(exponent))
    if reader.has(*FACTORING):
        return power_over_factors(reader, base, exponent)
    order = reader.region.root_order
    if order % int(exponent.q):
        return reader.atom("Pow", base, number(exponent))
    quotient = reader.read(base)
    content = abs(quotient.num.leading_coefficient())
    primitive = base if content == 1 else mul(number(1 / content), base)
    scale = power_of_number(reader, content, exponent)
    part = reader.part(
        "root",
        primitive,
        exponent,
        lambda order: power(primitive, fmpq(1, order)),
        lambda order: (order, reader.read(primitive)),
        order,
    )
    return reader.ring.mul(scale, part)


def power_over_factors(reader: Reader, base: Node, exponent: Any) -> Quotient:
    """|base|^exponent as the product over the factors of the base; the base is not 0 if the exponent is negative."""
    constant, factors = reader.region.base.factors(base)
    result = power_of_number(reader, abs(constant), exponent)
    for factor, times in factors:
        result = reader.ring.mul(result, power_of_size(reader, factor, times * exponent))
    return result


def power_of_number(reader: Reader, value: Any, exponent: Any) -> Quotient:
    """A rational number that is not negative, to a rational power: over its prime factors, if these can be found."""
    ring = reader.ring
    if value == 0:
        return ring.constant(0)
    result = ring.constant(1)
    for whole, sign in ((value.p, 1), (value.q, -1)):
        for prime, times in prime_factors(whole):
            result = ring.mul(result, _power_of_prime(reader, prime, sign * times * exponent))
    return result


def prime_factors(value: Any) -> list[tuple[int, int]]:
    """The prime factors of a positive whole number; one that is very large is its own factor."""
    if value == 1:
        return []
    found, rest = [], int(value)
    for prime in SMALL_PRIMES:
        times = 0
        while rest % prime == 0:
            rest, times = rest // prime, times + 1
        if times:
            found.append((prime, times))
    if rest > LARGEST_FACTORED:
        return [*found, (rest, 1)]
    return found + [(int(prime), int(times)) for prime, times in fmpz(rest).factor() if prime > 1]


def _power_of_prime(reader: Reader, prime: int, exponent: Any) -> Quotient:
    ring = reader.ring
    whole = int(exponent.p // exponent.q)
    rest = exponent - whole
    result = ring.power(ring.constant(prime), whole)
    if rest == 0:
        return result
    if rest == fmpq(1, 2) and reader.has("angles", "value", "inverse"):
        known = angles.square_root(reader, prime)
        if known is not None:
            return ring.mul(result, known)
    node = number(prime)
    if not reader.rules and reader.region.root_order % int(rest.q):
        return ring.mul(result, reader.atom("Pow", node, number(rest)))
    part = reader.part(
        "prime root",
        node,
        rest,
        lambda order: power(node, fmpq(1, order)),
        lambda order: (order, ring.constant(prime)),
        reader.region.root_order,
    )
    return ring.mul(result, part)


def power_of_size(reader: Reader, factor: Node, exponent: Any) -> Quotient:
    """|factor|^exponent, for a factor that is not 0 if the exponent is negative."""
    ring, region = reader.ring, reader.region
    word, args = factor.word, factor.args
    if word == "exp":
        return exponential(reader, mul(number(exponent), args[0]))
    if factor == E:
        return exponential(reader, number(exponent))
    if word == "Pow" and is_literal(args[1]) and "/" in args[1].word:
        # A generator of plain algebra for a root: what is below it is not negative.
        return power_over_factors(reader, args[0], exponent * region.base.constant(args[1]))
    if word == "Pow" and region.base.constant(args[1]) is None and region.signs(args[0]) == POSITIVE:
        return exponential(reader, mul(mul(number(exponent), args[1]), logarithms.expanded(reader, args[0])))
    if exponent.q == 1 and exponent.p % 2 == 0:
        return ring.power(reader.read(factor), int(exponent.p))
    size = size_of(reader, factor)
    if exponent.q == 1:
        return ring.power(reader.read(size) if size.word != "Pow" else _absolute(reader, size, factor), int(exponent.p))
    return reader.part(
        "root of a size",
        size,
        exponent,
        lambda order: power(size, fmpq(1, order)),
        lambda order: (order, _absolute(reader, size, factor)),
        region.root_order,
    )


def size_of(reader: Reader, factor: Node) -> Node:
    """|factor| without bars where its sign is known in the region."""
    signs = reader.region.signs(factor)
    if not signs & NEGATIVE:
        return factor
    if not signs & POSITIVE:
        return Node("Mul", MINUS_ONE, factor)
    return root(power(factor, 2))


def _absolute(reader: Reader, size: Node, factor: Node) -> Quotient:
    """The quotient of |factor|: of itself, of -factor, or a generator whose square is that of the factor."""
    if size == factor or size.word == "Mul":
        return reader.read(size)
    for (known,), index in reader.group("absolute"):
        # |p|*|q| = p*q or -p*q where the sign of the product is known and strict.
        other = known.args[0]
        together = reader.region.signs(mul(other, factor))
        if together in (NEGATIVE, POSITIVE) and other != factor:
            both = reader.ring.mul(reader.read(other), reader.read(factor))
            both = both if together == POSITIVE else reader.ring.neg(both)
            return reader.ring.mul(both, reader.ring.power_of(index, -1))
    squared = reader.ring.power
    index = reader.generator("absolute", (power(factor, 2),), size, lambda: (2, squared(reader.read(factor), 2)))
    return reader.ring.power_of(index, 1)


def exponential(reader: Reader, exponent: Node) -> Quotient:
    """exp(exponent): the product of the exponentials of its terms, which are defined where it is."""
    ring = reader.ring
    result = ring.constant(1)
    if reader.has(*logarithms.SUMS):
        exponent = logarithms.spread(reader, exponent)
    for coefficient, piece in reader.pieces(exponent):
        result = ring.mul(result, _exponential_of_term(reader, coefficient, piece))
    return result


def _exponential_of_term(reader: Reader, coefficient: Any, piece: Node) -> Quotient:
    if piece.word == "log" and piece.args[1] == E and reader.has("powers", "logarithms", "inverse"):
        # ln(w) is defined, so w > 0 and exp(c*ln(w)) = w^c.
        return power_over_factors(reader, piece.args[0], coefficient)
    if reader.has("inverse") and piece.word in RECIPROCAL:
        # acsch(u) is asinh(1/u), and so on, with u not 0 where it is defined.
        return _exponential_of_term(reader, coefficient, Node(RECIPROCAL[piece.word], inverse(piece.args[0])))
    if reader.has("inverse") and piece.word in RECIPROCAL.values():
        return rational_or_whole(reader, exponential_of_inverse(piece.word, piece.args[0]), coefficient)
    if not reader.rules and reader.region.root_order % int(coefficient.q):
        return reader.atom("exp", mul(number(coefficient), piece))
    if abs(coefficient.p) > LARGEST_MULTIPLE:
        # exp(c*u) for a large c > 0, or its inverse: no power of a part of exp(u) is as high.
        single = reader.atom("exp", mul(number(abs(coefficient)), piece))
        return single if coefficient > 0 else reader.ring.inverse(single)
    return reader.part(
        "part of exp",
        piece,
        coefficient,
        lambda order: Node("exp", mul(number(fmpq(1, order)), piece)),
        least=reader.region.root_order,
    )


def rational_or_whole(reader: Reader, base: Node, exponent: Any) -> Quotient:
    """A positive expression to a rational power."""
    if exponent.q == 1:
        return reader.ring.power(reader.read(base), int(exponent.p))
    return rational_power(reader, base, exponent)


def exponential_of_inverse(word: str, arg: Node) -> Node:
    """exp of asinh, acosh or atanh, all of it positive and defined where the inverse function is."""
    square = power(arg, 2)
    if word == "asinh":
        return add(arg, root(add(square, ONE)))
    if word == "acosh":
        return add(arg, root(sub(square, ONE)))
    return mul(root(add(ONE, arg)), power(root(sub(ONE, arg)), -1))


def hyperbolic(reader: Reader, word: str, arg: Node) -> Quotient:
    """sinh, cosh, tanh, coth, sech or csch: by exp, or as generators with cosh^2 = 1 + sinh^2."""
    ring = reader.ring
    one = ring.constant(1)
    if not reader.has(*SPLITTING):
        if word != "cosh":
            return reader.atom(word, arg)

        def squared() -> tuple[int, Quotient]:
            return 2, ring.add(one, ring.power(reader.atom("sinh", arg), 2))

        return ring.power_of(reader.generator("cosh", (arg,), Node("cosh", arg), squared), 1)
    single = exponential(reader, arg)
    double = ring.mul(single, single)
    # e^(2u) - 1 is not 0 where csch and coth are defined; e^(2u) + 1 and e^u never are.
    plus, minus = ring.add(double, one), ring.add(double, ring.constant(-1))
    twice = ring.mul(single, ring.constant(2))
    above, below = {
        "sinh": (minus, twice),
        "cosh": (plus, twice),
        "tanh": (minus, plus),
        "coth": (plus, minus),
        "sech": (twice, plus),
        "csch": (twice, minus),
    }[word]
    return ring.mul(above, ring.inverse(below))


def general_power(reader: Reader, base: Node, exponent: Node) -> Quotient:
    """base^exponent, with an exponent that is no number: exp(exponent*ln(base)) if the base is known to be positive."""
    if reader.has(*SPLITTING) and reader.region.has_signs(base, POSITIVE):
        sums = reader.has(*logarithms.SUMS)
        return exponential(reader, mul(exponent, logarithms.expanded(reader, base) if sums else Node("log", base, E)))
    return reader.atom("Pow", base, exponent)
