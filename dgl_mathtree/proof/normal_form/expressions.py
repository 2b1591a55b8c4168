"""Values written as expressions again."""

from __future__ import annotations

from fractions import Fraction

from dgl_mathtree.language.expr import Words
from dgl_mathtree.proof.normal_form.ring import ONE, Generator, Polynomial, Quotient, Ring, Unsettled, fraction

LONGEST = 1500
"""The words of the longest expression that is written out."""


def number_words(value: Fraction) -> Words:
    return (str(value),)


def product(factors: list[Words]) -> Words:
    """Factors multiplied from the left: ((a*b)*c)."""
    if not factors:
        return ("1",)
    result = factors[0]
    for factor in factors[1:]:
        result = ("Mul", *result, *factor)
    return result


def polynomial_words(ring: Ring, p: Polynomial) -> Words:
    """A sum of products, later generators first."""
    if p == 0:
        return ("0",)
    result: Words = ()
    for exponents, coefficient in p.to_dict().items():
        powers = [_power(generator_words(ring, ring.generators[i]), int(n)) for i, n in enumerate(exponents) if n]
        c = fraction(coefficient)
        minus = bool(result) and c < 0
        c = -c if minus else c
        term = product(powers) if c == 1 and powers else product([number_words(c), *powers])
        if c == -1 and powers:
            term = ("Mul", "-1", *product(powers))
        if minus:
            term = ("Mul", "-1", *term)
        result = ("Add", *result, *term) if result else term
        if len(result) > LONGEST:
            raise Unsettled("too long to write out")
    return result


def quotient_words(ring: Ring, a: Quotient) -> Words:
    above = polynomial_words(ring, a.above)
    if a.below == ONE:
        return above
    return ("Mul", *above, "Pow", *polynomial_words(ring, a.below), "-1")


def _power(base: Words, n: int) -> Words:
    if n == 1:
        return base
    if base[0] == "Pow" and "/" in base[-1]:  # a power of a root
        exponent = Fraction(base[-1]) * n
        inner = base[1:-1]
        return ("Pow", *inner, str(exponent)) if exponent.denominator != 1 else ("Pow", *base, str(n))
    return ("Pow", *base, str(n))


def _scaled(c: Fraction, words: Words) -> Words:
    if c == 1:
        return words
    if words[0] == "Mul" and "." not in words[1] and words[1].lstrip("-").replace("/", "").isdigit():
        c *= Fraction(words[1])
        return _scaled(c, words[2:])
    try:
        return number_words(c * Fraction(words[0])) if len(words) == 1 else ("Mul", str(c), *words)
    except ValueError:
        return ("Mul", str(c), *words)


def generator_words(ring: Ring, generator: Generator) -> Words:
    """The expression that a generator stands for."""
    kind, argument, order = generator.kind, generator.argument, generator.order
    if kind == "var":
        return (argument,)
    if kind == "pi":
        return ("pi",)
    if kind == "cospi":
        return ("cos", *_scaled(1 / order, ("pi",)))
    if kind in ("abs", "root", "ln"):
        inner = polynomial_words(ring, argument)
        index = ring.by_name[generator.name]
        size = inner
        if kind == "abs":
            return ("Pow", "Pow", *inner, "2", "1/2")
        if not argument.is_constant():
            size = _size_words(ring, index, argument, inner)
        return ("log", *size, "e") if kind == "ln" else ("Pow", *size, str(1 / order))
    if kind == "power":
        return ("Pow", *quotient_words(ring, Quotient(*argument[:2])), *quotient_words(ring, Quotient(*argument[2:])))
    inner = quotient_words(ring, Quotient(*argument))
    if kind in ("sin", "cos", "exp"):
        return (kind, *_scaled(order, inner))
    return (kind, *inner)


def _size_words(ring: Ring, index: int, argument: Polynomial, inner: Words) -> Words:
    """|f|, written f or -f where that is known."""
    absolute = ring.sizes.get(str(argument))
    if absolute is None:
        return ("Pow", "Pow", *inner, "2", "1/2")
    return inner if absolute == 1 else polynomial_words(ring, -argument)
